"""What a run holds: every file is read only through the stage that wrote it, and only if that is finished."""

from __future__ import annotations

from functools import partial

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import well_formed
from cubespace.base.observer import Observer
from cubespace.base.records import read_record
from cubespace.data import transitions
from cubespace.data.domain import Domain, Explorer
from cubespace.data.spoiling import spoil
from cubespace.data.transitions import Transitions
from cubespace.evaluation.diagnosis_record import DiagnosisRecord, read_diagnosis
from cubespace.evaluation.doubts import Doubts
from cubespace.evaluation.judgement_record import JudgementRecord
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.problems import Problem, make_problems
from cubespace.learning.code import Code
from cubespace.learning.learner_record import LearnerRecord
from cubespace.learning.measures import HeldOutMeasures
from cubespace.plugins.blame import blame, stand_for
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.bits_file import BitPairs, load_bits
from cubespace.runs.folder.doubting import doubts_of
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.folder.read_once import ReadOnce
from cubespace.runs.folder.results_file import RunResults
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.learners import read_code
from cubespace.settings.recipe import Execution
from cubespace.settings.stages import (
    BITS,
    CODE,
    DATA,
    DIAGNOSIS,
    EXTRACTION,
    JUDGEMENT,
    LEARNER,
    LIFTING,
    MEASURES,
    RESULTS,
    STRIPS,
)
from cubespace.symbols.strips import StripsModel, load_strips


@attrs.frozen
class RunContents:
    """A run, read; with what is needed to build its components.

    What was read from a file is kept, and returned again while the file is the same on disk.
    """

    run: RunFolder
    catalogue: Catalogue
    execution: Execution
    observer: Observer
    _data: ReadOnce[Transitions] = attrs.field(init=False, factory=lambda: ReadOnce(transitions.load), eq=False)
    _bits: ReadOnce[dict[str, BitPairs]] = attrs.field(init=False, factory=lambda: ReadOnce(load_bits), eq=False)
    _strips: ReadOnce[StripsModel] = attrs.field(init=False, factory=lambda: ReadOnce(load_strips), eq=False)
    _code: ReadOnce[Code] = attrs.field(init=False, eq=False)

    @_code.default
    def _read_code(self) -> ReadOnce[Code]:
        return ReadOnce(partial(read_code, self.catalogue, execution=self.execution))

    def require(self, stage: str) -> None:
        """Raise unless a stage is done: its results are about to be used."""
        if not self.run.finished(stage):
            command = "train" if stage == "data" else stage  # `cube data` writes data sets outside of runs
            raise InputError(f"{self.run.path} has no finished stage '{stage}': cube {command} {self.run.path} does it")

    def problems(self, domain: Domain) -> list[Problem]:
        """Return the instances of the run."""
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
            with well_formed(self.run.file(DATA)):
                domain.recall(transitions.load_findings(self.run.file(DATA)))
        spoiled = spoil(domain, config.data.spoil, config.data.seed, stream)
        stand_for(spoiled, domain)
        return spoiled

    def transitions(self) -> Transitions:
        """Return the data set of the run."""
        self.require("data")
        return self._data(self.run.file(DATA))

    def release_data(self) -> None:
        """Let go of the data set: planners need the memory."""
        self._data.forget()

    def bits(self) -> dict[str, BitPairs]:
        """Return the latent states of all pictures of the data set, by split."""
        self.require("train")
        return self._bits(self.run.file(BITS))

    def memory(self) -> TrainingMemory:
        """Return what learning saw, in bits."""
        seen = self.bits()["train"]
        return TrainingMemory.of(seen.before, seen.after)

    def doubts(self) -> Doubts | None:
        """Return what finds doubtful steps of plans; None for a model of an earlier version, without a precision."""
        return doubts_of(self.code(), self.bits()["train"], self.extraction())

    def code(self) -> Code:
        """Return what was learned: pictures to bits and back."""
        self.require("train")
        return self._code(self.run.file(CODE))

    def learner(self) -> LearnerRecord:
        """Return which learner made the model, and what else was tried."""
        self.require("train")
        return read_record(LearnerRecord, self.run.file(LEARNER))

    def measures(self) -> HeldOutMeasures:
        """Return how good the code is on the held-out splits."""
        self.require("train")
        return read_record(HeldOutMeasures, self.run.file(MEASURES))

    def strips(self) -> StripsModel:
        """Return the extracted model."""
        self.require("extract")
        return self._strips(self.run.file(STRIPS))

    def extraction(self) -> ExtractionRecord:
        """Return what the extraction found."""
        self.require("extract")
        return read_record(ExtractionRecord, self.run.file(EXTRACTION))

    def lifting(self) -> LiftingRecord:
        """Return the result of lifting, the lifted model included."""
        self.require("lift")
        return read_record(LiftingRecord, self.run.file(LIFTING))

    def judgement(self) -> JudgementRecord:
        """Return what pairs held out say about the model."""
        self.require("extract")
        return read_record(JudgementRecord, self.run.file(JUDGEMENT))

    def results(self) -> RunResults:
        """Return the results of the run."""
        self.require("evaluate")
        return read_record(RunResults, self.run.file(RESULTS))

    def diagnosis(self) -> DiagnosisRecord:
        """Return how the moves of the model compare with the true ones."""
        self.require("diagnose")
        return read_diagnosis(self.run.file(DIAGNOSIS))
