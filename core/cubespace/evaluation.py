"""Every instance of a run, solved by every planner, with pictures and verdicts; what is done is not done again."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import attrs

from cubespace import inference, transitions
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.domains import Domain
from cubespace.files import read_json, write_json, write_text
from cubespace.filmstrip import film_strip, write_animation, write_picture
from cubespace.pddl import write_plan, write_problem
from cubespace.pictures import write_png
from cubespace.planners import Limits, PlannerBackend
from cubespace.planning import (
    Problem,
    Solution,
    make_problems,
    make_task,
    refuse_missing,
    solve_problem,
    summarise,
)
from cubespace.plugins import Catalogue
from cubespace.reporting import Reporter
from cubespace.runs import Run
from cubespace.seen import Seen
from cubespace.strips import StripsModel, Task

RECORD = 2  # the form of an instance's record: one of another form is made anew


def evaluate(
    run: Run,
    domain: Domain,
    network: SpaceAutoEncoder,
    model: StripsModel,
    catalogue: Catalogue,
    reporter: Reporter,
    *,
    learned: str,
) -> dict[str, Any]:
    """Solve all instances with all planners of the run and return its results.

    A plan that is there already is kept if it is for the same instance of the same network and model, which ``learned``
    tells from all others.
    """
    config = run.config.plan
    planners: dict[str, PlannerBackend] = {spec: catalogue.create("planner", spec) for spec in config.planners}
    refuse_missing(planners)
    limits = Limits(seconds=config.time_limit, megabytes=config.memory_limit)
    problems, seen = _look(run, domain, network)
    reporter.stage("plan", f"{len(problems)} instances, {', '.join(planners)}")
    if len(problems) < config.instances:
        reporter.say(f"plan: there are only {len(problems)} such instances, not {config.instances}")
    tasks = [make_task(network, model, problem) for problem in problems]
    for problem, task in zip(problems, tasks, strict=True):
        _write_problem(run.file("problems") / problem.name, problem, task)
    rows: dict[str, Any] = {}
    done = 0
    for spec, planner in planners.items():
        records = []
        for problem, task in zip(problems, tasks, strict=True):
            folder = run.file("problems") / problem.name / folder_name(spec)
            key = _key(learned, spec, limits, problem)
            record = _finished(folder, key)
            if record is None:
                solution = solve_problem(network, task, problem, planner, limits, domain)
                record = {"key": key, "problem": problem.name, "planner": spec, **solution.record()}
                record |= seen.count(solution.trace)
                write_solution(folder, problem, task, solution, record)
            records.append(record)
            done += 1
            reporter.step(done, len(planners) * len(problems), _brief(spec, records))
        rows[spec] = {**summarise(records), "optimal_planner": planner.optimal, "records": records}
    return {"domain": run.config.domain, "limits": attrs.asdict(limits), "length": config.length, "planners": rows}


def folder_name(spec: str) -> str:
    """Return the folder of a planner's plans: its spec, made fit for a file system."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", spec).strip("-")
    return plain if plain == spec else f"{plain[:40]}-{hashlib.sha256(spec.encode()).hexdigest()[:6]}"


def _look(run: Run, domain: Domain, network: SpaceAutoEncoder) -> tuple[list[Problem], Seen]:
    """Return the instances and what learning saw; the data set itself is not kept while planners need the memory."""
    data = transitions.load(run.file("data.npz"))
    bits = (inference.encode(network, pictures) for pictures in (data.train.before, data.train.after))
    return make_problems(domain, data.test, run.config.plan), Seen.of(*bits)


def _key(learned: str, spec: str, limits: Limits, problem: Problem) -> str:
    """Return the hash of all that a result depends on."""
    digest = hashlib.sha256(f"{RECORD} {learned} {spec} {limits}".encode())
    digest.update(problem.init.tobytes() + problem.goal.tobytes())
    return digest.hexdigest()


def _finished(folder: Path, key: str) -> dict[str, Any] | None:
    if not (folder / "result.json").is_file():
        return None
    record = read_json(folder / "result.json")
    return record if isinstance(record, dict) and record.get("key") == key else None


def _write_problem(folder: Path, problem: Problem, task: Task) -> None:
    write_png(folder / "init.png", problem.init[0])
    write_png(folder / "goal.png", problem.goal[0])
    write_text(folder / "problem.pddl", write_problem(task))


def write_solution(folder: Path, problem: Problem, task: Task, solution: Solution, record: dict[str, Any]) -> None:
    """Write plan and pictures, and last the record: it says that the rest is there."""
    if solution.frames is not None and solution.search.plan is not None:
        wrong = solution.verdict.step if solution.verdict else None
        write_text(folder / "plan", write_plan(task.model, solution.search.plan))
        write_picture(folder / "strip.png", film_strip(problem.init, problem.goal, solution.frames, wrong))
        write_animation(folder / "plan.png", solution.frames)
    write_json(folder / "result.json", record)


def _brief(spec: str, records: list[dict[str, Any]]) -> str:
    counts = summarise(records)
    return f"{spec}: found {counts['found']}, valid {counts['valid']}, optimal {counts['optimal']} of {len(records)}"
