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
from cubespace.autoencoder.inference import decode_pixels, encode_pixels, label_states
from cubespace.autoencoder.losses import image_loss, variational, zero_suppress
from cubespace.autoencoder.model import SpaceAutoEncoder, Transition
from cubespace.autoencoder.needless_bits import equal_bits, mixed_bits, weak_bits
from cubespace.autoencoder.objective import Losses, Objective, Renewed
from cubespace.autoencoder.schedules import delayed
from cubespace.base.differences import find_differences
from cubespace.base.errors import UsageError
from cubespace.base.options import option
from cubespace_networks.sprites import SpritesDecoder

WEAK_AT = (0.4, 0.5, 0.6, 0.7)  # fractions of the training at which weak bits are given up, …
MIXED_AT = (0.5, 0.6, 0.7, 0.8)  # … those that only multiply differences, …
MERGED_AT = 0.8  # … and copies of others, which also happens at the end
MOMENTS = sorted({*WEAK_AT, *MIXED_AT, MERGED_AT})
DRAWN_WELL_AT_LAST = 0.7  # fraction of the training from which pictures count as drawn as well as they will be
LOOKED_AT = 500  # training pictures by which that is judged
LEAST_SPRITE = 1e-3  # the largest pixel of a typical sprite is at least this, or all of them have vanished
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
    drawn_well: float = option(0.03, "variance of pictures that may be missing when bits begin to be given up", gt(0.0))
    needless: float = option(0.005, "variance of pictures that a bit may cost which only makes differences", ge(0.0))


class LikelihoodObjective(Objective):
    """-log p(pictures) - γ log Σ_a p(a) p(z1 | z0, a) p(z0 | z1, a)^w, and small sprites.

    The sum over actions is the direct loss: its gradient reaches bits and tables at once, without noise.
    """

    revision = 1
    Options = LikelihoodOptions
    options: LikelihoodOptions

    def terms(self, model: SpaceAutoEncoder, outputs: Transition, images: Tensor) -> Losses:
        """Return the terms of pictures, of transitions and of the decoder."""
        weights = self.weights
        before, after = image_loss(weights.image, outputs.pixels, images, linear=model.decoder.draws_pixels)
        terms = {
            "before": before,
            "after": after,
            "direct": -torch.logsumexp(outputs.labels.float(), dim=1).mean() / model.bits,
            "zero_suppress": zero_suppress(outputs.states),
            "balance": (outputs.states.float().mean((0, 1)) - 0.5).square().mean(),
            "sprites": _extent(model.decoder),
        }
        if weights.variational:
            terms["variational"] = variational(outputs.logits, outputs.labels, weights.prior)
        return terms

    def weigh(self, progress: float) -> dict[str, float]:
        """Return the weights of all terms, those that do not count yet among them."""
        weights, options = self.weights, self.options
        return {
            "before": weights.reconstruction * options.pictures,
            "after": weights.reconstruction * options.pictures,
            "direct": delayed(weights.direct, weights.direct_from, progress),
            "zero_suppress": delayed(weights.zero_suppress, weights.zero_suppress_from, progress),
            "variational": weights.variational,
            "balance": options.balance,
            "sprites": options.sprites * max(0.0, 1.0 - progress / options.sprites_until),
        }

    def check(self, model: SpaceAutoEncoder) -> None:
        """Raise a :class:`UsageError` if the logits of labels are not a likelihood."""
        if not model.action.explains:
            raise UsageError(
                "the objective 'likelihood' needs an action model that says how probable a transition is: "
                "set autoencoder.action=posterior, or another objective with autoencoder.objective"
            )

    def needs_successor(self) -> bool:
        """Return False: the transition term already asks that labels lead to the right bits."""
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
        """Give up bits that are needless, and give labels that explain nothing to transitions that none explains."""
        progress, previous = epoch / epochs, (epoch - 1) / epochs
        if isinstance(model.decoder, SpritesDecoder):
            self._look_at_pictures(model, model.decoder, images, progress)
            if model.decoder.drawn_well:
                passed = [moment for moment in MOMENTS if previous < moment <= progress]
                self._give_up_bits(model, images, passed, last=epoch == epochs)
        every, options = self.options.reseed, self.options
        due = every and epoch % every == 0 and self.weights.direct_from <= progress < options.reseed_until
        if due and model.apply_module.writable:
            return self._reseed(model, images)
        return ()

    def _look_at_pictures(
        self, model: SpaceAutoEncoder, decoder: SpritesDecoder, images: Tensor, progress: float
    ) -> None:
        """Note once that pictures are drawn well: giving bits up before that would lose what they are about to draw."""
        if decoder.drawn_well:
            return
        shown = images[0, :: max(1, images.shape[1] // LOOKED_AT)]
        pixels = shown.float().div(255.0)
        error = (decode_pixels(model, encode_pixels(model, shown)) - pixels).square().mean()
        well = bool(error < self.options.drawn_well * (pixels - pixels.mean(0)).square().mean())
        decoder.drawn_well.fill_(well or progress >= DRAWN_WELL_AT_LAST)

    def _give_up_bits(self, model: SpaceAutoEncoder, images: Tensor, passed: Sequence[float], *, last: bool) -> None:
        """Hold weak bits, then bits that only multiply differences, and in the end merge bits that are equal."""
        weak, mixed = any(moment in WEAK_AT for moment in passed), any(moment in MIXED_AT for moment in passed)
        merge = last or MERGED_AT in passed
        if not (weak or mixed or merge):
            return
        before, after = (encode_pixels(model, part) for part in images)
        sprites = model.decoder.sprites_of_bits()
        free = ~model.encoder.held_bits()
        states = torch.cat((before, after))
        share = states.float().mean(0)  # of true ones
        live = free & states.any(0) & ~states.all(0)
        given_up: list[int] = []
        if weak and sprites is not None:
            given_up = (weak_bits(sprites, live, self.options.weak) & free).nonzero()[:, 0].tolist()
            free[given_up] = live[given_up] = False
        if mixed:
            found = mixed_bits(before, after, images.flatten(0, 1), free, self.options.needless)
            given_up += found
            live[found] = False
        for bit in given_up:
            value = bool(share[bit] > 0.5)
            model.encoder.hold_bit(bit, value)
            model.decoder.hold_bit(bit, value, float(share[bit]))
        copies = equal_bits(states, live) if merge else []
        for kept, copy, opposite in copies:
            model.decoder.merge_bits(kept, copy, opposite=opposite)
            model.encoder.hold_bit(copy, False)
        for bit in [*given_up, *(copy for _, copy, _ in copies)]:
            model.apply_module.leave_bit(bit)
            model.action.leave_bit(bit)

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


def _extent(decoder: Decoder) -> Tensor:
    """Return what all bits together change in a picture, per pixel.

    Once pictures are drawn well, a sprite pays up to ten times as much the smaller its largest pixel is: needless ones
    vanish.
    """
    sprites = decoder.sprites_of_bits()
    if sprites is None:
        return torch.zeros((), device=next(decoder.parameters()).device)
    extent = sprites.abs().sum(0)  # (bits,)
    if isinstance(decoder, SpritesDecoder):
        size = sprites.detach().abs().amax(0)
        typical = size.median().clamp(min=LEAST_SPRITE)
        # chosen on the device: nothing waits for it
        extent = torch.where(decoder.drawn_well, extent * (typical / (size + LEAST_SHARE * typical)), extent)
    return extent.sum() / len(sprites)
