"""A column of a table: a measure, how several runs are summarised in a cell, and how that is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median, median_low, stdev

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.options import suggestion
from cubespace.evaluation.summary import PlannerResults
from cubespace.experiments.tables.measures import AUTHORS_PLANS, MEASURES, PLAN_COUNTS, TEXTS, Measure, Number
from cubespace.experiments.tables.rows import Row
from cubespace.experiments.tables.statistics import wilson

Summary = Callable[[Sequence[float]], float]
Combine = Callable[[Iterable[int]], int]
SUMMARIES: Mapping[str, Summary] = {"mean": fmean, "median": median, "min": min, "max": max, "sum": sum}
SPREAD, RANGE, MEDIAN, INTERVAL = "spread", "range", "median", "interval"  # mean ± sd; minimum–maximum; …; Wilson's
PROPORTIONS = ("found", "valid", "optimal")  # of the instances: measures that have an interval


@attrs.frozen(kw_only=True)
class PlanCounts:
    """Plans found, valid and optimal, and of how many instances; None where a domain cannot judge."""

    found: int
    valid: int | None
    optimal: int | None
    instances: int

    def interval(self, name: str) -> tuple[float, float] | None:
        """Return Wilson's interval for the fraction of plans that were found, valid or optimal, if it is known."""
        count: int | None = getattr(self, name)
        return None if count is None else wilson(count, self.instances)


@attrs.frozen(kw_only=True)
class Value:
    """The value of a cell of a table: a measure over the runs that it aggregates."""

    numbers: tuple[float, ...] = ()
    settings: int = 1  # in how many settings, apart from seeds, these runs differ
    missing: int = 0  # runs whose stage is not finished
    problems: int | None = None  # behind a mean over solved problems
    counts: PlanCounts | None = None
    runs: int = 0  # behind the counts
    texts: tuple[str, ...] = ()  # each once

    @property
    def mean(self) -> float | None:
        """Return the mean, or None if nothing was measured."""
        return fmean(self.numbers) if self.numbers else None

    @property
    def deviation(self) -> float | None:
        """Return the standard deviation over seeds; None for one run, or if other settings differ too."""
        return stdev(self.numbers) if len(self.numbers) > 1 and self.settings == 1 else None

    @property
    def sample(self) -> str:
        """Return what the numbers are of, in parentheses: how many runs, of how many, over how many settings."""
        number = len(self.numbers)
        parts = [f"n={number} of {number + self.missing}" if self.missing else f"n={number}"]
        parts += [f"{self.settings} settings"] * (self.settings > 1)
        parts += [f"{self.problems} problems"] * (self.problems is not None)
        return f" ({', '.join(parts)})"

    def record(self) -> dict[str, object]:
        """Return it for a record: numbers in separate fields."""
        if self.texts:
            return {"texts": "; ".join(self.texts)}
        counted = {} if self.counts is None else {**attrs.asdict(self.counts), **_intervals(self.counts)}
        if self.counts is not None and not self.numbers:
            return {**counted, "runs": self.runs, "missing": self.missing}
        return {
            "mean": self.mean,
            "sd": self.deviation,
            "median": median(self.numbers) if self.numbers else None,
            "runs": len(self.numbers),
            "settings": self.settings,
            "missing": self.missing,
            **({} if self.problems is None else {"problems": self.problems}),
            "min": min(self.numbers, default=None),
            "max": max(self.numbers, default=None),
            **counted,
        }


