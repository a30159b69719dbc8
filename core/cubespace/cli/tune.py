"""``cube tune``: search for good settings; every trial is a run folder."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.options import parse_spec, split_list
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.command_group import SPEC
from cubespace.cli.completion import names, presets, settings
from cubespace.cli.manner import Manner
from cubespace.cli.matrix import find_executor
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import Domain
from cubespace.cli.signals import Stopped
from cubespace.experiments.executor import JobResult
from cubespace.settings import defaults
from cubespace.settings.run_config import SHORT_NAMES

if TYPE_CHECKING:
    import optuna

    from cubespace.experiments.tuning.space import Choice
    from cubespace.experiments.tuning.tuning_file import Tuning


RANGE = re.compile(r"([^.,\s]+(?:\.\d+)?[^.,\s]*)\.\.([^,\s:]+)(:log)?")  # low..high
SHOWN = 5  # trials

Source = Annotated[
    Path | None, typer.Argument(metavar="FILE|TUNING", help="A tuning file, or the folder of a tuning to continue.")
]
Storage = Annotated[
    str | None, typer.Option(metavar="URL", help="A database that several machines share, in Optuna's form.")
]


@attrs.frozen
class Question:
    """What to tune, where it is not read from a file."""

    domain: Domain = None
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", autocompletion=presets, help="Settings that the tuned ones override."),
    ] = None
    pairs: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE[,VALUE…]|LOW..HIGH[:log]",
            autocompletion=settings,
            help="A setting of all trials or, with several values or a range, one to tune.  "
            "[default: the space of the paper]",
        ),
    ] = None
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[,NAME…]",
            help="loss, coverage, plans (valid ones) or cpu (seconds), on held-out pairs or instances; with several, "
            "the trials that no other beats in all are the best.  [default: loss]",
        ),
    ] = None
    pruner: Annotated[
        str | None,
        typer.Option(
            metavar=SPEC,
            help="none, median or asha: which trials are stopped early, by their losses on validation pairs; with "
            "options such as median:first=8,least=20.  [default: none]",
        ),
    ] = None
    sampler: Annotated[
        Literal["genetic", "tpe", "nsga2", "random"] | None,
        typer.Option(help="How trials are proposed; genetic is the paper's way.  [default: genetic]"),
    ] = None
    seed: Annotated[int | None, typer.Option(min=0, help="Of the sampler.  [default: 0]")] = None

    def put_on(self, tuning: Tuning) -> Tuning:
        """Return a tuning with these choices on top."""
        settings, space = dict(tuning.settings), dict[str, Any]()
        if self.domain is not None:
            settings["domain"] = self.domain
        for pair in self.pairs or []:
            key, equals, text = pair.partition("=")
            if not equals or not key:
                raise UsageError(
                    f"--set {pair}: write KEY=VALUE or KEY=VALUE,VALUE, such as --set autoencoder.bits=50,100"
                )
            limits = RANGE.fullmatch(text.strip())
            values = [value.strip().strip("\"'") for value in split_list(text, pair)]
            for full in SHORT_NAMES.get(key.strip(), (key.strip(),)):
                if limits is not None:
                    space[full] = {"low": typed(limits[1]), "high": typed(limits[2]), "log": limits[3] is not None}
                elif len(values) == 1:
                    settings[full] = values[0]
                else:
                    space[full] = [typed(value) for value in values]
        given = {name: getattr(self, name) for name in ("preset", "objective", "sampler", "pruner", "seed")}
        known = {name: value for name, value in given.items() if value is not None}
        try:
            return attrs.evolve(tuning, settings=settings, space=space or tuning.space, **known)
        except ValueError as error:
            raise UsageError(f"cannot tune: {error}") from None


@app.command(
    epilog="Examples: `cube tune --preset paper --domain mnist --trials 100 --jobs 2`, "
    "`cube tune --domain lightsout --set learner.name=autoencoder --set autoencoder.bits=16,36,64 --trials 6`"
)
@grouped
def tune(
    *,
    source: Source = None,
    question: Question,
    trials: Annotated[int, typer.Option(min=1, help="Total number of trials.")] = 100,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="The folder.  [default: runs/tune-…]")
    ] = None,
    storage: Storage = None,
    executor: Annotated[
        str, typer.Option(metavar=SPEC, autocompletion=names("executor"), help="What runs the trials.")
    ] = defaults.EXECUTOR,
    jobs: Annotated[int | None, typer.Option(min=1, help="Trials side by side.  [default: one per core]")] = None,
    manner: Manner,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print only results and errors.")] = False,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Search for good settings; repeating the command continues. The best are written for `cube run --config`."""
    loaded = catalogue(no_plugin)
    if importlib.util.find_spec("optuna") is None:
        raise UsageError("cube tune needs the package optuna: pip install 'cubespace[tune]'")
    from cubespace.experiments.tuning.study import BEST, TuningRun
    from cubespace.experiments.tuning.tuning_file import Tuning, read_tuning

    tuning = question.put_on(Tuning() if source is None else read_tuning(source))
    folder = output or (source if source is not None and source.is_dir() else default_folder(tuning))
    at_once = jobs or len(os.sched_getaffinity(0))
    by = find_executor(loaded, executor, jobs)
    call = manner.call(loaded, no_plugin)
    try:
        study = TuningRun(folder, tuning, loaded, storage, call).run(trials, by, at_once, _told(tuning, quiet))
    except Stopped as stop:
        stop.advice = f": cube tune {folder} --trials {trials} continues"
        raise
    _show(study, tuning.objectives, folder / BEST, as_json)


