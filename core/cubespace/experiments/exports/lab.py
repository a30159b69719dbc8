"""Results as a ``properties`` file of Lab, the report tool of the planning field.

Attributes that Lab knows have its names and units; others are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cubespace.experiments.matrix import DOMAIN, SEED
from cubespace.experiments.tables.rows import RunFacts, planner_rows, varying_axes

KILOBYTES = 1024  # per megabyte: Lab counts memory in kilobytes
ERRORS = {  # outcomes of a search in Lab's terms
    "solved": "success",
    "proven unsolvable": "search-unsolvable",
    "gave up": "search-unsolvable-incomplete",
    "out of time": "search-out-of-time",
    "out of memory": "search-out-of-memory",
    "unsupported": "search-unsupported",
    "crashed": "search-critical-error",
}


def lab_properties(runs: Sequence[RunFacts]) -> dict[str, dict[str, Any]]:
    """Return a run of Lab for each instance; its algorithm is the planner and every axis that varies, except the seed.

    Seeds are part of the problem: each has its own model, and may have its own instances.
    """
    axes = [axis for axis in varying_axes(runs) if axis != DOMAIN]
    properties: dict[str, dict[str, Any]] = {}
    for row in planner_rows(runs):
        facts = row.facts
        algorithm = "-".join([row.planner, *(facts.value(axis) for axis in axes)])
        domain, seed = facts.value(DOMAIN), facts.value(SEED)
        for record in row.plans.get("records", ()):
            problem = f"s{seed}-{record['problem']}"
            about = {"algorithm": algorithm, "domain": domain, "problem": problem, "id": [algorithm, domain, problem]}
            name = "-".join(about["id"])
            properties[name] = {**about, **_of_run(facts), **_of_search(record), "planner": row.planner}
    return properties


def _of_run(facts: RunFacts) -> dict[str, Any]:
    """Return what all instances of a run have in common."""
    known = {
        "recall": facts.diagnosis.get("recall"),
        "wrong_per_state": facts.diagnosis.get("wrong"),
        "training_time": facts.stages["train"].seconds if "train" in facts.stages else None,
        "run_dir": facts.run.path.name,
        "seed": int(facts.settings["train.seed"]),
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_search(record: dict[str, Any]) -> dict[str, Any]:
    """Return what one search reported; attributes that it did not report are left out, as Lab expects."""
    solved = record["plan"] is not None
    steps = len(record["plan"]) if solved else None
    known = {
        "coverage": int(solved),
        "cost": steps,  # every action costs one
        "plan_length": steps,
        "valid": None if record["valid"] is None else int(record["valid"]),
        "optimal": None if record["optimal"] is None else int(record["optimal"]),
        "known_states": record["known_states"] / (steps + 1) if steps is not None else None,
        "expansions": record["expansions"],
        "evaluations": record["evaluations"],
        "generated": record["generated"],
        "search_time": record["search_seconds"],
        "planner_time": record["seconds"],
        "memory": None if record["megabytes"] is None else round(record["megabytes"] * KILOBYTES),
        "error": ERRORS[record["outcome"]],
    }
    return {name: value for name, value in known.items() if value is not None}
