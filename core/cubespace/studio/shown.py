"""A plan as the page shows it: every frame with its bits, every step with what its action needs and does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images
from cubespace.report.image_tags import barcode, picture
from cubespace.report.run_files import step_marks, verdict
from cubespace.runs.pictures.plan import PicturePlan
from cubespace.symbols.strips import StripsModel

Tell = Callable[[PicturePlan, dict[str, Any]], str]  # one line about a plan, from its record
EFFORT = ("seconds", "expansions", "evaluations", "generated", "megabytes")  # of a search, where it says so


def shown_plan(made: PicturePlan, tell: Tell) -> dict[str, Any]:
    """Return what came of a search, for the page: the verdict is that of ``cube plan``."""
    record = made.record()
    return {
        "planner": made.planner,
        "verdict": verdict(record),
        "summary": tell(made, record),
        "warnings": record["warnings"],
        "steps": None if record["plan"] is None else len(record["plan"]),
        "wrong": record.get("wrong_step"),
        "unseen": len(record["unseen_steps"] or ()),
        "marks": ["", *step_marks(record)],  # of each frame: new, unseen, or nothing if training pairs show its step
        "effort": {name: record.get(name) for name in EFFORT},
        "init": shown_picture(made.problem.init, "the given start"),
        "goal": shown_picture(made.problem.goal, "the given goal"),
        "frames": _frames(made),
    }


def shown_picture(pictures: Images, alt: str) -> dict[str, Any]:
    """Return the first of some pictures."""
    return attrs.asdict(picture(pictures[0], alt))


def _frames(made: PicturePlan) -> list[dict[str, Any]]:
    """Return the states of a plan in order; none if there is no plan."""
    if made.solution is None or made.solution.trace is None or made.solution.frames is None:
        return []
    trace, search = made.solution.trace, made.solution.search
    rows: list[int | None] = [None, *(None if search.latent else row for row in search.plan or ())]
    names = ["", *made.actions]
    return [
        _frame(made.model, step, pixels, trace, names[step], rows[step])
        for step, pixels in enumerate(made.solution.frames)
    ]


def _frame(
    model: StripsModel, step: int, pixels: NDArray[np.uint8], trace: Bits, name: str, row: int | None
) -> dict[str, Any]:
    """Return one state; ``row`` is the action that led to it, None for the first and for labels of a network."""
    now, before = trace[step], trace[max(0, step - 1)]
    added, deleted = _bits(now & ~before), _bits(before & ~now)
    words = f"bits of frame {step}: {len(added)} added, {len(deleted)} deleted"
    return {
        "picture": attrs.asdict(picture(pixels, f"frame {step}")),
        "bits": attrs.asdict(barcode(now, before, words)),
        "added": added,
        "deleted": deleted,
        "action": name,
        "literals": None if row is None else _literals(model, row),
    }


def _literals(model: StripsModel, row: int) -> dict[str, Any]:
    """Return what an action needs and does, as numbers of bits, and how often training pairs show its effect."""
    masks = {name: _bits(getattr(model, name)[row]) for name in ("positive", "negative", "add", "delete")}
    return {**masks, "support": int(model.support[row])}


def _bits(mask: Bits) -> list[int]:
    found: list[int] = np.flatnonzero(mask).tolist()
    return found
