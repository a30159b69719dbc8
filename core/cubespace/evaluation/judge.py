"""The judges of plans: they compare what decoded pictures show, step by step, with the rules of the domain."""

from __future__ import annotations

import attrs

from cubespace.base.arrays import Images, States
from cubespace.data.domain import Domain, Judge


@attrs.frozen(kw_only=True)
class Verdict:
    """Whether a plan is valid and optimal; both are None if the domain cannot judge plans."""

    valid: bool | None
    optimal: bool | None
    reason: str = ""  # why it is not valid
    step: int | None = None  # the frame at which it went wrong
    fault: str = ""  # what is impossible in that frame, if the domain can say


UNKNOWN = Verdict(valid=None, optimal=None, reason="this domain cannot judge plans")


def judge(domain: Domain, init: States, goal: States, frames: Images, shortest: int | None) -> Verdict:
    """Judge the pictures of a plan from ``init`` to ``goal`` (batches of one).

    Valid: the first frame reads as the initial state, the last as the goal, every frame is readable and every step is a
    legal move. Optimal: valid and as long as the true shortest path. An empty plan is invalid unless init is the goal.
    """
    if not isinstance(domain, Judge):
        return UNKNOWN
    states, readable = domain.read(frames)  # (frames, variables), (frames,)
    if not readable.all():
        frame = int(readable.argmin())
        return _invalid("frame is not readable", frame, domain.faults(frames[frame : frame + 1])[0])
    if (states[0] != init[0]).any():
        return _invalid("first frame is not the initial state", 0)
    legal = domain.is_move(states[:-1], states[1:])
    if not legal.all():
        return _invalid("step is not a legal move", int(legal.argmin()) + 1)
    if (states[-1] != goal[0]).any():
        return _invalid("last frame is not the goal", len(states) - 1)
    return Verdict(valid=True, optimal=None if shortest is None else len(frames) - 1 == shortest)


def judge_as_the_authors_do(domain: Domain, frames: Images, shortest: int | None) -> Verdict:
    """Judge the pictures of a plan by the rule of the paper's authors, to compare like with like.

    Every step leads from a readable frame to one that a legal move reaches. The first and the last frame are not
    compared with the problem, and a plan without steps is valid. Frames are read by the rule of the domain.
    """
    if not isinstance(domain, Judge):
        return UNKNOWN
    states, readable = domain.read(frames)
    legal = domain.is_move(states[:-1], states[1:]) & readable[:-1] & readable[1:]  # (steps,)
    if not legal.all():
        return _invalid("step is not a legal move between readable frames", int(legal.argmin()) + 1)
    return Verdict(valid=True, optimal=None if shortest is None else len(frames) - 1 == shortest)


def _invalid(reason: str, step: int, fault: str = "") -> Verdict:
    return Verdict(valid=False, optimal=False, reason=reason, step=step, fault=fault)
