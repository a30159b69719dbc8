"""Steady bits: few distinct differences between the states of transitions, as the cube-like graph of the paper wants.

After training, most transitions share their difference with many others. The rest mostly come from one or two unstable
bits, which the pictures hardly need: those are held constant. What then remains differs from a shared difference in a
single bit of a single transition: there the transition is made to agree, and the encoder learns it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import relu

from cubespace.autoencoder.inference import BATCH, decode_pixels, encode_logits, encode_pixels
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.base.differences import find_differences, number_rows
from cubespace.settings.recipe import ConsolidationConfig

SAMPLED_STATES = 3000  # on which it is tried whether the pictures need a bit
MAX_CANDIDATE_BITS = 10  # of each round: trying one decodes all sampled states
RARE_VALUE = 0.002  # fraction of the states; a bit that takes a value in fewer is as good as constant
SAME_PICTURE = 1e-3  # mean squared error: noise of 3 % of the grey scale, so two pictures closer than this are equal


def differences(before: Tensor, after: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct differences of transitions, how many transitions show each, and which each transition shows.

    Differences are int8 (differences, bits): 1 where a bit is added, -1 where it is deleted.
    """
    device = before.device
    found = find_differences(before.cpu().numpy(), after.cpu().numpy())  # not every device can sort rows
    distinct = torch.from_numpy(found.add.astype(np.int8) - found.delete.astype(np.int8))
    return distinct.to(device), torch.from_numpy(found.counts).to(device), torch.from_numpy(found.shown).to(device)


