"""What a domain is: a source of pictures before and after an action. Some also judge plans, some know all their states.

Three contracts, of which only the first is needed to learn and to plan:

* :class:`Domain`: pairs of pictures. All that learning ever sees.
* :class:`Judge`: reads the state off a picture and says whether a step is a move; with it, plans are judged.
* :class:`StateSpace`: random states, successors, a goal; with it there are problems at an exact distance and diagnosis.

A :class:`Placing` one can also draw its things a little off their places. Two more exist for third-party worlds: an
:class:`Explorer` must explore before it knows its states, and in an :class:`Environment` plans can be carried out. A
:class:`Simulator` fulfils the first three. States are rows of small non-negative integers, always in batches:
``uint8[N, variables]``. Pictures are ``uint8[N, H, W]`` or, in colour, ``uint8[N, H, W, 3]``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices, States
from cubespace.base.options import NoOptions

Progress = Callable[[int, int], None]  # how much is done, and how much is known to exist

USUAL_PAIRS = 5000  # the size of the paper's data sets


@attrs.frozen(eq=False, repr=False)
class Pairs:
    """Transitions: the pictures before and after each and, where the domain knows them, the states and the episode."""

    before: Images
    after: Images
    states_before: States | None = None
    states_after: States | None = None
    episodes: Indices | None = None  # (pairs,): pairs of one walk or film have one number; learning never sees it

    def __len__(self) -> int:
        """Return how many transitions there are."""
        return len(self.before)

    def __repr__(self) -> str:
        """Return how many transitions there are, and of what size."""
        return f"<Pairs: {len(self)} of pictures {'x'.join(map(str, self.before.shape[1:]))}>"

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Pairs:
        """Return some of the transitions; a slice shares their memory."""
        return Pairs(
            self.before[rows],
            self.after[rows],
            None if self.states_before is None else self.states_before[rows],
            None if self.states_after is None else self.states_after[rows],
            None if self.episodes is None else self.episodes[rows],
        )


class Domain(ABC):
    """A source of pairs of pictures; all that learning needs. Built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    # a closed domain reads no file that its options name, imports no module for them and explores nothing; only such a
    # one judges the plans of a bundle, which may come from a stranger
    closed: ClassVar[bool] = False  # whether it is made of numbers and choices alone, and may judge bundles

    @property
    @abstractmethod
    def image_shape(self) -> tuple[int, ...]:
        """Return ``(height, width)`` or ``(height, width, 3)``."""

    @classmethod
    def files_behind(cls, option: str, path: Path) -> Iterable[Path]:  # noqa: ARG003 - a domain may need it
        """Return the files whose content decides what is read from a path that an option names.

        A result belongs to their content. By default the file itself; of a folder, all files in it.
        """
        return [path] if path.is_file() else (file for file in path.rglob("*") if file.is_file())

    @property
    def resizes(self) -> bool:
        """Return whether pictures of another size are scaled to ``image_shape`` when they are read."""
        return False

    @abstractmethod
    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw ``count`` transitions, or raise a ``UsageError`` if there are fewer; None draws the default number."""

    def __repr__(self) -> str:
        """Return what kind of domain it is and what it can do, without reading or drawing anything."""
        can = ["pairs of pictures"]
        can += ["judges plans"] if isinstance(self, Judge) else ["cannot judge plans"]
        can += ["knows its states: render, goal, successors"] if isinstance(self, StateSpace) else []
        return f"<{type(self).__name__}: {', '.join(can)}>"


class Judge(ABC):
    """Judges the pictures of a plan. Learning never sees any of this."""

    reads_blurred: ClassVar[bool] = False  # whether it reads what a camera saw that moved; else it is made sharp before

    @abstractmethod
    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Read the state off each picture; the mask says which pictures show a state at all.

        The rule is fixed: exact on clean pictures, tolerant to blur, never a guess. The states of unreadable pictures
        are zeros.
        """

    @abstractmethod
    def is_move(self, before: States, after: States) -> NDArray[np.bool_]:
        """Return whether one move leads from each state to the other state of its row."""

    def faults(self, images: Images) -> list[str]:
        """Say what is impossible in each picture, in a few words such as "0 twice, 5 missing"; "" if it is readable.

        Optional: by default, "" for every picture.
        """
        return [""] * len(images)