def _intervals(counts: PlanCounts) -> dict[str, float]:
    """Return the bounds of Wilson's intervals."""
    known = {name: counts.interval(name) for name in PROPORTIONS}
    return {
        f"{name}_{bound}": round(value, 4)
        for name, interval in known.items()
        if interval is not None
        for bound, value in zip(("low", "high"), interval, strict=True)
    }


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
        possible = (name in MEASURES and summary in ways) or (name in PROPORTIONS and summary == INTERVAL)
        if summary and not possible and not (name in PLAN_COUNTS and summary == MEDIAN):
            raise UsageError(
                f"'{text}': a number is summarised by {', '.join(ways)}, and {', '.join(PROPORTIONS)} by {INTERVAL} "
                f"too; plans are added up, or summarised by {MEDIAN}"
            )
        return cls(name=name, summary=summary or SPREAD)

    def record(self) -> dict[str, object]:
        """Return what it shows, for a record; the summary only if it is not the usual one."""
        summary = {} if self.summary == SPREAD else {"summary": self.summary}
        return {"measure": self.name, **summary}

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
        if self.name in TEXTS:
            texts = dict.fromkeys(TEXTS[self.name](row.facts) for row in rows)
            return Value(texts=tuple(text for text in texts if text))
        if self.name in PLAN_COUNTS:
            combine = median_low if self.summary == MEDIAN else sum  # of an even number, the lower of the two
            return _plans_over(rows, combine, by_authors=self.name == AUTHORS_PLANS)
        value = _numbers_over(rows, MEASURES[self.name])
        return attrs.evolve(value, counts=_plans_over(rows, sum).counts) if self.summary == INTERVAL else value

    def show(self, value: Value, dash: str = "–", plus_minus: str = "±") -> str:
        """Return a value as text, with the number of runs that it is of."""
        if self.name in PLAN_COUNTS:
            return dash if value.counts is None else _shown_counts(value.counts, value.runs, value.missing)
        if value.texts:
            return "; ".join(value.texts)
        if not value.numbers:
            return dash
        return self._shown(value, plus_minus) + value.sample

    def _shown(self, value: Value, plus_minus: str) -> str:
        """Return the summary of numbers."""
        digits = MEASURES[self.name].digits
        if self.summary in SUMMARIES:
            return f"{SUMMARIES[self.summary](value.numbers):.{digits}f}"
        if self.summary == RANGE:
            return f"{min(value.numbers):.{digits}f}–{max(value.numbers):.{digits}f}"
        interval = value.counts.interval(self.name) if value.counts is not None else None
        if interval is not None and value.counts is not None:
            share = getattr(value.counts, self.name) / max(1, value.counts.instances)
            return f"{share:.{digits}f} [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]"
        mean, deviation = value.mean, value.deviation
        return f"{mean:.{digits}f}" if deviation is None else f"{mean:.{digits}f} {plus_minus} {deviation:.{digits}f}"


def _shown_counts(counts: PlanCounts, runs: int, missing: int) -> str:
    valid, optimal = ("?" if count is None else str(count) for count in (counts.valid, counts.optimal))
    part = f" (n={runs} of {runs + missing})" if missing else ""
    return f"{counts.found}/{valid}/{optimal} of {counts.instances}{part}"


def _plans_over(rows: Sequence[Row], combine: Combine, *, by_authors: bool = False) -> Value:
    """Return the counts of some rows, each run and planner once; ``by_authors``: by the rule of the paper's authors."""
    once = {row.identity("evaluate", of_planner=True): row.plans for row in rows}
    plans = [each for each in once.values() if each is not None]
    if by_authors:  # their verdicts in place of ours; None where they were not asked for
        plans = [attrs.evolve(each, valid=each.authors_valid, optimal=each.authors_optimal) for each in plans]
    return Value(counts=_combined(plans, combine), runs=len(plans), missing=len(once) - len(plans))


def _numbers_over(rows: Sequence[Row], measure: Measure) -> Value:
    """Return the numbers of some rows, each result once, and in how many settings they differ."""
    once = {row.identity(measure.stage, of_planner=measure.of_planner): row for row in rows}
    numbers: list[float] = []
    settings, missing, problems = set(), 0, 0
    for row in once.values():
        number: Number = measure.read(row)
        if number is not None:
            numbers.append(float(number))
            settings.add(row.setting(measure.stage, of_planner=measure.of_planner))
            problems += len(row.compared)
        elif measure.source not in row.facts.stages:
            missing += 1
    return Value(
        numbers=tuple(numbers),
        settings=len(settings) or 1,
        missing=missing,
        problems=problems if measure.of_solved else None,
    )


def _combined(plans: Sequence[PlannerResults], combine: Combine) -> PlanCounts | None:
    """Return the counts of several planners or runs, each combined by itself; None if there are none."""
    if not plans:
        return None
    judged = all(row.valid is not None for row in plans)
    return PlanCounts(
        found=combine(row.found for row in plans),
        valid=combine(row.valid or 0 for row in plans) if judged else None,
        optimal=combine(row.optimal or 0 for row in plans) if judged else None,
        instances=combine(row.instances for row in plans),
    )
