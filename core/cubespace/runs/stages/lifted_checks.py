"""What is said about a lifted model: what was found, and how it compares with transitions, other models, the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from cubespace.base.errors import CubeError
from cubespace.data.domain import Domain, Pairs, StateSpace
from cubespace.evaluation.diagnosis import diagnose
from cubespace.lifting.checks import compare, explain
from cubespace.runs.stages.lifted_pairs import LiftedPairs, lift_pairs, plain_eye
from cubespace.settings.run_config import LiftConfig
from cubespace.symbols.strips import StripsModel


def findings(lifted: LiftedPairs) -> dict[str, Any]:
    """Return what was found, for JSON."""
    found = lifted.lifting
    told: dict[str, Any] = {"lifted": found.model is not None, "source": lifted.eye.source}
    told |= {key: value for key, value in attrs.asdict(found, recurse=False).items() if key != "model"}
    if found.model is not None and lifted.grounded is not None:
        told["schemas"] = {schema.name: schema.events for schema in found.model.schemas}
        told["objects"] = {kind.name: len(found.model.objects_of(kind.name)) for kind in found.model.types}
        told["static_facts"] = len(found.model.facts)
        told["actions"] = lifted.grounded.model.actions
        told["never_seen"] = int((lifted.grounded.model.support == 0).sum())
        told["unknown_facts"] = lifted.grounded.unknown
    return told


def check(lifted: LiftedPairs, held_out: Pairs, learned: StripsModel | None, config: LiftConfig) -> dict[str, Any]:
    """Compare the lifted model, grounded again, with all transitions and with the learned model.

    It passes if it explains as many transitions as the learned model does, those of the training split and those held
    out from it.
    """
    assert lifted.grounded is not None
    model, look = lifted.grounded.model, lifted.eye.look
    unseen = look(held_out.before), look(held_out.after)
    checks: dict[str, Any] = {
        "training": attrs.asdict(explain(model, lifted.before, lifted.after)),
        "held_out": attrs.asdict(explain(model, *unseen)),
    }
    if learned is not None and lifted.eye.source == "encoder":
        own = {"training": explain(learned, lifted.before, lifted.after), "held_out": explain(learned, *unseen)}
        states = np.concatenate([lifted.before, lifted.after])
        checks["learned"] = attrs.asdict(compare(model, learned, states, config.states, config.seed))
        checks["learned"] |= {name: attrs.asdict(each) for name, each in own.items()}
        checks["passed"] = all(checks[name]["explained"] >= each.explained for name, each in own.items())
    return checks


def score(lifted: LiftedPairs, domain: Domain, config: LiftConfig) -> dict[str, Any] | None:
    """Return recall and wrong successors against the true moves, where the domain knows them: a score, nothing else."""
    if lifted.grounded is None or not isinstance(domain, StateSpace):
        return None
    return attrs.asdict(diagnose(domain, lifted.eye.look, lifted.grounded.model, config.states, config.seed))


def lifting_record(
    lifted: LiftedPairs, held_out: Pairs, learned: StripsModel, domain: Domain, config: LiftConfig
) -> dict[str, Any]:
    """Return all that the stage ``lift`` has to say, the model itself included."""
    model = lifted.model
    return {
        **findings(lifted),
        "checks": None if model is None else check(lifted, held_out, learned, config),
        "score": score(lifted, domain, config),
        "model": None if model is None else model.record(),
    }


def baseline(pairs: Pairs, domain: Domain, config: LiftConfig) -> dict[str, Any]:
    """Lift the same pairs without a network: groups of the pixels as they are, light or dark."""
    try:
        lifted = lift_pairs(plain_eye(pairs), pairs, config)
    except CubeError as error:  # no groups of pixels: that is a result too
        return {"lifted": False, "source": "pixels", "reasons": [str(error)], "score": None}
    return {**findings(lifted), "score": score(lifted, domain, config)}


def summary(record: Mapping[str, Any]) -> str:
    """Return in one line what came of lifting."""
    if not record["lifted"]:
        return f"this world was not lifted: {'; '.join(record['reasons'])}"
    schemas = ", ".join(record["schemas"])
    objects = ", ".join(f"{name} {count}" for name, count in record["objects"].items())
    unseen = f", {record['never_seen']} of them never seen" if record["never_seen"] else ""
    told = f"{record['kind']}: {schemas}; {objects}; {record['actions']} actions{unseen}"
    if record.get("score"):
        told += f"; recall {record['score']['recall']:.4f}, wrong per state {record['score']['wrong']:.4f}"
    return told
