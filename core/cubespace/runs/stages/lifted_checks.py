"""Check a lifted model against transitions, the learned model and the true moves, and put the record together."""

from __future__ import annotations

from functools import partial

import attrs
import numpy as np

from cubespace.base.errors import CubeError
from cubespace.data.domain import Domain, Pairs, StateSpace
from cubespace.evaluation.diagnosis import Diagnosis, diagnose
from cubespace.lifting.checks import Checks, LearnedCheck, compare, explain
from cubespace.lifting.grounding import Grounded
from cubespace.lifting.refutation import Transitions, refute
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.stages.lifted_pairs import LiftedPairs, lift_pairs, plain_eye
from cubespace.settings.run_config import LiftConfig
from cubespace.symbols.strips import StripsModel


def check(
    lifted: LiftedPairs, grounded: Grounded, held_out: BitPairs, learned: StripsModel, config: LiftConfig
) -> Checks:
    """Compare the lifted model, grounded again, with all transitions and, if it has the same bits, the learned model.

    It passes if it explains as many transitions as the learned model does, those of the training split and those held
    out from it, and if it allows nothing that should have been seen and never was.
    """
    model, seen = grounded.model, lifted.states
    training = explain(model, seen.before, seen.after)
    unseen = explain(model, held_out.before, held_out.after)
    if lifted.eye.source != "encoder":
        return Checks(training=training, held_out=unseen)
    compared = compare(model, learned, np.concatenate([seen.before, seen.after]), config.states, config.seed)
    against = partial(
        refute,
        training=Transitions(seen.before, seen.after),
        held_out=Transitions(held_out.before, held_out.after),
        level=config.level,
        accident_rate=config.accident_rate,
    )
    refutation = against(model, learned)
    by_learned = LearnedCheck(
        **attrs.asdict(compared),
        training=explain(learned, seen.before, seen.after),
        held_out=explain(learned, held_out.before, held_out.after),
        refutation=against(learned, model),
    )
    explains = training.explained >= by_learned.training.explained and unseen.explained >= by_learned.held_out.explained
    return Checks(
        training=training,
        held_out=unseen,
        learned=by_learned,
        refutation=refutation,
        passed=explains and refutation.stands,
    )


def score(lifted: LiftedPairs, domain: Domain, config: LiftConfig) -> Diagnosis | None:
    """Return recall and wrong successors against the true moves; None if the domain does not know them.

    Nothing is learned from it: it is a score only.
    """
    if lifted.grounded is None or not isinstance(domain, StateSpace):
        return None
    return diagnose(domain, lifted.eye.look, lifted.grounded.model, config.states, config.seed)


def lifting_record(
    lifted: LiftedPairs, *, checks: Checks | None = None, score: Diagnosis | None = None
) -> LiftingRecord:
    """Return the record of a world that was lifted, or of one that was not."""
    found, model, grounded = lifted.lifting, lifted.lifting.model, lifted.grounded
    record = LiftingRecord(
        lifted=model is not None,
        source=lifted.eye.source,
        kind=found.kind,
        reasons=found.reasons,
        notes=found.notes,
        variables=found.variables,
        events=found.events,
        agreement=found.agreement,
        forms=found.forms,
        checks=checks,
        score=score,
        model=model,
    )
    if model is None or grounded is None:
        return record
    return attrs.evolve(
        record,
        schemas={schema.name: schema.events for schema in model.schemas},
        objects={kind.name: len(model.objects_of(kind.name)) for kind in model.types},
        static_facts=len(model.facts),
        actions=grounded.model.actions,
        never_seen=int((grounded.model.support == 0).sum()),
        unknown_facts=grounded.unknown,
    )


def baseline(pairs: Pairs, domain: Domain, config: LiftConfig) -> LiftingRecord:
    """Lift the same pairs without a network: groups of the pixels as they are, light or dark."""
    try:
        eye = plain_eye(pairs)
        lifted = lift_pairs(eye, pairs, eye.read(pairs), config)
    except CubeError as error:  # no groups of pixels: that is a result too
        return LiftingRecord(lifted=False, source="pixels", reasons=(str(error),))
    return lifting_record(lifted, score=score(lifted, domain, config))
