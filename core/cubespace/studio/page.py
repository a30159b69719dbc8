"""The page: served by the studio, or written as one file in which plans that were found can be looked at."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence

import attrs
from jinja2 import Environment, PackageLoader, PrefixLoader, StrictUndefined, select_autoescape

from cubespace.studio.shown import ShownPlan, Tell, shown_plan
from cubespace.studio.source import Source
from cubespace.studio.studio import MAX_UPLOAD, Studio

STYLES = ("report/style.css", "studio/studio.css")
SCRIPTS = ("studio/player.js", "studio/choice.js", "studio/studio.js")


@attrs.frozen
class Page:
    """A page and the policy that it needs: its own script and style, its own pictures, and at most our server."""

    text: str
    policy: str


def live_page(studio: Studio) -> Page:
    """Return the page that talks to a studio."""
    facts = {
        "pictures": studio.pictures,
        "instances": studio.instances,
        "simulator": studio.simulator is not None,
        "planners": [{"name": name, "optimal": solver.optimal} for name, solver in studio.planners.items()],
        "limits": attrs.asdict(studio.limits),
        "most_bytes": MAX_UPLOAD,
    }
    return _render(studio.source, facts, live=True)


def static_page(source: Source, tell: Tell, found: Iterable[ShownPlan] = ()) -> Page:
    """Return the page with the plans of a run, and those found since, in it: it needs no server."""
    plans = [*found, *(shown_plan(made, tell) for made in source.solved)]
    facts = {
        "stories": _stories(plans),
        "planners": [{"name": name} for name in dict.fromkeys(plan.planner for plan in plans)],
    }
    return _render(source, facts, live=False)


def _stories(plans: Iterable[ShownPlan]) -> list[dict[str, object]]:
    """Put plans between the same two pictures together, by planner; the first of a planner counts."""
    together: dict[tuple[str, str], dict[str, ShownPlan]] = {}
    for plan in plans:
        together.setdefault((plan.init.source, plan.goal.source), {}).setdefault(plan.planner, plan)
    return [_story(list(by_planner.values())) for by_planner in together.values()]


def _story(plans: Sequence[ShownPlan]) -> dict[str, object]:
    """Return plans between the same two pictures."""
    return {
        "init": {"picture": attrs.asdict(plans[0].init)},
        "goal": {"picture": attrs.asdict(plans[0].goal)},
        "plans": {plan.planner: attrs.asdict(plan) for plan in plans},
    }


def _render(source: Source, facts: dict[str, object], *, live: bool) -> Page:
    loader = PrefixLoader({"report": PackageLoader("cubespace.report"), "studio": PackageLoader("cubespace.studio")})
    templates = Environment(
        loader=loader, autoescape=select_autoescape(), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    style, script = ("".join(loader.get_source(templates, name)[0] for name in names) for names in (STYLES, SCRIPTS))
    macros = vars(templates.get_template("report/macros.html").module)
    policy = _policy(style, script, live=live)
    model = source.planning.model
    about = {"live": live, "title": source.title, "bits": model.bits, "actions": model.actions}
    about |= {name: macros[name] for name in ("words", "marks")}
    text = templates.get_template("studio/studio.html").render(
        title=source.title, facts={**about, **facts}, style=style, script=script, policy=policy, model=model
    )
    return Page(text, policy)


def _policy(style: str, script: str, *, live: bool) -> str:
    """Return the content security policy: not even a script that someone smuggles into the page may run."""
    allowed = {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{what} {whom}" for what, whom in allowed.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
