"""The stage ``train``: learn a code and measure it on the held-out splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from cubespace.base.files import write_json
from cubespace.base.images import contact_sheet, region_picture, side_by_side, write_png
from cubespace.data.transitions import Transitions
from cubespace.learning.bit_learner import BitLearner, Unsuitable, Work
from cubespace.learning.choice import Choice, choose_code, refusal
from cubespace.learning.code import Code
from cubespace.learning.code_file import save_code
from cubespace.learning.code_metrics import measure
from cubespace.learning.contract_check import check_code
from cubespace.learning.learner_record import LearnerRecord
from cubespace.learning.measures import Measures
from cubespace.plugins.blame import blame, stand_for
from cubespace.runs.announcement import announce_learner
from cubespace.runs.folder.bits_file import BitPairs, save_bits
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.identity import component_identities
from cubespace.runs.learners import make_learner, parts_of, quick_learners
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO, Recipe
from cubespace.settings.stages import BITS, CODE, LEARNER, MEASURES, METRICS

if TYPE_CHECKING:
    from cubespace.learning.registration.front import Front

PLACES, REGISTRATION = "places.png", "registration.png"  # to look at; no stage reads them
STRAIGHTENED = 500  # pictures at once
SHOWN = 12  # pictures, as they were taken and as they are registered


def train(run: RunContents) -> None:
    """Learn a code by the learner that the settings name, or that held-out pairs choose."""
    taken, config = run.transitions(), run.run.config
    run.observer.stage("train", f"{len(taken.train)} transitions, learner {config.learner.name}")
    with run.run.stage("train") as components:
        front = _front(run, taken)
        data = _straightened(run, taken, front)
        work = Work(
            folder=run.run.path,
            seed=config.train.seed,
            recipe=Recipe(autoencoder=config.autoencoder, train=config.train),
            parts=parts_of(run.catalogue, run.execution),
            observer=run.observer,
            registered=front.registration is not None,
            measure=lambda code: _measures(code, data, _bits(code, data)),
        )
        choice = _choose(run, data, work)
        spec = choice.learner or config.learner.name
        spec = defaults.TRAINED_LEARNER if spec == AUTO else spec
        learner = make_learner(run.catalogue, spec)
        components.update(component_identities(run.catalogue, [("learner", spec), *learner.components(work.recipe)]))
        code = choice.code
        if code is None:
            code = _learned(learner, data, work)
        stand_for(code, learner)
        _keep(run, spec, learner, code, choice, data, front)


def _front(run: RunContents, data: Transitions) -> Front:
    """Return what makes pictures of a camera that moves straight, and show it."""
    from cubespace.learning.registration.front import find_front  # needs torch

    front = find_front(data.train, run.run.config.learner.registration)
    if front.record is not None:
        run.observer.say(f"train: {front.record.summary}")
    if front.registration is not None:
        few = data.train[:SHOWN].before
        write_png(run.run.file(REGISTRATION), contact_sheet(side_by_side(few, front.registration.straighten(few))))
    return front


def _straightened(run: RunContents, taken: Transitions, front: Front) -> Transitions:
    """Return the data set as the learner is to see it: straightened in its place, since it may not fit in twice."""
    if front.registration is None:
        return taken
    run.release_data()  # whoever wants pictures as they were taken reads them again
    for side in (taken.pairs.before, taken.pairs.after):
        for first in range(0, len(side), STRAIGHTENED):
            some = slice(first, first + STRAIGHTENED)
            side[some] = front.registration.straighten(side[some])
    return taken


def _choose(run: RunContents, data: Transitions, work: Work) -> Choice:
    """Return the choice of ``auto``; nothing is chosen where the settings name a learner."""
    config = run.run.config.learner
    if config.name != AUTO:
        return Choice(learner=None, code=None)
    choice = choose_code(quick_learners(run.catalogue), data.train, data.validation, work, config, guard=blame)
    for tried in choice.candidates:
        run.observer.say(f"train: {'warning: ' if tried.failed else ''}learner {tried.summary}")
    if choice.learner is None:
        learner = make_learner(run.catalogue, defaults.TRAINED_LEARNER)
        line = announce_learner(defaults.TRAINED_LEARNER, learner, run.run.config)
        run.observer.say(
            f"train: warning: {refusal(choice.candidates)}; so a network is trained by gradient, which takes minutes "
            f"instead of seconds: {line}"
        )
    return choice


def _learned(learner: BitLearner, data: Transitions, work: Work) -> Code:
    """Return the code of the learner that the settings name; if pictures do not suit it, others are to be tried."""
    try:
        with blame(learner):
            return check_code(learner.learn(data.train, data.validation, work), learner, data.train.before)
    except Unsuitable as reason:
        raise Unsuitable(f"{reason}; --learner {AUTO} looks for a learner that suits them") from None


def _keep(
    run: RunContents,
    spec: str,
    learner: BitLearner,
    code: Code,
    choice: Choice,
    data: Transitions,
    front: Front,
) -> None:
    """Write the code, the learner that made it, the bits of all pictures and how good they are."""
    record = LearnerRecord(
        learner=spec,
        method=learner.method,
        bits=code.bits,
        labels=None if code.actions is None else code.actions.count,
        variables=None if code.groups is None else len(set(code.groups)),
        training=code.training,
        candidates=choice.candidates,
        doubt=code.doubt,
        registration=front.record,
    )
    variables = "" if record.variables is None else f" in {record.variables} variables"
    run.observer.say(f"train: {record.summary}; {code.bits} bits{variables}")
    if code.doubt:
        run.observer.say(f"train: warning: {code.doubt}")
    regions = code.regions()
    if regions is not None:
        write_png(run.run.file(PLACES), contact_sheet(region_picture(regions)[None]))
    save_code(run.run.file(CODE), front.code(code), spec)
    bits = _bits(code, data)
    save_bits(run.run.file(BITS), bits)
    measures = {split: attrs.asdict(value) for split, value in _measures(code, data, bits).items()}
    write_json(run.run.file(MEASURES), measures)
    write_json(run.run.file(LEARNER), attrs.asdict(record))
    run.run.file(METRICS).touch()  # empty where nothing was trained


def _bits(code: Code, data: Transitions) -> dict[str, BitPairs]:
    splits = {"train": data.train, "validation": data.validation, "test": data.test}
    return {name: BitPairs(code.encode(split.before), code.encode(split.after)) for name, split in splits.items()}


def _measures(code: Code, data: Transitions, bits: Mapping[str, BitPairs]) -> dict[str, Measures]:
    """Return how good a code is on the held-out splits."""
    known = bits["train"].before, bits["train"].after
    held_out = {"validation": data.validation, "test": data.test}
    return {name: measure(code, split.before, split.after, known) for name, split in held_out.items()}
