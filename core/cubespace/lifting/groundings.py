"""All ways to fill in the parameters of a form: how often each was seen, and how often it was possible."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.contexts import Context
from cubespace.lifting.forms import Examples, Form
from cubespace.lifting.surroundings import Surroundings
from cubespace.lifting.variables import Observed

MAX_GROUNDINGS = 1_000_000  # that are counted one by one
CHUNK = 4096  # groundings counted at once


@attrs.frozen(eq=False, kw_only=True)
class Groundings:
    """Candidates for what a form may be about."""

    arguments: Indices  # (groundings, parameters)
    seen: Indices  # (groundings,), transitions
    possible: Indices  # (groundings,), transitions that began where the old values held and nothing was in the way

    def __getitem__(self, rows: Bits) -> Groundings:
        """Return the groundings of the rows that are true."""
        return Groundings(arguments=self.arguments[rows], seen=self.seen[rows], possible=self.possible[rows])

    def __len__(self) -> int:
        """Return the number of groundings."""
        return len(self.arguments)

    @property
    def frequency(self) -> float:
        """Return how often a grounding is seen where it is possible, over all that were seen at least once."""
        occurring = self.seen > 0
        return float(self.seen[occurring].sum() / max(self.possible[occurring].sum(), 1))


def count_groundings(names: int, variables: int, form: Form) -> int:
    """Return in how many ways the parameters can be filled in; no two values and no two variables are the same."""
    ways = [names - number for number in range(form.values)] + [variables - number for number in range(form.variables)]
    return int(np.prod(ways, dtype=np.float64)) if min(ways) > 0 else 0


def find_groundings(
    observed: Observed,
    named: Indices,
    examples: Examples,
    context: Context | None,
    surroundings: Surroundings | None = None,
) -> Groundings:
    """Return all groundings of a form over the variables that change; ``named`` are the states before, by names.

    If there are ``surroundings``, only those in which the pivot has its parameter.
    """
    form, names = examples.form, int(named.max()) + 1
    arguments = np.array(list(_all_arguments(names, observed.changing.tolist(), form)), dtype=np.intp)
    if surroundings is not None:
        arguments = arguments[arguments[:, surroundings.parameter] == surroundings.pivot]
    seen = dict.fromkeys(map(tuple, arguments.tolist()), 0)
    counts = observed.counts
    for row, event in zip(map(tuple, examples.arguments.tolist()), examples.event.tolist(), strict=True):
        seen[row] += int(counts[event])
    holds = np.stack([np.packbits(named == name, axis=0).T for name in range(names)])  # (names, variables, bytes)
    parts = [arguments[start : start + CHUNK] for start in range(0, len(arguments), CHUNK)]
    possible = np.concatenate([_possible(part, form, holds, context, surroundings) for part in parts])
    return Groundings(
        arguments=arguments, seen=np.array([seen[row] for row in map(tuple, arguments.tolist())]), possible=possible
    )


def _all_arguments(names: int, variables: list[int], form: Form) -> Iterator[tuple[int, ...]]:
    for values in permutations(range(names), form.values):
        for about in permutations(variables, form.variables):
            yield (*values, *about)


def _possible(
    arguments: Indices,
    form: Form,
    holds: NDArray[np.uint8],
    context: Context | None,
    surroundings: Surroundings | None,
) -> Indices:
    """Count the states in which the old values hold, no other variable is in the way and all places are as needed."""
    about = arguments[:, form.values :]
    there = np.full((len(arguments), holds.shape[2]), 255, dtype=np.uint8)
    for variable, old, _ in form.changes:
        there &= holds[arguments[:, old], about[:, variable]]
    if context is not None:
        for value in context.values:
            for other in range(holds.shape[1]):
                blocked = context.blocks[other, about[:, context.variable]]
                there[blocked] &= ~holds[arguments[blocked, value], other]
    if surroundings is not None:
        for one in surroundings.each:
            for other in np.flatnonzero(one.places.any(1)).tolist():
                concerned = np.flatnonzero(one.places[other, about[:, one.variable]])
                empty = holds[surroundings.pivot, other]
                there[concerned] &= empty if one.empty else ~empty
    counts: Indices = np.bitwise_count(there).sum(1, dtype=np.intp)
    return counts
