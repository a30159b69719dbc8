"""Several runs side by side: how many plans were found, by domain, variant and planner."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import attrs
from markupsafe import Markup

from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.summary import PlannerResults
from cubespace.report import REPORT, many_plots, plots
from cubespace.report.page import environment, link
from cubespace.report.run_files import VERDICTS, Facts, verdict
from cubespace.runs.folder.plan_files import STRIP, plan_folder, refuse_changed_pictures
from cubespace.settings.run_config import flat

MAX_SETTINGS_SHOWN = 5  # those in which a variant differs from others
MAX_FILM_STRIPS = 12
SHOWN_APART = ("learner.name", "autoencoder.apply", "plan.planners")  # settings that have columns of their own
MEASURES = ("recall", "wrong")  # of a diagnosis, in tables
PAGE = many_plots.Palette(plots.INK, plots.GRID, plots.SERIES)  # the colours that the page's own stand for


@attrs.frozen(kw_only=True)
class Counts:
    """Plans of several runs, added up; None for what some run does not know."""

    instances: int
    found: int
    valid: int | None
    optimal: int | None


@attrs.frozen(kw_only=True)
class Row:
    """A run in the coverage table."""

    facts: Facts
    variant: str
    seed: int
    address: str
    cells: Mapping[str, PlannerResults | None]  # by planner
    measures: Mapping[str, float | None]  # of its diagnosis
    instances: int
    verdict: str


@attrs.frozen(kw_only=True)
class Group:
    """The runs that differ in their seeds only: plans added up, measures as mean, least and largest."""

    domain: str
    learner: str
    variant: str
    rows: tuple[Row, ...]
    cells: Mapping[str, Counts | None]  # by planner
    measures: Mapping[str, tuple[float, float, float] | None]

    @property
    def best(self) -> Row:
        """Return the run with the best plan."""
        ranks = list(VERDICTS)
        return min(self.rows, key=lambda row: ranks.index(row.verdict))


def compare_page(runs: Sequence[Facts], output: Path) -> str:
    """Return the page of several runs."""
    planners = list(dict.fromkeys(name for facts in runs for name in facts.planners))
    rows = [
        Row(
            facts=facts,
            variant=variant,
            seed=facts.run.config.train.seed,
            address=link(facts.run.file(REPORT), output),
            cells={name: facts.planners.get(name) for name in planners},
            measures=_diagnosed(facts),
            instances=max((cell.instances for cell in facts.planners.values()), default=0),
            verdict=verdict(facts.best) if facts.best else "none",
        )
        for facts, variant in zip(runs, variants(runs), strict=True)
    ]
    grouped = groups(rows, planners)
    trained = {
        ", ".join(filter(None, (group.domain, group.learner, group.variant))): [
            row.facts.metrics for row in group.rows if row.facts.metrics
        ]
        for group in grouped
    }
    shown = [group.best for group in grouped]
    trained = {name: metrics for name, metrics in trained.items() if metrics}
    table = {
        "rows": rows,
        "measures": [name for name in MEASURES if any(row.measures[name] is not None for row in rows)],
        "strips": [(row, strip) for row in shown[:MAX_FILM_STRIPS] if (strip := _strip(row.facts))],
        "unshown": max(0, len(shown) - MAX_FILM_STRIPS),
        "groups": grouped if len(grouped) < len(rows) else [],
        "planners": planners,
        "efforts": _efforts(runs, planners),
        "curves": _curves(trained) if trained else None,
    }
    return environment().get_template("compare.html").render(table)


def groups(rows: Sequence[Row], planners: Sequence[str]) -> list[Group]:
    """Return the runs of equal settings but for their seeds."""
    together: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        together.setdefault((row.facts.domain, row.facts.made_by, row.variant), []).append(row)
    return [
        Group(
            domain=domain,
            learner=learner,
            variant=variant,
            rows=tuple(some),
            cells={name: _added([row.cells[name] for row in some]) for name in planners},
            measures={name: _spread([row.measures[name] for row in some]) for name in MEASURES},
        )
        for (domain, learner, variant), some in together.items()
    ]


def _added(cells: Sequence[PlannerResults | None]) -> Counts | None:
    """Return plans added up; None if no run has any."""
    known = [cell for cell in cells if cell]
    if not known:
        return None
    return Counts(
        instances=sum(cell.instances for cell in known),
        found=sum(cell.found for cell in known),
        valid=_sum([cell.valid for cell in known]),
        optimal=_sum([cell.optimal for cell in known]),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    """Return the sum; None if one of the counts is not known."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _diagnosed(facts: Facts) -> dict[str, float | None]:
    """Return the measures of the diagnosis of a run; None for those that it does not have."""
    diagnosis = facts.diagnosis
    return {"recall": diagnosis.recall if diagnosis else None, "wrong": diagnosis.wrong if diagnosis else None}


def _spread(values: Sequence[float | None]) -> tuple[float, float, float] | None:
    known = [value for value in values if value is not None]
    return (fmean(known), min(known), max(known)) if known else None


def _efforts(runs: Sequence[Facts], planners: Sequence[str]) -> Markup | None:
    """Return what planners expanded, problem by problem, against one that knows nothing, or against the first."""
    if len(planners) < 2:
        return None
    base = next((name for name in planners if name.endswith("blind")), planners[0])
    pairs: dict[str, list[tuple[float | None, float | None]]] = {}
    for facts in runs:
        if base not in facts.planners:
            continue
        known = {record.problem: _effort(record) for record in facts.planners[base].records}
        for name, row in facts.planners.items():
            if name != base:
                points = [(known[each.problem], _effort(each)) for each in row.records if each.problem in known]
                pairs.setdefault(name, []).extend(points)
    if not any(value is not None for points in pairs.values() for pair in points for value in pair):
        return None
    return plots.inline(many_plots.scatter(pairs, f"expansions, {base}", "expansions, others", PAGE), "efforts")


def _effort(record: PlanRecord) -> float | None:
    """Return what a search expanded; None if it found nothing, or did not count."""
    return record.expansions if record.found else None


def _curves(trained: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> Markup:
    figure = many_plots.bands(trained, "validation_successor", "Succ on pictures held out", PAGE)
    return plots.inline(figure, "compared")


def variants(runs: Sequence[Facts]) -> list[str]:
    """Return for each run the settings in which runs of its domain differ, but for seeds, planners and who learns."""
    tables = [flat(attrs.asdict(facts.run.config)) for facts in runs]
    said = []
    for table in tables:
        rivals = [other for other in tables if other["domain"] == table["domain"]]
        keys = [key for key in table if len({repr(other[key]) for other in rivals}) > 1 and not key.endswith(".seed")]
        words = [f"{key.rpartition('.')[2]} {table[key]}" for key in keys if key not in SHOWN_APART]
        said.append(", ".join(words[:MAX_SETTINGS_SHOWN] + ["…"] * (len(words) > MAX_SETTINGS_SHOWN)))
    return said


def _strip(facts: Facts) -> str | None:
    """Return the film strip of the best plan, as a data address."""
    if facts.best is None:
        return None
    refuse_changed_pictures(facts.run.path, facts.best)
    path = plan_folder(facts.run.path, facts.best.problem, facts.best.planner) / STRIP
    if not path.is_file():
        return None
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
