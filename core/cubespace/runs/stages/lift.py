"""The stage ``lift``: the lifted model with its checks, PDDL, and a legend in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.files import write_text
from cubespace.base.images import write_png
from cubespace.base.labelled_sheet import labelled_sheet
from cubespace.base.options import parse_spec
from cubespace.base.records import write_record
from cubespace.data.domain import Pairs
from cubespace.lifting.legend import make_legend
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pddl import write_lifted_domain, write_lifted_problem
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.stages.lifted_checks import check, lifting_record, score
from cubespace.runs.stages.lifted_pairs import LiftedPairs, code_eye, lift_pairs, straightened
from cubespace.settings.stages import LIFTING

DOMAIN, PROBLEM = "lifted.pddl", "lifted-problem.pddl"
OBJECTS, PLACES, SCHEMAS = "lifted-objects.png", "lifted-places.png", "lifted-schemas.png"


def lift_run(run: RunContents) -> None:
    """Find objects, places and schemas in the training pairs, and check the lifted model."""
    with run.run.stage("lift", [("domain", run.run.config.domain)]):
        write_record(run.run.file(LIFTING), lifted_record(run))


def lifted_record(contents: RunContents) -> LiftingRecord:
    """Lift the training pairs of a run, write PDDL and legend, and return the record."""
    data, config = contents.transitions(), contents.run.config
    contents.observer.stage("lift", f"{len(data.train)} transitions")
    eye = code_eye(contents.code(), data.train)
    straight = straightened(contents.code(), data.train)
    if eye.source == "encoder":
        bits = contents.bits()
        training, held_out = bits["train"], bits["validation"]
    else:
        training, held_out = eye.read(data.train), eye.read(data.validation)
    lifted = lift_pairs(eye, straight, training, config.lift)
    about = f"learned by cubespace from {len(data.train)} pairs of pictures of {parse_spec(config.domain).name}"
    write_lifted(contents.run.path, lifted, straight, [about])
    checks = None
    if lifted.grounded is not None:
        checks = check(lifted, lifted.grounded, held_out, contents.strips(), config.lift)
    record = lifting_record(lifted, checks=checks, score=score(lifted, contents.domain(), config.lift))
    contents.observer.say(f"lift: {record.summary}")
    return record


@attrs.frozen(eq=False, kw_only=True)
class LiftedRun:
    """The result of lifting a run: ``model`` and ``pddl`` are None if its world was not lifted, for ``reasons``."""

    record: LiftingRecord  # findings, checks and score
    pddl: str | None  # the lifted domain

    @property
    def model(self) -> LiftedModel | None:
        """Return the lifted model."""
        return self.record.model

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why there is no lifted model."""
        return self.record.reasons

    def __repr__(self) -> str:
        """Return it in one line."""
        return f"<LiftedRun: {self.record.summary}>"


def read_lifted(contents: RunContents) -> LiftedRun:
    """Return the result of the finished stage ``lift``."""
    record = contents.lifting()
    pddl = contents.run.file(DOMAIN).read_text("utf-8") if record.lifted else None
    return LiftedRun(record=record, pddl=pddl)


def write_lifted(folder: Path, lifted: LiftedPairs, pairs: Pairs, about: Sequence[str]) -> None:
    """Write the lifted domain, a problem between two training states, and the legend, in place of earlier ones."""
    for name in (DOMAIN, PROBLEM, OBJECTS, PLACES, SCHEMAS):
        (folder / name).unlink(missing_ok=True)
    model, states = lifted.model, lifted.states
    if model is None:
        return
    write_text(folder / DOMAIN, write_lifted_domain(model, about))
    write_text(folder / PROBLEM, write_lifted_problem(model, states.before[0], states.after[-1]))
    legend = make_legend(
        model,
        before=pairs.before,
        after=pairs.after,
        states_before=states.before,
        states_after=states.after,
        regions=place_regions(lifted),
    )
    examples = [(name, pair) for name, shown in legend.schemas.items() for pair in shown]
    for sheet, rows in ((OBJECTS, legend.things.items()), (PLACES, legend.places.items()), (SCHEMAS, examples)):
        named = list(rows)
        write_png(folder / sheet, labelled_sheet([picture for _, picture in named], [name for name, _ in named]))


def place_regions(lifted: LiftedPairs) -> dict[str, NDArray[np.bool_]]:
    """Return the pixels of each place that is a variable of the eye."""
    model, regions = lifted.model, lifted.eye.regions
    if model is None or regions is None:
        return {}
    variable_of_bit = np.asarray(lifted.eye.groups)
    variables: dict[str, set[int]] = {}
    for fact, meaning in model.meaning:
        variables.setdefault(fact.terms[-1], set()).add(int(variable_of_bit[meaning.true]))
    return {name: regions == numbers.pop() for name, numbers in variables.items() if len(numbers) == 1}
