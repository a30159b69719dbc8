"""What a table can show: each measure by name, of a run or of one of its planners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import Literal

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.options import suggestion
from cubespace.experiments.tables.rows import Row, Table
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


def _plans(key: str) -> Callable[[Row], Number]:
    return lambda row: row.plans.get(key)


def _fraction(key: str) -> Callable[[Row], Number]:
    def read(row: Row) -> Number:
        value = row.plans.get(key)
        return None if value is None else value / max(1, row.plans["instances"])

    return read


def _mean(key: str) -> Callable[[Row], Number]:
    """Return a function that reads the mean over the solved instances."""

    def read(row: Row) -> Number:
        values = [one[key] for one in row.plans.get("records", ()) if one["plan"] is not None and one[key] is not None]
        return fmean(values) if values else None

    return read


def _ended(outcome: Outcome) -> Callable[[Row], Number]:
    """Return a function that counts the searches with this outcome."""

    def read(row: Row) -> Number:
        outcomes = row.plans.get("outcomes")
        return None if outcomes is None else outcomes.get(outcome.value, 0)

    return read


def _length(row: Row) -> Number:
    lengths = [len(record["plan"]) for record in row.plans.get("records", ()) if record["plan"] is not None]
    return fmean(lengths) if lengths else None


def _held_out(key: str) -> Callable[[Row], Number]:
    return lambda row: row.facts.measures.get("test", {}).get(key)


def _of(table: str, key: str) -> Callable[[Row], Number]:
    def read(row: Row) -> Number:
        numbers: Table = getattr(row.facts, table)
        value = numbers.get(key)
        return value if isinstance(value, int | float) else None

    return read


def _extracted(read: Callable[[ExtractionRecord], Number]) -> Callable[[Row], Number]:
    """Return how to read a number of the extraction, None if it is not done."""
    return lambda row: None if row.facts.extraction is None else read(row.facts.extraction)


def _stage(key: Literal["seconds", "cpu_seconds"], *stages: str) -> Callable[[Row], Number]:
    """Return a function that reads the time of stages, all of which must be done."""

    def read(row: Row) -> Number:
        if not all(stage in row.facts.stages for stage in stages):
            return None
        return sum(float(getattr(row.facts.stages[stage], key)) for stage in stages)

    return read


MEASURES = {
    "found": Measure("found", _fraction("found"), "evaluate", 3),
    "valid": Measure("valid", _fraction("valid"), "evaluate", 3),
    "optimal": Measure("optimal", _fraction("optimal"), "evaluate", 3),
    "instances": Measure("instances", _plans("instances"), "evaluate", 0),
    "exhausted": Measure("exhausted", _ended(Outcome.UNSOLVABLE), "evaluate", 0),  # every state seen, and no plan
    "out_of_time": Measure("out of time", _ended(Outcome.OUT_OF_TIME), "evaluate", 0),
    "out_of_memory": Measure("out of memory", _ended(Outcome.OUT_OF_MEMORY), "evaluate", 0),
    "plan_length": Measure("plan length", _length, "evaluate", 2),
    "expansions": Measure("expansions", _mean("expansions"), "evaluate", 1),
    "evaluations": Measure("evaluations", _mean("evaluations"), "evaluate", 1),
    "generated": Measure("generated", _mean("generated"), "evaluate", 1),
    "search_seconds": Measure("search s", _mean("search_seconds"), "evaluate", 4),
    "planner_seconds": Measure("planner s", _mean("seconds"), "evaluate", 3),
    "known_states": Measure("known states", _plans("known_states"), "evaluate"),
    "known_steps": Measure("known steps", _plans("known_transitions"), "evaluate"),
    "recall": Measure("recall", _of("diagnosis", "recall"), "extract"),
    "wrong": Measure("wrong per state", _of("diagnosis", "wrong"), "extract"),
    "graph_recall": Measure("recall of the graph", _of("diagnosis", "graph_recall"), "extract"),
    "graph_wrong": Measure("wrong edges per state", _of("diagnosis", "graph_wrong"), "extract"),
    "actions": Measure("actions", _extracted(lambda record: record.actions), "extract", 0),
    "effects": Measure("effects", _extracted(lambda record: record.differences), "extract", 0),
    "literals": Measure("literals", _extracted(lambda record: record.literals), "extract", 1),
    "reconstruction": Measure("Rec", _held_out("reconstruction"), "train", 5),
    "successor": Measure("Succ", _held_out("successor"), "train", 5),
    "direct": Measure("Direct", _held_out("direct"), "train", 5),
    "total": Measure("total loss", _held_out("total"), "train", 3),
    "discriminator_f": Measure("discriminator F", _held_out("discriminator_f"), "train", 3),
    "exact": Measure("labels exact", _held_out("exact"), "train", 3),
    "covered": Measure("covered", _held_out("covered"), "train", 4),
    "bits": Measure("bits", _of("learner", "bits"), "train", 0),
    "training_seconds": Measure("training s", _stage("seconds", "train"), "train", 1),
    "extraction_seconds": Measure("extraction s", _stage("seconds", "extract"), "extract", 1),
    "learning_cpu_seconds": Measure("learning CPU s", _stage("cpu_seconds", "data", "train", "extract"), "extract", 1),
}
PLANS = "plans"  # found/valid/optimal in one cell, added up

Summary = Callable[[Sequence[float]], float]
SUMMARIES: dict[str, Summary] = {"mean": fmean, "min": min, "max": max, "sum": sum}
SPREAD, RANGE = "spread", "range"  # mean ± sd, and minimum–maximum


@attrs.frozen(kw_only=True)
class Value:
    """The value of a cell of a table: a measure over the runs that it aggregates."""

    numbers: tuple[float, ...] = ()
    counts: tuple[int, int | None, int | None, int] | None = None  # of plans: found, valid, optimal, instances

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
        known = [PLANS, *MEASURES]
        if name not in known:
            raise UsageError(f"No measure is called '{name}'. {suggestion(name, known)}Available: {', '.join(known)}.")
        ways = [SPREAD, RANGE, *SUMMARIES]
        if summary and (summary not in ways or name == PLANS):
            raise UsageError(f"'{text}': a measure is summarised by {', '.join(ways)}; plans are added up")
        return cls(name=name, summary=summary or SPREAD)

    @property
    def of_planner(self) -> bool:
        """Return whether it differs from planner to planner."""
        return self.name == PLANS or MEASURES[self.name].of_planner

    @property
    def title(self) -> str:
        """Return the heading."""
        title = "found/valid/optimal" if self.name == PLANS else MEASURES[self.name].title
        return title if self.summary == SPREAD else f"{title} ({self.summary})"

    def over(self, rows: Sequence[Row]) -> Value:
        """Return the value over some rows; a stage that several runs share is counted once."""
        if self.name == PLANS:
            return Value(counts=_added([row for row in rows if row.plans]))
        measure = MEASURES[self.name]
        once: dict[tuple[str, str], Number] = {}
        for row in rows:
            once[row.facts.key(measure.stage), row.planner if measure.of_planner else ""] = measure.read(row)
        return Value(numbers=tuple(float(number) for number in once.values() if number is not None))

    def show(self, value: Value, dash: str = "–", plus_minus: str = "±") -> str:
        """Return a value as text."""
        if value.counts is not None:
            found, valid, optimal, instances = ("?" if count is None else str(count) for count in value.counts)
            return f"{found}/{valid}/{optimal} of {instances}"
        if not value.numbers:
            return dash
        digits = MEASURES[self.name].digits
        if self.summary in SUMMARIES:
            return f"{SUMMARIES[self.summary](value.numbers):.{digits}f}"
        if self.summary == RANGE:
            return f"{min(value.numbers):.{digits}f}–{max(value.numbers):.{digits}f}"
        mean, deviation = value.mean, value.deviation
        return f"{mean:.{digits}f}" if deviation is None else f"{mean:.{digits}f} {plus_minus} {deviation:.{digits}f}"


def _added(rows: Sequence[Row]) -> tuple[int, int | None, int | None, int] | None:
    """Return the sums of plans found, valid, optimal and of instances; None where a domain cannot judge."""
    if not rows:
        return None
    found, valid, optimal, instances = (
        [row.plans[key] for row in rows] for key in ("found", "valid", "optimal", "instances")
    )
    judged = None not in valid
    return sum(found), sum(valid) if judged else None, sum(optimal) if judged else None, sum(instances)
