"""Search among the network's successors (AMA2): no STRIPS model is needed, and none of its heuristics can be used."""

from __future__ import annotations

from typing import ClassVar, Literal

import attrs
from attrs.validators import ge

from cubespace.base.options import option
from cubespace.search.best_first import best_first, goal_count, path_length
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver

NO_NETWORK = "it searches the network's successors, and there are none: train with --preset ama2"


@attrs.frozen(kw_only=True)
class LatentSearchOptions:
    """In which order states are expanded."""

    order: Literal["blind", "goal-count"] = option(
        "blind", "blind: the shortest path first (A*); goal-count: the fewest bits that differ from the goal (greedy)"
    )
    batch: int = option(64, "states of equal value that are expanded at once", ge(1))


class LatentSearch(Solver):
    """Best-first search in the graph that apply module and discriminator span."""

    Options = LatentSearchOptions
    revision = 1
    options: LatentSearchOptions
    latent: ClassVar[bool] = True

    @property
    def optimal(self) -> bool:
        """Return whether paths are shortest, in the graph of the network."""
        return self.options.order == "blind"

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:
        """Search within the limits, in this process."""
        if problem.expand is None:
            return SearchResult(outcome=Outcome.UNSUPPORTED, detail=NO_NETWORK)
        value = path_length if self.options.order == "blind" else goal_count(problem)
        return best_first(problem, limits, value, self.options.batch)
