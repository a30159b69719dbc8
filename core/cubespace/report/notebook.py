"""What runs, plans and models look like in a notebook: small, self-contained pieces of HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cubespace import inference
from cubespace.domains import Images
from cubespace.report.facts import read_facts
from cubespace.report.images import animation, picture
from cubespace.report.page import environment, results

if TYPE_CHECKING:
    from cubespace.api import Run
    from cubespace.strips import StripsModel

SIDE = 80  # pixels of the longer side of a frame, about
ROWS = 8  # actions of a model that are shown


def run_html(run: Run) -> str:
    """Return the verdict table of a run and its best plan."""
    facts = read_facts(run.path)
    shown = None
    if facts.best and run.folder.finished("plan"):
        folder = run.path / "problems" / facts.best["problem"]
        init, goal = (run.picture(folder / f"{name}.png") for name in ("init", "goal"))
        trace = run.strips.execute(inference.encode(run.network, init)[0], facts.best["plan"])
        frames = None if trace is None else inference.draw(run.network, trace)
        shown = plan_html(init[0], goal[0], frames, facts.best)
    return _render("run", facts=facts, results=results(facts), plan=shown)


def plan_html(
    init: NDArray[np.uint8], goal: NDArray[np.uint8], frames: Images | None, record: Mapping[str, Any]
) -> str:
    """Return the pictures of a plan, or why there is none."""
    return _render(
        "plan",
        record=record,
        init=picture(init, "init", SIDE),
        goal=picture(goal, "goal", SIDE),
        frames=[] if frames is None else [picture(pixels, f"step {step}", SIDE) for step, pixels in enumerate(frames)],
        animation=None if frames is None else animation(frames, "the plan, animated", SIDE),
    )


def strips_html(model: StripsModel) -> str:
    """Return the size of a model and its actions with most support."""
    rows = sorted(range(model.actions), key=lambda row: -int(model.support[row]))[:ROWS]
    masks = {
        name: [getattr(model, name)[row].nonzero()[0].tolist() for row in rows]
        for name in ("add", "delete", "positive", "negative")
    }
    names = [(model.names[row], int(model.support[row])) for row in rows]
    return _render("strips", model=model, names=names, **masks)


def _render(piece: str, **values: object) -> str:
    return environment().get_template(f"notebook_{piece}.html").render(values)
