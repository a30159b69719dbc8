"""The paper's objective: the terms of its loss, with their bootstrap delays."""

from __future__ import annotations

import attrs
from torch import Tensor

from cubespace.autoencoder.losses import direct, image_loss, variational, weigh, zero_suppress
from cubespace.autoencoder.model import SpaceAutoEncoder, Transition
from cubespace.autoencoder.objective import Losses, Objective
from cubespace.base.options import option


@attrs.frozen(kw_only=True)
class PaperOptions:
    """Which pictures are compared."""

    after: bool = option(
        True, "draw x1 from its own bits too, as in the text; off: by way of the action only, as in the authors' code"
    )


class PaperObjective(Objective):
    """Pictures of x0, x1 and x1 by way of the action; direct loss γ, zero suppression α, variational loss β."""

    revision = 1
    Options = PaperOptions
    options: PaperOptions

    def terms(self, model: SpaceAutoEncoder, outputs: Transition, images: Tensor) -> Losses:
        """Return all terms of the paper."""
        weights = self.weights
        names = ("before", "after", "successor") if self.options.after else ("before", "successor")
        pictures = image_loss(weights.image, outputs.pixels, images, linear=model.decoder.draws_pixels)
        terms = dict(zip(names, pictures, strict=False))
        terms["direct"] = direct(outputs.states, outputs.successor)
        terms["zero_suppress"] = zero_suppress(outputs.states)
        if weights.variational:
            terms["variational"] = variational(outputs.logits, outputs.labels, weights.prior)
        return terms

    def weigh(self, progress: float) -> dict[str, float]:
        """Return the weights of the settings, where their delays are over."""
        return weigh(self.weights, progress)

    def needs_after(self) -> bool:
        """Return whether x1 is drawn from its own bits."""
        return self.options.after

    def needs_successor(self) -> bool:
        """Return whether the successor's picture has any weight."""
        return self.weights.successor > 0

    def settled(self, progress: float) -> bool:
        """Return whether all delays are over."""
        return progress >= max(self.weights.direct_from, self.weights.zero_suppress_from)
