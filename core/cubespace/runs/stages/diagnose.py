"""The diagnosis of a run: its learned transition graph against the true one, and why instances were not solved."""

from __future__ import annotations

import attrs
import numpy as np

from cubespace.base.files import write_json
from cubespace.data.domain import StateSpace
from cubespace.evaluation.diagnosis import Encode, HeldOutDiagnosis, diagnose, diagnose_held_out, explain
from cubespace.evaluation.diagnosis_record import DiagnosisRecord, Failure, read_diagnosis
from cubespace.evaluation.graph_diagnosis import GraphDiagnosis, diagnose_graph
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.learning.code import Code
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.stages.judging import HELD_OUT_SPLITS, MOST_PICTURES, look_unlike
from cubespace.runs.stages.planned import planned_run
from cubespace.settings.stages import DIAGNOSIS
from cubespace.symbols.strips import StripsModel


def diagnose_run(run: RunContents) -> None:
    """Compare the moves of the model with the true ones and keep what was found.

    What is known of the same model, from before its instances were planned for, is not computed again.
    """
    known = read_diagnosis(run.run.file(DIAGNOSIS)) if run.run.done_from_same_model("diagnose") else None
    with run.run.stage("diagnose", [("domain", run.run.config.domain)]):
        run.observer.stage(
            "diagnose", _subject(run) if known is None else "plans that failed; the model is done already"
        )
        write_json(run.run.file(DIAGNOSIS), diagnosis_of(run, known).table())


def _subject(run: RunContents) -> str:
    """Return what a model is compared with: states of the world or, if the world draws none, held-out pairs."""
    config = run.run.config
    if isinstance(run.domain(), StateSpace):
        return f"{config.diagnose.states} states of {config.domain}"
    data = run.transitions()
    return f"{len(data.validation) + len(data.test)} pairs of {config.domain} that were held out"


def diagnosis_of(run: RunContents, known: DiagnosisRecord | None = None) -> DiagnosisRecord:
    """Compare the moves of the model with the true ones: from fresh states or, without a state space, held out."""
    config = run.run.config.diagnose
    domain, code, model = run.domain(), run.code(), run.strips()
    if known is not None:
        again = tuple(failures(run, domain, code.encode)) if isinstance(domain, StateSpace) else ()
        return attrs.evolve(known, failures=again)
    if not isinstance(domain, StateSpace):
        return DiagnosisRecord(seed=config.seed, moves=_on_held_out(run, code, model), graph=None, failures=())
    return DiagnosisRecord(
        seed=config.seed,
        moves=diagnose(domain, code.encode, model, config.states, config.seed),
        graph=_graph(run, domain, code),
        failures=tuple(failures(run, domain, code.encode)),
    )


def _graph(run: RunContents, domain: StateSpace, code: Code) -> GraphDiagnosis | None:
    """Return the diagnosis of the graph that the network spans; None without an action discriminator."""
    config, actions = run.run.config.diagnose, code.actions
    if actions is None or not actions.discriminates:
        return None
    return diagnose_graph(domain, code.encode, actions.expand, actions.plausible, config.states, config.seed)


def _on_held_out(run: RunContents, code: Code, model: StripsModel) -> HeldOutDiagnosis:
    data, bits = run.transitions(), run.bits()
    before, after = (
        np.concatenate([getattr(split, side) for split in (data.validation, data.test)]) for side in ("before", "after")
    )
    states = (np.concatenate([getattr(bits[split], side) for split in HELD_OUT_SPLITS]) for side in ("before", "after"))
    some = data.train[:: max(1, 2 * len(data.train) // MOST_PICTURES)]
    pictures = np.concatenate([some.before, some.after, before, after])  # the known ones come first
    return diagnose_held_out(
        code.encode,
        model,
        (before, after),
        known=np.array(run.memory().known_transitions(*states), dtype=np.bool_),
        ambiguous=int(look_unlike(code, pictures).unlike[2 * len(some) :].sum()),
        precision=run.extraction().precision,
        seed=run.run.config.diagnose.seed,
    )


def failures(run: RunContents, domain: StateSpace, encode: Encode) -> list[Failure]:
    """Return, for each planned instance that is not optimal, what went wrong and why the model has no shortest way."""
    if not run.run.finished("evaluate"):
        return []
    model = planned_run(run).strips
    problems = {problem.name: problem for problem in run.problems(run.domain())}
    reasons: dict[str, str] = {}
    found = []
    for record in run.results().records:
        if record.optimal or record.latent:  # the STRIPS model had no say in a latent search
            continue
        problem = problems[record.problem]
        if problem.name not in reasons and problem.states is not None and problem.distance is not None:
            reasons[problem.name] = explain(domain, encode, model, *problem.states, problem.distance)
        found.append(
            Failure(planner=record.planner, problem=problem.name, what=_what_failed(record), why=reasons[problem.name])
        )
    return found


def _what_failed(record: PlanRecord) -> str:
    what = record.explanation or (f"{record.steps} steps" if record.found else record.outcome)
    return what if record.wrong_step is None else f"{what} at step {record.wrong_step}"
