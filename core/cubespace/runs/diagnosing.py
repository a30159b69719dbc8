"""The diagnosis of a run: its learned transition graph against the true one, and why instances were not solved."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs
import numpy as np

from cubespace.base.files import sha256, write_json
from cubespace.data.domain import StateSpace
from cubespace.evaluation.diagnosis import Encode, HeldOutDiagnosis, diagnose, diagnose_held_out, explain
from cubespace.evaluation.problems import make_problems
from cubespace.learning import inference
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.runs.judging import MOST_PICTURES, look_unlike
from cubespace.runs.stages import STRIPS, Pipeline
from cubespace.runs.training_bits import training_memory
from cubespace.symbols.strips import StripsModel

DIAGNOSIS = "diagnosis.json"


def diagnose_run(pipeline: Pipeline, states: int, seed: int) -> dict[str, Any]:
    """Compare the moves of the model with the true ones and write the result to the run folder.

    The true ones are those from fresh states, or of the pairs held out if the domain does not know its states.
    """
    pipeline.require("extract")
    domain, network, model = pipeline.domain(), pipeline.network(), pipeline.strips()
    encode = partial(inference.encode, network)
    if isinstance(domain, StateSpace):
        result = attrs.asdict(diagnose(domain, encode, model, states, seed))
        result["failures"] = failures(pipeline, domain, encode, model)
    else:
        result = attrs.asdict(_on_held_out(pipeline, network, model, seed)) | {"failures": []}
    about = {"seed": seed, "model": sha256(pipeline.run.file(STRIPS))}
    write_json(pipeline.run.file(DIAGNOSIS), {**about, **result})
    return result


def _on_held_out(pipeline: Pipeline, network: SpaceAutoEncoder, model: StripsModel, seed: int) -> HeldOutDiagnosis:
    data, encode = pipeline.transitions(), partial(inference.encode, network)
    before, after = (
        np.concatenate([getattr(split, side) for split in (data.validation, data.test)]) for side in ("before", "after")
    )
    known = training_memory(pipeline, network).known_transitions(encode(before), encode(after))
    some = data.train[:: max(1, 2 * len(data.train) // MOST_PICTURES)]
    pictures = np.concatenate([some.before, some.after, before, after])  # the known ones come first
    ambiguous = int(look_unlike(network, pictures)[2 * len(some) :].sum())
    return diagnose_held_out(encode, model, before, after, np.array(known, dtype=np.bool_), ambiguous, seed)


def failures(pipeline: Pipeline, domain: StateSpace, encode: Encode, model: StripsModel) -> list[dict[str, str]]:
    """Return, for each planned instance that is not optimal, what went wrong and why the model has no shortest way."""
    if not pipeline.run.finished("evaluate"):
        return []
    problems = {
        p.name: p for p in make_problems(pipeline.domain(), pipeline.transitions().test, pipeline.run.config.plan)
    }
    rows = pipeline.results()["planners"].values()
    reasons: dict[str, str] = {}
    found = []
    for record in (record for row in rows for record in row["records"] if not record["optimal"]):
        problem = problems[record["problem"]]
        if problem.name not in reasons and problem.states is not None and problem.distance is not None:
            reasons[problem.name] = explain(domain, encode, model, *problem.states, problem.distance)
        what = _reason(record) or (f"{len(record['plan'])} steps" if record["plan"] is not None else record["outcome"])
        if record["wrong_step"] is not None:
            what += f" at step {record['wrong_step']}"
        found.append(
            {"planner": record["planner"], "problem": problem.name, "what": what, "why": reasons[problem.name]}
        )
    return found


def _reason(record: dict[str, Any]) -> str:
    fault = record.get("fault")
    return f"{record['reason']}: {fault}" if fault else str(record["reason"])
