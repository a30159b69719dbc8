"""The stages of a run, in order: data, train, extract, plan. Each reads the run folder and writes to it."""

from __future__ import annotations

import json
from typing import Any

import attrs
import numpy as np

from cubespace import transitions
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.checkpoints import load_model
from cubespace.domains import Domain
from cubespace.errors import InputError
from cubespace.evaluation import evaluate
from cubespace.extraction import extract, load_strips, save_strips
from cubespace.files import read_json, sha256, write_json, write_text
from cubespace.measures import measure
from cubespace.pddl import write_domain
from cubespace.pictures import contact_sheet, side_by_side, write_png
from cubespace.planning import redrawing_errors
from cubespace.plugins import Catalogue
from cubespace.recipe import Execution, Recipe
from cubespace.reporting import Reporter
from cubespace.runs import Run
from cubespace.strips import StripsModel
from cubespace.training_run import METRICS, MODEL, TrainingRun
from cubespace.transitions import Transitions

DATA, MEASURES, STRIPS, PDDL, EXTRACTION, RESULTS = (
    "data.npz",
    "measures.json",
    "strips.npz",
    "domain.pddl",
    "extraction.json",
    "results.json",
)


@attrs.frozen
class Pipeline:
    """Does the stages of one run; a finished stage is skipped."""

    run: Run
    catalogue: Catalogue
    execution: Execution
    reporter: Reporter

    def until(self, last: str) -> None:
        """Do all stages up to and including ``last``."""
        stages = {"data": self.data, "train": self.train, "extract": self.extract, "plan": self.plan}
        with self.run.locked():
            for name, do in stages.items():
                if self.run.finished(name):
                    self.reporter.say(f"{name}: done already")
                else:
                    do()
                if name == last:
                    return

    def require(self, stage: str) -> None:
        """Raise unless a stage is done: its results are about to be used."""
        if not self.run.finished(stage):
            raise InputError(f"{self.run.path} has no finished stage '{stage}': cube {stage} {self.run.path} does it")

    def data(self) -> None:
        """Draw the data set."""
        config = self.run.config
        self.reporter.stage("data", f"transitions of {config.domain}")
        with self.run.stage("data", DATA):
            made = transitions.make(self.domain(), config.domain, config.data.transitions, config.data.seed)
            made.save(self.run.file(DATA))
            sheet = contact_sheet(side_by_side(made.train.before[:24], made.train.after[:24]))
            write_png(self.run.file("data.png"), sheet)

    def train(self) -> None:
        """Train the network and measure it on the held-out splits."""
        data, config = self.transitions(), self.run.config
        recipe = Recipe(model=config.model, train=config.train)
        self.reporter.stage("train", f"{len(data.train)} transitions, apply module {config.model.apply}")
        with self.run.stage("train", MODEL, METRICS, MEASURES):
            training = TrainingRun(
                self.run.path, data.train, data.validation, recipe, execution=self.execution, catalogue=self.catalogue
            )
            for note in training.notes:
                self.reporter.say(note)
            if training.done:
                self.reporter.say(f"train: going on after epoch {training.done}")
            for row in training:
                self.reporter.step(row["epoch"], training.epochs, _brief(row))
            known = (data.train.before, data.train.after)
            splits = {"validation": data.validation, "test": data.test}
            measures = {
                name: attrs.asdict(measure(training.model, split.before, split.after, known))
                for name, split in splits.items()
            }
            write_json(self.run.file(MEASURES), measures)

    def extract(self) -> None:
        """Read the STRIPS model off the bits of the training split."""
        data, config = self.transitions(), self.run.config.extract
        self.reporter.stage("extract", f"effects by {config.effects}, preconditions by {config.precondition}")
        network = self.network()
        learner = self.catalogue.create("precondition", config.precondition)
        with self.run.stage("extract", STRIPS, PDDL, EXTRACTION):
            model, report = extract(network, data.train, config, learner)
            save_strips(self.run.file(STRIPS), model)
            write_text(self.run.file(PDDL), write_domain(model))
            pictures = np.concatenate([data.train.before, data.train.after])
            usual = max(redrawing_errors(network, pictures))
            write_json(self.run.file(EXTRACTION), {**report, "redrawing_error": usual})
            self.reporter.say(f"extract: {json.dumps(report)}")

    def plan(self) -> None:
        """Solve the instances with every planner and judge the plans."""
        with self.run.stage("plan", RESULTS):
            parts = self.domain(), self.network(), self.strips()
            learned = " ".join(sha256(self.run.file(name)) for name in (MODEL, STRIPS))
            results = evaluate(self.run, *parts, self.catalogue, self.reporter, learned=learned)
            write_json(self.run.file(RESULTS), results)

    def domain(self) -> Domain:
        """Return the domain of the run; files that it reads are looked for where the run was started."""
        domain: Domain = self.catalogue.create("domain", self.run.config.domain, home=self.run.home)
        return domain

    def transitions(self) -> Transitions:
        """Return the data set of the run."""
        return transitions.load(self.run.file(DATA))

    def network(self) -> SpaceAutoEncoder:
        """Return the trained network."""
        return load_model(self.run.file(MODEL), self.execution.device, self.catalogue)

    def strips(self) -> StripsModel:
        """Return the extracted model."""
        return load_strips(self.run.file(STRIPS))

    def results(self) -> dict[str, Any]:
        """Return the table of the run."""
        results = read_json(self.run.file(RESULTS))
        assert isinstance(results, dict)
        return results


def _brief(row: dict[str, Any]) -> str:
    """Return the part of a training row that fits beside a bar."""
    held_out = (("Rec", "reconstruction"), ("Succ", "successor"), ("Direct", "direct"))
    parts = [f"{short} {row[f'validation_{name}']:.4f}" for short, name in held_out]
    return f"{row['phase']}: loss {row['total']:.4f}, {', '.join(parts)}"