def frequent_differences(before: Tensor, after: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Return the add and delete masks of the distinct differences, at most ``most`` of them, most frequent first."""
    distinct, counts, _ = differences(before, after)
    order = counts.argsort(descending=True, stable=True)[:most]
    return distinct[order] > 0, distinct[order] < 0


class Agreement(NamedTuple):
    """Stray transitions and the bits with which they would show a frequent difference."""

    rows: Tensor  # (stray,)
    states: Tensor  # bool (2, stray, bits)


def agree(logits: Tensor, *, frequent: int, flips: int) -> Agreement:
    """Find the transitions, of logits (2, transitions, bits), whose difference is not ``frequent`` but nearly is one.

    Each takes the frequent difference that costs its logits least; those that need more than ``flips`` bits do not.
    """
    distinct, counts, shown = differences(*(logits > 0))
    known = distinct[counts >= frequent]  # (frequent differences, bits)
    rows = (counts[shown] < frequent).nonzero()[:, 0]
    if len(known) == 0 or len(rows) == 0:
        return Agreement(rows[:0], logits[:, :0] > 0)
    stray = logits[:, rows]  # (2, stray, bits)
    target = known[_cost(stray, known).argmin(1)]  # (stray, bits)
    unchanged = stray.sum(0) > 0  # where nothing changes, the surer of both logits decides
    states = torch.stack([torch.where(target == 0, unchanged, side) for side in (target < 0, target > 0)])
    near = (states != (stray > 0)).sum((0, 2)) <= flips
    return Agreement(rows[near], states[:, near])


def _cost(logits: Tensor, known: Tensor) -> Tensor:
    """Return how far the logits of each transition must move until it shows each difference, (transitions, known)."""
    to_false, to_true = relu(logits), relu(-logits)  # (2, transitions, bits) each
    nothing = torch.minimum(to_false.sum(0), to_true.sum(0))
    adding, deleting = to_false[0] + to_true[1], to_true[0] + to_false[1]
    masks = (known == 0, known > 0, known < 0)
    parts = [cost @ mask.float().T for cost, mask in zip((nothing, adding, deleting), masks, strict=True)]
    return torch.stack(parts).sum(0)


def agreed_bits(model: SpaceAutoEncoder, images: Tensor, config: ConsolidationConfig) -> tuple[Tensor, int]:
    """Return the bits of all transitions, changed where that makes one agree and harms no picture, and how many did."""
    logits = torch.stack([encode_logits(model, part) for part in images])  # (2, transitions, bits)
    states = logits > 0
    found = agree(logits, frequent=config.frequent, flips=config.flips)
    harmless = torch.ones(len(found.rows), dtype=torch.bool, device=images.device)
    for part, old, new in zip(images, states, found.states, strict=True):
        pictures = part[found.rows]
        harm = picture_errors(model, new, pictures) - picture_errors(model, old[found.rows], pictures)
        harmless &= harm < config.move_error
    states[:, found.rows[harmless]] = found.states[:, harmless]
    return states, int(harmless.sum())


def picture_errors(model: SpaceAutoEncoder, bits: Tensor, pixels: Tensor) -> Tensor:
    """Return the mean squared error of each decoded state against its picture, given in bytes."""
    pairs = zip(bits.split(BATCH), pixels.split(BATCH), strict=True)
    errors = [(decode_pixels(model, some) - seen.float() / 255.0).square().mean(1) for some, seen in pairs]
    return torch.cat(errors)


def drop_unstable_bits(model: SpaceAutoEncoder, images: Tensor, config: ConsolidationConfig) -> list[int]:
    """Hold unstable bits constant as long as the pictures do not need them, and return which were."""
    bits = torch.stack([encode_pixels(model, part) for part in images])  # (2, transitions, bits)
    pixels, states = images.flatten(0, 1), bits.flatten(0, 1)  # a view: what is held constant shows in both
    dropped: list[int] = []
    while (bit := _needless_bit(model, pixels, bits, config)) is not None:
        value = bool(states[:, bit].float().mean() > 0.5)
        states[:, bit] = value
        model.encoder.hold_bit(bit, value)
        dropped.append(bit)
    return dropped


def _needless_bit(model: SpaceAutoEncoder, pixels: Tensor, bits: Tensor, config: ConsolidationConfig) -> int | None:
    """Return the most unstable of the bits without which the pictures are drawn as well and told apart as well."""
    states = bits.flatten(0, 1)
    some = torch.arange(0, len(states), max(1, len(states) // SAMPLED_STATES), device=bits.device)
    usual = picture_errors(model, states[some], pixels[some]).mean()
    for bit in _unstable_bits(bits):
        without = states.clone()
        without[:, bit] = states[:, bit].float().mean() > 0.5
        worse = picture_errors(model, without[some], pixels[some]).mean() - usual
        if worse <= config.drop_error and not _confuses(without, pixels):
            return bit
    return None


def _unstable_bits(bits: Tensor) -> Iterator[int]:
    """Yield the bits that make twins, worst first, then those that almost never change.

    Twins are two differences that differ only in whether a bit changes: that bit then changes now and then, needlessly.

    With three bits: 90 transitions add bit 0, and 3 add bits 0 and 2. The two differences, (1, 0, 0) and (1, 0, 1), are
    twins, and bit 2 is the odd one; its trouble is 3, the count of the rarer twin. No other pair differs in one bit, so
    bit 2 is the only one with trouble and comes first.
    """
    distinct, counts, _ = differences(*bits)
    change = (distinct != 0).float()
    shared = (distinct > 0).float() @ (distinct > 0).float().T + (distinct < 0).float() @ (distinct < 0).float().T
    size = change.sum(1)
    one, other = torch.triu(size[:, None] + size - 2.0 * shared == 1.0).nonzero(as_tuple=True)  # pairs of twins
    odd = (distinct[one] != distinct[other]).int().argmax(1)  # the bit in which they differ
    weight = torch.minimum(counts[one], counts[other]).float()
    trouble = torch.zeros(bits.shape[2], device=bits.device).index_add_(0, odd, weight)
    rate = bits.float().mean((0, 1))
    trouble[(rate == 0) | (rate == 1)] = 0.0
    worst = trouble.argsort(descending=True, stable=True)[:MAX_CANDIDATE_BITS]
    rare = (trouble == 0) & (rate > 0) & (rate < 1) & (torch.minimum(rate, 1.0 - rate) < RARE_VALUE)
    yield from worst[trouble[worst] > 0].tolist()
    yield from rare.nonzero()[:, 0].tolist()


def _confuses(states: Tensor, pixels: Tensor) -> bool:
    """Return whether two different pictures have the same state."""
    rows = number_rows(np.packbits(states.cpu().numpy(), axis=1))  # not every device can sort rows
    number, order = torch.from_numpy(rows.number).to(states.device).sort(stable=True)
    same = (number[1:] == number[:-1]).nonzero()[:, 0]
    for rows in same.split(BATCH):
        apart = (pixels[order[rows]].float() - pixels[order[rows + 1]].float()) / 255.0
        if (apart.square().mean(1) > SAME_PICTURE).any():
            return True
    return False
