"""A search that an earlier call has done: kept if its plan still leads to the goal; its verdict is never read."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.base.arrays import Bits
from cubespace.base.errors import InputError
from cubespace.base.records import read_record
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.runs.folder.plan_files import RESULT
from cubespace.runs.folder.trace_file import TRACE, load_trace
from cubespace.runs.pictures.solving import Solution
from cubespace.search.solver import Outcome, SearchProblem, SearchResult


@attrs.frozen(eq=False, kw_only=True)
class KeptSearch:
    """A search that an earlier call has done."""

    record: PlanRecord
    search: SearchResult

    @property
    def found(self) -> bool:
        """Return whether there is a plan, whose verdict is never taken from a file."""
        return self.record.found


def kept_search(folder: Path, key: str, problem: SearchProblem) -> KeptSearch | None:
    """Return the search of a folder if it is done, and if its plan still leads to the goal."""
    record = _finished(folder, key)
    if record is None:
        return None
    trace = load_trace(folder / TRACE, record.trace) if record.found else None
    if record.found and not _leads_to_goal(record, trace, problem):
        return None
    return KeptSearch(record=record, search=Solution.restored(record, trace, None).search)


def _leads_to_goal(record: PlanRecord, trace: Bits | None, problem: SearchProblem) -> bool:
    """Return whether a kept plan and its states belong together, and lead from the start of a problem to its goal."""
    plan = record.plan or ()
    if trace is None or len(trace) != len(plan) + 1 or not problem.task.reached(trace[-1]):
        return False
    if record.latent:  # the network would have to be searched again to know the states between
        return bool((trace[0] == problem.init).all())
    if not all(0 <= action < problem.model.actions for action in plan):
        return False
    states = problem.model.execute(problem.init, plan)
    return states is not None and bool((states == trace).all())


def _finished(folder: Path, key: str) -> PlanRecord | None:
    """Return the record of a search that is done; None if there is none, or if it has to be made again."""
    if not (folder / RESULT).is_file():
        return None
    try:
        record = read_record(PlanRecord, folder / RESULT)
    except InputError:  # damaged, or of another form
        return None
    if record.key != key or record.outcome not in list(Outcome) or record.outcome == Outcome.CRASHED:
        return None
    return record if record.found == (record.outcome == Outcome.SOLVED) else None
