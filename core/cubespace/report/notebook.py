"""How runs, plans and models appear in a notebook: small, self-contained pieces of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images
from cubespace.evaluation.plan_record import SearchRecord
from cubespace.report.image_tags import animation, picture
from cubespace.report.page import environment, results
from cubespace.report.run_files import read_facts
from cubespace.runs.folder.plan_files import (
    GOAL_PICTURE,
    INIT_PICTURE,
    plan_folder,
    problem_folder,
    refuse_changed_pictures,
)
from cubespace.runs.folder.trace_file import TRACE, load_trace

if TYPE_CHECKING:
    from cubespace.api import Run
    from cubespace.symbols.strips import StripsModel

FRAME_PIXELS = 80  # longer side of a frame, about
MAX_ACTIONS_SHOWN = 8


def run_html(run: Run) -> str:
    """Return the verdict table of a run and its best plan."""
    facts = read_facts(run.path)
    best, shown = facts.best, None
    if best is not None:
        refuse_changed_pictures(run.path, best)
        folder = problem_folder(run.path, best.problem)
        init, goal = run.picture(folder / INIT_PICTURE), run.picture(folder / GOAL_PICTURE)
        trace = load_trace(plan_folder(run.path, best.problem, best.planner) / TRACE, best.trace)
        frames = None if trace is None else run.code.draw(trace)
        shown = plan_html(init[0], goal[0], frames, best)
    return _render("run", facts=facts, results=results(facts), plan=shown)


def plan_html(init: NDArray[np.uint8], goal: NDArray[np.uint8], frames: Images | None, record: SearchRecord) -> str:
    """Return the pictures of a plan, or why there is none."""
    return _render(
        "plan",
        record=record,
        init=picture(init, "init", FRAME_PIXELS),
        goal=picture(goal, "goal", FRAME_PIXELS),
        frames=[]
        if frames is None
        else [picture(pixels, f"step {step}", FRAME_PIXELS) for step, pixels in enumerate(frames)],
        animation=None if frames is None else animation(frames, "the plan, animated", FRAME_PIXELS),
    )


def strips_html(model: StripsModel) -> str:
    """Return the size of a model and its actions with most support."""
    rows = sorted(range(model.actions), key=lambda row: -int(model.support[row]))[:MAX_ACTIONS_SHOWN]
    masks = {
        name: [getattr(model, name)[row].nonzero()[0].tolist() for row in rows]
        for name in ("add", "delete", "positive", "negative")
    }
    names = [(model.names[row], int(model.support[row])) for row in rows]
    return _render("strips", model=model, names=names, **masks)


def _render(piece: str, **values: object) -> str:
    return environment().get_template(f"notebook_{piece}.html").render(values)
