"""The stage ``extract``: read the STRIPS model off the bits of the training split."""

from __future__ import annotations

from cubespace.base.errors import UsageError
from cubespace.base.files import write_text
from cubespace.base.records import write_record
from cubespace.data.domain import StateSpace
from cubespace.evaluation.oracle import every_move
from cubespace.learning.bit_learner import EffectSource
from cubespace.learning.code import Code
from cubespace.learning.code_metrics import redrawing_errors
from cubespace.plugins.blame import blame
from cubespace.runs.folder.bits_file import BitPairs, joined
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.learners import effect_source, make_learner
from cubespace.runs.stages.judging import judge_run
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO
from cubespace.settings.stages import EXTRACTION, JUDGEMENT, PDDL, STRIPS
from cubespace.symbols.effects import SOURCES
from cubespace.symbols.extraction import ExtractionReport, extract
from cubespace.symbols.pddl import write_domain
from cubespace.symbols.precondition_learner import PreconditionLearner
from cubespace.symbols.strips import StripsModel, save_strips


def extract_model(run: RunContents) -> None:
    """Find effects and preconditions, write the model, and judge it by held-out pairs."""
    data, config, code = run.transitions(), run.run.config.extract, run.code()
    learner = make_learner(run.catalogue, run.learner().learner)
    precondition = learner.precondition if config.precondition == AUTO else config.precondition
    effects = effect_source(learner, run.run.config, run.catalogue)
    run.observer.stage("extract", f"effects: {SOURCES[effects]}; preconditions: {precondition}")
    if config.pairs == "oracle":
        run.observer.say("extract: from every move of the world, by its simulator: an oracle, not a learned model")
    elif config.pairs == "all":
        run.observer.say("extract: from all pairs, so what held-out pairs say about the model is not independent of it")
    with run.run.stage("extract", [("precondition", precondition)]), blame():
        model, report = _extract(run, code, run.catalogue.create("precondition", precondition), effects)
        save_strips(run.run.file(STRIPS), model)
        write_text(run.run.file(PDDL), write_domain(model))
        largest = float(max(redrawing_errors(code, side).max() for side in (data.train.before, data.train.after)))
        run.observer.say(f"extract: {report.summary}")
        judgement = judge_run(code, model, data, run.bits(), effects=effects, labels=report.labels)
        record = ExtractionRecord.of(
            report,
            effects=effects,
            precondition=precondition,
            redrawing_error=largest,
            precision=judgement.precision,
        )
        write_record(run.run.file(EXTRACTION), record)
        write_record(run.run.file(JUDGEMENT), judgement.record())
        for line in judgement.lines:
            run.observer.say(f"extract: {line}")


def _pairs(run: RunContents, code: Code) -> BitPairs:
    """Return the transitions, as bits, that the model is read off."""
    config, splits = run.run.config.extract, run.bits()
    if config.pairs != "oracle":
        return joined(splits.values()) if config.pairs == "all" else splits["train"]
    domain = run.domain()
    if not isinstance(domain, StateSpace):
        raise UsageError(
            f"extract.pairs=oracle lists every move of a world, and domain '{run.run.config.domain}' does not know its "
            "states: choose another domain, or leave extract.pairs out"
        )
    with blame(domain):
        before, after = (domain.render(states) for states in every_move(domain, config.most_moves))
    return BitPairs(before=code.encode(before), after=code.encode(after))


def _extract(
    run: RunContents, code: Code, learner: PreconditionLearner, effects: EffectSource
) -> tuple[StripsModel, ExtractionReport]:
    """Return the model of the training bits, and what was found on the way."""
    config, pairs, actions = run.run.config.extract, _pairs(run, code), code.actions
    if effects != "differences" and actions is None:
        raise UsageError(
            f"extract.effects={effects} needs learned actions, and learner '{run.learner().learner}' has none: "
            f"use --learner {defaults.TRAINED_LEARNER}, or leave extract.effects out"
        )
    if effects == "network" and not (actions is not None and actions.strips):
        raise UsageError("This apply module has no STRIPS effects: set extract.effects to differences or observed.")
    labels = None if actions is None else actions.label(pairs.before, pairs.after)
    predicted = None
    if effects == "predicted" and actions is not None and labels is not None:
        predicted = actions.successors(pairs.before, labels)
    return extract(
        pairs.before,
        pairs.after,
        learner,
        draw=code.draw,
        look=code.encode,
        effects=effects,
        min_support=config.min_support,
        labels=labels,
        predicted=predicted,
        network=actions.effects() if actions is not None and actions.strips else None,
        certain_before=None if actions is None else actions.certain_before(),
        groups=code.groups,
        seed=config.seed,
    )
