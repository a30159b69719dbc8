"""The paper's objective: the terms of its loss, with their bootstrap delays."""

from __future__ import annotations

from torch import Tensor

from cubespace.autoencoder.losses import direct, image_loss, variational, weigh, zero_suppress
from cubespace.autoencoder.model import SpaceAutoEncoder, Transition
from cubespace.autoencoder.objective import Losses, Objective


class PaperObjective(Objective):
    """Pictures of x0, x1 and x1 by way of the action; direct loss γ, zero suppression α, variational loss β."""

    revision = 1

    def terms(self, model: SpaceAutoEncoder, outputs: Transition, images: Tensor) -> Losses:
        """Return all terms of the paper."""
        weights = self.weights
        names = ("before", "after", "successor")
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

    def needs_successor(self) -> bool:
        """Return whether the successor's picture has any weight."""
        return self.weights.successor > 0

    def settled(self, progress: float) -> bool:
        """Return whether all delays are over."""
        return progress >= max(self.weights.direct_from, self.weights.zero_suppress_from)
