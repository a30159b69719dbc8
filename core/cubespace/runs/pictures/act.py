"""Plans carried out in an environment, in a closed loop: plan, act, look, and plan again where it went otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Images
from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain, Environment, StateSpace
from cubespace.evaluation.binding import Binding
from cubespace.evaluation.problems import Problem
from cubespace.search.solver import Limits, SearchProblem, Solver
from cubespace.symbols.strips import StripsModel

Encode = Callable[[Images], Bits]
Draw = Callable[[Bits], Images]
Plan = tuple[list[int], Bits]  # learned actions, and the states from the first to the last, (steps + 1, bits)


@attrs.frozen(eq=False, kw_only=True)
class Actor:
    """Who acts: a model, an eye, a solver, and what is known of the actions of the environment."""

    environment: Environment
    encode: Encode
    draw: Draw
    model: StripsModel
    solver: Solver
    limits: Limits
    binding: Binding
    steps: int  # at most, in one episode

    def look(self, picture: Images) -> Bits:
        """Return the state that a picture shows, (bits,)."""
        state: Bits = self.encode(picture)[0]
        return state

    def label(self, space: StateSpace, count: int, rng: np.random.Generator) -> None:
        """Do so many random actions in random states: the only labelled steps there are."""
        for state in space.random_moves(count, rng)[0] if count else ():
            before = self.look(self.environment.put(state[None]))
            action = int(rng.integers(len(self.environment.actions)))
            self.binding.observe(before, action, self.look(self.environment.act(action)[0]))

    def act(self, problem: Problem) -> Episode:
        """Start where a problem starts and act until its goal is reached, nothing is left to do, or it takes too long.

        The goal is reached if the environment then looks exactly like the picture of the goal.
        """
        assert problem.states is not None
        pictures = [self.environment.put(problem.states[0])]
        goal = self.look(problem.goal)
        first = plan = self._plan(self.look(pictures[0]), goal)
        done, plans, over = list[int](), 1, False
        while not np.array_equal(pictures[-1], problem.goal):
            if plan is None or over or len(done) == self.steps:
                why = "the episode was over" if over else "no plan" if plan is None else "too many steps"
                return self._episode(problem, pictures, first, done, plans, why)
            (wanted, *rest), trace = plan
            before = trace[0]
            done.append(self.binding.choose(wanted))
            picture, over = self.environment.act(done[-1])
            pictures.append(picture)
            now = self.look(picture)
            self.binding.observe(before, done[-1], now)
            if rest and (now == trace[1]).all():
                plan = rest, trace[1:]
            elif not np.array_equal(picture, problem.goal):
                plan, plans = self._plan(now, goal), plans + 1
        return self._episode(problem, pictures, first, done, plans, "")

    def _plan(self, init: Bits, goal: Bits) -> Plan | None:
        """Return a plan; None if there is none, or if nothing is to be done although the goal is not reached."""
        result = self.solver.solve(SearchProblem(init=init, goal=goal, model=self.model), self.limits)
        return None if not result.plan or result.trace is None else (list(result.plan), result.trace)

    def _episode(
        self, problem: Problem, pictures: list[Images], first: Plan | None, done: list[int], plans: int, failure: str
    ) -> Episode:
        return Episode(
            problem=problem,
            happened=np.concatenate(pictures),
            planned=pictures[0] if first is None else self.draw(first[1]),
            actions=tuple(self.environment.actions[action] for action in done),
            plans=plans,
            failure=failure,
        )


@attrs.frozen(eq=False, kw_only=True)
class Episode:
    """What happened from the start of a problem on, beside what was planned first."""

    problem: Problem
    happened: Images  # (steps + 1, height, width, …)
    planned: Images
    actions: tuple[str, ...]  # of the environment
    plans: int  # how often it was planned
    failure: str  # why the goal was not reached; empty if it was

    def record(self) -> EpisodeRecord:
        """Return all of it that is not a picture."""
        return EpisodeRecord(
            problem=self.problem.name,
            reached=not self.failure,
            failure=self.failure,
            distance=self.problem.distance,
            planned=len(self.planned) - 1,
            steps=len(self.actions),
            plans=self.plans,
            actions=self.actions,
        )


@attrs.frozen(kw_only=True)
class EpisodeRecord:
    """An episode without its pictures."""

    problem: str
    reached: bool
    failure: str
    distance: int | None  # of the goal from the start
    planned: int  # steps of the first plan
    steps: int  # that were done
    plans: int
    actions: tuple[str, ...]


@attrs.frozen(kw_only=True)
class ActsRecord:
    """The result of acting from all starts: what ``acts.json`` holds."""

    planner: str
    seed: int
    labels: int  # random steps whose action was known
    learned_actions_bound: float  # fraction of the model's actions for which one of the environment is known
    starts: int
    reached: int
    as_short_as_possible: int
    records: tuple[EpisodeRecord, ...]

    @classmethod
    def of(cls, episodes: Sequence[Episode], *, planner: str, seed: int, labels: int, bound: float) -> ActsRecord:
        """Return the record of episodes; ``bound`` is the fraction of the model's actions that are bound."""
        records = tuple(episode.record() for episode in episodes)
        return cls(
            planner=planner,
            seed=seed,
            labels=labels,
            learned_actions_bound=round(bound, 4),
            starts=len(records),
            reached=sum(record.reached for record in records),
            as_short_as_possible=sum(record.reached and record.steps == record.distance for record in records),
            records=records,
        )


def environment_of(domain: Domain) -> Environment:
    """Return the domain as something to act in, or say that it is not."""
    if not isinstance(domain, Environment) or not isinstance(domain, StateSpace):
        raise UsageError("nothing can be done in this domain: acting needs an environment, such as gym:id=NAME")
    return domain
