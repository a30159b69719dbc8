"""The likelihood of pictures and transitions: the paper's terms with actions summed out, and bits that mean one thing.

It goes with the action model ``posterior``, whose logits are log p(a, z1, z0^w | …), and with the decoder ``sprites``.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import torch
from attrs.validators import and_, ge, gt, le
from torch import Tensor, nn

from cubespace.autoencoder.encoder import Decoder
from cubespace.autoencoder.inference import encode_pixels, label_states
from cubespace.autoencoder.losses import image_loss, total, variational, zero_suppress
from cubespace.autoencoder.model import SpaceAutoEncoder, Transition
from cubespace.autoencoder.needless_bits import mixed_bits, weak_bits
from cubespace.autoencoder.objective import Losses, Objective, Renewed
from cubespace.autoencoder.schedules import delayed
from cubespace.base.differences import find_differences
from cubespace.base.options import option

SMALL_PAY_MORE_FROM = 0.15  # fraction of the training from which small sprites pay more than large ones
LEAST_SHARE = 0.1  # of a typical sprite: smaller ones pay no more than it
LABELLED_AT_ONCE = 1000  # transitions


@attrs.frozen(kw_only=True)
class LikelihoodOptions:
    """What is weighed besides the terms of the paper, and how tables of effects are kept in use."""

    pictures: float = option(40.0, "weight of the squared error of pictures, in place of the paper's 1", gt(0.0))
    sprites: float = option(1.0, "weight of what bits change in pictures: it makes a bit mean one thing", ge(0.0))
    sprites_until: float = option(0.8, "fraction of the training at which that weight has fallen to 0", gt(0.0))
    balance: float = option(4.0, "weight of bits that are more often true than false, or less", ge(0.0))
    table_rate: float = option(10.0, "learning rate of the tables of effects, as a multiple of the others'", gt(0.0))
    reseed: int = option(2, "epochs after which labels that explain nothing are given to transitions; 0: never", ge(0))
    reseed_until: float = option(0.9, "fraction of the training after which that ends", and_(ge(0.0), le(1.0)))
    weak: float = option(0.3, "bits that move no pixel by this fraction of a typical bit are held constant", ge(0.0))
    needless: float = option(0.005, "variance of pictures that a bit may cost which only makes differences", ge(0.0))


class LikelihoodObjective(Objective):
    """-log p(pictures) - γ log Σ_a p(a) p(z1 | z0, a) p(z0 | z1, a)^w, and small sprites.

    The sum over actions is the direct loss: its gradient reaches bits and tables at once, without noise.
    """

    revision = 1
    Options = LikelihoodOptions
    options: LikelihoodOptions
    HOLD_AT = (0.4, 0.5, 0.6, 0.7, 0.8)  # fractions of the training at which needless bits are held

    def losses(self, model: SpaceAutoEncoder, outputs: Transition, images: Tensor, progress: float) -> Losses:
        """Return the terms of pictures, of transitions and of the decoder."""
        weights, options = self.weights, self.options
        kind = "pixels" if model.decoder.linear else weights.image
        before, after = image_loss(kind, outputs.pixels, images)
        terms = {
            "before": before,
            "after": after,
            "direct": -torch.logsumexp(outputs.labels.float(), dim=1).mean() / model.bits,
            "zero_suppress": zero_suppress(outputs.states),
            "balance": (outputs.states.float().mean((0, 1)) - 0.5).square().mean(),
            "sprites": _extent(model.decoder, small_pay_more=progress >= SMALL_PAY_MORE_FROM),
        }
        if weights.variational:
            terms["variational"] = variational(outputs.logits, outputs.labels, weights.prior)
        return total(
            terms,
            {
                "before": weights.reconstruction * options.pictures,
                "after": weights.reconstruction * options.pictures,
                "direct": delayed(weights.direct, weights.direct_from, progress),
                "zero_suppress": delayed(weights.zero_suppress, weights.zero_suppress_from, progress),
                "variational": weights.variational,
                "balance": options.balance,
                "sprites": options.sprites * max(0.0, 1.0 - progress / options.sprites_until),
            },
        )

    def needs_successor(self) -> bool:
        """Return no: that a label leads to the right bits is what the transition term says."""
        return False

    def settled(self, progress: float) -> bool:
        """Return whether all weights have come to rest."""
        return progress >= max(self.weights.direct_from, self.weights.zero_suppress_from, self.options.sprites_until)

    def parameter_groups(self, model: SpaceAutoEncoder) -> list[tuple[float, list[nn.Parameter]]]:
        """Return the tables of effects with their own rate: a row is only learned from the transitions of its label."""
        tables = [*model.apply_module.tables(), *model.action.tables()]
        named = {id(table) for table in tables}
        others = [parameter for parameter in model.parameters() if id(parameter) not in named]
        return [(1.0, others), (self.options.table_rate, tables)]

    @torch.no_grad()
    def end_epoch(self, model: SpaceAutoEncoder, images: Tensor, epoch: int, epochs: int) -> Sequence[Renewed]:
        """Hold bits that are needless, and give labels that explain nothing to transitions that none explains."""
        progress, before_it = epoch / epochs, (epoch - 1) / epochs
        if any(before_it < moment <= progress for moment in self.HOLD_AT):
            self._hold_needless(model, images)
        every, options = self.options.reseed, self.options
        if every and epoch % every == 0 and self.weights.direct_from <= progress < options.reseed_until:
            return self._reseed(model, images)
        return ()

    def _hold_needless(self, model: SpaceAutoEncoder, images: Tensor) -> None:
        """Hold weak bits and, of the others, those that only multiply differences."""
        sprites = model.decoder.sprites_of_bits()
        if sprites is None:
            return
        before, after = (encode_pixels(model, part) for part in images)
        states = torch.cat((before, after))
        free = ~model.encoder.held_bits()
        live = free & states.any(0) & ~states.all(0)
        weak = weak_bits(sprites, live, self.options.weak) & free
        pixels = images.flatten(0, 1).float().div_(255.0)
        mixed = mixed_bits(before, after, pixels, free & ~weak, self.options.needless)
        share = states.float().mean(0)  # of true ones
        for bit in [*weak.nonzero()[:, 0].tolist(), *mixed]:
            value = bool(share[bit] > 0.5)
            model.encoder.hold_bit(bit, value)
            model.decoder.hold_bit(bit, value, float(share[bit]))
            for table in (*model.apply_module.tables(), *model.action.tables()):
                table.view(model.actions, model.bits, -1)[:, bit] = 0.0

    def _reseed(self, model: SpaceAutoEncoder, images: Tensor) -> Sequence[Renewed]:
        """Write the most frequent differences that no label explains into labels that explain no transition."""
        before, after = (encode_pixels(model, part) for part in images)
        parts = zip(before.float().split(LABELLED_AT_ONCE), after.float().split(LABELLED_AT_ONCE), strict=True)
        labels = torch.cat([label_states(model, first, last) for first, last in parts])
        add, delete = model.apply_module.effects()
        explained = (((before & ~delete[labels]) | add[labels]) == after).all(1)
        used = torch.zeros(model.actions, dtype=torch.bool, device=labels.device)
        used[labels[explained]] = True
        free = (~used).nonzero()[:, 0]
        if explained.all() or not len(free):
            return ()
        unexplained = (part[~explained].cpu().numpy() for part in (before, after))
        found = find_differences(*unexplained, by_frequency=True)
        count = min(len(free), int((found.counts > 1).sum()))
        if not count:
            return ()
        new_add, new_delete = (torch.from_numpy(mask[:count]).to(before.device) for mask in (found.add, found.delete))
        rows = free[torch.randperm(len(free), device=free.device)[:count]]
        model.apply_module.write_rows(rows, new_add, new_delete)
        model.action.write_rows(rows, new_add, new_delete)
        return [Renewed(table, rows) for table in (*model.apply_module.tables(), *model.action.tables())]


def _extent(decoder: Decoder, *, small_pay_more: bool) -> Tensor:
    """Return what all bits together change in a picture, per pixel.

    If ``small_pay_more``, a sprite pays up to ten times as much the smaller its largest pixel is: needless ones vanish.
    """
    sprites = decoder.sprites_of_bits()
    if sprites is None:
        return torch.zeros((), device=next(decoder.parameters()).device)
    extent = sprites.abs().sum(0)  # (bits,)
    if small_pay_more:
        size = sprites.detach().abs().amax(0)
        typical = size.median()
        extent = extent * (typical / (size + LEAST_SHARE * typical))
    return extent.sum() / len(sprites)
