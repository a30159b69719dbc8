"""What pruning saves of a tuning, and whether it finds the same best trial.

    python benchmarks/pruning.py --seeds 830-832 [--trials 16] [--domain lightsout:size=2]

For each seed, of drawing and of training, the same trials are run without pruning and with each pruner: settings are
drawn at random, learning rates from 1e-4 to 0.1 and 8 to 24 bits, so what is proposed does not depend on what was
pruned. *Saved* is the fraction of all epochs that were not trained; every epoch of a seed has the same number of
updates. *Best* is whether the trial with the lowest validation loss is the same one. Trials run in this process, one
after another: pruning that compares trials side by side saves less.

Writes results/pruning.json and pruning.md; rows of other seeds and domains stay as they are there.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.files import read_json, write_json, write_text
from cubespace.base.options import NoOptions
from cubespace.cli.commands import app
from cubespace.experiments.executor import Executor, Finished, Job, JobResult
from cubespace.experiments.matrix import seeds_of
from cubespace.experiments.tuning.pruners import pruner_options
from cubespace.experiments.tuning.study import TuningRun
from cubespace.experiments.tuning.tuning_file import Tuning
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment
from cubespace.settings.recipe import TrainConfig

RESULTS = Path("results")
PRUNERS = ("median", "asha")
TINY = {
    "data.transitions": 800,  # with fewer, losses on validation pairs say which of the good trials is lucky
    "learner.name": "autoencoder",
    "autoencoder.encoder": "mlp:width=60",
    "autoencoder.decoder": "mlp:width=60",
    "autoencoder.actions": 60,
    "train.epochs": 60,
    "train.batch": 100,
}
SETTLED = f"{TrainConfig().settled:.0%}"
SPACE = {
    "train.learning_rate": {"low": 0.0001, "high": 0.1, "log": True},
    "autoencoder.bits": {"low": 8, "high": 24},
}


class InThisProcess(Executor):
    """Calls ``cube`` here: a process for each trial would take longer than its training."""

    def run(self, jobs: Sequence[Job], finished: Finished) -> None:
        """Run the jobs, one after another."""
        for job in jobs:
            status = 0
            with contextlib.redirect_stderr(io.StringIO()):
                try:
                    app(list(job.arguments), standalone_mode=False)
                except Exception as error:  # a trial that is pruned ends with an error of its own
                    status = getattr(error, "exit_code", 1)
            finished(JobResult(job=job, status=status))


def tune(domain: str, pruner: str, seed: int, trials: int) -> dict[str, Any]:
    """Return how many epochs a tuning has trained, and which trial is its best."""
    settings = {**TINY, "domain": domain, "data.seed": seed, "train.seed": seed}
    tuning = Tuning(settings=settings, space=dict(SPACE), sampler="random", pruner=pruner, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        run = TuningRun(Path(folder) / "t", tuning, load_plugins())
        study = run.run(trials, InThisProcess(NoOptions()))
        rows = [len(path.read_text("utf-8").splitlines()) for path in Path(folder).glob("t/trials/*/metrics.jsonl")]
        states, best = [trial.state.name for trial in study.trials], study.best_trial  # the study is in the folder
    return {
        "epochs": sum(rows),
        "pruned": states.count("PRUNED"),
        "failed": states.count("FAIL"),
        "best": best.number,
        "loss": best.value,
    }


def measure(domain: str, seed: int, trials: int) -> list[dict[str, Any]]:
    """Return a row for each pruner."""
    whole = tune(domain, "none", seed, trials)
    rows = []
    for pruner in PRUNERS:
        found = tune(domain, pruner, seed, trials)
        chosen = {**attrs.asdict(pruner_options(pruner)), "least": SETTLED}  # what is None follows from the settings
        rows.append(
            {
                "domain": domain,
                "seed": seed,
                "pruner": pruner,
                "options": ", ".join(f"{key} {value}" for key, value in chosen.items()),
                "trials": trials,
                "pruned": found["pruned"],
                "failed": found["failed"] + whole["failed"],
                "epochs": found["epochs"],
                "epochs_without": whole["epochs"],
                "saved": round(1 - found["epochs"] / whole["epochs"], 3),
                "same_best": found["best"] == whole["best"],
                "best_loss": round(found["loss"], 5),
                "best_loss_without": round(whole["loss"], 5),
            }
        )
    return rows


def main() -> None:
    """Measure each seed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="830-832", help="such as 830-832")
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--domain", action="append", help="repeatable; lightsout:size=2 if none is given")
    arguments = parser.parse_args()
    machine, domains = environment(), arguments.domain or ["lightsout:size=2"]
    file = RESULTS / "pruning.json"
    known: Any = read_json(file) if file.is_file() else {"rows": []}
    rows = {(row["domain"], row["seed"], row["pruner"]): row for row in known["rows"]}
    for domain in domains:
        for seed in seeds_of(arguments.seeds):
            for row in measure(domain, seed, arguments.trials):
                rows[domain, seed, row["pruner"]] = {**row, "date": machine["date"]}
    ordered = [rows[key] for key in sorted(rows)]
    text = page(machine, ordered)
    write_json(file, {"machine": machine, "rows": ordered})
    write_text(RESULTS / "pruning.md", text)
    print(text)


def page(machine: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of all rows."""
    head = list(rows[0])
    lines = [
        "# What pruning saves of a tuning, by `benchmarks/pruning.py`",
        "",
        f"{machine['processor']}, {machine['cores']} cores, version {machine['cubespace']}.",
        "Losses have five digits after the point; of trials that are equal to that, chance makes one the best.",
        "",
        *("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head))),
        *("| " + " | ".join(str(row[key]) for key in head) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
