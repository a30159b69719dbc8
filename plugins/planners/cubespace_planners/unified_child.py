"""Run in a child process: solves ``task.json`` with an engine of unified-planning and writes ``answer.json``."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from unified_planning.engines import CompilationKind, PlanGenerationResultStatus
from unified_planning.shortcuts import (
    Compiler,
    Fluent,
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Not,
    OneshotPlanner,
    Problem,
    get_environment,
)

STATUS = PlanGenerationResultStatus
OUTCOMES = {
    STATUS.SOLVED_SATISFICING: "SOLVED",
    STATUS.SOLVED_OPTIMALLY: "SOLVED",
    STATUS.UNSOLVABLE_PROVEN: "UNSOLVABLE",
    STATUS.UNSOLVABLE_INCOMPLETELY: "NOT_FOUND",
    STATUS.TIMEOUT: "OUT_OF_TIME",
    STATUS.MEMOUT: "OUT_OF_MEMORY",
    STATUS.UNSUPPORTED_PROBLEM: "UNSUPPORTED",
}


def main() -> None:
    """Read, solve, write."""
    record = json.loads(Path("task.json").read_text())
    # a Java engine would reserve more address space than the limit of the process leaves
    heap = max(64, record["megabytes"] // 2)
    small_footprint = "-XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m -XX:+UseSerialGC"
    os.environ["JAVA_TOOL_OPTIONS"] = f"{small_footprint} -Xmx{heap}m"
    get_environment().credits_stream = None
    name = record["engine"]
    if all(holds == (bit in set(record["init"])) for bit, holds in record["goal"]):
        answer("SOLVED", [])  # some engines crash if there is nothing to do
    elif name not in get_environment().factory.engines:
        answer("UNSUPPORTED", None, f"unified-planning has no engine '{name}' here")
    else:
        with OneshotPlanner(name=name) as planner:
            solve(planner, record)


def solve(planner: Any, record: dict[str, Any]) -> None:
    """Solve the task; where the engine does not support negative conditions, these are compiled away first."""
    problem = build(record)
    add_metric(problem, record, planner)
    compiled = None
    if not planner.supports(problem.kind):
        with Compiler(
            problem_kind=problem.kind, compilation_kind=CompilationKind.NEGATIVE_CONDITIONS_REMOVING
        ) as removing:
            compiled = removing.compile(problem, CompilationKind.NEGATIVE_CONDITIONS_REMOVING)
        if not planner.supports(compiled.problem.kind):
            answer("UNSUPPORTED", None, f"engine '{record['engine']}' does not support such tasks")
            return
    begun = time.perf_counter()
    result = planner.solve(problem if compiled is None else compiled.problem)
    seconds = time.perf_counter() - begun
    if result.status not in OUTCOMES:  # an internal error: without an answer, it counts as a crash
        messages = [message.message for message in result.log_messages or []]
        raise RuntimeError(" ".join(messages)[-500:] or f"the engine reports {result.status.name}")
    plan = result.plan
    if plan is not None and compiled is not None:
        plan = plan.replace_action_instances(compiled.map_back_action_instance)
    steps = None if plan is None else [step.action.name for step in plan.actions]
    answer(OUTCOMES[result.status], steps, seconds=round(seconds, 4))


def build(record: dict[str, Any]) -> Problem:
    """Return the task as a problem of unified-planning."""
    problem = Problem("task")
    bits = [Fluent(f"z{bit}") for bit in range(record["bits"])]
    true = set(record["init"])
    for number, bit in enumerate(bits):
        problem.add_fluent(bit, default_initial_value=False)
        problem.set_initial_value(bit, number in true)
    for row in record["actions"]:
        action = InstantaneousAction(row["name"])
        for bit in row["positive"]:
            action.add_precondition(bits[bit])
        for bit in row["negative"]:
            action.add_precondition(Not(bits[bit]))
        for bit in row["add"]:
            action.add_effect(bits[bit], True)
        for bit in row["delete"]:
            action.add_effect(bits[bit], False)
        problem.add_action(action)
    for bit, holds in record["goal"]:
        problem.add_goal(bits[bit] if holds else Not(bits[bit]))
    return problem


def add_metric(problem: Problem, record: dict[str, Any], planner: Any) -> None:
    """Ask for minimum cost where it matters, in whichever of the two ways the engine supports."""
    costs = MinimizeActionCosts({problem.action(row["name"]): row["cost"] for row in record["actions"]})
    if not record["unit_cost"]:
        problem.add_quality_metric(costs)
    elif record["optimal"]:
        by_length = problem.clone()
        by_length.add_quality_metric(MinimizeSequentialPlanLength())
        kind = by_length.kind
        kind.unset_conditions_kind("NEGATIVE_CONDITIONS")  # these can be compiled away
        problem.add_quality_metric(MinimizeSequentialPlanLength() if planner.supports(kind) else costs)


def answer(outcome: str, plan: list[str] | None, detail: str = "", seconds: float | None = None) -> None:
    """Write the answer, whole or not at all."""
    record = {"outcome": outcome, "plan": plan, "detail": detail, "seconds": seconds}
    Path("answer.part").write_text(json.dumps(record))
    Path("answer.part").rename("answer.json")


if __name__ == "__main__":
    main()