class StateSpace(ABC):
    """Knows its states and moves. Learning never sees any of this."""

    reversible: bool = True  # whether every move can be undone by one move

    @property
    def usual_pairs(self) -> int:
        """Return how many transitions show nearly all moves."""
        return USUAL_PAIRS

    @property
    @abstractmethod
    def radices(self) -> tuple[int, ...]:
        """Return how many values each variable of a state can take, at most 256."""

    @abstractmethod
    def render(self, states: States) -> Images:
        """Return the picture of each state; a state looks the same alone and in any batch."""

    @abstractmethod
    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw states uniformly from the whole state space."""

    @abstractmethod
    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return all successors of all states, and for each the row of the state it came from, in ascending order."""

    @abstractmethod
    def goal(self) -> States:
        """Return the goal of the domain's instances, as a batch of one."""

    def predecessors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return all states that have one of ``states`` as successor, and for each the row it leads to."""
        if not self.reversible:
            raise NotImplementedError(f"{type(self).__name__} must define predecessors: its moves cannot all be undone")
        return self.successors(states)

    def random_moves(self, count: int, rng: np.random.Generator) -> tuple[States, States]:
        """Draw uniform states and for each one of its successors, uniformly; states without any are drawn again."""
        before = self.random_states(count, rng)
        while True:
            children, parents = self.successors(before)
            degrees = np.bincount(parents, minlength=len(before))  # (batch,)
            stuck = np.flatnonzero(degrees == 0)
            if len(stuck) == 0:
                first = np.cumsum(degrees) - degrees
                return before, children[first + rng.integers(degrees)]
            before[stuck] = self.random_states(len(stuck), rng)


class Placing(ABC):
    """A state space that can draw its things a little off their places, as somebody leaves them who puts them down.

    Each variable of a state stands for a thing, which is moved by an action that changes its value.
    """

    @abstractmethod
    def render_placed(self, states: States, places: NDArray[np.float32]) -> Images:
        """Return the picture of each state, things off by ``places``: right, down, in pixels, and turned, in degrees.

        ``places`` is (states, variables, 3).
        """

    @abstractmethod
    def read_placed(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Read the state off each picture as a judge does, wherever in its place a thing lies."""


class Explorer(ABC):
    """A domain that must explore before it knows its states; what it finds is kept with the data set."""

    @abstractmethod
    def explore(self, progress: Progress) -> None:
        """Find all states, unless they are known already, and report progress."""

    @abstractmethod
    def findings(self) -> dict[str, NDArray[Any]]:
        """Return what was found, as arrays to be stored."""

    @abstractmethod
    def recall(self, findings: dict[str, NDArray[Any]]) -> None:
        """Restore what was found before, instead of exploring."""


class Environment(ABC):
    """A world in which plans can be carried out, one action after the other."""

    @property
    @abstractmethod
    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions."""

    @abstractmethod
    def put(self, state: States) -> Images:
        """Bring the world into a state, a batch of one, and return its picture."""

    @abstractmethod
    def act(self, action: int) -> tuple[Images, bool]:
        """Do an action, by its number in ``actions``; return the picture after it, and whether the episode is over."""


class Simulator(Domain, Judge, StateSpace):
    """A domain that knows its rules: it fulfils all three contracts."""

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw states uniformly, and for each one of its moves, uniformly."""
        before, after = self.random_moves(self.usual_pairs if count is None else count, rng)
        return Pairs(self.render(before), self.render(after), before, after)

    def is_move(self, before: States, after: States) -> NDArray[np.bool_]:
        """Return whether each second state is among the successors of the first."""
        children, parents = self.successors(before)
        legal = np.zeros(len(before), dtype=np.bool_)
        np.logical_or.at(legal, parents, (children == after[parents]).all(1))
        return legal
