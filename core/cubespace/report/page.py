"""The pages: what is shown of one run, and of several side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import attrs
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from cubespace.base.numbers import duration, number, percent, size
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.report import plots
from cubespace.report.beliefs import beliefs
from cubespace.report.lifted import lifted_section
from cubespace.report.run_files import Facts, reasons, verdict
from cubespace.report.tiles import tiles
from cubespace.report.visuals import LearnedPictures, Story
from cubespace.settings.run_config import dump_toml
from cubespace.symbols.effects import SOURCES

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
    all_seen: int  # plans of which training pairs show every step
    known_states: float | None
    known_transitions: float | None
    seconds: float
    records: Sequence[PlanRecord]
    reasons: list[tuple[str, int]]


def results(facts: Facts) -> list[Result]:
    """Return the verdict table."""
    return [
        Result(
            planner=name,
            instances=row.instances,
            found=row.found,
            valid=row.valid,
            optimal=row.optimal,
            all_seen=row.all_seen,
            known_states=row.known_states,
            known_transitions=row.known_transitions,
            seconds=row.mean_seconds,
            records=row.records,
            reasons=reasons(row.records),
        )
        for name, row in facts.planners.items()
    ]


def run_page(facts: Facts, learned: LearnedPictures | None, output: Path) -> str:
    """Return the page of one run."""
    rows = results(facts)
    training = facts.learner.training if facts.learner else None
    sequence = list(training.phases) if training else []
    stories = _stories(facts, learned)
    table: dict[str, object] = {
        "facts": facts,
        "config": facts.run.config,
        "results": rows,
        "sources": SOURCES,
        "precision": facts.extraction.precision if facts.extraction else None,
        "leader": next((row for row in rows if row.planner == facts.leader), None),
        "tiles": tiles(facts),
        "verdicts": {verdict(record) for record in facts.records},
        "toml": dump_toml(facts.run.config),
        "pddl": pddl(facts.run.file("domain.pddl")) if facts.extraction else None,
        "file": lambda name: link(facts.run.file(name), output),
        "losses": plots.loss_curves(facts.metrics, sequence) if facts.metrics else None,
        "held_out": plots.held_out_curves(facts.metrics, sequence) if facts.metrics else None,
        "effort": plots.effort(facts.planners) if facts.planners else None,
        "as_trained": facts.learner.before_rewriting.get("test") if facts.learner else None,
        "test": facts.measures.test if facts.measures else None,
        "learned": learned,
        "lifted": lifted_section(facts),
        "beliefs": beliefs(learned) if learned else None,
        "effects": plots.effect_map(learned.model) if learned and learned.model else None,
        "hero": stories.best,
        "failed": stories.failed,
        "stories": stories.by_planner,
        "told": stories.anchors,
    }
    return environment().get_template("run.html").render(table)


@attrs.frozen(kw_only=True)
class Stories:
    """The plan to show first, those that best show what goes wrong, and all others by planner."""

    best: Story | None = None
    failed: Sequence[Story] = ()
    by_planner: Mapping[str, Sequence[Story]] = attrs.field(factory=dict)

    @property
    def anchors(self) -> set[str]:
        """Return the ids of the stories by planner."""
        return {story.anchor for stories in self.by_planner.values() for story in stories}


def _stories(facts: Facts, learned: LearnedPictures | None) -> Stories:
    """Return what is shown of the plans of a run."""
    if learned is None or facts.best is None:
        return Stories()
    per_planner = max(1, MAX_FILM_STRIPS // len(facts.planners))
    stories = {
        name: [learned.story(record) for record in row.records[:per_planner] if record.found]
        for name, row in facts.planners.items()
    }
    wrong = sorted(
        (record for record in facts.records if verdict(record) == "invalid"),
        key=lambda record: record.steps,  # the short ones are easiest to follow
    )
    return Stories(
        best=learned.story(facts.best, whole=True),
        failed=[learned.story(record) for record in wrong[:MAX_FAILURES_SHOWN]],
        by_planner={name: told for name, told in stories.items() if told},
    )


@attrs.frozen(kw_only=True)
class PddlExcerpt:
    """Size and beginning of a PDDL domain."""

    bytes: int
    lines: int
    actions: int
    text: str


def pddl(path: Path) -> PddlExcerpt | None:
    """Return size and beginning of a PDDL domain, None if it is not there."""
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    head, *actions = text.split("\n  (:action ")
    shown = "".join(f"\n  (:action {action}" for action in actions[:PDDL_ACTIONS_SHOWN])
    more = f"\n  ; … {len(actions) - PDDL_ACTIONS_SHOWN} more actions\n)" if len(actions) > PDDL_ACTIONS_SHOWN else ""
    return PddlExcerpt(bytes=len(text.encode()), lines=text.count("\n"), actions=len(actions), text=head + shown + more)


def link(target: Path, output: Path) -> str:
    """Return the address of a file as seen from the folder of the page.

    Quoted, and never anything but a path: a folder may be called ``javascript:…`` or have a ``#`` in its name.
    """
    return "./" + quote(Path(os.path.relpath(target, output.parent)).as_posix())


def _measure(value: float | None) -> str:
    """Return a measure, or a dash where nothing was learned that it could be about."""
    return "–" if value is None else number(value)


def environment() -> Environment:
    """Return the templates."""
    loaded = Environment(
        loader=PackageLoader("cubespace.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    loaded.filters |= {
        "number": number,
        "percent": percent,
        "measure": _measure,
        "duration": duration,
        "verdict": verdict,
        "size": size,
    }
    return loaded
