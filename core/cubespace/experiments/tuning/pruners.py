"""Which trials are stopped early: a pruner is chosen by name, ``median:first=8``; its numbers are options."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
from attrs.validators import and_, ge, le, optional

from cubespace.base.errors import UsageError
from cubespace.base.options import option, parse_spec, structure, suggestion

if TYPE_CHECKING:
    from optuna.pruners import BasePruner

WHOLE = 100  # a trial reports by percent of its training: trials may differ in length
PERCENT = and_(ge(1), le(WHOLE))


@attrs.frozen(kw_only=True)
class Pruner:
    """What every trial gets, and how often trials are compared."""

    least: int | None = option(
        None,
        "percent of its training that every trial gets; by default as much as all its losses need to begin and to rest "
        "(train.losses.*_from, train.stopping.rest)",
        optional(PERCENT),
    )
    every: int = option(5, "percent of a training from one comparison to the next", PERCENT)

    def made(self, settled: int) -> BasePruner:  # noqa: ARG002
        """Return it as Optuna has it, for a trial whose losses are settled after so many percent; it stops nothing."""
        from optuna.pruners import NopPruner

        return NopPruner()


@attrs.frozen(kw_only=True)
class Median(Pruner):
    """Stops a trial that was never better than the median of whole trials at the same point of their training."""

    first: int = option(4, "trials that are trained whole before any is stopped", ge(1))

    def made(self, settled: int) -> BasePruner:
        """Return Optuna's median pruner."""
        from optuna.pruners import MedianPruner

        return MedianPruner(n_startup_trials=self.first, n_warmup_steps=self.least or settled)


@attrs.frozen(kw_only=True)
class Halving(Pruner):
    """Stops all but the best at a few points of the training, each so many times later than the one before."""

    keep: int = option(2, "of this many trials, one goes on; the next point is this many times later", ge(2))

    def made(self, settled: int) -> BasePruner:
        """Return Optuna's asynchronous successive halving."""
        from optuna.pruners import SuccessiveHalvingPruner

        return SuccessiveHalvingPruner(min_resource=self.least or settled, reduction_factor=self.keep)


PRUNERS: dict[str, type[Pruner]] = {"none": Pruner, "median": Median, "asha": Halving}


def pruner_options(text: str) -> Pruner:
    """Return the options of a pruner that is written ``NAME`` or ``NAME:key=value,…``."""
    spec = parse_spec(text)
    if spec.name not in PRUNERS:
        raise UsageError(
            f"no pruner is called '{spec.name}'. {suggestion(spec.name, PRUNERS)}Available: {', '.join(PRUNERS)}."
        )
    return structure(PRUNERS[spec.name], spec.options, f"pruner '{spec.name}'")


def make_pruner(text: str, settled: float = 0.0) -> BasePruner:
    """Return a pruner of Optuna for a trial whose losses are settled after a fraction of its training."""
    return pruner_options(text).made(max(1, math.ceil(WHOLE * settled)))


def is_pruner(_: object, __: object, value: Any) -> None:
    """Refuse what is no pruner."""
    try:
        pruner_options(str(value))
    except UsageError as error:
        raise ValueError(str(error)) from None
