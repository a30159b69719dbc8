"""The diagnosis of a run: its learned transition graph against the true one, and why instances were not solved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from cubespace.base.errors import UsageError
from cubespace.data.domain import StateSpace
from cubespace.evaluation.diagnosis import Encode, diagnose, explain
from cubespace.evaluation.graph_diagnosis import diagnose_graph
from cubespace.learning import inference
from cubespace.learning.latent_graph import LatentGraph
from cubespace.symbols.strips import StripsModel

if TYPE_CHECKING:
    from cubespace.runs.stages import Pipeline


def diagnose_run(pipeline: Pipeline) -> dict[str, Any]:
    """Compare the moves of the model with the true ones, on fresh states."""
    config = pipeline.run.config.diagnose
    domain = pipeline.domain()
    if not isinstance(domain, StateSpace):
        raise UsageError(f"domain '{pipeline.run.config.domain}' does not know its states: nothing to compare with")
    network, model = pipeline.network(), pipeline.strips()
    encode = partial(inference.encode, network)
    result = attrs.asdict(diagnose(domain, encode, model, config.states, config.seed))
    if network.discriminator is not None:
        graph = LatentGraph(network)
        edges = diagnose_graph(domain, encode, graph.successors, graph.plausible, config.states, config.seed)
        result |= attrs.asdict(edges)
    return {"seed": config.seed, **result, "failures": failures(pipeline, domain, encode, model)}


def failures(pipeline: Pipeline, domain: StateSpace, encode: Encode, model: StripsModel) -> list[dict[str, str]]:
    """Return, for each planned instance that is not optimal, what went wrong and why the model has no shortest way."""
    if not pipeline.run.finished("evaluate"):
        return []
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
        what = record["reason"] or (f"{len(record['plan'])} steps" if record["plan"] is not None else record["outcome"])
        if record["wrong_step"] is not None:
            what += f" at step {record['wrong_step']}"
        found.append(
            {"planner": record["planner"], "problem": problem.name, "what": what, "why": reasons[problem.name]}
        )
    return found
