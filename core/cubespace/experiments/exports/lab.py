"""Results as a ``properties`` file of Lab, the report tool of the planning field.

Attributes that Lab knows have its names and units; others are added.
"""

from __future__ import annotations

from collections.abc import Sequence

from cubespace.evaluation.plan_record import PlanRecord
from cubespace.experiments.matrix import DOMAIN, SEED
from cubespace.experiments.tables.rows import RunFacts, planner_rows, varying_axes
from cubespace.search.solver import Outcome

KILOBYTES = 1024  # per megabyte: Lab counts memory in kilobytes
ERRORS = {  # outcomes of a search in Lab's terms
    Outcome.SOLVED: "success",
    Outcome.UNSOLVABLE: "search-unsolvable",
    Outcome.NOT_FOUND: "search-unsolvable-incomplete",
    Outcome.OUT_OF_TIME: "search-out-of-time",
    Outcome.OUT_OF_MEMORY: "search-out-of-memory",
    Outcome.UNSUPPORTED: "search-unsupported",
    Outcome.CRASHED: "search-critical-error",
}

Properties = dict[str, object]  # of a run of Lab, by attribute


def lab_properties(runs: Sequence[RunFacts]) -> dict[str, Properties]:
    """Return a run of Lab for each instance; its algorithm is the planner and every axis that varies, except the seed.

    Seeds are part of the problem: each has its own model, and may have its own instances.
    """
    axes = [axis for axis in varying_axes(runs) if axis != DOMAIN]
    properties: dict[str, Properties] = {}
    for row in planner_rows(runs):
        facts = row.facts
        algorithm = "-".join([row.planner, *(facts.value(axis) for axis in axes)])
        domain, seed = facts.value(DOMAIN), facts.value(SEED)
        for record in row.records:
            names = [algorithm, domain, f"s{seed}-{record.problem}"]
            properties["-".join(names)] = {
                "algorithm": algorithm,
                "domain": domain,
                "problem": names[-1],
                "id": names,
                **_of_run(facts),
                **_of_search(record),
                "planner": row.planner,
            }
    return properties


def _of_run(facts: RunFacts) -> Properties:
    """Return what all instances of a run have in common."""
    known = {
        "recall": facts.diagnosis.recall if facts.diagnosis else None,
        "wrong_per_state": facts.diagnosis.wrong if facts.diagnosis else None,
        "training_time": facts.stages["train"].seconds if "train" in facts.stages else None,
        "run_dir": facts.run.path.name,
        "seed": int(facts.settings["train.seed"]),
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_search(record: PlanRecord) -> Properties:
    """Return what one search reported; attributes that it did not report are left out, as Lab wants it."""
    steps = record.steps if record.found else None
    known = {
        "coverage": int(record.found),
        "cost": steps,  # every action costs one
        "plan_length": steps,
        "valid": None if record.valid is None else int(record.valid),
        "optimal": None if record.optimal is None else int(record.optimal),
        "known_states": None if record.known_states is None else record.known_states / (record.steps + 1),
        "expansions": record.expansions,
        "evaluations": record.evaluations,
        "generated": record.generated,
        "search_time": record.search_seconds,
        "planner_time": record.seconds,
        "memory": None if record.megabytes is None else round(record.megabytes * KILOBYTES),
        "error": ERRORS[Outcome(record.outcome)],
    }
    return {name: value for name, value in known.items() if value is not None}
