"""What a table can show: each measure by name, of a run or of one of its planners."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Literal

import attrs

from cubespace.evaluation.diagnosis_record import DiagnosisRecord
from cubespace.evaluation.graph_diagnosis import GraphDiagnosis
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.summary import PlannerResults
from cubespace.experiments.tables.rows import MADE_BY, Row, RunFacts
from cubespace.learning.measures import Measures
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.search.solver import Outcome

Number = float | int | None


@attrs.frozen
class Measure:
    """A number of a run, or of a run and planner; ``stage`` produced it, so that shared results are counted once."""

    title: str
    read: Callable[[Row], Number]
    stage: Literal["train", "extract", "evaluate"]
    digits: int = 4
    of_record: Callable[[PlanRecord], Number] | None = None  # what it is a mean of, over solved problems
    written_by: str = ""  # the stage whose file it stands in, if that is another one

    @property
    def of_solved(self) -> bool:
        """Return whether it is a mean over solved problems."""
        return self.of_record is not None

    @property
    def source(self) -> str:
        """Return the stage that must be finished for it to be known."""
        return self.written_by or self.stage

    @property
    def of_planner(self) -> bool:
        """Return whether it differs from planner to planner."""
        return self.stage == "evaluate"


def _plans(read: Callable[[PlannerResults], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a number of a planner's results, None if there are none."""
    return lambda row: None if row.plans is None else read(row.plans)


def _fraction(count: Callable[[PlannerResults], int | None]) -> Callable[[Row], Number]:
    """Return a function that reads a count as a fraction of the instances."""

    def read(plans: PlannerResults) -> Number:
        value = count(plans)
        return None if value is None else value / max(1, plans.instances)

    return _plans(read)


def _of_solved(title: str, number: Callable[[PlanRecord], Number], digits: int) -> Measure:
    """Return a measure that is the mean over the solved instances: those that all compared planners solved."""

    def read(row: Row) -> Number:
        values = [number(record) for record in row.compared]
        known = [value for value in values if value is not None]
        return fmean(known) if known else None

    return Measure(title, read, "evaluate", digits, of_record=number)


def _ended(outcome: Outcome) -> Callable[[Row], Number]:
    """Return a function that counts the searches with this outcome."""
    return _plans(lambda plans: plans.outcomes.get(outcome, 0))


