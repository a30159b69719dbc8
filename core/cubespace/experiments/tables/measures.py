"""What a table can show: each measure by name, of a run or of one of its planners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median, median_low, stdev
from typing import Literal

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.options import suggestion
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


def _mean(number: Callable[[PlanRecord], Number]) -> Callable[[Row], Number]:
    """Return a function that reads the mean over the solved instances."""

    def read(row: Row) -> Number:
        values = [number(record) for record in row.records if record.found]
        known = [value for value in values if value is not None]
        return fmean(known) if known else None

    return read


def _ended(outcome: Outcome) -> Callable[[Row], Number]:
    """Return a function that counts the searches with this outcome."""
    return _plans(lambda plans: plans.outcomes.get(outcome, 0))


def _test(read: Callable[[Measures], Number]) -> Callable[[Row], Number]:
    """Return a function that reads a measure of the code on the test split."""
    return lambda row: None if row.facts.measures is None else read(row.facts.measures.test)


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


MEASURES = {
    "found": Measure("found", _fraction(lambda plans: plans.found), "evaluate", 3),
    "valid": Measure("valid", _fraction(lambda plans: plans.valid), "evaluate", 3),
    "optimal": Measure("optimal", _fraction(lambda plans: plans.optimal), "evaluate", 3),
    "instances": Measure("instances", _plans(lambda plans: plans.instances), "evaluate", 0),
    "exhausted": Measure("exhausted", _ended(Outcome.UNSOLVABLE), "evaluate", 0),  # every state seen, and no plan
    "out_of_time": Measure("out of time", _ended(Outcome.OUT_OF_TIME), "evaluate", 0),
    "out_of_memory": Measure("out of memory", _ended(Outcome.OUT_OF_MEMORY), "evaluate", 0),
    "plan_length": Measure("plan length", _mean(lambda record: record.steps), "evaluate", 2),
    "expansions": Measure("expansions", _mean(lambda record: record.expansions), "evaluate", 1),
    "evaluations": Measure("evaluations", _mean(lambda record: record.evaluations), "evaluate", 1),
    "generated": Measure("generated", _mean(lambda record: record.generated), "evaluate", 1),
    "search_seconds": Measure("search s", _mean(lambda record: record.search_seconds), "evaluate", 4),
    "planner_seconds": Measure("planner s", _mean(lambda record: record.seconds), "evaluate", 3),
    "known_states": Measure("known states", _plans(lambda plans: plans.known_states), "evaluate"),
    "known_steps": Measure("known steps", _plans(lambda plans: plans.known_transitions), "evaluate"),
    "recall": Measure("recall", _diagnosed(lambda diagnosis: diagnosis.recall), "extract"),
    "wrong": Measure("wrong per state", _diagnosed(lambda diagnosis: diagnosis.wrong), "extract"),
    "graph_recall": Measure("recall of the graph", _graph(lambda graph: graph.graph_recall), "extract"),
    "graph_wrong": Measure("wrong edges per state", _graph(lambda graph: graph.graph_wrong), "extract"),
    "actions": Measure("actions", _extracted(lambda record: record.actions), "extract", 0),
    "differences": Measure("differences", _extracted(lambda record: record.differences), "extract", 0),
    "literals": Measure("literals", _extracted(lambda record: record.literals), "extract", 1),
    "reconstruction": Measure("Rec", _test(lambda measures: measures.reconstruction), "train", 5),
    "successor": Measure("Succ", _test(lambda measures: measures.successor), "train", 5),
    "direct": Measure("Direct", _test(lambda measures: measures.direct), "train", 5),
    "total": Measure("total loss", _test(lambda measures: measures.total), "train", 5),
    "discriminator_f": Measure("discriminator F", _test(lambda measures: measures.discriminator_f), "train", 3),
    "exact": Measure("labels exact", _test(lambda measures: measures.exact), "train", 3),
    "covered": Measure("covered", _test(lambda measures: measures.covered), "train", 4),
    "bits": Measure("bits", _bits, "train", 0),
    "updates": Measure("updates", lambda row: row.facts.learner.updates if row.facts.learner else None, "train", 0),
    "training_seconds": Measure("learning s", _stage("seconds", "train"), "train", 1),
    "training_cpu_seconds": Measure("learning CPU s", _stage("cpu_seconds", "train"), "train", 0),
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

Summary = Callable[[Sequence[float]], float]
SUMMARIES: dict[str, Summary] = {"mean": fmean, "median": median, "min": min, "max": max, "sum": sum}
SPREAD, RANGE, MEDIAN = "spread", "range", "median"  # mean ± sd, minimum–maximum, and one of SUMMARIES


@attrs.frozen(kw_only=True)
class PlanCounts:
    """Plans found, valid and optimal, and of how many instances; None where a domain cannot judge."""

    found: int
    valid: int | None
    optimal: int | None
    instances: int


@attrs.frozen(kw_only=True)
class Value:
    """The value of a cell of a table: a measure over the runs that it aggregates."""

    numbers: tuple[float, ...] = ()
    counts: PlanCounts | None = None
    texts: tuple[str, ...] = ()  # each once

    @property
    def mean(self) -> float | None:
        """Return the mean, or None if nothing was measured."""
        return fmean(self.numbers) if self.numbers else None

    @property
    def deviation(self) -> float | None:
        """Return the standard deviation over runs; None for one run."""
        return stdev(self.numbers) if len(self.numbers) > 1 else None


@attrs.frozen(kw_only=True)
class Column:
    """A measure and its summary, as the user writes it: ``recall``, ``recall:min``, ``plans``."""

    name: str
    summary: str = SPREAD

    @classmethod
    def parse(cls, text: str) -> Column:
        """Read ``NAME`` or ``NAME:SUMMARY``."""
        name, _, summary = text.strip().partition(":")
        known = [*PLAN_COUNTS, *MEASURES, *TEXTS]
        if name not in known:
            raise UsageError(f"No measure is called '{name}'. {suggestion(name, known)}Available: {', '.join(known)}.")
        ways = [SPREAD, RANGE, *SUMMARIES]
        if summary and not (name in MEASURES and summary in ways) and not (name in PLAN_COUNTS and summary == MEDIAN):
            raise UsageError(
                f"'{text}': a number is summarised by {', '.join(ways)}; plans are added up, or summarised by {MEDIAN}"
            )
        return cls(name=name, summary=summary or SPREAD)

    @property
    def of_planner(self) -> bool:
        """Return whether it differs from planner to planner."""
        return self.name in PLAN_COUNTS or (self.name in MEASURES and MEASURES[self.name].of_planner)

    @property
    def title(self) -> str:
        """Return the heading."""
        if self.name in TEXTS:
            return self.name
        title = PLAN_COUNTS.get(self.name) or MEASURES[self.name].title
        return title if self.summary == SPREAD else f"{title} ({self.summary})"

    def over(self, rows: Sequence[Row]) -> Value:
        """Return the value over some rows; a stage that several runs share is counted once."""
        if self.name in PLAN_COUNTS:
            plans = [row.plans for row in rows if row.plans]
            plans = [_as_the_authors_judge(row) for row in plans] if self.name == AUTHORS_PLANS else plans
            return Value(counts=_median_counts(plans) if self.summary == MEDIAN else _added(plans))
        if self.name in TEXTS:
            texts = dict.fromkeys(TEXTS[self.name](row.facts) for row in rows)
            return Value(texts=tuple(text for text in texts if text))
        measure = MEASURES[self.name]
        once: dict[tuple[str, str], Number] = {}
        for row in rows:
            once[row.facts.key(measure.stage), row.planner if measure.of_planner else ""] = measure.read(row)
        return Value(numbers=tuple(float(number) for number in once.values() if number is not None))

    def show(self, value: Value, dash: str = "–", plus_minus: str = "±") -> str:
        """Return a value as text."""
        if value.counts is not None:
            counts = value.counts
            valid, optimal = ("?" if count is None else str(count) for count in (counts.valid, counts.optimal))
            return f"{counts.found}/{valid}/{optimal} of {counts.instances}"
        if value.texts:
            return "; ".join(value.texts)
        if not value.numbers:
            return dash
        digits = MEASURES[self.name].digits
        if self.summary in SUMMARIES:
            return f"{SUMMARIES[self.summary](value.numbers):.{digits}f}"
        if self.summary == RANGE:
            return f"{min(value.numbers):.{digits}f}–{max(value.numbers):.{digits}f}"
        mean, deviation = value.mean, value.deviation
        return f"{mean:.{digits}f}" if deviation is None else f"{mean:.{digits}f} {plus_minus} {deviation:.{digits}f}"


def _as_the_authors_judge(row: PlannerResults) -> PlannerResults:
    """Return a row with the verdicts of the paper's authors in place of ours; None where they were not asked for."""
    return attrs.evolve(row, valid=row.authors_valid, optimal=row.authors_optimal)


def _added(plans: Sequence[PlannerResults]) -> PlanCounts | None:
    """Return the counts of several planners or runs, added up; None if there are none."""
    if not plans:
        return None
    judged = all(row.valid is not None for row in plans)
    return PlanCounts(
        found=sum(row.found for row in plans),
        valid=sum(row.valid or 0 for row in plans) if judged else None,
        optimal=sum(row.optimal or 0 for row in plans) if judged else None,
        instances=sum(row.instances for row in plans),
    )


def _median_counts(plans: Sequence[PlannerResults]) -> PlanCounts | None:
    """Return the medians of the counts of several runs, each by itself; of an even number, the lower of the two."""
    if not plans:
        return None
    judged = all(row.valid is not None for row in plans)
    return PlanCounts(
        found=median_low(row.found for row in plans),
        valid=median_low(row.valid or 0 for row in plans) if judged else None,
        optimal=median_low(row.optimal or 0 for row in plans) if judged else None,
        instances=median_low(row.instances for row in plans),
    )
