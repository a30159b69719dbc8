"""Paired tests: two values of an axis, on what both were given: problem by problem, or model by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import attrs

from cubespace.base.errors import UsageError
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.experiments.matrix import PLANNER
from cubespace.experiments.tables.columns import PROPORTIONS
from cubespace.experiments.tables.measures import MEASURES, Measure
from cubespace.experiments.tables.rows import Row, RunFacts, planner_rows
from cubespace.experiments.tables.statistics import holm, mcnemar, sign_flips
from cubespace.settings.run_config import SHORT_NAMES

DEFAULT_MEASURES = ("valid",)
HEAD = ("measure", "a", "b", "test", "pairs", "of a", "of b", "a only", "b only", "p", "p (Holm)")
LEFT = 4  # columns of words

Pairs = list[tuple[float, float]]


@attrs.frozen(kw_only=True)
class PairedTest:
    """Whether two values of an axis differ in a measure, beyond chance."""

    measure: str
    a: str
    b: str
    test: str
    pairs: int
    mean_a: float | None  # over the pairs
    mean_b: float | None
    only_a: int | None  # problems that one of the two solved alone
    only_b: int | None
    p: float
    corrected: float = 1.0  # p for as many tests as the measure has, by Holm's method

    def texts(self) -> list[str]:
        """Return a line of the table."""
        digits = MEASURES[self.measure].digits
        means = ["–" if mean is None else f"{mean:.{digits}f}" for mean in (self.mean_a, self.mean_b)]
        alone = ["–" if count is None else str(count) for count in (self.only_a, self.only_b)]
        title = MEASURES[self.measure].title
        return [title, self.a, self.b, self.test, str(self.pairs), *means, *alone, _p(self.p), _p(self.corrected)]


@attrs.frozen(kw_only=True)
class Comparison:
    """The paired tests between the values of an axis, two by two, as a table."""

    axis: str
    tests: tuple[PairedTest, ...]

    @property
    def caption(self) -> str:
        """Return what the table is of."""
        return f"paired tests between values of {self.axis}, p values of two sides"

    @property
    def words(self) -> int:
        """Return how many columns on the left are words."""
        return LEFT

    def texts(self) -> list[list[str]]:
        """Return the head and the lines."""
        return [list(HEAD), *(test.texts() for test in self.tests)]

    def records(self) -> list[dict[str, object]]:
        """Return a record for each test."""
        return [{"axis": self.axis, **attrs.asdict(test)} for test in self.tests]


def compare(runs: Sequence[RunFacts], axis: str, measures: Sequence[str] = DEFAULT_MEASURES) -> Comparison:
    """Return the tests between each two values of an axis; pairs are equal in all else: seeds, planner, other axes.

    Found, valid and optimal plans: McNemar's exact test over the problems that both were given. Means over problems,
    such as expansions: a permutation test of signs over those that both solved. Other measures: the same over the
    models of both, such as the seeds. Instances of one model are not independent, so that the first two say something
    about these models, and only the last one about the method.
    """
    rows = planner_rows(runs)
    values = list(dict.fromkeys(row.value(axis) for row in rows))
    if len(values) < 2:
        raise UsageError(f"axis '{axis}' has only the value {values[0]}: there is nothing to compare")
    found: list[PairedTest] = []
    for name in measures:
        if name not in MEASURES:
            raise UsageError(
                f"'{name}' is not a number: compare {', '.join(PROPORTIONS)}, recall, expansions or others"
            )
        matched = _matched(rows, axis, MEASURES[name])
        tests = [_test(name, a, b, matched) for a, b in combinations(values, 2)]
        for test, corrected in zip(tests, holm([test.p for test in tests]), strict=True):
            found.append(attrs.evolve(test, corrected=corrected))
    return Comparison(axis=axis, tests=tuple(found))


def _matched(rows: Sequence[Row], axis: str, measure: Measure) -> dict[tuple[str, ...], dict[str, Row]]:
    """Return the rows by what they have in common, then by their value of the axis."""
    excluded = {axis, PLANNER, *SHORT_NAMES["planners"], *SHORT_NAMES.get(axis, (axis,))}
    matrix = any(row.facts.values for row in rows)
    matched: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        table: Mapping[str, object] = row.facts.values if matrix else row.facts.settings
        common = [f"{key}={value}" for key, value in table.items() if key not in excluded]
        if axis != PLANNER and measure.of_planner:
            common.append(row.planner)
        matched.setdefault(tuple(common), {})[row.value(axis)] = row
    return matched


def _test(name: str, a: str, b: str, matched: Mapping[tuple[str, ...], Mapping[str, Row]]) -> PairedTest:
    both = [(of[a], of[b]) for of in matched.values() if a in of and b in of]
    measure = MEASURES[name]
    if name in PROPORTIONS:
        return _of_successes(name, a, b, [pair for one, other in both for pair in _successes(one, other, name)])
    if measure.of_solved:
        pairs = [pair for one, other in both for pair in _solved_by_both(one, other, measure)]
        return _of_numbers(name, a, b, "signs, problems", pairs)
    once: dict[tuple[tuple[str, str], ...], tuple[float, float]] = {}  # a model that several rows share counts once
    for pair in both:
        numbers = [measure.read(row) for row in pair]
        if numbers[0] is not None and numbers[1] is not None:
            identity = tuple(row.identity(measure.stage, of_planner=measure.of_planner) for row in pair)
            once[identity] = float(numbers[0]), float(numbers[1])
    return _of_numbers(name, a, b, "signs, models", list(once.values()))


def _of_successes(name: str, a: str, b: str, pairs: Pairs) -> PairedTest:
    only_a, only_b = (sum(one > other for one, other in each) for each in (pairs, [pair[::-1] for pair in pairs]))
    means = [fmean(column) if pairs else None for column in (list(zip(*pairs, strict=True)) or ((), ()))]
    return PairedTest(
        measure=name,
        a=a,
        b=b,
        test="McNemar",
        pairs=len(pairs),
        mean_a=means[0],
        mean_b=means[1],
        only_a=only_a,
        only_b=only_b,
        p=mcnemar(only_a, only_b),
    )


def _of_numbers(name: str, a: str, b: str, test: str, pairs: Pairs) -> PairedTest:
    means = [fmean(column) if pairs else None for column in (list(zip(*pairs, strict=True)) or ((), ()))]
    return PairedTest(
        measure=name,
        a=a,
        b=b,
        test=test,
        pairs=len(pairs),
        mean_a=means[0],
        mean_b=means[1],
        only_a=None,
        only_b=None,
        p=sign_flips([one - other for one, other in pairs]),
    )


def _common(one: Row, other: Row) -> Iterator[tuple[PlanRecord, PlanRecord]]:
    """Yield the records of the problems that both were given."""
    known = {record.problem: record for record in other.records}
    for record in one.records:
        if record.problem in known:
            yield record, known[record.problem]


def _successes(one: Row, other: Row, name: str) -> Iterator[tuple[float, float]]:
    for records in _common(one, other):
        verdicts = [record.found if name == "found" else record.found and getattr(record, name) for record in records]
        if None not in verdicts:
            yield float(bool(verdicts[0])), float(bool(verdicts[1]))


def _solved_by_both(one: Row, other: Row, measure: Measure) -> Iterator[tuple[float, float]]:
    for records in _common(one, other):
        numbers = [None if measure.of_record is None else measure.of_record(record) for record in records]
        if all(record.found for record in records) and numbers[0] is not None and numbers[1] is not None:
            yield float(numbers[0]), float(numbers[1])


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
