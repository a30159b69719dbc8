"""What a run holds: every file is read only through the stage that wrote it, and only if that is finished."""

from __future__ import annotations

from typing import Any

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import read_json, well_formed
from cubespace.base.observer import Observer
from cubespace.base.records import read_record
from cubespace.data import transitions
from cubespace.data.domain import Domain, Explorer
from cubespace.data.spoiling import spoil
from cubespace.data.transitions import Transitions
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.problems import Problem, make_problems
from cubespace.learning.code import Code
from cubespace.learning.learner_record import LearnerRecord
from cubespace.plugins.blame import blame, stand_for
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.bits_file import BitPairs, load_bits
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.learners import read_code
from cubespace.search.solver import Outcome
from cubespace.settings.recipe import Execution
from cubespace.settings.stages import BITS, CODE, DATA, EXTRACTION, LEARNER, LIFTING, RESULTS, STAGES, STRIPS
from cubespace.symbols.strips import StripsModel, load_strips


@attrs.frozen
class RunContents:
    """A run, read; with what is needed to build its components."""

    run: RunFolder
    catalogue: Catalogue
    execution: Execution
    observer: Observer

    def require(self, stage: str) -> None:
        """Raise unless a stage is done: its results are about to be used."""
        if not self.run.finished(stage):
            command = "train" if stage == "data" else stage  # `cube data` writes data sets outside of runs
            raise InputError(f"{self.run.path} has no finished stage '{stage}': cube {command} {self.run.path} does it")

    def problems(self, domain: Domain) -> list[Problem]:
        """Return the instances of the run; the data set is not kept while planners need the memory."""
        data, config = self.transitions(), self.run.config
        with blame(domain):
            if not config.data.spoil.pictures:
                data.check_drawn_by(domain)
            return make_problems(domain, data.test, config.plan)

    def domain(self, stream: int = 1) -> Domain:
        """Return the domain of the run; files that it reads are looked for where the run was started.

        Where pictures are spoiled, each ``stream`` has noise of its own: 0 is that of the data set.
        """
        config = self.run.config
        domain: Domain = self.catalogue.create("domain", config.domain, home=self.run.home)
        if isinstance(domain, Explorer) and stream and self.run.finished("data"):
            domain.recall(transitions.load_findings(self.run.file(DATA)))
        spoiled = spoil(domain, config.data.spoil, config.data.seed, stream)
        stand_for(spoiled, domain)
        return spoiled

    def transitions(self) -> Transitions:
        """Return the data set of the run."""
        self.require("data")
        return transitions.load(self.run.file(DATA))

    def bits(self) -> dict[str, BitPairs]:
        """Return the latent states of all pictures of the data set, by split."""
        self.require("train")
        return load_bits(self.run.file(BITS))

    def memory(self) -> TrainingMemory:
        """Return what learning saw, in bits."""
        seen = self.bits()["train"]
        return TrainingMemory.of(seen.before, seen.after)

    def code(self) -> Code:
        """Return what was learned: pictures to bits and back."""
        self.require("train")
        return read_code(self.catalogue, self.run.file(CODE), self.execution)

    def learner(self) -> LearnerRecord:
        """Return which learner made the model, and what else was tried."""
        self.require("train")
        return read_record(LearnerRecord, self.run.file(LEARNER))

    def strips(self) -> StripsModel:
        """Return the extracted model."""
        self.require("extract")
        return load_strips(self.run.file(STRIPS))

    def extraction(self) -> ExtractionRecord:
        """Return what the extraction found."""
        self.require("extract")
        return read_record(ExtractionRecord, self.run.file(EXTRACTION))

    def lifting(self) -> LiftingRecord:
        """Return the result of lifting, the lifted model included."""
        self.require("lift")
        return read_record(LiftingRecord, self.run.file(LIFTING))

    def results(self) -> dict[str, Any]:
        """Return the table of the run."""
        return self.table(RESULTS)

    def table(self, file: str) -> dict[str, Any]:
        """Return what a finished stage wrote as JSON."""
        self.require(next(stage.name for stage in STAGES.values() if file in stage.files))
        table = read_json(self.run.file(file))
        if not isinstance(table, dict):
            raise InputError(f"'{self.run.file(file)}' is damaged: it is no table")
        return table

    def crashed(self) -> int:
        """Return how many searches of the run crashed; the next call tries them again."""
        with well_formed(self.run.file(RESULTS)):
            return sum(row["outcomes"].get(Outcome.CRASHED, 0) for row in self.results()["planners"].values())
