"""LAPKT: width-based search, which prefers novel states; from the wheel ``lapkt``."""

from __future__ import annotations

import importlib.util
from typing import Literal

import attrs
from attrs.validators import and_, ge, le

from cubespace.base.options import option
from cubespace.symbols.strips import Task
from cubespace_planners.exchange import PythonPlanner


@attrs.frozen(kw_only=True)
class LapktOptions:
    """Which search to run, and how novel a state must be."""

    search: Literal["bfws", "k-bfws", "iw", "siw"] = option(
        "bfws",
        "best-first width search with novelty (complete), the same within a bound, or iterated width, once or "
        "goal by goal",
    )
    width: int = option(2, "the largest novelty: for k-bfws, iw and siw, which give up beyond it", and_(ge(1), le(4)))


class Lapkt(PythonPlanner):
    """A search of LAPKT; the task is passed through its interface, with a complement of each bit."""

    revision = 1
    Options = LapktOptions
    options: LapktOptions
    script = "lapkt_child.py"

    def missing(self) -> str | None:
        """Return how to install the package."""
        return (
            None
            if importlib.util.find_spec("lapkt")
            else "its package is not installed: pip install 'cubespace[lapkt]'"
        )

    def unsupported(self, task: Task) -> str | None:
        """Refuse action costs, which its searches ignore."""
        return None if task.model.unit_cost else "LAPKT does not support action costs"

    def settings(self) -> dict[str, object]:
        """Return the search and its bound."""
        return {"search": self.options.search, "width": self.options.width}
