"""What the stage ``lift`` writes: the lifted model with its checks, PDDL, and a legend in pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.files import write_json, write_text
from cubespace.base.images import write_png
from cubespace.base.labelled_sheet import labelled_sheet
from cubespace.base.options import parse_spec
from cubespace.data.domain import Pairs
from cubespace.lifting.legend import make_legend
from cubespace.lifting.model import LiftedModel, read_record
from cubespace.lifting.pddl import write_lifted_domain, write_lifted_problem
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.stages.lifted_checks import lifting_record, summary
from cubespace.runs.stages.lifted_pairs import LiftedPairs, code_eye, lift_pairs
from cubespace.settings.stages import LIFTING

DOMAIN, PROBLEM = "lifted.pddl", "lifted-problem.pddl"
OBJECTS, PLACES, SCHEMAS = "lifted-objects.png", "lifted-places.png", "lifted-schemas.png"


def lift_run(run: RunContents) -> None:
    """Find objects, places and schemas in the training pairs, and check the lifted model."""
    with run.run.stage("lift", [("domain", run.run.config.domain)]):
        write_json(run.run.file(LIFTING), lifted_record(run))


def lifted_record(pipeline: RunContents) -> dict[str, Any]:
    """Lift the training pairs of a run, write PDDL and legend, and return all that there is to say."""
    data, config = pipeline.transitions(), pipeline.run.config
    pipeline.observer.stage("lift", f"{len(data.train)} transitions")
    lifted = lift_pairs(code_eye(pipeline.code(), data.train), data.train, config.lift)
    name = parse_spec(config.domain).name
    write_lifted(
        pipeline.run.path,
        lifted,
        data.train,
        [f"learned by cubespace from {len(data.train)} pairs of pictures of {name}"],
    )
    record = lifting_record(lifted, data.validation, pipeline.strips(), pipeline.domain(), config.lift)
    pipeline.observer.say(f"lift: {summary(record)}")
    return record


@attrs.frozen(eq=False, kw_only=True)
class LiftedRun:
    """What came of lifting a run: ``model`` and ``pddl`` are None if its world was not lifted, for ``reasons``."""

    model: LiftedModel | None
    pddl: str | None  # the lifted domain
    record: Mapping[str, Any]  # findings, checks and score: what ``cube lift --json`` prints

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why there is no lifted model."""
        return tuple(self.record["reasons"])

    def __repr__(self) -> str:
        """Return it in one line."""
        return f"<LiftedRun: {summary(self.record)}>"


def read_lifted(pipeline: RunContents) -> LiftedRun:
    """Return what the finished stage ``lift`` has left."""
    table = pipeline.table(LIFTING)
    shown = {key: value for key, value in table.items() if key != "model"}
    if not table["lifted"]:
        return LiftedRun(model=None, pddl=None, record=shown)
    model = read_record(table["model"])
    return LiftedRun(model=model, pddl=pipeline.run.file(DOMAIN).read_text("utf-8"), record=shown)


def write_lifted(folder: Path, lifted: LiftedPairs, pairs: Pairs, about: Sequence[str]) -> None:
    """Write the lifted domain, a problem between two training states, and the legend; remove what was there before."""
    for name in (DOMAIN, PROBLEM, OBJECTS, PLACES, SCHEMAS):
        (folder / name).unlink(missing_ok=True)
    model = lifted.model
    if model is None:
        return
    write_text(folder / DOMAIN, write_lifted_domain(model, about))
    write_text(folder / PROBLEM, write_lifted_problem(model, lifted.before[0], lifted.after[-1]))
    legend = make_legend(model, (pairs.before, pairs.after), (lifted.before, lifted.after), place_regions(lifted))
    examples = [(name, pair) for name, shown in legend.schemas.items() for pair in shown]
    for sheet, rows in ((OBJECTS, legend.things.items()), (PLACES, legend.places.items()), (SCHEMAS, examples)):
        named = list(rows)
        write_png(folder / sheet, labelled_sheet([picture for _, picture in named], [name for name, _ in named]))


def place_regions(lifted: LiftedPairs) -> dict[str, NDArray[np.bool_]]:
    """Return the pixels of each place that is a variable of the eye."""
    model, regions = lifted.model, lifted.eye.regions
    if model is None or regions is None:
        return {}
    variable = np.asarray(lifted.eye.groups)
    held: dict[str, set[int]] = {}
    for fact, meaning in model.meaning:
        held.setdefault(fact.terms[-1], set()).add(int(variable[meaning.true]))
    return {name: regions == numbers.pop() for name, numbers in held.items() if len(numbers) == 1}
