"""The judgement of a run: what pairs held out tell about its model, without any simulator."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cubespace.base.arrays import Bits, Images
from cubespace.base.observer import Observer
from cubespace.data.domain import Pairs
from cubespace.data.transitions import Transitions
from cubespace.evaluation.doubts import plan_findings
from cubespace.evaluation.judgement import Judgement, judge_model
from cubespace.evaluation.judgement_record import Finding
from cubespace.evaluation.memorisation import Familiarity, TrainingMemory, known_pictures
from cubespace.evaluation.merged_values import MergedValue, merged_values
from cubespace.evaluation.misreading import misread_share
from cubespace.evaluation.observed import Observed
from cubespace.evaluation.own_changes import OwnChange, box_around, locate, own_changes
from cubespace.evaluation.precision import estimate_precision
from cubespace.evaluation.precision_record import Precision
from cubespace.evaluation.problems import Problem
from cubespace.evaluation.same_codes import SameCodes, look_different
from cubespace.evaluation.summary import PlannerResults
from cubespace.learning.code import EXOGENOUS, Code, Pictures
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.symbols.strips import StripsModel

HELD_OUT_SPLITS = ("validation", "test")  # the splits from which no effect is learned
MOST_LOOKED_THROUGH = 2000  # pairs of the training split, for values that seem to be two
MOST_PICTURES = 5000  # of the training split, compared with each other: more would take memory and tell no more
MOST_NUMBERS = 1 << 25  # of these pictures: 134 MB; of large pictures, fewer are compared


def judge_run(
    code: Code,
    model: StripsModel,
    data: Transitions,
    bits: Mapping[str, BitPairs],
    *,
    effects: str,
    labels: int | None,
) -> Judgement:
    """Judge the model of a run by its validation and test splits, from which no effect was learned."""
    training, tests = data.train, (data.validation, data.test)
    before, after = bits["train"].before, bits["train"].after
    held_before, held_after = _held_out(bits)
    most = min(MOST_PICTURES, max(1, MOST_NUMBERS // math.prod(training.before.shape[1:])))
    some = training[:: max(1, 2 * len(training) // most)]
    few = training[: min(MOST_LOOKED_THROUGH, most // 2)]
    same = look_unlike(code, np.concatenate([some.before, some.after]))
    held_pictures = np.concatenate([images for split in tests for images in (split.before, split.after)])
    return judge_model(
        Observed(
            before=before,
            after=after,
            held_before=held_before,
            held_after=held_after,
            model=model,
            effects=effects,
            labels=labels,
            most_labels=None if code.actions is None else code.actions.count,
            known_pictures=known_pictures((training.before, training.after), held_pictures),
            look_different=int(same.unlike.sum()),
            looked_at=int(same.compared.sum()),
            precision=_precision(code, model, (before, after), (held_before, held_after)),
            merged=_merged(code, few, before, after),
            misread=_misread(code, held_pictures[:MOST_LOOKED_THROUGH]),
            own_changes=[
                *(locate(change, before, training.before) for change in own_changes(before, after)),
                *_left_out(code),
            ],
        )
    )


def _held_out(bits: Mapping[str, BitPairs]) -> tuple[Bits, Bits]:
    """Return the pairs of the splits from which no effect is learned, before and after."""
    splits = [bits[split] for split in HELD_OUT_SPLITS]
    return np.concatenate([split.before for split in splits]), np.concatenate([split.after for split in splits])


def familiarity(code: Code, memory: TrainingMemory, training: Pairs, problems: Sequence[Problem]) -> Familiarity:
    """Return the fractions of the pictures of problems, and of their states, that learning has seen."""
    given = np.concatenate([picture for problem in problems for picture in (problem.init, problem.goal)])
    return Familiarity(
        known_pictures=known_pictures((training.before, training.after), given),
        known_states=memory.known_states(code.encode(given)),
    )


def findings_of_plans(
    rows: Iterable[PlannerResults], precision: Precision | None, observer: Observer
) -> tuple[Finding, ...]:
    """Return what speaks against the plans of a run, and say it."""
    findings = plan_findings([record for row in rows for record in row.records], precision)
    for finding in findings:
        observer.say(f"evaluate: warning: {finding.words}")
    return findings


def look_unlike(code: Code, pictures: Images) -> SameCodes:
    """Return which pictures look unlike the first one with the same bits, but for what the encoder leaves out."""
    bits = code.encode(pictures)
    seen, drawn = (shown.reshape(len(bits), -1) for shown in (code.normalise(pictures), code.decode(bits)))
    alone = _alone(code)
    if alone is not None:
        colours = seen.shape[1] // alone.size
        seen[:, np.repeat(alone.ravel(), colours)] = drawn[:, np.repeat(alone.ravel(), colours)] = 0.0
    return look_different(bits, seen, drawn)


def _precision(code: Code, model: StripsModel, training: tuple[Bits, Bits], held_out: tuple[Bits, Bits]) -> Precision:
    """Estimate how many moves of the model are wrong."""
    grouped = code.groups is not None
    return estimate_precision(model, training, held_out, grouped=grouped, draw=code.draw, look=code.encode)


def _merged(code: Code, pairs: Pairs, before: Bits, after: Bits) -> list[MergedValue]:
    """Return the values that seem to be two, where bits are values of variables with pixels of their own."""
    regions = code.regions()
    if code.groups is None or regions is None:
        return []
    bits = before[: len(pairs)], after[: len(pairs)]
    first, second = (_undrawn(code, *side) for side in zip((pairs.before, pairs.after), bits, strict=True))
    return merged_values(bits, (first, second), code.groups, regions)


def _misread(code: Code, images: Images) -> float:
    """Return which fraction of pictures noise makes look like another state."""
    regions = code.regions()
    if code.groups is None or regions is None:
        return 0.0
    bits = code.encode(images)
    seen, drawn = (shown.reshape(len(images), -1) for shown in (code.normalise(images), code.decode(bits)))
    return misread_share(bits, seen, drawn, code.groups, regions)


def _undrawn(code: Code, images: Images, bits: Bits) -> Pictures:
    """Return what pictures show beyond what the code draws of them: (pictures, pixels)."""
    seen = code.normalise(images)
    seen -= code.decode(bits)
    return seen.reshape(len(images), -1)


def _left_out(code: Code) -> list[OwnChange]:
    """Return what the encoder itself has found to change on its own."""
    alone = _alone(code)
    return [] if alone is None else [OwnChange(bits=(), fraction=None, box=box_around(alone), left_out=True)]


def _alone(code: Code) -> Bits | None:
    """Return which pixels the encoder leaves out because they change on their own, (height, width); None if none."""
    regions = code.regions()
    return None if regions is None or not (regions == EXOGENOUS).any() else regions == EXOGENOUS
