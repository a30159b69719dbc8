"""The oracle of AMA1: every move of a world, which no learner could know."""

from __future__ import annotations

import numpy as np

from cubespace.base.arrays import States
from cubespace.base.errors import UsageError
from cubespace.data.domain import StateSpace


def every_move(domain: StateSpace, most: int) -> tuple[States, States]:
    """Return the states before and after every move between states from which the goal can be reached."""
    layer = domain.goal()
    known = {state.tobytes() for state in layer}
    before, after, count = [], [], 0
    while len(layer):
        sources, targets = domain.predecessors(layer)
        count += len(sources)
        if count > most:
            raise UsageError(
                f"extract.pairs=oracle lists every move, and this world has more than {most}: "
                "choose a smaller one, or raise extract.most_moves"
            )
        before.append(sources)
        after.append(layer[targets])
        fresh = [row for row, state in enumerate(sources) if _is_new(state.tobytes(), known)]
        layer = sources[fresh]
    return np.concatenate(before), np.concatenate(after)


def _is_new(key: bytes, known: set[bytes]) -> bool:
    """Return whether a state was not known before; now it is."""
    if key in known:
        return False
    known.add(key)
    return True
