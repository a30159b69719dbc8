"""What pruning saves of a tuning, and whether it still finds the best trial.

    python benchmarks/pruning.py [--seeds 840-842] [--trials 16] [--domain lightsout:size=3]

For each seed and domain the same trials (random search over learning rate and bits) are tuned without a pruner and with
each of them. *Saved* is the fraction of epochs, and so of updates, that were not made; all trials have the same number
of updates. *Same best* is whether the trial with the lowest validation loss is the same one. Where it is not, what
counts is *regret*, how much higher the loss of the best is, beside *noise*: the standard deviation of the loss of the
settings that are best without pruning, over three further seeds of their training. *As good* is a regret of at most the
noise: another seed would have changed the loss as much.

Losses must not tie for this to say anything: where a network learns all that there is, as of two by two lamps, many
trials end at 0. Trials run in this process, one after another: pruning that compares trials side by side saves less.

Writes results/pruning.json and pruning.md; rows of other seeds and domains stay as they are there.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import stdev
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
DOMAIN = "lightsout:size=3"  # small, and too hard for most of the settings that are tried: losses differ
FURTHER_SEEDS = 3
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


@attrs.frozen
class Tuned:
    """What a tuning trained, and the best of it."""

    epochs: int
    pruned: int
    failed: int
    best: int
    loss: float
    settings: dict[str, Any]  # of the best trial


def tune(settings: dict[str, Any], space: dict[str, Any], pruner: str, seed: int, trials: int) -> Tuned:
    """Search at random with a pruner."""
    study, epochs = searched(Tuning(settings=settings, space=space, sampler="random", pruner=pruner, seed=seed), trials)
    states, best = [trial.state.name for trial in study], min(study, key=_loss)
    return Tuned(
        epochs=epochs,
        pruned=states.count("PRUNED"),
        failed=states.count("FAIL"),
        best=best.number,
        loss=_loss(best),
        settings=dict(best.params),
    )


def _loss(trial: Any) -> float:
    return float("inf") if trial.value is None else float(trial.value)


def searched(tuning: Tuning, trials: int) -> tuple[list[Any], int]:
    """Return the trials of a tuning, and how many epochs they were trained in all."""
    with tempfile.TemporaryDirectory() as folder:
        study = TuningRun(Path(folder) / "t", tuning, load_plugins()).run(trials, InThisProcess(NoOptions()))
        rows = [len(path.read_text("utf-8").splitlines()) for path in Path(folder).glob("t/trials/*/metrics.jsonl")]
        return list(study.trials), sum(rows)  # the study is in the folder


def noise_of(settings: dict[str, Any], seed: int) -> float:
    """Return the standard deviation of the loss of some settings, over further seeds of the training."""
    seeds = {"train.seed": [1000 * (number + 1) + seed for number in range(FURTHER_SEEDS)]}
    given = {key: value for key, value in settings.items() if key not in seeds}
    found, _ = searched(Tuning(settings=given, space=seeds, sampler="random", pruner="none", seed=seed), FURTHER_SEEDS)
    return stdev([trial.value for trial in found if trial.value is not None and "repeat" not in trial.user_attrs])


def measure(domain: str, seed: int, trials: int) -> list[dict[str, Any]]:
    """Return a row for each pruner."""
    settings = {**TINY, "domain": domain, "data.seed": seed, "train.seed": seed}
    whole = tune(settings, dict(SPACE), "none", seed, trials)
    noise = noise_of({**settings, **whole.settings}, seed)
    rows = []
    for pruner in PRUNERS:
        found = tune(settings, dict(SPACE), pruner, seed, trials)
        chosen = {**attrs.asdict(pruner_options(pruner)), "least": SETTLED}  # what is None follows from the settings
        regret = found.loss - whole.loss
        rows.append(
            {
                "domain": domain,
                "seed": seed,
                "pruner": pruner,
                "options": ", ".join(f"{key} {value}" for key, value in chosen.items()),
                "trials": trials,
                "pruned": found.pruned,
                "failed": found.failed + whole.failed,
                "epochs": found.epochs,
                "epochs_without": whole.epochs,
                "saved": round(1 - found.epochs / whole.epochs, 3),
                "same_best": found.best == whole.best,
                "best_loss": round(found.loss, 5),
                "best_loss_without": round(whole.loss, 5),
                "regret": round(regret, 5),
                "noise": round(noise, 5),
                "as_good": regret <= noise,
            }
        )
    return rows


def main() -> None:
    """Measure each seed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="840-842", help="such as 840-842")
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--domain", action="append", help=f"repeatable; {DOMAIN} if none is given")
    arguments = parser.parse_args()
    machine, domains = environment(), arguments.domain or [DOMAIN]
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
        "*Regret*: by how much the lowest loss with the pruner is above the one without; *noise*: the standard "
        f"deviation of the latter over {FURTHER_SEEDS} further seeds of the training; *as good*: regret of at most the "
        "noise.",
        "",
        *("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head))),
        *("| " + " | ".join(str(row[key]) for key in head) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
