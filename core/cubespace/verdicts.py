"""The strict judge of plans: what the decoded pictures show, step by step, against the rules of the simulator."""

from __future__ import annotations

import attrs
import numpy as np

from cubespace.domains import Domain, Images, Simulator, States


@attrs.frozen(kw_only=True)
class Verdict:
    """What a plan is worth. ``valid`` and ``optimal`` are None where nobody can know: a domain without a simulator."""

    valid: bool | None
    optimal: bool | None
    reason: str = ""  # why it is not valid
    step: int | None = None  # the frame at which it went wrong


UNKNOWN = Verdict(valid=None, optimal=None, reason="the domain has no simulator to judge by")


def judge(domain: Domain, init: States, goal: States, frames: Images, shortest: int | None) -> Verdict:
    """Judge the pictures of a plan from ``init`` to ``goal`` (batches of one).

    Valid: the first frame reads as the initial state, the last as the goal, every frame is readable and every step is a
    legal move. Optimal: valid and as long as the true shortest path. No step at all is invalid unless init is the goal.
    """
    if not isinstance(domain, Simulator):
        return UNKNOWN
    states, readable = domain.read(frames)  # (frames, variables), (frames,)
    if not readable.all():
        return _invalid("frame is not readable", int(readable.argmin()))
    if (states[0] != init[0]).any():
        return _invalid("first frame is not the initial state", 0)
    children, parents = domain.successors(states[:-1])
    legal = np.zeros(len(states) - 1, dtype=np.bool_)
    np.logical_or.at(legal, parents, (children == states[1:][parents]).all(1))
    if not legal.all():
        return _invalid("step is not a legal move", int(legal.argmin()) + 1)
    if (states[-1] != goal[0]).any():
        return _invalid("last frame is not the goal", len(states) - 1)
    return Verdict(valid=True, optimal=None if shortest is None else len(frames) - 1 == shortest)


def _invalid(reason: str, step: int) -> Verdict:
    return Verdict(valid=False, optimal=False, reason=reason, step=step)
