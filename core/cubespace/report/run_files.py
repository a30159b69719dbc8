"""The files of a run folder, read as they are; nothing here needs the code."""

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
from cubespace.evaluation.diagnosis_record import DiagnosisRecord, read_diagnosis
from cubespace.evaluation.judgement_record import JudgementRecord
from cubespace.evaluation.plan_record import PlanRecord, SearchRecord
from cubespace.evaluation.summary import PlannerResults
from cubespace.learning.learner_record import LearnerRecord, title
from cubespace.learning.measures import HeldOutMeasures
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.folder.manifest import StageRecord
from cubespace.runs.folder.results_file import RunResults
from cubespace.runs.folder.run_folder import ENVIRONMENT, RunFolder
from cubespace.settings.stages import (
    DIAGNOSIS,
    EXTRACTION,
    JUDGEMENT,
    LEARNER,
    LIFTING,
    MEASURES,
    METRICS,
    RESULTS,
)

if TYPE_CHECKING:
    from cubespace.plugins.catalogue import Catalogue

VERDICTS = ("optimal", "valid", "unknown", "doubted", "doubtful", "invalid", "none")  # the best first


@attrs.frozen(kw_only=True)
class Facts:
    """The files of a run; None or empty if the stage that writes them has not been done, or has to be done again."""

    run: RunFolder
    stage_records: Mapping[str, StageRecord]
    finished: frozenset[str]  # the stages whose files belong to the present settings, components and inputs
    environment: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    measures: HeldOutMeasures | None
    learner: LearnerRecord | None
    extraction: ExtractionRecord | None
    judgement: JudgementRecord | None
    results: RunResults | None
    diagnosis: DiagnosisRecord | None
    lifting: LiftingRecord | None

    @property
    def domain(self) -> str:
        """Return the domain for display: of paths, only the last part."""
        return re.sub(r"=[^,]*/(?=[^,/])", "=", self.run.config.domain)

    @property
    def name(self) -> str:
        """Return what to call the run: its domain and who made its model, such as ``mnist · autoencoder, btl``."""
        return f"{self.domain} · {self.made_by}"

    @property
    def made_by(self) -> str:
        """Return who made the model, or the learner that is to make it."""
        if self.learner:
            return self.learner.title
        apply = self.run.config.autoencoder.apply
        return title(self.run.config.learner.name, {} if apply is None else {"apply": apply})

    @property
    def learning(self) -> str:
        """Return what to call the stage ``train``: nothing is trained where no gradient is involved."""
        return "training" if self.learner is None or self.learner.training else "learning"

    @property
    def bits(self) -> int:
        """Return how many bits a state has: some learners decide by themselves."""
        return self.learner.bits if self.learner else self.run.config.autoencoder.bits

    @property
    def planners(self) -> Mapping[str, PlannerResults]:
        """Return the rows of the result table, by planner."""
        return self.results.planners if self.results else {}

    @property
    def records(self) -> list[PlanRecord]:
        """Return the result of every instance, for every planner."""
        return self.results.records if self.results else []

    @property
    def seconds(self) -> dict[str, float]:
        """Return how long each stage took."""
        return {stage: record.seconds for stage, record in self.stage_records.items()}

    @property
    def learning_seconds(self) -> float | None:
        """Return the processor time that learning took, which a busy machine does not lengthen; None before it."""
        record = self.stage_records.get("train")
        return None if record is None else record.cpu_seconds

    @property
    def stale(self) -> list[str]:
        """Return the stages that were done with other settings, versions or inputs: their files no longer apply."""
        return [stage for stage in self.stage_records if stage not in self.finished]

    @property
    def best(self) -> PlanRecord | None:
        """Return the plan to show first."""
        return self.results.best if self.results else None

    @property
    def leader(self) -> str | None:
        """Return the planner to mention first: the one with most valid and optimal plans."""
        rows = self.planners
        return max(rows, key=lambda name: _counts(rows[name]), default=None)


def read_facts(path: Path, catalogue: Catalogue | None = None) -> Facts:
    """Read a run folder, as far as its stages are done."""
    return facts_of(RunFolder.load(path, catalogue))


def facts_of(run: RunFolder) -> Facts:
    """Read a run, as far as its stages are done: what an earlier model has left there is not of this one."""
    finished = run.finished_stages()
    trained, extracted = "train" in finished, "extract" in finished
    return Facts(
        run=run,
        stage_records=run.records(),
        finished=finished,
        environment=_table(run.file(ENVIRONMENT)) if run.file(ENVIRONMENT).is_file() else {},
        metrics=_rows(run.file(METRICS)),
        measures=read_record(HeldOutMeasures, run.file(MEASURES)) if trained else None,
        learner=read_record(LearnerRecord, run.file(LEARNER)) if trained else None,
        extraction=read_record(ExtractionRecord, run.file(EXTRACTION)) if extracted else None,
        judgement=read_record(JudgementRecord, run.file(JUDGEMENT)) if extracted else None,
        results=read_record(RunResults, run.file(RESULTS)) if "evaluate" in finished else None,
        diagnosis=read_diagnosis(run.file(DIAGNOSIS)) if "diagnose" in finished else None,
        lifting=read_record(LiftingRecord, run.file(LIFTING)) if "lift" in finished else None,
    )


def verdict(record: SearchRecord) -> str:
    """Return the verdict on an instance in a word; where nobody judges, by how much pairs vouch for the plan.

    It is optimal, valid, unknown, doubted (some steps were never seen), doubtful (and lack what true moves have),
    invalid, or none for no plan.
    """
    if not record.found:
        return "none"
    if record.valid is None:
        return "doubtful" if record.doubtful else "doubted" if record.unseen_steps else "unknown"
    if not record.valid:
        return "invalid"
    return "optimal" if record.optimal else "valid"


def step_marks(record: SearchRecord) -> list[str]:
    """Return for each step of a plan: new, unseen, doubtful, or nothing if training pairs show it."""
    unseen, accepted = record.unseen_steps or (), record.accepted_steps
    steps = range(1, record.steps + 1)
    doubtful = record.doubtful_steps if record.doubtful else ()
    words = {**dict.fromkeys(unseen, "unseen"), **dict.fromkeys(doubtful, "doubtful")}
    return ["new" if step in unseen and step in accepted else words.get(step, "") for step in steps]


def reasons(records: Sequence[PlanRecord]) -> list[tuple[str, int]]:
    """Return why instances did not end in a valid plan, the most frequent reason first."""
    words = [record.reason or record.outcome for record in records if verdict(record) in ("invalid", "none")]
    return Counter(words).most_common()


def _counts(row: PlannerResults) -> tuple[int, int, int]:
    return row.valid or 0, row.optimal or 0, row.found


def _table(path: Path) -> Mapping[str, Any]:
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
