"""Every instance of a run, solved by every planner, with pictures and verdicts; what is done is not done again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import attrs

from cubespace.base.files import write_text
from cubespace.base.images import write_png
from cubespace.base.observer import Observer
from cubespace.base.records import as_table, write_record
from cubespace.data.domain import Domain
from cubespace.evaluation.doubts import Doubts
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.problems import Problem
from cubespace.evaluation.summary import PlannerResults, summarise
from cubespace.learning.code import Code
from cubespace.lifting.task import write_lifted_plan
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.identity import component_identities
from cubespace.runs.folder.plan_files import (
    GOAL_PICTURE,
    INIT_PICTURE,
    PROBLEM_PDDL,
    RESULT,
    picture_digests,
    plan_folder,
    problem_folder,
)
from cubespace.runs.folder.results_file import RunResults
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.folder.trace_file import TRACE, load_trace
from cubespace.runs.pictures.solving import (
    Solution,
    judge_again,
    judge_search,
    refuse_missing,
    search_plan,
    search_problem,
    write_solution,
)
from cubespace.runs.stages.judging import familiarity, findings_of_plans
from cubespace.runs.stages.kept_search import kept_search
from cubespace.runs.stages.planned import Planned, announced_model
from cubespace.search.side_by_side import side_by_side
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver
from cubespace.settings.stages import CODE, LIFTING, RESULTS, STRIPS
from cubespace.symbols.pddl import write_problem

RECORD_FORM = 5  # of an instance's record: one of another form is made again
LIFTED_PROBLEM, LIFTED_PLAN = "lifted.pddl", "lifted.plan"  # beside their grounded forms, if planned with lifted PDDL


def evaluate_run(run: RunContents) -> None:
    """Solve the instances with every planner, judge the plans and keep the results."""
    config = run.run.config
    named = [("domain", config.domain), *(("planner", spec) for spec in config.plan.planners)]
    with run.run.stage("evaluate", named):
        domain, code, planned, memory = run.domain(), run.code(), announced_model(run), run.memory()
        problems = run.problems(domain)
        bench = Bench(
            run=run.run,
            code=code,
            planned=planned,
            domain=domain,
            memory=memory,
            doubts=run.doubts(),
            limits=Limits(seconds=config.plan.time_limit, megabytes=config.plan.memory_limit),
            observer=run.observer,
            at_once=run.execution.searches,
            authors=config.plan.judge == "authors",
        )
        familiar = familiarity(code, memory, run.transitions().train, problems)
        run.release_data()
        learner, extraction = run.learner(), run.extraction()
        rows = _solve_all(run, bench, problems)
        results = RunResults(
            learner=learner.title,
            updates=learner.updates,
            precision=learner.precision,
            effects=extraction.effects,
            preconditions=extraction.precondition,
            domain=config.domain,
            model=planned.name,
            model_why=planned.why,
            limits=bench.limits,
            length=config.plan.length,
            known_pictures=familiar.known_pictures,
            known_states=familiar.known_states,
            planners=rows,
            findings=findings_of_plans(rows.values(), extraction.precision, run.observer),
        )
        write_record(run.run.file(RESULTS), results)


def _solve_all(run: RunContents, bench: Bench, problems: Sequence[Problem]) -> dict[str, PlannerResults]:
    """Solve all instances with all planners of the run, and return a row for each planner.

    A plan that is there already is kept if it is for the same instance of the same network and model, by the same
    version of the planner. A search that crashed is done again: it may have been killed.
    """
    specs = run.run.config.plan.planners
    planners: dict[str, Solver] = {spec: run.catalogue.create("planner", spec) for spec in specs}
    refuse_missing(planners, bench.code)
    tasks = [search_problem(bench.code, bench.planned.strips, problem) for problem in problems]
    searches = [bench.planned.with_lifted_task(task) for task in tasks]
    _announce(run.run, run.observer, planners, problems, searches)
    model = _model_identity(run.run, bench.planned)
    rows: dict[str, PlannerResults] = {}
    total = len(planners) * len(problems)
    for spec, planner in planners.items():
        records: list[PlanRecord] = []
        version = component_identities(run.catalogue, [("planner", spec)])
        keys = [_key(f"{model} {version}", spec, bench.limits, problem) for problem in problems]
        for record in bench.records(spec, planner, problems, searches, keys):
            records.append(record)
            row = summarise(records, optimal_planner=planner.optimal)
            run.observer.step(len(rows) * len(problems) + len(records), total, _brief(spec, row))
        rows[spec] = summarise(records, optimal_planner=planner.optimal)
    return rows


def _model_identity(run: RunFolder, planned: Planned) -> str:
    """Return what tells the network and the model of a plan from all others."""
    files = (CODE, STRIPS) if planned.name == "learned" else (CODE, STRIPS, LIFTING)
    return " ".join((*map(run.digest, files), planned.name))


@attrs.frozen(eq=False, kw_only=True)
class Bench:
    """What every search of a run has in common."""

    run: RunFolder
    code: Code
    planned: Planned
    domain: Domain
    memory: TrainingMemory
    doubts: Doubts | None
    limits: Limits
    observer: Observer
    at_once: int  # searches side by side
    authors: bool = False  # whether the rule of the paper's authors judges, too

    def records(
        self,
        spec: str,
        planner: Solver,
        problems: Sequence[Problem],
        searches: Sequence[SearchProblem],
        keys: Sequence[str],
    ) -> Iterator[PlanRecord]:
        """Yield the record of each problem, in order; only searches run side by side, so nothing else changes."""
        folders = [plan_folder(self.run.path, problem.name, spec) for problem in problems]
        known = [kept_search(*each) for each in zip(folders, keys, searches, strict=True)]
        left = [search for search, kept in zip(searches, known, strict=True) if kept is None]
        with side_by_side(partial(search_plan, planner, limits=self.limits), left, self.at_once) as results:
            for problem, folder, key, kept in zip(problems, folders, keys, known, strict=True):
                if kept is None:
                    record = self._judged(folder, problem, next(results), spec, key)
                    self._tell(record)
                else:
                    record = self._judged(folder, problem, kept.search, spec, key) if kept.found else kept.record
                record = self._judged_twice(record, folder, problem)
                pictures = picture_digests(self.run.path, problem.name, spec)
                yield attrs.evolve(record, pictures=pictures)

    def _judged_twice(self, record: PlanRecord, folder: Path, problem: Problem) -> PlanRecord:
        """Return a record with the verdict of the paper's authors, if it is asked for; plans are not searched again."""
        if not self.authors or record.authors_valid is not None or record.valid is None:
            return record
        trace = load_trace(folder / TRACE, record.trace)
        if record.found and trace is None:  # lost or damaged: nobody can say
            return record
        verdict = judge_again(self.domain, problem, None if trace is None else self.code.draw(trace))
        record = attrs.evolve(record, authors_valid=verdict.valid, authors_optimal=verdict.optimal)
        write_record(folder / RESULT, record)
        return record

    def _judged(self, folder: Path, problem: Problem, result: SearchResult, spec: str, key: str) -> PlanRecord:
        """Judge the result of a search, write it down and return its record.

        So is a plan that was found by an earlier call: only the search is not done again.
        """
        solution = judge_search(self.code, result, problem, self.domain)
        doubt = None if self.doubts is None else self.doubts.of(solution.trace)
        search = solution.record(spec, self.memory.count(solution.trace), doubt)
        record = PlanRecord.of(search, key=key, problem=problem.name)
        _write_lifted_plan(folder, self.planned, solution)
        write_solution(folder, problem, self.planned.strips, solution, record)
        return record

    def _tell(self, record: PlanRecord) -> None:
        self.observer.plan(as_table(record))
        if record.outcome == Outcome.CRASHED:
            self.observer.say(f"evaluate: {record.planner} crashed on instance {record.problem}: {record.detail}")


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
        found = "is only 1 such instance" if len(problems) == 1 else f"are only {len(problems)} such instances"
        observer.say(f"evaluate: there {found}, not {wanted}")
    for problem, search in zip(problems, searches, strict=True):
        _write_problem(problem_folder(run.path, problem.name), problem, search)


