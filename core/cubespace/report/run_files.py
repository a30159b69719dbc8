"""The files of a run folder, read as they are; nothing here needs the network."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import read_json
from cubespace.base.records import read_record
from cubespace.evaluation.summary import accepted_steps, best_plan
from cubespace.learning.learner_record import LearnerRecord
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.folder.manifest import StageRecord
from cubespace.runs.folder.run_folder import ENVIRONMENT, RunFolder
from cubespace.settings.stages import EXTRACTION, LEARNER, LIFTING, METRICS, STAGES

if TYPE_CHECKING:
    from cubespace.plugins.catalogue import Catalogue

Record = dict[str, Any]
VERDICTS = ("optimal", "valid", "unknown", "doubted", "invalid", "none")  # the best first
WRITTEN_BY = {  # the stage of each table
    "measures": "train",
    "judgement": "extract",
    "results": "evaluate",
    "diagnosis": "diagnose",
}


@attrs.frozen(kw_only=True)
class Facts:
    """The files of a run; None or empty if the stage that writes them has not been done, or has to be done again."""

    run: RunFolder
    stage_records: Mapping[str, StageRecord]
    finished: frozenset[str]  # the stages whose files belong to the present settings, components and inputs
    environment: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    measures: Mapping[str, Any] | None
    learner: LearnerRecord | None
    extraction: ExtractionRecord | None
    judgement: Mapping[str, Any] | None
    results: Mapping[str, Any] | None
    diagnosis: Mapping[str, Any] | None
    lifting: LiftingRecord | None

    @property
    def domain(self) -> str:
        """Return the domain for display: of paths, only the last part."""
        return re.sub(r"=[^,]*/(?=[^,/])", "=", self.run.config.domain)

    @property
    def name(self) -> str:
        """Return what to call the run: its domain and who made its model, such as ``mnist · autoencoder, btl``."""
        return f"{self.domain} · {self.learner.title if self.learner else self.run.config.learner.name}"

    @property
    def bits(self) -> int:
        """Return how many bits a state has: some learners decide by themselves."""
        return self.learner.bits if self.learner else self.run.config.autoencoder.bits

    @property
    def planners(self) -> Mapping[str, Any]:
        """Return the rows of the result table, by planner."""
        return self.results["planners"] if self.results else {}

    @property
    def records(self) -> list[Record]:
        """Return the result of every instance, for every planner."""
        return [record for row in self.planners.values() for record in row["records"]]

    @property
    def seconds(self) -> dict[str, float]:
        """Return how long each stage took."""
        return {stage: record.seconds for stage, record in self.stage_records.items()}

    @property
    def stale(self) -> list[str]:
        """Return the stages that were done with other settings, versions or inputs: their files no longer apply."""
        return [stage for stage in self.stage_records if stage not in self.finished]

    @property
    def best(self) -> Record | None:
        """Return the plan to show first."""
        return best_plan(self.records)

    @property
    def leader(self) -> str | None:
        """Return the planner to mention first: the one with most valid and optimal plans."""
        rows = self.planners
        return max(rows, key=lambda name: _counts(rows[name]), default=None)


def read_facts(path: Path, catalogue: Catalogue | None = None) -> Facts:
    """Read a run folder, as far as its stages are done: what an earlier model has left there is not of this one."""
    run = RunFolder.load(path, catalogue)
    finished = frozenset(name for name in STAGES if run.finished(name))
    tables = {
        name: _table(run.file(f"{name}.json")) if stage in finished else None for name, stage in WRITTEN_BY.items()
    }
    return Facts(
        run=run,
        stage_records=run.records(),
        finished=finished,
        environment=_table(run.file(ENVIRONMENT)) or {},
        metrics=_rows(run.file(METRICS)),
        learner=read_record(LearnerRecord, run.file(LEARNER)) if "train" in finished else None,
        extraction=read_record(ExtractionRecord, run.file(EXTRACTION)) if "extract" in finished else None,
        lifting=read_record(LiftingRecord, run.file(LIFTING)) if "lift" in finished else None,
        **tables,
    )


def verdict(record: Record) -> str:
    """Return the verdict on an instance in a word: optimal, valid, invalid, unknown or doubted, or none for no plan."""
    if record["plan"] is None:
        return "none"
    if record["valid"] is None:
        return "doubted" if record.get("unseen_steps") else "unknown"
    if not record["valid"]:
        return "invalid"
    return "optimal" if record["optimal"] else "valid"


def step_marks(record: Record) -> list[str]:
    """Return for each step of a plan: new, unseen, or nothing if training pairs show it."""
    unseen, accepted = record.get("unseen_steps") or (), accepted_steps(record)
    steps = range(1, len(record["plan"] or ()) + 1)
    return ["" if step not in unseen else "new" if step in accepted else "unseen" for step in steps]


def reasons(records: Sequence[Record]) -> list[tuple[str, int]]:
    """Return why instances did not end in a valid plan, the most frequent reason first."""
    words = [record["reason"] or record["outcome"] for record in records if verdict(record) in ("invalid", "none")]
    return Counter(words).most_common()


def _counts(row: Mapping[str, Any]) -> tuple[int, int, int]:
    return row["valid"] or 0, row["optimal"] or 0, row["found"]


def _table(path: Path) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    table = read_json(path)
    if not isinstance(table, dict):
        raise InputError(f"'{path}' is damaged")
    return table


def _rows(path: Path) -> list[Mapping[str, Any]]:
    """Read the rows of a training that may still be running: its last line may be incomplete."""
    rows: list[Mapping[str, Any]] = []
    if not path.is_file():
        return rows
    for line in path.read_text("utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows
