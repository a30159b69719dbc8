"""``cube cell``: the work of one cell of a matrix, or part of it; called by scripts, so help does not list it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import attrs
import typer

from cubespace.base.observer import Observer, Observers
from cubespace.cli.app import NoPlugin, app, catalogue
from cubespace.cli.cell_limits import limited
from cubespace.cli.command_group import SPEC
from cubespace.cli.options import (
    DEFAULTS,
    CellMemory,
    CellTime,
    CheckpointSeconds,
    Device,
    Folder,
    Searches,
    Watchers,
    execution,
    observers,
)
from cubespace.cli.progress_bar import Terminal
from cubespace.cli.run_log import LOG, RunLog
from cubespace.runs.folder.run_folder import RunFolder


@app.command(hidden=True, epilog="Example: a line of `cube matrix FILE --print-jobs`")
def cell(
    folder: Folder,
    until: Annotated[
        Literal["data", "train", "extract", "evaluate"], typer.Option(help="The last stage to do.")
    ] = "evaluate",
    reuse: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="Take over stages that the run FOLDER, or a run in it, did with equal settings; repeatable.",
        ),
    ] = None,
    diagnose: Annotated[
        bool, typer.Option("--diagnose", help="Also compare the model with the truth, if the domain knows its states.")
    ] = False,
    searches: Searches = 1,
    device: Device = DEFAULTS.device,
    checkpoint_seconds: CheckpointSeconds = DEFAULTS.checkpoint_seconds,
    observer: Watchers = None,
    cell_time: CellTime = None,
    cell_memory: CellMemory = None,
    trial: Annotated[
        str | None,
        typer.Option(metavar="STUDY:NUMBER", help="Report to a study of Optuna, which may stop the training."),
    ] = None,
    pruner: Annotated[str, typer.Option(metavar=SPEC, help="What stops it.")] = "none",
    storage: Annotated[str | None, typer.Option(metavar="URL", help="Where that study is.")] = None,
    no_plugin: NoPlugin = None,
) -> None:
    """Do the remaining stages of a run folder; what is done already, here or in a run to reuse, is not done again."""
    loaded = catalogue(no_plugin)
    run = RunFolder.load(folder, loaded)
    from cubespace.experiments.work import Work

    guests = observers(loaded, observer)
    with Terminal() as terminal, RunLog(run.file(LOG)) as log, limited(cell_time, cell_memory):
        own = (terminal, log, *_pruning(trial, pruner, storage, run.config.train.settled))
        how = attrs.evolve(execution(device, searches=searches), checkpoint_seconds=checkpoint_seconds)
        work = Work(run, loaded, how, Observers(own, guests), reuse or ())
        work.until(until, diagnose=diagnose)


def _pruning(trial: str | None, pruner: str, storage: str | None, settled: float) -> list[Observer]:
    """Return what stops a trial that will not be among the best, if this is a trial."""
    if trial is None or storage is None:
        return []
    from cubespace.experiments.tuning.pruning import Pruning

    study, number = trial.rsplit(":", 1)
    return [Pruning(storage, study, int(number), pruner, settled)]
