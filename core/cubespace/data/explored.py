"""Levels as domains: fully explored, or sampled by random walks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, States
from cubespace.base.errors import InputError
from cubespace.data.domain import USUAL_PAIRS, Domain, Environment, Explorer, Pairs, Progress
from cubespace.data.exploration import Exploration, Explored, ambiguous, key
from cubespace.data.level import Level, Picture, Snapshot
from cubespace.data.world import World, WorldMap, numbers_of

USUAL_STEPS = 50  # of a walk
SHOWN = 4  # times that each move is shown, on average: a fraction of only exp(-4) is not shown at all


class ExploredWorld(World, Explorer, Environment):
    """A level whose states are all found when they are first needed; an episode that is over has no further moves.

    ``make`` builds the level; to judge plans, what was found before is enough.
    """

    def __init__(self, make: Callable[[], Level], limit: int, held_out: float = 0.0) -> None:
        self._make, self._limit, self._held_out = make, limit, held_out
        self._found: Explored | None = None
        self._now: Snapshot = None

    @cached_property
    def level(self) -> Level:
        """Return the level itself, to act in."""
        return self._make()

    @property
    def usual_pairs(self) -> int:
        """Return more than the default where there are many moves."""
        return max(USUAL_PAIRS, SHOWN * len(self.map.shown.targets))

    def explore(self, progress: Progress) -> None:
        """Find all states, unless they are known already."""
        if self._found is None:
            self._found = Exploration(self.level, self._limit).run(progress)

    def findings(self) -> dict[str, NDArray[Any]]:
        """Return frames, moves and goal."""
        return {"frames": self.found.frames, "moves": self.found.moves, "goal": np.array(self.found.goal)}

    def recall(self, findings: dict[str, NDArray[Any]]) -> None:
        """Restore frames, moves and goal."""
        self._found = Explored(findings["frames"], findings["moves"], int(findings["goal"]))

    @property
    def found(self) -> Explored:
        """Return what is known about the level; explore it first if nothing is known."""
        self.explore(lambda *_: None)
        assert self._found is not None
        return self._found

    @cached_property
    def map(self) -> WorldMap:
        """Return the frames, and the moves without their actions."""
        found = self.found
        edges = np.unique(found.moves[:, [0, 2]], axis=0)
        return WorldMap.of(found.frames, edges, self._held_out, found.goal)

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the level's names of its actions."""
        return self.level.actions

    def put(self, state: States) -> Images:
        """Restart and take the shortest way to a state."""
        self._now = self.level.start
        picture = self.level.picture
        for action in self._way_to(int(numbers_of(state)[0])):
            step = self.level.step(self._now, action)
            self._now, picture = step.snapshot, step.picture
        return picture[None]

    def act(self, action: int) -> tuple[Images, bool]:
        """Do an action in the environment itself."""
        step = self.level.step(self._now, action)
        self._now = step.snapshot
        return step.picture[None], step.over

    def _way_to(self, state: int) -> list[int]:
        """Return the actions that lead from the start to a state: each state was first found from an earlier one."""
        way: list[int] = []
        while state != 0:
            source, action = self._origins[state]
            way.insert(0, action)
            state = source
        return way

    @cached_property
    def _origins(self) -> dict[int, tuple[int, int]]:
        """Return from which state and by which action each state was found first."""
        origins: dict[int, tuple[int, int]] = {}
        for source, action, target in self.found.moves.tolist():
            if source < target:
                origins.setdefault(target, (source, action))
        return origins


class WalkedLevel(Domain):
    """Random walks through a level that is too large to explore: enough to learn and plan, but plans are not judged."""

    def __init__(self, make: Callable[[], Level], steps: int = USUAL_STEPS) -> None:
        self._make, self._steps = make, steps

    @cached_property
    def level(self) -> Level:
        """Return the level itself."""
        return self._make()

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of a frame."""
        return self.level.picture.shape

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Walk until there are enough steps that change the frame; each walk is an episode."""
        size = USUAL_PAIRS if count is None else count
        rows: list[tuple[Picture, Picture, int]] = []
        known: dict[tuple[bytes, int], Picture] = {}
        episode = 0
        while len(rows) < size:
            rows += [(before, after, episode) for before, after in self._walk(rng, known)]
            episode += 1
            if episode > size and not rows:
                raise InputError(f"no random action has changed a frame of '{self.level.name}'")
        before, after, episodes = zip(*rows[:size], strict=True)
        return Pairs(np.stack(before), np.stack(after), episodes=np.array(episodes, dtype=np.intp))

    def _walk(self, rng: np.random.Generator, known: dict[tuple[bytes, int], Picture]) -> list[tuple[Picture, Picture]]:
        """Return the frames before and after each step of a walk; one that leads elsewhere than before is refused."""
        snapshot, picture = self.level.start, self.level.picture
        pairs = []
        for _ in range(self._steps):
            action = int(rng.integers(len(self.level.actions)))
            step = self.level.step(snapshot, action, int(rng.integers(1 << 31)))
            seen = known.setdefault((key(picture), action), step.picture)
            if not np.array_equal(seen, step.picture):
                why = "the environment is random, or hides a part of the state"
                raise ambiguous(self.level, action, why, [picture, seen, step.picture])
            if not np.array_equal(picture, step.picture):
                pairs.append((picture, step.picture))
            snapshot, picture = step.snapshot, step.picture
            if step.over:
                break
        return pairs
