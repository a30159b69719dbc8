"""Planning problems as pictures: at an exact distance from the goal, or between two pictures that were held out."""

from __future__ import annotations

import attrs
import numpy as np

from cubespace.base.arrays import Images, States
from cubespace.data.domain import Domain, Judge, Pairs, StateSpace
from cubespace.evaluation import distances
from cubespace.settings.run_config import PlanConfig


@attrs.frozen(eq=False, kw_only=True)
class Problem:
    """Two pictures, and what the domain knows about them: their states and how many moves apart they are."""

    name: str
    init: Images  # (1, height, width, …)
    goal: Images  # (1, height, width, …)
    states: tuple[States, States] | None = None  # (1, variables) each
    distance: int | None = None


def make_problems(domain: Domain, held_out: Pairs, config: PlanConfig) -> list[Problem]:
    """Return the instances: at an exact distance from the goal or, where states are unknown, between test pictures."""
    if isinstance(domain, StateSpace):
        drawn = distances.draw(
            domain, config.length, config.instances, config.seed, random_goals=config.random_goals, fewer=True
        )
        inits, goals = domain.render(drawn.inits), domain.render(drawn.goals)
        return [
            Problem(
                name=f"{number:03d}",
                init=inits[number : number + 1],
                goal=goals[number : number + 1],
                states=(drawn.inits[number : number + 1], drawn.goals[number : number + 1]),
                distance=drawn.distance,
            )
            for number in range(len(drawn))
        ]
    rng = np.random.default_rng(config.seed)
    count = min(config.instances, len(held_out))
    starts, ends = (rng.permutation(len(held_out))[:count] for _ in range(2))
    return [
        Problem(name=f"{number:03d}", init=held_out.before[[start]], goal=held_out.after[[end]])
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def own_problem(domain: Domain, init: Images, goal: Images) -> Problem:
    """Return the problem of two given pictures; a domain that can read both will judge the plan."""
    if isinstance(domain, Judge):
        states, readable = domain.read(np.concatenate([init, goal]))
        if readable.all():
            return Problem(name="own", init=init, goal=goal, states=(states[:1], states[1:]))
    return Problem(name="own", init=init, goal=goal)
