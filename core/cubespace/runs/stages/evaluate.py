"""Every instance of a run, solved by every planner, with pictures and verdicts; what is done is not done again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import read_json, sha256, write_json, write_text
from cubespace.base.images import write_png
from cubespace.base.observer import Observer
from cubespace.data.domain import Domain
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.problems import Problem
from cubespace.evaluation.summary import summarise
from cubespace.learning.code import Code
from cubespace.lifting.task import write_lifted_plan
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.identity import component_identities
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.pictures.solving import (
    Solution,
    folder_name,
    judge_search,
    refuse_missing,
    search_plan,
    search_problem,
    write_solution,
)
from cubespace.runs.stages.judging import familiarity
from cubespace.runs.stages.planned import Planned, planned_run
from cubespace.search.side_by_side import side_by_side
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver
from cubespace.settings.stages import CODE, LIFTING, RESULTS, STRIPS
from cubespace.symbols.pddl import write_problem

RECORD = 4  # the form of an instance's record: one of another form is made again
LIFTED_PROBLEM, LIFTED_PLAN = "lifted.pddl", "lifted.plan"  # beside their grounded forms, if planned with lifted PDDL


@attrs.frozen(eq=False, kw_only=True)
class Learned:
    """What a plan belongs to, and what learning saw."""

    files: str  # the hashes of network and model
    memory: TrainingMemory
    familiar: Mapping[str, float]  # how much of the instances learning has seen


def evaluate_run(run: RunContents) -> None:
    """Solve the instances with every planner, judge the plans and keep the results."""
    config = run.run.config
    named = [("domain", config.domain), *(("planner", spec) for spec in config.plan.planners)]
    with run.run.stage("evaluate", named):
        domain, code, planned = run.domain(), run.code(), planned_run(run)
        problems, memory = run.problems(domain), run.memory()
        files = (CODE, STRIPS) if planned.name == "learned" else (CODE, STRIPS, LIFTING)
        learned = Learned(
            files=" ".join((*(sha256(run.run.file(name)) for name in files), planned.name)),
            memory=memory,
            familiar=familiarity(code, memory, run.transitions().train, problems),
        )
        results = evaluate(
            run.run, problems, domain, code, planned, learned, run.catalogue, run.observer, run.execution.searches
        )
        write_json(run.run.file(RESULTS), {**origin(run), **results})


def origin(run: RunContents) -> dict[str, Any]:
    """Return who made the model: the learner, what was trained, and where effects and preconditions come from."""
    learner, extraction = run.learner(), run.extraction()
    return {
        "learner": learner.title,
        "updates": learner.updates,
        "effects": extraction.effects,
        "preconditions": extraction.precondition,
    }


def evaluate(
    run: RunFolder,
    problems: Sequence[Problem],
    domain: Domain,
    code: Code,
    planned: Planned,
    learned: Learned,
    catalogue: Catalogue,
    observer: Observer,
    at_once: int = 1,
) -> dict[str, Any]:
    """Solve all instances with all planners of the run, some ``at_once``, and return its results.

    A plan that is there already is kept if it is for the same instance of the same network and model, by the same
    version of the planner. A search that crashed is done again: it may have been killed.
    """
    config = run.config.plan
    planners: dict[str, Solver] = {spec: catalogue.create("planner", spec) for spec in config.planners}
    refuse_missing(planners, code)
    limits = Limits(seconds=config.time_limit, megabytes=config.memory_limit)
    searches = [planned.with_lifted_task(search_problem(code, planned.strips, problem)) for problem in problems]
    _announce(run, observer, planners, problems, searches)
    bench = Bench(run.file("problems"), code, planned, domain, learned.memory, limits, observer)
    rows: dict[str, Any] = {}
    total = len(planners) * len(problems)
    for spec, planner in planners.items():
        records: list[dict[str, Any]] = []
        version = component_identities(catalogue, [("planner", spec)])
        keys = [_key(f"{learned.files} {version}", spec, limits, problem) for problem in problems]
        for record in bench.records(spec, planner, problems, searches, keys, at_once):
            records.append(record)
            observer.step(len(rows) * len(problems) + len(records), total, _brief(spec, records))
        rows[spec] = {**summarise(records), "optimal_planner": planner.optimal, "records": records}
    about = {"domain": run.config.domain, "model": planned.name}
    return {**about, "limits": attrs.asdict(limits), "length": config.length, **learned.familiar, "planners": rows}


@attrs.frozen
class Bench:
    """What every search of a run has in common."""

    folder: Path  # of the problems
    code: Code
    planned: Planned
    domain: Domain
    memory: TrainingMemory
    limits: Limits
    observer: Observer

    def records(
        self,
        spec: str,
        planner: Solver,
        problems: Sequence[Problem],
        searches: Sequence[SearchProblem],
        keys: Sequence[str],
        at_once: int,
    ) -> Iterator[dict[str, Any]]:
        """Yield the record of each problem, in order; only searches run side by side, so nothing else changes."""
        folders = [self.folder / problem.name / folder_name(spec) for problem in problems]
        known = [_finished(folder, key) for folder, key in zip(folders, keys, strict=True)]
        left = [search for search, record in zip(searches, known, strict=True) if record is None]
        with side_by_side(partial(search_plan, planner, limits=self.limits), left, at_once) as results:
            for problem, folder, key, record in zip(problems, folders, keys, known, strict=True):
                about = {"key": key, "problem": problem.name, "planner": spec}
                yield record or self._written(folder, problem, next(results), about)

    def _written(self, folder: Path, problem: Problem, result: SearchResult, about: dict[str, Any]) -> dict[str, Any]:
        """Judge the result of a search, write it down and return its record."""
        solution = judge_search(self.code, result, problem, self.domain)
        record = {**about, **solution.record(), **self.memory.count(solution.trace)}
        _write_lifted_plan(folder, self.planned, solution)
        write_solution(folder, problem, self.planned.strips, solution, record)
        self.observer.plan(record)
        if solution.crashed:
            self.observer.say(f"evaluate: {about['planner']} crashed on instance {problem.name}: {record['detail']}")
        return record


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
    try:
        record = read_json(folder / "result.json")
    except InputError:  # damaged: it is made again
        return None
    if not isinstance(record, dict) or record.get("key") != key or record.get("outcome") == Outcome.CRASHED:
        return None
    return record if _is_whole(record) else None


def _is_whole(record: dict[str, Any]) -> bool:
    """Return whether a record has what the table of results is made of, each of its kind."""
    kinds: dict[str, Any] = {"problem": str, "planner": str, "detail": str, "reason": str, "seconds": float}
    kinds |= {"valid": bool | None, "optimal": bool | None, "wrong_step": int | None, "plan": list | None}
    plan = record.get("plan")
    return (
        all(name in record and isinstance(record[name], kind) for name, kind in kinds.items())
        and record.get("outcome") in list(Outcome)
        and (plan is None) == (record["outcome"] != Outcome.SOLVED)
        and (plan is None or all(type(step) is int for step in plan))
    )


def _write_problem(folder: Path, problem: Problem, search: SearchProblem) -> None:
    write_png(folder / "init.png", problem.init[0])
    write_png(folder / "goal.png", problem.goal[0])
    write_text(folder / "problem.pddl", write_problem(search.task))
    (folder / LIFTED_PROBLEM).unlink(missing_ok=True)
    if search.lifted is not None:
        write_text(folder / LIFTED_PROBLEM, search.lifted.problem)


def _write_lifted_plan(folder: Path, planned: Planned, solution: Solution) -> None:
    """Write the plan as calls of schemas, beside its grounded form."""
    (folder / LIFTED_PLAN).unlink(missing_ok=True)
    if planned.grounded is not None and solution.search.plan is not None:
        write_text(folder / LIFTED_PLAN, write_lifted_plan(planned.grounded, solution.search.plan))


def _brief(spec: str, records: list[dict[str, Any]]) -> str:
    counts = summarise(records)
    judged = "" if counts["valid"] is None else f", valid {counts['valid']}, optimal {counts['optimal']}"
    return f"{spec}: found {counts['found']}{judged}, all steps seen {counts['all_seen']}, of {len(records)}"
