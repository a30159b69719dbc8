"""The diagnosis of a run: what ``diagnosis.json`` holds, as one flat table."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import read_json
from cubespace.base.records import as_record
from cubespace.evaluation.diagnosis import Diagnosis, HeldOutDiagnosis
from cubespace.evaluation.graph_diagnosis import GraphDiagnosis


@attrs.frozen(kw_only=True)
class Failure:
    """A planned instance that is not optimal: what went wrong, and why the model has no shortest way."""

    planner: str
    problem: str
    what: str
    why: str


@attrs.frozen(kw_only=True)
class _Common:
    """What every diagnosis has beside its numbers."""

    seed: int
    failures: tuple[Failure, ...]


@attrs.frozen(kw_only=True)
class DiagnosisRecord:
    """The moves of a model compared with the true ones: of fresh states or, without a state space, held out."""

    seed: int
    moves: Diagnosis | HeldOutDiagnosis
    graph: GraphDiagnosis | None  # of the network, if it has an action discriminator
    failures: tuple[Failure, ...]

    @property
    def recall(self) -> float:
        """Return the fraction of true moves that are in the model."""
        return self.moves.recall

    @property
    def wrong(self) -> float | None:
        """Return the wrong successors per state; None where nobody lists all moves."""
        return self.moves.wrong if isinstance(self.moves, Diagnosis) else None

    @property
    def fresh(self) -> Diagnosis | None:
        """Return the diagnosis of fresh states, None if it is one of pairs held out."""
        return self.moves if isinstance(self.moves, Diagnosis) else None

    @property
    def held_out(self) -> HeldOutDiagnosis | None:
        """Return the diagnosis of pairs held out, None if it is one of fresh states."""
        return self.moves if isinstance(self.moves, HeldOutDiagnosis) else None

    def table(self) -> dict[str, object]:
        """Return it for JSON: all numbers side by side."""
        graph = {} if self.graph is None else attrs.asdict(self.graph)
        failures = [attrs.asdict(failure) for failure in self.failures]
        return {"seed": self.seed, **attrs.asdict(self.moves), **graph, "failures": failures}


def read_diagnosis(path: Path) -> DiagnosisRecord:
    """Read the diagnosis of a run."""
    table = read_json(path)
    if not isinstance(table, dict):
        raise InputError(f"'{path}' is damaged: it is not a table")
    kind: type[Diagnosis | HeldOutDiagnosis] = Diagnosis if "states" in table else HeldOutDiagnosis
    graph = {name: table.pop(name) for name in _names(GraphDiagnosis) if name in table}
    moves = {name: table.pop(name) for name in _names(kind) if name in table}
    rest = as_record(_Common, table, path)
    return DiagnosisRecord(
        seed=rest.seed,
        moves=as_record(kind, moves, path),
        graph=as_record(GraphDiagnosis, graph, path) if graph else None,
        failures=rest.failures,
    )


def _names(cls: type[attrs.AttrsInstance]) -> list[str]:
    return [field.name for field in attrs.fields(cls)]
