"""The diagnosis of a run: its learned transition graph against the true one, and why instances were not solved."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.files import sha256, write_json
from cubespace.data.domain import StateSpace
from cubespace.evaluation.diagnosis import Encode, diagnose, explain
from cubespace.evaluation.problems import make_problems
from cubespace.learning import inference
from cubespace.runs.stages import STRIPS, Pipeline
from cubespace.symbols.strips import StripsModel

DIAGNOSIS = "diagnosis.json"


def diagnose_run(pipeline: Pipeline, states: int, seed: int) -> dict[str, Any]:
    """Compare the moves of the model with the true ones, on fresh states, and write the result to the run folder."""
    pipeline.require("extract")
    domain = pipeline.domain()
    if not isinstance(domain, StateSpace):
        raise UsageError(f"domain '{pipeline.run.config.domain}' does not know its states: nothing to compare with")
    encode, model = partial(inference.encode, pipeline.network()), pipeline.strips()
    result = attrs.asdict(diagnose(domain, encode, model, states, seed))
    result["failures"] = failures(pipeline, domain, encode, model)
    about = {"seed": seed, "model": sha256(pipeline.run.file(STRIPS))}
    write_json(pipeline.run.file(DIAGNOSIS), {**about, **result})
    return result


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
        what = record["reason"] or (f"{len(record['plan'])} steps" if record["plan"] is not None else record["outcome"])
        if record["wrong_step"] is not None:
            what += f" at step {record['wrong_step']}"
        found.append(
            {"planner": record["planner"], "problem": problem.name, "what": what, "why": reasons[problem.name]}
        )
    return found
