"""The network's own eye: whether a state is that of a picture, as far as the network and the training pictures tell."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from cubespace.domains import Images
from cubespace.preconditions import Evidence
from cubespace.strips import Bits, literals

BATCH = 2000
CHANCE = 1e-4  # that two literals never meet although nothing keeps them apart
KINDS = 256  # of shades and of patches
FEWEST = 3  # strange places that any picture may have


class Eye:
    """Tells known states from impossible ones.

    A state is impossible

    - if two of its literals were never seen together, which is no chance, or
    - if its picture, looked at, shows another state, or
    - if its picture has shades, or patches of 2x2 pixels, that those of known states never have at their place.

    The last catches nearly all that the first two miss. States of the training split are known, whatever they look
    like. A verdict is remembered, for many ways lead to the same state.
    """

    def __init__(self, evidence: Evidence, states: Bits, unseen: float) -> None:
        held = literals(states).astype(np.float32)
        self.evidence = evidence
        expected = np.outer(held.mean(0), held.sum(0))  # how often two literals would meet by chance
        self.apart = ((held.T @ held == 0) & (expected > -np.log(CHANCE))).astype(np.float32)  # (2 bits, 2 bits)
        self.unseen = unseen
        self.verdicts = dict.fromkeys(keys(states), True)
        self.seen: list[Bits] = []  # per feature, (places, kinds)
        for start in range(0, len(states), BATCH):
            features = _features(evidence.draw(states[start : start + BATCH]))
            self.seen = self.seen or [np.zeros((feature.shape[1], KINDS), dtype=np.bool_) for feature in features]
            for seen, feature in zip(self.seen, features, strict=True):
                seen[np.arange(len(seen)), feature] = True

    def knows(self, states: Bits) -> Bits:
        """Return which states are possible."""
        new = self.new(states)
        for start in range(0, len(new), BATCH):
            part = new[start : start + BATCH]
            self.verdicts.update(zip(keys(part), self._judge(part), strict=True))
        return np.array([self.verdicts[name] for name in keys(states)], dtype=np.bool_)

    def new(self, states: Bits) -> Bits:
        """Return the states that were not judged yet, each once."""
        rows = {name: row for row, name in enumerate(keys(states)) if name not in self.verdicts}
        return states[np.array(list(rows.values()), dtype=np.intp)]

    def _judge(self, states: Bits) -> Bits:
        held = literals(states).astype(np.float32)
        known = np.asarray(((held @ self.apart) * held).sum(1) == 0)
        left = np.flatnonzero(known)
        if len(left):
            pictures = self.evidence.draw(states[left])
            known[left] = (self.evidence.look(pictures) == states[left]).all(1) & self._usual(pictures)
        return known

    def _usual(self, pictures: Images) -> Bits:
        """Return which pictures have hardly anything that was never seen at its place."""
        usual = np.ones(len(pictures), dtype=np.bool_)
        for seen, feature in zip(self.seen, _features(pictures), strict=True):
            strange = (~seen[np.arange(len(seen)), feature]).sum(1)
            usual &= strange <= max(FEWEST, self.unseen * len(seen))
        return usual


def keys(states: Bits) -> list[bytes]:
    """Return a name for each state, the same for equal states only."""
    packed = np.packbits(states, axis=1)
    return cast(list[bytes], packed.view(f"V{packed.shape[1]}")[:, 0].tolist())


def _features(pictures: Images) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a number below 256 for every pixel, its shade, and for every patch of 2x2 pixels, each (batch, places)."""
    coarse = pictures >> 6  # four shades
    top = (coarse[:, :-1, :-1] << 6) | (coarse[:, :-1, 1:] << 4)
    patches = top | (coarse[:, 1:, :-1] << 2) | coarse[:, 1:, 1:]
    rows = len(pictures)
    return (pictures >> 4).reshape(rows, -1).astype(np.uint8), patches.reshape(rows, -1).astype(np.uint8)