def _told(tuning: Tuning, quiet: bool) -> Callable[[optuna.trial.FrozenTrial, JobResult], None]:
    """Return what says how each trial ended, and its values."""
    from cubespace.experiments.tuning.pruning import PrunedError

    def tell(trial: optuna.trial.FrozenTrial, result: JobResult) -> None:
        pruned = result.exit_code == PrunedError.exit_code
        how = f"{result.seconds:.1f} s" if result.succeeded else "pruned" if pruned else f"failed, {result.reason}"
        scores = "".join(
            f", {name} {value:.6g}" for name, value in zip(tuning.objectives, trial.values or (), strict=False)
        )
        if not quiet:
            typer.echo(f"trial {trial.number}: {how}{scores}", err=True)

    return tell


def default_folder(tuning: Tuning) -> Path:
    """Return the default folder of a tuning: the same for the same question."""
    name = parse_spec(str(tuning.settings.get("domain", defaults.DOMAIN))).name
    return Path("runs") / f"tune-{name}-{hashlib.sha256(tuning.dump().encode()).hexdigest()[:8]}"


def typed(text: str) -> Choice:
    """Return a value of the command line with the type it looks like: choices are compared, so 1 must equal 1.0."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "on": True, "false": False, "off": False}.get(text.lower(), text)


def _show(study: optuna.Study, objectives: Sequence[str], best: Path, as_json: bool) -> None:
    """Print the best trials."""
    import optuna

    from cubespace.experiments.tuning.study import completed, ended

    done = completed(study)
    if not done:
        raise UsageError("no trial succeeded: the logs beside the trials say why")
    sign = -1 if study.directions[0].name == "MAXIMIZE" else 1
    front = {trial.number for trial in study.best_trials}
    ranked = sorted(done, key=lambda trial: (trial.number not in front, sign * trial.values[0]))
    if as_json:
        rows = [{"trial": t.number, "value": t.values[0], "scores": t.values, "settings": t.params} for t in ranked]
        typer.echo(json.dumps({"best": str(best), "study": study.study_name, "trials": rows}, indent=2))
        return
    states = {"pruned": optuna.trial.TrialState.PRUNED, "failed": optuna.trial.TrialState.FAIL}
    counts = [(len(ended(study, state)), word) for word, state in states.items()]
    others = "".join(f", {count} {word}" for count, word in counts if count)
    trials = "1 trial" if len(done) == 1 else f"{len(done)} trials"
    typer.echo(f"{trials}{others}; the best by {', '.join(objectives)}:", err=True)
    for trial in ranked[: max(SHOWN, len(front) if len(study.directions) > 1 else 0)]:
        words = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in trial.params.items())
        typer.echo(f"{', '.join(f'{value:.6g}' for value in trial.values)}  trial {trial.number}: {words}")
    typer.echo(str(best))
