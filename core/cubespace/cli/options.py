"""The options with which commands set up a run, and the configuration that results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.observer import Observer
from cubespace.cli.app import AsJson, NoPlugin, catalogue
from cubespace.cli.command_group import SPEC
from cubespace.cli.completion import names, presets, settings
from cubespace.cli.progress_bar import Terminal
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.run_folder import RunFolder, default_folder
from cubespace.settings import defaults
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import SHORT_NAMES, RunConfig, load_config, parse_settings

DEFAULTS = Execution()
DEFAULT_CONFIG = RunConfig()
MOST_THREADS = 1024  # no machine gains from more, and torch fails with far larger numbers

Domain = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC,
        autocompletion=names("domain"),
        help=f"Where the pictures come from; see `cube plugins domain`.  [default: {DEFAULT_CONFIG.domain}]",
    ),
]
Apply = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC,
        autocompletion=names("apply"),
        help="How an action changes the bits of the autoencoder: trains it, and plans with its effects; "
        f"see `cube plugins apply`.  [default: {defaults.APPLY}]",
    ),
]
Learner = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC,
        autocompletion=names("learner"),
        help="How bits are learned: autoencoder is the Cube-Space AutoEncoder, trained by gradient; "
        f"see `cube plugins learner`.  [default: {DEFAULT_CONFIG.learner.name}, chosen by held-out pairs]",
    ),
]
Precondition = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC,
        autocompletion=names("precondition"),
        help="How preconditions are learned; see `cube plugins precondition`.  "
        f"[default: {DEFAULT_CONFIG.extract.precondition}, the one that goes with the learner]",
    ),
]
Planner = Annotated[
    list[str] | None,
    typer.Option(
        metavar=SPEC,
        autocompletion=names("planner"),
        help="The planner; repeatable; see `cube plugins planner`.  "
        f"[default: {', '.join(DEFAULT_CONFIG.plan.planners)}]",
    ),
]
PlanModel = Annotated[
    Literal["learned", "lifted", "repaired", "auto"] | None,
    typer.Option(
        metavar="MODEL",
        help="What to plan with: learned, lifted, repaired (the learned model, repaired by the lifted one), or auto, "
        "the better one by what pairs say.  [default: learned]",
    ),
]
PlanJudge = Annotated[
    Literal["strict", "authors"] | None,
    typer.Option(
        help="authors: judge plans by the laxer rule of the paper's authors, too, which compares no ends.  "
        "[default: strict]"
    ),
]
Instances = Annotated[int | None, typer.Option(min=1, help="How many problems to solve.  [default: 30]")]
Length = Annotated[int | None, typer.Option(min=1, help="Moves from each initial state to the goal.  [default: 7]")]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds per search.  [default: 900]")]
MemoryLimit = Annotated[int | None, typer.Option(help="Megabytes per search.  [default: 2048]")]
Seed = Annotated[int | None, typer.Option(min=0, help="Of data, training, extraction and instances.  [default: 0]")]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=presets,
        help="A named set of settings; `cube info` lists the presets with their reasons.",
    ),
]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A TOML file with settings.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        autocompletion=settings,
        help="Any setting, such as `train.epochs=50`; repeatable; `cube run --dry-run` shows them all.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="RUN", help="The run folder.  [default: runs/…]")
]
Device = Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, cuda:1 or mps.")]
Threads = Annotated[
    str, typer.Option(metavar="N|auto", help="CPU threads; auto measures which number is fastest on this machine now.")
]
Precision = Annotated[
    Literal["float32", "bf16"] | None,
    typer.Option(
        help="Arithmetic of training, a setting like any other: bf16 is faster on GPUs and on CPUs that have it.  "
        f"[default: {DEFAULT_CONFIG.train.precision}]"
    ),
]
Compile = Annotated[bool, typer.Option("--compile", help="Compile the network first; worthwhile on GPUs only.")]
CheckpointSeconds = Annotated[
    float, typer.Option(min=0, help="Seconds between checkpoints: at most this much training is lost, or an epoch.")
]
Searches = Annotated[int, typer.Option(min=1, help="How many searches of planners run side by side.")]
Watchers = Annotated[
    list[str] | None,
    typer.Option(
        "--observer",
        metavar=SPEC,
        autocompletion=names("observer"),
        help="An observer that follows the run, such as a tracker; repeatable; see `cube plugins observer`.",
    ),
]
CellTime = Annotated[
    float | None,
    typer.Option(min=1e-3, metavar="SECONDS", help="By the clock, for each job of a cell; what takes longer fails."),
]
CellMemory = Annotated[
    int | None, typer.Option(min=1, metavar="MEGABYTES", help="For each process of a cell; one that needs more fails.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only results and errors; RUN/run.log has the rest.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print every step, not just one now and then.")]
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
OrNewest = Annotated[
    Path | None, typer.Argument(metavar="RUN", help="A run folder.  [default: the newest run in runs/]")
]


@attrs.frozen
class Search:
    """What to plan and within which limits."""

    planner: Planner = None
    model: PlanModel = None
    judge: PlanJudge = None
    instances: Instances = None
    length: Length = None
    time_limit: TimeLimit = None
    memory_limit: MemoryLimit = None

    def flags(self) -> dict[str, object | None]:
        """Return the settings that the flags stand for."""
        given = attrs.asdict(self)
        given["planners"] = given.pop("planner")
        return {f"plan.{name}": value for name, value in given.items()}


@attrs.frozen
class Settings:
    """Where the settings of a run come from."""

    seed: Seed = None
    preset: Preset = None
    config: Config = None
    pairs: Set = None

    def configuration(self, flags: Mapping[str, object | None]) -> RunConfig:
        """Return defaults, preset, file, ``--seed``, ``--set`` and flags, the last on top; None sets nothing."""
        seeds = {} if self.seed is None else dict.fromkeys(SHORT_NAMES["seed"], self.seed)
        return load_config(self.config, {**seeds, **given_settings(self.pairs, flags)}, self.preset)


@attrs.frozen
class Computing:
    """Where and how the network is trained; of this, only the precision is part of a run's identity."""

    device: Device = DEFAULTS.device
    threads: Threads = str(DEFAULTS.threads)
    precision: Precision = None
    compile: Compile = DEFAULTS.compile
    checkpoint_seconds: CheckpointSeconds = DEFAULTS.checkpoint_seconds

    def execution(self) -> Execution:
        """Return it as settings; a device that does not exist is refused before any work is done."""
        check_device(self.device)
        return Execution(
            device=self.device,
            threads=number_of_threads(self.threads),
            compile=self.compile,
            checkpoint_seconds=self.checkpoint_seconds,
        )

    def flags(self) -> dict[str, object | None]:
        """Return the settings that the flags stand for."""
        return {"train.precision": self.precision}


