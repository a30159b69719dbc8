"""Every instance of a run, solved by every planner, with pictures and verdicts; what is done is not done again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.files import read_json, write_text
from cubespace.base.images import write_png
from cubespace.base.observer import Observer
from cubespace.data.domain import Domain
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.problems import Problem
from cubespace.evaluation.summary import summarise
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder import RunFolder
from cubespace.runs.identity import component_identities
from cubespace.runs.solving import folder_name, refuse_missing, search_problem, solve_problem, write_solution
from cubespace.search.solver import Limits, Outcome, SearchProblem, Solver
from cubespace.symbols.pddl import write_problem
from cubespace.symbols.strips import StripsModel

RECORD = 4  # the form of an instance's record: one of another form is made again


@attrs.frozen(eq=False, kw_only=True)
class Learned:
    """What a plan belongs to, and what learning saw."""

    files: str  # the hashes of network and model
    memory: TrainingMemory
    familiar: Mapping[str, float]  # how much of the instances learning has seen


def evaluate(
    run: RunFolder,
    problems: Sequence[Problem],
    domain: Domain,
    network: SpaceAutoEncoder,
    model: StripsModel,
    learned: Learned,
    catalogue: Catalogue,
    observer: Observer,
) -> dict[str, Any]:
    """Solve all instances with all planners of the run and return its results.

    A plan that is there already is kept if it is for the same instance of the same network and model, by the same
    version of the planner. A search that crashed is done again: it may have been killed.
    """
    config = run.config.plan
    planners: dict[str, Solver] = {spec: catalogue.create("planner", spec) for spec in config.planners}
    refuse_missing(planners)
    limits = Limits(seconds=config.time_limit, megabytes=config.memory_limit)
    searches = [search_problem(network, model, problem) for problem in problems]
    _announce(run, observer, planners, problems, searches)
    rows: dict[str, Any] = {}
    for spec, planner in planners.items():
        records: list[dict[str, Any]] = []
        version = component_identities(catalogue, [("planner", spec)])
        for problem, search in zip(problems, searches, strict=True):
            folder = run.file("problems") / problem.name / folder_name(spec)
            record = _finished(folder, key := _key(f"{learned.files} {version}", spec, limits, problem))
            if record is None:
                solution = solve_problem(network, search, problem, planner, limits, domain)
                record = {"key": key, "problem": problem.name, "planner": spec, **solution.record()}
                record |= learned.memory.count(solution.trace)
                write_solution(folder, problem, model, solution, record)
                _tell(observer, record, crashed=solution.crashed)
            records.append(record)
            done = len(rows) * len(problems) + len(records)
            observer.step(done, len(planners) * len(problems), _brief(spec, records))
        rows[spec] = {**summarise(records), "optimal_planner": planner.optimal, "records": records}
    about = {"domain": run.config.domain, "effects": run.config.extract.effects, "length": config.length}
    return {**about, "limits": attrs.asdict(limits), **learned.familiar, "planners": rows}


def _tell(observer: Observer, record: dict[str, Any], *, crashed: bool) -> None:
    observer.plan(record)
    if crashed:
        observer.say(f"evaluate: {record['planner']} crashed on instance {record['problem']}: {record['detail']}")


def _announce(
    run: RunFolder,
    observer: Observer,
    planners: Iterable[str],
    problems: Sequence[Problem],
    searches: Sequence[SearchProblem],
) -> None:
    """Say what will be solved, and write the problems."""
    observer.stage("evaluate", f"{len(problems)} instances, {', '.join(planners)}")
    wanted = run.config.plan.instances
    if len(problems) < wanted:
        observer.say(f"evaluate: there are only {len(problems)} such instances, not {wanted}")
    for problem, search in zip(problems, searches, strict=True):
        _write_problem(run.file("problems") / problem.name, problem, search)


def _key(learned: str, spec: str, limits: Limits, problem: Problem) -> str:
    """Return the hash of all that a result depends on."""
    digest = hashlib.sha256(f"{RECORD} {learned} {spec} {limits}".encode())
    digest.update(problem.init.tobytes() + problem.goal.tobytes())
    return digest.hexdigest()


def _finished(folder: Path, key: str) -> dict[str, Any] | None:
    if not (folder / "result.json").is_file():
        return None
    record = read_json(folder / "result.json")
    if not isinstance(record, dict) or record.get("key") != key or record.get("outcome") == Outcome.CRASHED:
        return None
    return record


def _write_problem(folder: Path, problem: Problem, search: SearchProblem) -> None:
    write_png(folder / "init.png", problem.init[0])
    write_png(folder / "goal.png", problem.goal[0])
    write_text(folder / "problem.pddl", write_problem(search.task))


def _brief(spec: str, records: list[dict[str, Any]]) -> str:
    counts = summarise(records)
    judged = "" if counts["valid"] is None else f", valid {counts['valid']}, optimal {counts['optimal']}"
    return f"{spec}: found {counts['found']}{judged}, all steps seen {counts['all_seen']}, of {len(records)}"
