"""Groups of bits of which exactly one is true in every state, before and after every event.

Such a group is a place invariant of a Petri net with weights 0 and 1, and one more finite-domain variable: the cells
in which tile 7 is, the poses of an agent. The search grows a group from two bits, one of which an event
exchanges for the other. An event that deletes a member must add one, and vice versa; no two members
are ever true together. The states leave so little choice that most steps are forced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, distinct_rows


def exactly_one_groups(
    states: Bits, add: Bits, delete: Bits, known: Sequence[Indices] = (), *, steps_per_start: int | None = None
) -> list[Indices]:
    """Return groups of bits of which exactly one is true in all ``states`` and after each event from there.

    ``states`` are (states, bits), ``add`` and ``delete`` (events, bits). Groups that are ``known`` are not returned.
    For each pair of bits that an event exchanges, at most one group is sought, and the search ends after
    ``steps_per_start`` choices, or as many as there are bits if None.

    Worked example, three bits, an event adds 010 and deletes 100, another adds 001 and deletes 010, the states are 100,
    010 and 001: the exchange of bits 0 and 1 starts a group, the second event forces bit 2, the group is (0, 1, 2).
    """
    search = _Search(states, add, delete, states.shape[1] if steps_per_start is None else steps_per_start)
    covered = np.zeros((states.shape[1],) * 2, dtype=np.bool_)  # pairs of bits of groups that were found or known
    for group in known:
        covered[np.ix_(group, group)] = True
    groups: list[Indices] = []
    for old, new in search.exchanges():
        if covered[old, new]:
            continue
        grown = search.grow(old, new)
        covered[old, new] = covered[new, old] = True
        if grown is not None:
            covered[np.ix_(grown, grown)] = True
            groups.append(grown)
    return groups


def at_most_one_groups(states: Bits, known: Sequence[Indices], *, alpha: float = 0.05) -> list[Indices]:
    """Return disjoint groups of three bits or more of which at most one is true in all ``states``.

    Only pairs count that are not both in a ``known`` group and that would meet by chance with a probability of at least
    1 - ``alpha``: two bits that hold in a and b of n states meet ab / n times on average. The groups are proposals of
    what may matter to an event, so no more than this is required of each pair.

    Worked example, three bits, states 100, 010, 001 and 000, each many times over with other bits: no two of the three
    bits are ever true together, so they are a group. In 000 none holds: a key in none of three cells.
    """
    number = distinct_rows(states).astype(np.float32)
    often = number.sum(0)
    by_chance = np.outer(often, often) / max(1, len(number))
    apart = (number.T @ number == 0) & (by_chance > -np.log(alpha))
    for group in known:
        apart[np.ix_(group, group)] = False
    groups: list[Indices] = []
    while len(group := _clique(apart)) > 2:
        groups.append(group)
        apart[group] = apart[:, group] = False
    return groups


def _clique(adjacent: Bits) -> Indices:
    """Return a large clique, grown from the node with most neighbours."""
    members: list[int] = []
    left = adjacent.any(1)
    while left.any():
        best = int(np.where(left, adjacent[:, left].sum(1), -1).argmax())
        members.append(best)
        left = left & adjacent[best]
    return np.sort(np.array(members, dtype=np.intp))


class _Search:
    """Grows groups; an unfinished group is a list of bits, the counts of its events and the bits that may join it."""

    def __init__(self, states: Bits, add: Bits, delete: Bits, steps: int) -> None:
        self.states = distinct_rows(states)
        number = self.states.astype(np.float32)
        self.apart = np.asarray(number.T @ number == 0, dtype=np.bool_)  # (bits, bits), never true together
        self.often = self.states.sum(0)  # (bits,)
        self.add, self.delete = add, delete
        self.steps = steps

    def exchanges(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of bits, never true together, of which some event deletes one and adds the other."""
        exchanged = self.delete.T.astype(np.float32) @ self.add.astype(np.float32) > 0
        exchanged = np.triu(exchanged | exchanged.T) & self.apart
        yield from zip(*(index.tolist() for index in np.nonzero(exchanged)), strict=True)

    def grow(self, old: int, new: int) -> Indices | None:
        """Return the first group with two given bits that the search finds, depth first, or None."""
        left = self.steps
        stack = [[old, new]]
        while stack and left:
            left -= 1
            group = stack.pop()
            choices = self._choices(group)
            if choices is None:
                return np.sort(np.array(group, dtype=np.intp))
            stack.extend([*group, choice] for choice in reversed(choices))
        return None

    def _choices(self, group: list[int]) -> list[int] | None:
        """Add to a group all bits that are forced; return the bits of the first real choice, None if complete."""
        allowed: Bits = np.logical_and.reduce(self.apart[group], axis=0)
        added, deleted = self.add[:, group].sum(1), self.delete[:, group].sum(1)
        while True:
            if (np.maximum(added, deleted) > 1).any():
                return []
            candidates = self._candidates(allowed, added, deleted)
            if candidates is None:
                candidates = self._uncovered(group, allowed)
                if candidates is None:
                    return None
            if len(candidates) != 1:
                return candidates
            bit = candidates[0]
            group.append(bit)
            allowed &= self.apart[bit]
            added, deleted = added + self.add[:, bit], deleted + self.delete[:, bit]

    def _candidates(self, allowed: Bits, added: NDArray[np.intp], deleted: NDArray[np.intp]) -> list[int] | None:
        """Return the bits of which one must join, for the event with fewest of them; None if no event asks for one."""
        short, over = np.flatnonzero(deleted > added), np.flatnonzero(added > deleted)
        if not len(short) + len(over):
            return None
        offers = np.concatenate([self.add[short], self.delete[over]]) & allowed
        fewest = offers[offers.sum(1).argmin()]
        return sorted(np.flatnonzero(fewest).tolist(), key=lambda bit: -int(self.often[bit]))

    def _uncovered(self, group: list[int], allowed: Bits) -> list[int] | None:
        """Return the bit that covers most of the states in which no member is true; None if there are none."""
        rest = self.states[~self.states[:, group].any(1)]
        if not len(rest):
            return None
        gain = np.where(allowed, rest.sum(0), 0)
        return [int(gain.argmax())] if gain.any() else []
