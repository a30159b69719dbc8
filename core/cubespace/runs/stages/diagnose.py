"""The diagnosis of a run: its learned transition graph against the true one, and why instances were not solved."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from cubespace.base.files import write_json
from cubespace.data.domain import StateSpace
from cubespace.evaluation.diagnosis import Encode, HeldOutDiagnosis, diagnose, diagnose_held_out, explain
from cubespace.evaluation.graph_diagnosis import diagnose_graph
from cubespace.learning.code import Code
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.stages.judging import HELD_OUT, MOST_PICTURES, look_unlike
from cubespace.runs.stages.planned import planned_run
from cubespace.settings.stages import DIAGNOSIS
from cubespace.symbols.strips import StripsModel


def diagnose_run(run: RunContents) -> None:
    """Compare the moves of the model with the true ones and keep what was found."""
    config = run.run.config
    run.observer.stage("diagnose", f"{config.diagnose.states} states of {config.domain}")
    with run.run.stage("diagnose", [("domain", config.domain)]):
        write_json(run.run.file(DIAGNOSIS), diagnosis_of(run))


def diagnosis_of(pipeline: RunContents) -> dict[str, Any]:
    """Compare the moves of the model with the true ones: from fresh states or, without a state space, held out."""
    config = pipeline.run.config.diagnose
    domain, code, model = pipeline.domain(), pipeline.code(), pipeline.strips()
    if not isinstance(domain, StateSpace):
        return {"seed": config.seed, **attrs.asdict(_on_held_out(pipeline, code, model)), "failures": []}
    encode = code.encode
    result = attrs.asdict(diagnose(domain, encode, model, config.states, config.seed))
    actions = code.actions
    if actions is not None and actions.discriminates:
        edges = diagnose_graph(domain, encode, actions.expand, actions.plausible, config.states, config.seed)
        result |= attrs.asdict(edges)
    return {"seed": config.seed, **result, "failures": failures(pipeline, domain, encode)}


def _on_held_out(pipeline: RunContents, code: Code, model: StripsModel) -> HeldOutDiagnosis:
    data, bits = pipeline.transitions(), pipeline.bits()
    before, after = (
        np.concatenate([getattr(split, side) for split in (data.validation, data.test)]) for side in ("before", "after")
    )
    states = (np.concatenate([getattr(bits[split], side) for split in HELD_OUT]) for side in ("before", "after"))
    some = data.train[:: max(1, 2 * len(data.train) // MOST_PICTURES)]
    pictures = np.concatenate([some.before, some.after, before, after])  # the known ones come first
    return diagnose_held_out(
        code.encode,
        model,
        (before, after),
        known=np.array(pipeline.memory().known_transitions(*states), dtype=np.bool_),
        ambiguous=int(look_unlike(code, pictures)[2 * len(some) :].sum()),
        seed=pipeline.run.config.diagnose.seed,
    )


def failures(pipeline: RunContents, domain: StateSpace, encode: Encode) -> list[dict[str, str]]:
    """Return, for each planned instance that is not optimal, what went wrong and why the model has no shortest way."""
    if not pipeline.run.finished("evaluate"):
        return []
    model = planned_run(pipeline).strips
    problems = {problem.name: problem for problem in pipeline.problems(pipeline.domain())}
    rows = pipeline.results()["planners"].values()
    reasons: dict[str, str] = {}
    found = []
    for record in (record for row in rows for record in row["records"] if not record["optimal"]):
        if record.get("latent"):  # the STRIPS model had no say in it
            continue
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
