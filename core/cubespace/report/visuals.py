"""What a run has learned, in pictures: reconstructions, actions, bits and plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.images import read_picture, region_picture, side_by_side
from cubespace.data.domain import Pairs
from cubespace.data.transitions import Transitions
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.learning.code import Code
from cubespace.report.image_tags import Picture, animation, barcode, picture, signed
from cubespace.report.run_files import step_marks, verdict
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.runs.folder.plan_files import (
    GOAL_PICTURE,
    INIT_PICTURE,
    plan_folder,
    problem_folder,
    refuse_changed_pictures,
)
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.folder.trace_file import TRACE, load_trace
from cubespace.symbols.strips import StripsModel

MAX_TRANSITIONS = 6000  # of the training split, for mean pictures: more make no visible difference
MAX_FRAMES = 16  # of a plan, about
CARD_PIXELS = 72  # longer side of pictures in cards


@attrs.frozen(kw_only=True)
class Redrawn:
    """A picture of the test split, as it is redrawn, and the difference."""

    given: Picture
    drawn: Picture
    difference: Picture
    error: float
    worst: bool


@attrs.frozen(kw_only=True)
class ActionCard:
    """An action in pictures: the means of the pictures before and after it, and its masks."""

    name: str
    support: int
    before: Picture
    after: Picture
    add: list[int]
    delete: list[int]
    positive: list[int]
    negative: list[int]


@attrs.frozen(kw_only=True)
class BitCard:
    """A bit in a picture: where pictures are lighter (blue) or darker (orange) when it is true."""

    bit: int
    fraction: float  # of training pictures in which it is true
    meaning: Picture


@attrs.frozen(kw_only=True)
class Frame:
    """One state of a plan: its picture, its bits, the action that led to it. Long plans leave some out."""

    step: int
    mark: (
        str  # of the step to it: new, if unseen in training but accepted by a judge, unseen or doubtful if nobody does
    )
    skipped: int  # frames left out before this one
    picture: Picture
    bits: Picture | None
    action: str
    added: int
    deleted: int


@attrs.frozen(kw_only=True)
class Story:
    """A plan in pictures, and the frame at which it goes wrong."""

    planner: str
    problem: str
    verdict: str
    outcome: str
    reason: str
    wrong: int | None
    new: int  # steps that no training pair shows, but that a judge accepts
    unseen: int  # steps that nobody vouches for
    steps: int
    init: Picture
    goal: Picture
    frames: list[Frame]
    animation: Picture | None

    @property
    def anchor(self) -> str:
        """Return the id of the story on its page."""
        return f"plan-{self.planner}-{self.problem}"


class LearnedPictures:
    """A code with its data and, if extracted, its model."""

    def __init__(
        self,
        run: RunFolder,
        code: Code,
        model: StripsModel | None,
        data: Transitions,
        seen: BitPairs,
        planned_names: Sequence[str],
    ) -> None:
        self.run, self.code, self.model, self.data = run, code, model, data
        some = data.train[:MAX_TRANSITIONS]
        self.some: Pairs = attrs.evolve(some, before=code.straighten(some.before), after=code.straighten(some.after))
        self.planned_names = planned_names  # of the actions of the model that plans were made with
        self.before, self.after = seen.before[:MAX_TRANSITIONS], seen.after[:MAX_TRANSITIONS]  # bits of the same

    def places(self) -> Picture | None:
        """Return which pixels tell about which variable, or None if the encoder cannot say."""
        regions = self.code.regions()
        return None if regions is None else picture(region_picture(regions), "the places, each in a colour")

    def straight(self) -> Picture:
        """Return a picture as it was taken, and as it is registered."""
        taken = self.data.test.before[:1]
        return picture(side_by_side(taken, self.code.straighten(taken))[0], "as it was taken, and registered")

    def redrawn(self, count: int = 8) -> list[Redrawn]:
        """Return some pictures of the test split, the last one being the worst of all."""
        given = self.code.straighten(self.data.test.before)
        drawn = self.code.decode(self.code.encode(given))
        differences = drawn - given / np.float32(255)
        errors = np.square(differences).reshape(len(given), -1).mean(1)
        worst = int(errors.argmax())
        rows = [*[row for row in range(len(given)) if row != worst][: count - 1], worst]
        return [
            Redrawn(
                given=picture(given[row], "a picture held out", CARD_PIXELS),
                drawn=picture(
                    (drawn[row] * 255).round().astype(np.uint8), "the same, redrawn from its bits", CARD_PIXELS
                ),
                # full strength at a tenth of the range: errors that are too small to matter stay invisible
                difference=picture(_tint(differences[row]), "difference of the two", CARD_PIXELS),
                error=float(errors[row]),
                worst=row == worst,
            )
            for row in rows
        ]

    def bits(self, count: int = 24) -> list[BitCard]:
        """Return the most informative bits: those true in about half of the pictures first."""
        states = np.concatenate([self.before, self.after])
        pictures = np.concatenate([self.some.before, self.some.after])
        fractions = states.mean(0)
        live = np.flatnonzero((fractions > 0) & (fractions < 1))
        order = live[np.argsort(np.abs(fractions[live] - 0.5), kind="stable")][:count]
        return [
            BitCard(
                bit=int(bit),
                fraction=float(fractions[bit]),
                meaning=signed(
                    _mean(pictures, states[:, bit]) - _mean(pictures, ~states[:, bit]),
                    f"meaning of bit {bit}",
                    CARD_PIXELS,
                ),
            )
            for bit in order
        ]

    def story(self, record: PlanRecord, whole: bool = False) -> Story:
        """Return an instance in pictures; ``whole`` adds the bits of each frame and an animation."""
        refuse_changed_pictures(self.run.path, record)
        folder = problem_folder(self.run.path, record.problem)
        colour: Literal["grey", "rgb"] = "grey" if len(self.code.image_shape) == 2 else "rgb"
        init, goal = (np.array(read_picture(folder / name, colour)) for name in (INIT_PICTURE, GOAL_PICTURE))
        trace, marks = self._trace(record), step_marks(record)
        pictures = self.code.draw(trace) if len(trace) else init[None][:0]
        return Story(
            planner=record.planner,
            problem=record.problem,
            verdict=verdict(record),
            outcome=record.outcome,
            reason=record.explanation or record.detail,
            wrong=record.wrong_step,
            new=marks.count("new"),
            unseen=marks.count("unseen") + marks.count("doubtful"),
            steps=record.steps,
            init=picture(init, "the given initial picture"),
            goal=picture(goal, "the given goal picture"),
            frames=self._frames(trace, pictures, record, whole),
            animation=animation(pictures, "the plan, animated", side=126) if whole and len(trace) else None,
        )

    def _trace(self, record: PlanRecord) -> Bits:
        """Return the states of a plan, (steps + 1, bits); none if there is no plan."""
        trace = load_trace(plan_folder(self.run.path, record.problem, record.planner) / TRACE, record.trace)
        return np.zeros((0, self.code.bits), dtype=np.bool_) if trace is None else trace

    def _frames(self, trace: Bits, pictures: Images, record: PlanRecord, whole: bool) -> list[Frame]:
        frames, marks = [], step_marks(record)
        doubted = next(
            (step for word in ("doubtful", "unseen") for step, mark in enumerate(marks, 1) if mark == word), None
        )
        steps = _worth_showing(len(trace), doubted if record.wrong_step is None else record.wrong_step)
        for last, step in zip([-1, *steps], steps, strict=False):
            state, earlier = trace[step], trace[max(0, step - 1)]
            added, deleted = int((state & ~earlier).sum()), int((earlier & ~state).sum())
            words = f"bits of step {step}: {added} added, {deleted} deleted"
            frame = Frame(
                step=step,
                mark=marks[step - 1] if step else "",
                skipped=step - last - 1,
                picture=picture(pictures[step], f"step {step}"),
                bits=barcode(state, earlier, words) if whole else None,
                action=self._step_name(record, step),
                added=added,
                deleted=deleted,
            )
            frames.append(frame)
        return frames

    def _step_name(self, record: PlanRecord, step: int) -> str:
        """Return the name of the action that leads to a frame, or the label of the network."""
        if step == 0 or record.plan is None:
            return ""
        number = record.plan[step - 1]
        return f"label-{number}" if record.latent else self.planned_names[number]

    def means(self, model: StripsModel, row: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the mean pictures before and after an action, of the transitions that it reproduces."""
        wanted, forbidden = model.positive[row], model.negative[row]
        rows = np.flatnonzero(self.before[:, wanted].all(1) & ~self.before[:, forbidden].any(1))
        actions: Indices = np.full(len(rows), row)
        rows = rows[(model.apply(self.before[rows], actions) == self.after[rows]).all(1)]
        shown = np.zeros(len(self.before), dtype=np.bool_)
        shown[rows] = True
        return _mean(self.some.before, shown), _mean(self.some.after, shown)

    def action(self, model: StripsModel, row: int) -> ActionCard:
        """Return the card of an action."""
        before, after = self.means(model, row)
        name = model.names[row]
        return ActionCard(
            name=name,
            support=int(model.support[row]),
            before=picture(_bytes(before), f"mean picture before {name}", CARD_PIXELS),
            after=picture(_bytes(after), f"mean picture after {name}", CARD_PIXELS),
            add=_numbers(model.add[row]),
            delete=_numbers(model.delete[row]),
            positive=_numbers(model.positive[row]),
            negative=_numbers(model.negative[row]),
        )


