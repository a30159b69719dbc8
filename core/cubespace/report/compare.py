"""Several runs side by side: how many plans were found, by domain, variant and planner."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from cubespace.report import REPORT, plots
from cubespace.report.page import environment, link
from cubespace.report.run_files import Facts, verdict
from cubespace.runs.solving import folder_name

MAX_SETTINGS_SHOWN = 5  # those in which a variant differs from others
MAX_FILM_STRIPS = 12


@attrs.frozen(kw_only=True)
class Row:
    """A run in the coverage table."""

    facts: Facts
    variant: str
    address: str
    cells: Mapping[str, Mapping[str, Any] | None]  # by planner
    instances: int
    strip: str | None
    verdict: str


def compare_page(runs: Sequence[Facts], output: Path) -> str:
    """Return the page of several runs."""
    planners = list(dict.fromkeys(name for facts in runs for name in facts.planners))
    rows = [
        Row(
            facts=facts,
            variant=variant,
            address=link(facts.run.file(REPORT), output),
            cells={name: facts.planners.get(name) for name in planners},
            instances=max((cell["instances"] for cell in facts.planners.values()), default=0),
            strip=_strip(facts) if number < MAX_FILM_STRIPS else None,
            verdict=verdict(facts.best) if facts.best else "none",
        )
        for number, (facts, variant) in enumerate(zip(runs, variants(runs), strict=True))
    ]
    trained = {f"{row.facts.domain}, {row.variant}": row.facts.metrics for row in rows if row.facts.metrics}
    table = {"rows": rows, "planners": planners, "curves": plots.compared_curves(trained) if trained else None}
    return environment().get_template("compare.html").render(table)


def variants(runs: Sequence[Facts]) -> list[str]:
    """Return for each run its apply module and the settings in which it differs from other runs of its domain."""
    flat = [_flat(attrs.asdict(facts.run.config)) for facts in runs]
    said = []
    for table in flat:
        rivals = [other for other in flat if other["domain"] == table["domain"]]
        keys = [key for key in table if len({repr(other[key]) for other in rivals}) > 1]
        shown = dict.fromkeys(["model.apply", *(key for key in keys if key != "plan.planners")])
        words = [_said(key, table[key]) for key in shown]
        said.append(", ".join(words[:MAX_SETTINGS_SHOWN] + ["…"] * (len(words) > MAX_SETTINGS_SHOWN)))
    return said


def _said(key: str, value: object) -> str:
    return str(value) if key == "model.apply" else f"{key.rpartition('.')[2]} {value}"


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def _strip(facts: Facts) -> str | None:
    """Return the film strip of the best plan, as a data address."""
    if facts.best is None:
        return None
    path = facts.run.file("problems") / facts.best["problem"] / folder_name(facts.best["planner"]) / "strip.png"
    if not path.is_file():
        return None
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()
