"""All states of a level, found breadth first. A state is what its frame shows; otherwise the level is refused."""

from __future__ import annotations

import hashlib

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices
from cubespace.base.errors import InputError, UsageError
from cubespace.base.images import contact_sheet, write_png
from cubespace.base.leftovers import evidence_folder
from cubespace.data.domain import Progress
from cubespace.data.level import Level, Picture, Snapshot, Step

OTHER_LUCK = 1  # the seed of the second try of an action that draws random numbers


@attrs.frozen(eq=False)
class Explored:
    """What was found: all frames, all moves that change the frame, with their actions, and the goal."""

    frames: Images
    moves: Indices  # (moves, 3): from which frame, by which action of the level, to which frame
    goal: int


class Exploration:
    """Visits every state of a level once, and again where it is reached in another way."""

    def __init__(self, level: Level, limit: int) -> None:
        self.level, self.limit = level, limit
        self.number: dict[bytes, int] = {key(level.picture): 0}
        self.frames: list[Picture] = [level.picture]
        self.waiting: dict[int, Snapshot] = {0: level.start}  # states still to be visited
        self.again: dict[int, Snapshot] = {}  # the same states, reached in another way
        self.targets: dict[int, list[int]] = {}  # per state, where each action leads
        self.checked: set[int] = set()
        self.rewards: dict[int, float] = {}  # of states that end the episode

    def run(self, progress: Progress) -> Explored:
        """Visit all states."""
        state = 0
        while state < len(self.frames):
            snapshot = self.waiting.pop(state, None)
            if snapshot is not None:
                self.targets[state] = self._targets(state, snapshot)
                other = self.again.pop(state, None)
                if other is not None:
                    self._check(state, other)
            state += 1
            progress(state, len(self.frames))
        moves = [
            (source, action, target)
            for source, targets in self.targets.items()
            for action, target in enumerate(targets)
            if target != source
        ]
        if not moves:
            raise UsageError(f"'{self.level.name}': no action changes the first frame")
        return Explored(np.stack(self.frames), np.array(moves, dtype=np.intp), self._goal())

    def _goal(self) -> int:
        """Return the end of an episode with the highest reward, or else the state that was found last."""
        return max(self.rewards, key=lambda state: self.rewards[state], default=len(self.frames) - 1)

    def _targets(self, state: int, snapshot: Snapshot) -> list[int]:
        """Return where each action leads; states that are new, or reached in another way, are kept for later."""
        targets = []
        for action in range(len(self.level.actions)):
            step = self._step(state, snapshot, action)
            target = self.number.setdefault(key(step.picture), len(self.frames))
            targets.append(target)
            if target == len(self.frames):
                self._add(target, step)
            elif target != state and step.over != (target in self.rewards):
                pictures = [self.frames[state], self.frames[target], step.picture]
                what = f"after action '{self.level.actions[action]}' a frame ends the episode that otherwise does not"
                raise unlearnable(self.level, what, "it hides a part of the state", pictures)
            elif target != state and not step.over:
                self._meet(target, step.snapshot)
        return targets

    def _add(self, target: int, step: Step) -> None:
        if target == self.limit:
            raise UsageError(
                f"'{self.level.name}' has more than {self.limit} states: raise limit=, choose "
                "fewer actions, or take random walks through it, whose plans cannot be judged"
            )
        self.frames.append(step.picture)
        if step.over:
            self.rewards[target] = step.reward
        else:
            self.waiting[target] = step.snapshot

    def _meet(self, target: int, snapshot: Snapshot) -> None:
        """Compare a state with what is known about it, now or as soon as it is known; once is enough."""
        if target in self.checked:
            return
        if target in self.targets:
            self._check(target, snapshot)
        else:
            self.again[target] = snapshot

    def _check(self, state: int, snapshot: Snapshot) -> None:
        """Raise unless every action leads to the same frame as before."""
        self.checked.add(state)
        for action, known in enumerate(self.targets[state]):
            picture = self._step(state, snapshot, action).picture
            if not np.array_equal(picture, self.frames[known]):
                pictures = [self.frames[state], self.frames[known], picture]
                raise ambiguous(self.level, action, "what led to it matters, so it hides a part of the state", pictures)

    def _step(self, state: int, snapshot: Snapshot, action: int) -> Step:
        """Do an action; if it draws random numbers, do it again with others, which must not change the result."""
        step = self.level.step(snapshot, action)
        if self.level.draws(snapshot, step):
            other = self.level.step(snapshot, action, OTHER_LUCK + state)
            if not np.array_equal(step.picture, other.picture):
                pictures = [self.frames[state], step.picture, other.picture]
                raise ambiguous(self.level, action, "the environment is random", pictures)
        return step


def ambiguous(level: Level, action: int, why: str, pictures: list[Picture]) -> InputError:
    """Return the error for a frame and an action that lead to two different frames."""
    what = f"from one frame, action '{level.actions[action]}' leads to two different frames"
    return unlearnable(level, what, why, pictures)


def unlearnable(level: Level, what: str, why: str, pictures: list[Picture]) -> InputError:
    """Return the error for a frame that is not a state, with a file that shows it and the two frames that prove it."""
    file = evidence_folder() / "two-frames.png"
    write_png(file, contact_sheet(np.stack(pictures), columns=3))
    return InputError(f"'{level.name}' cannot be learned from its frames: {what}, shown in {file}; {why}")


def key(picture: NDArray[np.uint8]) -> bytes:
    """Return a key that differs between different frames."""
    return hashlib.blake2b(picture.tobytes(), digest_size=16).digest()