def _worth_showing(count: int, wrong: int | None) -> list[int]:
    """Return the frames to show: all, or of a long plan both ends and those around the wrong one."""
    if count <= MAX_FRAMES:
        return list(range(count))
    middle = count // 2 if wrong is None else wrong
    around = range(max(0, middle - 4), min(count, middle + 3))
    return sorted({*range(3), *around, *range(count - 2, count)})


def _mean(pictures: Images, rows: Bits) -> NDArray[np.float32]:
    """Return the mean of some pictures, in [0, 1]; black if there are none."""
    if not rows.any():
        return np.zeros(pictures.shape[1:], dtype=np.float32)
    return np.asarray(pictures[rows].mean(0, dtype=np.float32) / np.float32(255))


def _numbers(mask: Bits) -> list[int]:
    """Return the bits of a mask by number."""
    numbers: list[int] = np.flatnonzero(mask).tolist()
    return numbers


def _bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    return (values * 255).round().astype(np.uint8)


def _tint(difference: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return a difference as red on a transparent ground."""
    size = np.abs(difference).max(axis=-1) if difference.ndim == 3 else np.abs(difference)
    pixels = np.zeros((*size.shape, 4), dtype=np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = 214, 48, 49
    pixels[..., 3] = (np.clip(size * 10, 0, 1) * 255).astype(np.uint8)
    return pixels