def _test(read: Callable[[Measures], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a measure of the code on the test split."""
    return lambda row: None if row.facts.measures is None else read(row.facts.measures.test)


def _validation(read: Callable[[Measures], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a measure of the code on the validation split."""
    return lambda row: None if row.facts.measures is None else read(row.facts.measures.validation)


def _diagnosed(read: Callable[[DiagnosisRecord], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a number of the diagnosis, None if it is not done."""
    return lambda row: None if row.facts.diagnosis is None else read(row.facts.diagnosis)


def _graph(read: Callable[[GraphDiagnosis], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a number of the network's graph, None if it has none."""
    return _diagnosed(lambda diagnosis: None if diagnosis.graph is None else read(diagnosis.graph))


def _bits(row: Row) -> Number:
    return None if row.facts.learner is None else row.facts.learner.bits


def _extracted(read: Callable[[ExtractionRecord], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a number of the extraction, None if it is not done."""
    return lambda row: None if row.facts.extraction is None else read(row.facts.extraction)


def _stage(key: Literal["seconds", "cpu_seconds"], *stages: str) -> Callable[[Row], Number]:
    """Return a function that reads the time of stages, all of which must be done."""

    def read(row: Row) -> Number:
        if not all(stage in row.facts.stages for stage in stages):
            return None
        return sum(float(getattr(row.facts.stages[stage], key)) for stage in stages)

    return read


DIAGNOSE = "diagnose"
MEASURES = {
    "found": Measure("found", _fraction(lambda plans: plans.found), "evaluate", 3),
    "valid": Measure("valid", _fraction(lambda plans: plans.valid), "evaluate", 3),
    "optimal": Measure("optimal", _fraction(lambda plans: plans.optimal), "evaluate", 3),
    "instances": Measure("instances", _plans(lambda plans: plans.instances), "evaluate", 0),
    "exhausted": Measure("exhausted", _ended(Outcome.UNSOLVABLE), "evaluate", 0),  # every state seen, and no plan
    "out_of_time": Measure("out of time", _ended(Outcome.OUT_OF_TIME), "evaluate", 0),
    "out_of_memory": Measure("out of memory", _ended(Outcome.OUT_OF_MEMORY), "evaluate", 0),
    "plan_length": _of_solved("plan length", lambda record: record.steps, 2),
    "expansions": _of_solved("expansions", lambda record: record.expansions, 1),
    "evaluations": _of_solved("evaluations", lambda record: record.evaluations, 1),
    "generated": _of_solved("generated", lambda record: record.generated, 1),
    "search_seconds": _of_solved("search s", lambda record: record.search_seconds, 4),
    "planner_seconds": _of_solved("planner s", lambda record: record.seconds, 3),
    "known_states": Measure("known states", _plans(lambda plans: plans.known_states), "evaluate"),
    "known_steps": Measure("known steps", _plans(lambda plans: plans.known_transitions), "evaluate"),
    "recall": Measure("recall", _diagnosed(lambda diagnosis: diagnosis.recall), "extract", written_by=DIAGNOSE),
    "wrong": Measure(
        "wrong per state", _diagnosed(lambda diagnosis: diagnosis.wrong), "extract", written_by="diagnose"
    ),
    "graph_recall": Measure(
        "recall of the graph", _graph(lambda graph: graph.graph_recall), "extract", written_by="diagnose"
    ),
    "graph_wrong": Measure(
        "wrong edges per state", _graph(lambda graph: graph.graph_wrong), "extract", written_by="diagnose"
    ),
    "actions": Measure("actions", _extracted(lambda record: record.actions), "extract", 0),
    "differences": Measure("differences", _extracted(lambda record: record.differences), "extract", 0),
    "literals": Measure("literals", _extracted(lambda record: record.literals), "extract", 1),
    "reconstruction": Measure("Rec", _test(lambda measures: measures.reconstruction), "train", 5),
    "successor": Measure("Succ", _test(lambda measures: measures.successor), "train", 5),
    "direct": Measure("Direct", _test(lambda measures: measures.direct), "train", 5),
    "total": Measure("total loss", _test(lambda measures: measures.total), "train", 5),
    "validation": Measure("validation loss", _validation(lambda measures: measures.authors_loss), "train", 5),
    "discriminator_f": Measure("discriminator F", _test(lambda measures: measures.discriminator_f), "train", 3),
    "exact": Measure("labels exact", _test(lambda measures: measures.exact), "train", 3),
    "covered": Measure("covered", _test(lambda measures: measures.covered), "train", 4),
    "bits": Measure("bits", _bits, "train", 0),
    "updates": Measure("updates", lambda row: row.facts.learner.updates if row.facts.learner else None, "train", 0),
    "training_seconds": Measure("learning s", _stage("seconds", "train"), "train", 1),
    "training_cpu_seconds": Measure("learning CPU s", _stage("cpu_seconds", "train"), "train", 1),
    "extraction_seconds": Measure("extraction s", _stage("seconds", "extract"), "extract", 1),
    "learning_cpu_seconds": Measure("model CPU s", _stage("cpu_seconds", "data", "train", "extract"), "extract", 1),
}
TEXTS: dict[str, Callable[[RunFacts], str]] = {  # what a table can say in words
    MADE_BY: lambda facts: facts.value(MADE_BY),
    "effects": lambda facts: facts.extraction.effects if facts.extraction else "",
    "preconditions": lambda facts: facts.extraction.precondition if facts.extraction else "",
}
PLANS = "plans"  # found/valid/optimal in one cell, added up
AUTHORS_PLANS = "authors_plans"  # the same by the rule of the paper's authors
PLAN_COUNTS = {PLANS: "found/valid/optimal", AUTHORS_PLANS: "found/valid/optimal, authors' rule"}