@attrs.frozen
class Talk:
    """What a command prints and how, and which plugins are blocked."""

    quiet: Quiet = False
    verbose: Verbose = False
    as_json: AsJson = False
    no_plugin: NoPlugin = None

    def catalogue(self) -> Catalogue:
        """Return the plugins."""
        return catalogue(self.no_plugin)

    def terminal(self) -> Terminal:
        """Return the observer that shows progress to the user."""
        return Terminal(quiet=self.quiet, verbose=self.verbose)


def given_settings(pairs: list[str] | None, flags: Mapping[str, object | None]) -> dict[str, object]:
    """Return what ``--set`` and flags say, the last on top; a flag that is None says nothing."""
    return parse_settings(pairs or []) | {key: value for key, value in flags.items() if value is not None}


def or_newest(folder: Path | None) -> Path:
    """Return a folder, or the newest run if none was named, and say then which one that is."""
    if folder is not None:
        return folder
    from cubespace.runs.folder.newest import newest_run

    newest = newest_run()
    typer.echo(f"with the newest run, {newest}", err=True)
    return newest


def open_run(folder: Path | None, config: RunConfig, loaded: Catalogue) -> RunFolder:
    """Return the run folder of a configuration; one that does not exist yet is created when the work begins."""
    return RunFolder.prepare(folder or default_folder(config), config, loaded)


def execution(
    device: str,
    threads: int = DEFAULTS.threads,
    searches: int = DEFAULTS.searches,
) -> Execution:
    """Return how a stage is executed, on a device that exists."""
    check_device(device)
    return Execution(device=device, threads=threads, searches=searches)


def number_of_threads(text: str) -> int:
    """Return what ``--threads`` asks for."""
    if text == "auto":
        from cubespace.autoencoder.devices import fastest_threads

        return fastest_threads()
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_THREADS):
        raise UsageError(f"--threads {text}: write a whole number from 1 to {MOST_THREADS}, or auto")
    return int(text)


def check_device(device: str) -> None:
    """Refuse a device that does not exist, before any work is done."""
    if device != "auto":
        from cubespace.autoencoder.devices import pick_device

        pick_device(device)


def observers(loaded: Catalogue, specs: list[str] | None) -> dict[str, Observer]:
    """Return the observers that the user asked for; a bad name or option is refused before any work is done."""
    return {spec: loaded.create("observer", spec) for spec in specs or []}
