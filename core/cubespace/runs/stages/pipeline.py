"""The stages of a run: data, train, extract, evaluate, diagnose. Each reads the run folder and writes to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np
from threadpoolctl import threadpool_limits

from cubespace.autoencoder import inference
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.network_metrics import measure
from cubespace.autoencoder.resuming import TrainingRun
from cubespace.base.errors import UsageError
from cubespace.base.files import sha256, write_json, write_text
from cubespace.base.images import contact_sheet, region_picture, side_by_side, write_png
from cubespace.base.numbers import fixed
from cubespace.base.observer import following
from cubespace.base.records import write_record
from cubespace.data import transitions
from cubespace.data.domain import Domain, Explorer
from cubespace.data.spoiling import clean
from cubespace.data.transitions import Transitions
from cubespace.plugins.blame import blame
from cubespace.runs.folder.bits_file import BitPairs, save_bits
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.identity import component_identities
from cubespace.runs.pictures.solving import redrawing_errors
from cubespace.runs.stages.diagnose import diagnose_run
from cubespace.runs.stages.evaluate import Learned, evaluate
from cubespace.runs.stages.judging import familiarity, judge_run
from cubespace.runs.stages.lift import lift_run
from cubespace.runs.stages.networks import Choice, choose_network, default_learner
from cubespace.runs.stages.planned import Planned, planned_run
from cubespace.settings.recipe import AUTO, Recipe
from cubespace.settings.stages import (
    BITS,
    DATA,
    DIAGNOSIS,
    ENCODER,
    EXTRACTION,
    JUDGEMENT,
    LIFTING,
    MEASURES,
    MODEL,
    PDDL,
    RESULTS,
    STRIPS,
)
from cubespace.symbols.extraction import ExtractionReport, extract
from cubespace.symbols.pddl import write_domain
from cubespace.symbols.precondition_learner import PreconditionLearner
from cubespace.symbols.strips import StripsModel, save_strips

PLACES = "places.png"  # to look at; no stage reads it


@attrs.frozen
class Pipeline(RunContents):
    """Does the stages of one run; a finished stage is skipped."""

    def until(self, last: str) -> None:
        """Do all stages that lead to ``last``, and itself."""
        with (
            self.run.working(),
            following(self.observer, self.run.path),
            threadpool_limits(self.execution.threads),  # of numpy too: cells side by side slow each other down
            blame(),
        ):
            for stage in self.run.config.way_to(last):
                if self.run.finished(stage.name) and not (stage.name == "evaluate" and self.crashed()):
                    self.observer.say(f"{stage.name}: done already")
                else:
                    do: Callable[[], None] = getattr(self, stage.name)
                    do()

    def data(self) -> None:
        """Draw the data set."""
        config = self.run.config
        self.observer.stage("data", f"transitions of {config.domain}")
        with self.run.stage("data", [("domain", config.domain)]):
            domain = self._explored(stream=0)
            with blame(domain):
                wanted = config.domain, config.data.transitions, config.data.seed
                made = transitions.make(domain, *wanted, split=config.data.split)
            if made.note:
                self.observer.say(f"data: {made.note}")
            source = clean(domain)
            findings = source.findings() if isinstance(source, Explorer) else {}
            attrs.evolve(made, findings=findings).save(self.run.file(DATA))
            sheet = contact_sheet(side_by_side(made.train.before[:24], made.train.after[:24]))
            write_png(self.run.file("data.png"), sheet)

    def train(self) -> None:
        """Train the network and measure it on the held-out splits."""
        data, config = self.transitions(), self.run.config
        self.observer.stage("train", f"{len(data.train)} transitions, apply module {config.model.apply}")
        with self.run.stage("train", [("apply", config.model.apply)]) as components:
            choice = choose_network(self.catalogue, config.model, data.train, data.validation, config.train.seed)
            chosen = [("encoder", choice.config.encoder), ("decoder", choice.config.decoder)]
            components.update(component_identities(self.catalogue, chosen))
            self._tell_choice(choice)
            recipe = Recipe(model=choice.config, train=config.train)
            training = TrainingRun(
                self.run.path, choice.network, data.train, data.validation, recipe, execution=self.execution
            )
            for note in training.notes:
                self.observer.say(note)
            if self.execution.precision != "float32":
                self.observer.say(f"train: in {self.execution.precision}")
            if training.done:
                self.observer.say(f"train: going on after epoch {training.done}")
            for row in training:
                self.observer.step(row["epoch"], training.epochs, _brief(row))
                self.observer.epoch(row)
            self._measure(training.model, data)

    def _measure(self, network: SpaceAutoEncoder, data: Transitions) -> None:
        """Write how well the network does on the held-out splits, and the bits of all pictures."""
        known = (data.train.before, data.train.after)
        held_out = {"validation": data.validation, "test": data.test}
        measures = {
            name: attrs.asdict(measure(network, split.before, split.after, known)) for name, split in held_out.items()
        }
        write_json(self.run.file(MEASURES), measures)
        encode = partial(inference.encode, network)
        splits = {"train": data.train, **held_out}
        save_bits(
            self.run.file(BITS),
            {name: BitPairs(encode(split.before), encode(split.after)) for name, split in splits.items()},
        )

    def _tell_choice(self, choice: Choice) -> None:
        """Say which encoder was chosen and why, and keep it."""
        write_json(self.run.file(ENCODER), choice.record())
        for tried in choice.candidates:
            self.observer.say(f"train: encoder {tried.summary}")
        regions = choice.network.encoder.regions()
        if regions is not None:
            write_png(self.run.file(PLACES), contact_sheet(region_picture(regions)[None]))
        layout = choice.network.encoder.layout
        variables = "" if layout.groups is None else f" in {len(set(layout.groups))} variables"
        self.observer.say(f"train: encoder {choice.config.encoder}, {layout.bits} bits{variables}")

    def extract(self) -> None:
        """Read the STRIPS model off the bits of the training split."""
        data, config = self.transitions(), self.run.config.extract
        network = self.network()
        precondition = config.precondition
        if precondition == AUTO:
            precondition = default_learner(self.catalogue, network.config.encoder)
        self.observer.stage("extract", f"effects by {config.effects}, preconditions by {precondition}")
        learner = self.catalogue.create("precondition", precondition)
        with self.run.stage("extract", [("precondition", precondition)]):
            model, report = self._extracted(network, learner)
            save_strips(self.run.file(STRIPS), model)
            write_text(self.run.file(PDDL), write_domain(model))
            pictures = np.concatenate([data.train.before, data.train.after])
            error = float(redrawing_errors(network, pictures).max())
            record = ExtractionRecord.of(report, precondition=precondition, redrawing_error=error)
            write_record(self.run.file(EXTRACTION), record)
            self.observer.say(f"extract: {report.summary}")
            judgement = judge_run(network, model, data, self.bits(), effects=config.effects, labels=report.labels)
            write_json(self.run.file(JUDGEMENT), judgement.record())
            for line in judgement.lines:
                self.observer.say(f"extract: {line}")

    def lift(self) -> None:
        """Find objects, places and schemas in the training pairs, and check the lifted model."""
        with self.run.stage("lift", [("domain", self.run.config.domain)]):
            write_record(self.run.file(LIFTING), lift_run(self))

    def planned(self) -> Planned:
        """Return the model that instances are planned with."""
        return planned_run(self)

    def evaluate(self) -> None:
        """Solve the instances with every planner and judge the plans."""
        config = self.run.config
        named = [("domain", config.domain), *(("planner", spec) for spec in config.plan.planners)]
        with self.run.stage("evaluate", named):
            parts = self.domain(), self.network(), self.planned()
            problems, memory = self.problems(parts[0]), self.memory()
            decide = (MODEL, STRIPS) if parts[2].name == "learned" else (MODEL, STRIPS, LIFTING)
            learned = Learned(
                files=" ".join((*(sha256(self.run.file(name)) for name in decide), parts[2].name)),
                memory=memory,
                familiar=familiarity(parts[1], memory, self.transitions().train, problems),
            )
            results = evaluate(
                self.run, problems, *parts, learned, self.catalogue, self.observer, self.execution.searches
            )
            write_json(self.run.file(RESULTS), results)

    def diagnose(self) -> None:
        """Compare the moves of the model with the true ones."""
        config = self.run.config
        self.observer.stage("diagnose", f"{config.diagnose.states} states of {config.domain}")
        with self.run.stage("diagnose", [("domain", config.domain)]):
            write_json(self.run.file(DIAGNOSIS), diagnose_run(self))

    def _extracted(
        self, network: SpaceAutoEncoder, learner: PreconditionLearner
    ) -> tuple[StripsModel, ExtractionReport]:
        """Return the model of the training bits, and what was found on the way."""
        config, pairs = self.run.config.extract, self.bits()["train"]
        before, after = pairs.before, pairs.after
        strips = network.apply_module.strips
        if config.effects == "network" and not strips:
            raise UsageError("This apply module has no STRIPS effects: set extract.effects to differences or observed.")
        return extract(
            before,
            after,
            learner,
            draw=partial(inference.draw, network),
            look=partial(inference.encode, network),
            effects=config.effects,
            min_support=config.min_support,
            labels=inference.label(network, before, after),
            network=inference.effects(network) if strips else None,
            groups=network.encoder.layout.groups,
            seed=config.seed,
        )

    def _explored(self, stream: int) -> Domain:
        """Return the domain of the run after it has looked around, if it must."""
        domain = self.domain(stream)
        source = clean(domain)
        if isinstance(source, Explorer):
            source.explore(lambda done, known: self.observer.step(done, known, f"{known} states found"))
        return domain


def _brief(row: dict[str, Any]) -> str:
    """Return the part of a training row that fits beside a bar."""
    held_out = (("Rec", "reconstruction"), ("Succ", "successor"), ("Direct", "direct"))
    parts = [f"{short} {fixed(row[f'validation_{name}'])}" for short, name in held_out]
    return f"{row['phase']}: loss {fixed(row['total'])}, {', '.join(parts)}"