def _key(model: str, spec: str, limits: Limits, problem: Problem) -> str:
    """Return the hash of all that a result depends on."""
    digest = hashlib.sha256(f"{RECORD_FORM} {model} {spec} {limits}".encode())
    digest.update(problem.init.tobytes() + problem.goal.tobytes())
    return digest.hexdigest()


def _write_problem(folder: Path, problem: Problem, search: SearchProblem) -> None:
    write_png(folder / INIT_PICTURE, problem.init[0])
    write_png(folder / GOAL_PICTURE, problem.goal[0])
    write_text(folder / PROBLEM_PDDL, write_problem(search.task))
    (folder / LIFTED_PROBLEM).unlink(missing_ok=True)
    if search.lifted is not None:
        write_text(folder / LIFTED_PROBLEM, search.lifted.problem)


def _write_lifted_plan(folder: Path, planned: Planned, solution: Solution) -> None:
    """Write the plan as calls of schemas, beside its grounded form."""
    (folder / LIFTED_PLAN).unlink(missing_ok=True)
    if planned.grounded is not None and solution.search.plan is not None:
        write_text(folder / LIFTED_PLAN, write_lifted_plan(planned.grounded, solution.search.plan))


def _brief(spec: str, row: PlannerResults) -> str:
    judged = "" if row.valid is None else f", valid {row.valid}, optimal {row.optimal}"
    return f"{spec}: found {row.found}{judged}, all steps seen {row.all_seen}, of {row.instances}"
