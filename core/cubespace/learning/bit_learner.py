"""What a bit learner is: it looks at pairs of pictures and returns a code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.observer import Observer
from cubespace.base.options import NoOptions
from cubespace.learning.code import Code, SavedCode
from cubespace.learning.measures import Measures
from cubespace.settings import defaults
from cubespace.settings.recipe import Execution, Recipe

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs

Create = Callable[..., Any]  # (kind, spec, *arguments): builds a part that settings name, such as an apply module
Load = Callable[[str, str], type[Any]]  # (kind, spec): the class of such a part, without building it
EffectSource = Literal["differences", "network", "observed", "predicted"]


class Unsuitable(UsageError):  # noqa: N818 - it describes the pictures
    """A learner cannot make anything of these pictures; the message says why."""


@attrs.frozen(kw_only=True, eq=False)
class Parts:
    """Where a learner gets its components, and the device and threads that it computes with."""

    create: Create
    load: Load
    execution: Execution


def measure_nothing(code: Code) -> Mapping[str, Measures]:  # noqa: ARG001
    """Return no measures, where none are asked for."""
    return {}


@attrs.frozen(kw_only=True, eq=False)
class Work:
    """Everything that a learner is given besides the pictures."""

    folder: Path  # for checkpoints and metrics of its own
    seed: int
    recipe: Recipe  # the settings of networks that are trained by gradient
    parts: Parts
    observer: Observer = attrs.field(factory=Observer)
    registered: bool = False  # whether the pictures are of a camera that moved, and were laid over each other
    measure: Callable[[Code], Mapping[str, Measures]] = measure_nothing  # by held-out pairs, by split; only to report


class BitLearner(ABC):
    """Learns a code from pairs of pictures. Built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    quick: ClassVar[bool] = False  # whether it takes seconds, so that ``auto`` tries it
    trained: ClassVar[bool] = False  # whether the settings of gradient training, ``autoencoder`` and ``train``, matter
    precondition: ClassVar[str] = defaults.PRECONDITION  # the precondition learner that goes with it
    method: ClassVar[str] = ""  # what it does, in a few words for the first line of a run

    def __init__(self, options: Any) -> None:
        self.options = options

    @abstractmethod
    def learn(self, training: Pairs, held_out: Pairs, work: Work) -> Code:
        """Return the code of training pairs, or raise :class:`Unsuitable`.

        ``held_out`` may decide when to stop or what to choose; nothing is learned from it.
        """

    @abstractmethod
    def read(self, saved: SavedCode, parts: Parts) -> Code:
        """Rebuild the code that :meth:`learn` returned from its saved form."""

    def components(self, recipe: Recipe) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Return its components, (kind, spec) each; they are part of the identity of a run."""
        return ()

    def effects(self, recipe: Recipe, parts: Parts) -> EffectSource:  # noqa: ARG002
        """Return the source of effects where the settings name none: the differences of bits.

        It is known before anything is learned, so the first line of a run can report it.
        """
        return "differences"
