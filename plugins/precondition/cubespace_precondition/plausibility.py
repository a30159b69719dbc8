"""Whether a latent state can belong to a picture, judged by the network and the training pictures."""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, literals, row_keys
from cubespace.base.options import option
from cubespace.symbols.precondition_learner import Evidence

STATES_PER_BATCH = 2000
FEATURE_VALUES = 256  # of a pixel's shade and of a patch


@attrs.frozen(kw_only=True, slots=False)  # options of a learner may consist of several such classes
class PlausibilityOptions:
    """What a plausible picture may look like."""

    unseen: float = option(
        0.002,
        "largest fraction of a plausible picture's patches that were never seen at their place",
        and_(ge(0.0), le(1.0)),
    )
    unseen_patches: int = option(3, "unseen patches that a plausible picture may have however small it is", ge(0))
    apart: float = option(
        1e-4,
        "two literals that never occur together exclude each other if that is chance with a probability below this",
        and_(gt(0.0), le(1.0)),
    )


class StatePlausibility:
    """Separates plausible states from impossible ones.

    A state is implausible

    - if two of its literals were never seen together, and chance does not explain that, or
    - if its picture, encoded again, gives another state, or
    - if its picture has shades, or patches of 2x2 pixels, that pictures of training states never have at that position.

    The last test catches nearly everything that the first two miss. States of the training split are plausible,
    whatever they look like. Verdicts are cached, since many paths lead to the same state.
    """

    def __init__(self, evidence: Evidence, states: Bits, options: PlausibilityOptions) -> None:
        held = literals(states).astype(np.float32)
        self.evidence, self.options = evidence, options
        expected = np.outer(held.mean(0), held.sum(0))  # how often two literals would occur together by chance
        apart = (held.T @ held == 0) & (expected > -np.log(options.apart))
        self.apart = apart.astype(np.float32)  # (2 bits, 2 bits)
        self.verdicts = dict.fromkeys(row_keys(states), True)
        self.seen: list[Bits] = []  # per feature, (places, values)
        for start in range(0, len(states), STATES_PER_BATCH):
            features = _features(evidence.draw(states[start : start + STATES_PER_BATCH]))
            self.seen = self.seen or [
                np.zeros((feature.shape[1], FEATURE_VALUES), dtype=np.bool_) for feature in features
            ]
            for seen, feature in zip(self.seen, features, strict=True):
                seen[np.arange(len(seen)), feature] = True

    def is_plausible(self, states: Bits) -> Bits:
        """Return which states are plausible."""
        new = self.new(states)
        for start in range(0, len(new), STATES_PER_BATCH):
            part = new[start : start + STATES_PER_BATCH]
            self.verdicts.update(zip(row_keys(part), self._judge(part), strict=True))
        return np.array([self.verdicts[name] for name in row_keys(states)], dtype=np.bool_)

    def new(self, states: Bits) -> Bits:
        """Return the states that have not been judged yet, each once."""
        rows = {name: row for row, name in enumerate(row_keys(states)) if name not in self.verdicts}
        return states[np.array(list(rows.values()), dtype=np.intp)]

    def _judge(self, states: Bits) -> Bits:
        held = literals(states).astype(np.float32)
        known = np.asarray(((held @ self.apart) * held).sum(1) == 0)
        left = np.flatnonzero(known)
        if len(left):
            pictures = self.evidence.draw(states[left])
            known[left] = (self.evidence.look(pictures) == states[left]).all(1) & self._familiar(pictures)
        return known

    def _familiar(self, pictures: Images) -> Bits:
        """Return which pictures have at most a few features that were never seen at their place."""
        familiar = np.ones(len(pictures), dtype=np.bool_)
        for seen, feature in zip(self.seen, _features(pictures), strict=True):
            unseen = (~seen[np.arange(len(seen)), feature]).sum(1)
            familiar &= unseen <= max(self.options.unseen_patches, self.options.unseen * len(seen))
        return familiar


def _features(pictures: Images) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return numbers below 256 for the shade of each pixel and for each patch of 2x2 pixels, (batch, places) each."""
    coarse = pictures >> 6  # four shades
    top = (coarse[:, :-1, :-1] << 6) | (coarse[:, :-1, 1:] << 4)
    patches = top | (coarse[:, 1:, :-1] << 2) | coarse[:, 1:, 1:]
    rows = len(pictures)
    return (pictures >> 4).reshape(rows, -1).astype(np.uint8), patches.reshape(rows, -1).astype(np.uint8)
