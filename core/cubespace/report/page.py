"""The pages: what is shown of one run, and of several side by side."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import attrs
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from cubespace.report import plots
from cubespace.report.run_files import Facts, Record, reasons, verdict
from cubespace.report.visuals import Learned, Story
from cubespace.settings.run_config import dump_toml

MAX_FILM_STRIPS = 60  # on one page, to keep it small
MAX_FAILURES_SHOWN = 3
PDDL_ACTIONS_SHOWN = 2


@attrs.frozen(kw_only=True)
class Result:
    """A planner's row of the verdict table."""

    planner: str
    instances: int
    found: int
    valid: int | None
    optimal: int | None
    known_states: float | None
    known_transitions: float | None
    seconds: float
    claims_optimal: bool
    records: list[Record]
    reasons: list[tuple[str, int]]

    def share(self, count: int | None) -> float:
        """Return a count as a percentage of all instances."""
        return 100 * (count or 0) / max(1, self.instances)


def results(facts: Facts) -> list[Result]:
    """Return the verdict table."""
    return [
        Result(
            planner=name,
            instances=row["instances"],
            found=row["found"],
            valid=row["valid"],
            optimal=row["optimal"],
            known_states=row.get("known_states"),  # runs of older versions have none
            known_transitions=row.get("known_transitions"),
            seconds=row["mean_seconds"],
            claims_optimal=row["optimal_planner"],
            records=row["records"],
            reasons=reasons(row["records"]),
        )
        for name, row in facts.planners.items()
    ]


def run_page(facts: Facts, learned: Learned | None, output: Path) -> str:
    """Return the page of one run."""
    rows = results(facts)
    table: dict[str, Any] = {
        "facts": facts,
        "config": facts.run.config,
        "results": rows,
        "leader": next((row for row in rows if row.planner == facts.leader), None),
        "toml": dump_toml(facts.run.config),
        "pddl": pddl(facts.run.file("domain.pddl")) if facts.extraction else None,
        "file": lambda name: link(facts.run.file(name), output),
        "losses": plots.loss_curves(facts.metrics) if facts.metrics else None,
        "held_out": plots.held_out_curves(facts.metrics) if facts.metrics else None,
        "effort": plots.effort(facts.planners) if facts.planners else None,
        "test": facts.measures["test"] if facts.measures else None,
        "learned": learned,
        "effects": plots.effect_map(learned.model) if learned and learned.model else None,
        **_stories(facts, learned),
    }
    return environment().get_template("run.html").render(table)


def _stories(facts: Facts, learned: Learned | None) -> dict[str, Any]:
    """Return the plan to show first, those that best show what goes wrong, and all others by planner."""
    if learned is None or facts.best is None:
        return {"hero": None, "failed": [], "stories": {}, "told": set()}
    per_planner = max(1, MAX_FILM_STRIPS // len(facts.planners))
    stories: dict[str, list[Story]] = {
        name: [learned.story(record) for record in row["records"][:per_planner] if record["plan"] is not None]
        for name, row in facts.planners.items()
    }
    wrong = [record for record in facts.records if verdict(record) == "invalid"]
    wrong = sorted(wrong, key=lambda record: len(record["plan"]))[
        :MAX_FAILURES_SHOWN
    ]  # the short ones are easiest to follow
    return {
        "hero": learned.story(facts.best, whole=True),
        "failed": [learned.story(record) for record in wrong],
        "stories": {name: told for name, told in stories.items() if told},
        "told": {story.anchor for told in stories.values() for story in told},
    }


def pddl(path: Path) -> dict[str, Any] | None:
    """Return size and beginning of a PDDL domain."""
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    head, *actions = text.split("\n  (:action ")
    shown = "".join(f"\n  (:action {action}" for action in actions[:PDDL_ACTIONS_SHOWN])
    more = f"\n  ; … {len(actions) - PDDL_ACTIONS_SHOWN} more actions\n)" if len(actions) > PDDL_ACTIONS_SHOWN else ""
    return {
        "bytes": len(text.encode()),
        "lines": text.count("\n"),
        "actions": len(actions),
        "text": head + shown + more,
    }


def link(target: Path, output: Path) -> str:
    """Return the address of a file as seen from the folder of the page."""
    return Path(os.path.relpath(target, output.parent)).as_posix()


def environment() -> Environment:
    """Return the templates."""
    loaded = Environment(
        loader=PackageLoader("cubespace.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    loaded.filters |= {"number": number, "percent": percent, "duration": duration, "verdict": verdict, "size": size}
    return loaded


def number(value: float | None) -> str:
    """Return a number with few digits."""
    if value is None:
        return "?"
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) >= 0.1 else f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.0e}"


def percent(fraction: float | None) -> str:
    """Return a fraction in percent, with two digits or more; only 1 is 100 % and only 0 is 0 %."""
    if fraction is None:
        return "?"
    rounded_down = math.floor(1e4 * fraction) / 100  # 0.9995 is 99.95 %, not 100 %
    return f"{rounded_down:.4g} %" if 0.99 < fraction < 1 else f"{100 * fraction:.3g} %"


def duration(seconds: float) -> str:
    """Return a time in the unit that fits it."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.2f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def size(count: int) -> str:
    """Return a number of bytes in the unit that fits it."""
    return f"{count / 1024:.0f} kB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MB"
