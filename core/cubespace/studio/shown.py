"""A plan as the page shows it: every frame with its bits, every step with what its action needs and does."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images
from cubespace.report.image_tags import Picture, barcode, picture
from cubespace.report.run_files import step_marks, verdict
from cubespace.runs.pictures.plan import PicturePlan, PicturePlanRecord
from cubespace.symbols.strips import StripsModel

Tell = Callable[[PicturePlan, PicturePlanRecord], str]  # one line about a plan, from its record


@attrs.frozen(kw_only=True)
class Effort:
    """What a search took, where the planner says so."""

    seconds: float
    expansions: int | None
    evaluations: int | None
    generated: int | None
    megabytes: float | None


@attrs.frozen(kw_only=True)
class Literals:
    """What an action needs and does, as numbers of bits, and how often training pairs show its effect."""

    positive: list[int]
    negative: list[int]
    add: list[int]
    delete: list[int]
    support: int


@attrs.frozen(kw_only=True)
class ShownFrame:
    """One state of a plan and the action that led to it."""

    picture: Picture
    bits: Picture
    added: list[int]
    deleted: list[int]
    action: str
    literals: Literals | None  # None for the first state and for labels of a network


@attrs.frozen(kw_only=True)
class ShownPlan:
    """The result of a search, as the page shows it."""

    planner: str
    verdict: str
    summary: str
    warnings: tuple[str, ...]
    steps: int | None
    wrong: int | None  # the frame at which it goes wrong
    unseen: int
    marks: list[str]  # of each frame: new, unseen, or nothing if training pairs show its step
    effort: Effort
    init: Picture
    goal: Picture
    frames: list[ShownFrame]


def shown_plan(made: PicturePlan, tell: Tell) -> ShownPlan:
    """Return a plan for the page: the verdict is that of ``cube plan``."""
    record = made.record()
    return ShownPlan(
        planner=made.planner,
        verdict=verdict(record),
        summary=tell(made, record),
        warnings=record.warnings,
        steps=record.steps if record.found else None,
        wrong=record.wrong_step,
        unseen=len(record.unseen_steps or ()),
        marks=["", *step_marks(record)],
        effort=Effort(
            seconds=record.seconds,
            expansions=record.expansions,
            evaluations=record.evaluations,
            generated=record.generated,
            megabytes=record.megabytes,
        ),
        init=shown_picture(made.problem.init, "the given start"),
        goal=shown_picture(made.problem.goal, "the given goal"),
        frames=_frames(made),
    )


def shown_picture(pictures: Images, alt: str) -> Picture:
    """Return the first of some pictures."""
    return picture(pictures[0], alt)


def _frames(made: PicturePlan) -> list[ShownFrame]:
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
) -> ShownFrame:
    """Return one state; ``row`` is the action that led to it, None for the first and for labels of a network."""
    now, before = trace[step], trace[max(0, step - 1)]
    added, deleted = _bits(now & ~before), _bits(before & ~now)
    words = f"bits of frame {step}: {len(added)} added, {len(deleted)} deleted"
    return ShownFrame(
        picture=picture(pixels, f"frame {step}"),
        bits=barcode(now, before, words),
        added=added,
        deleted=deleted,
        action=name,
        literals=None if row is None else _literals(model, row),
    )


def _literals(model: StripsModel, row: int) -> Literals:
    return Literals(
        positive=_bits(model.positive[row]),
        negative=_bits(model.negative[row]),
        add=_bits(model.add[row]),
        delete=_bits(model.delete[row]),
        support=int(model.support[row]),
    )


def _bits(mask: Bits) -> list[int]:
    found: list[int] = np.flatnonzero(mask).tolist()
    return found
