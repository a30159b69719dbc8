"""The options by which commands set up a run, and the configuration they amount to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import attrs
import typer

from cubespace.cli.app import AsJson, NoPlugin, catalogue
from cubespace.cli.completion import names, presets
from cubespace.cli.progress import Terminal
from cubespace.config import RunConfig, load_config, parse_settings
from cubespace.plugins import Catalogue
from cubespace.presets import preset_names
from cubespace.recipe import Execution
from cubespace.runs import Run, default_folder

SPEC = "NAME[:key=value,…]"

Domain = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC, autocompletion=names("domain"), help="Where the pictures come from; see `cube plugins domain`."
    ),
]
Apply = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC, autocompletion=names("apply"), help="How an action changes the bits; see `cube plugins apply`."
    ),
]
Precondition = Annotated[
    str | None,
    typer.Option(
        metavar=SPEC,
        autocompletion=names("precondition"),
        help="How preconditions are learned; see `cube plugins precondition`.",
    ),
]
Planner = Annotated[
    list[str] | None,
    typer.Option(
        metavar=SPEC, autocompletion=names("planner"), help="Who plans; repeatable; see `cube plugins planner`."
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
        help=f"Settings for domains that need others: {', '.join(preset_names())}; `cube info` gives the reasons.",
    ),
]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A TOML file with settings.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any setting, such as `train.epochs=50`.")
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="RUN", help="The run folder.  [default: runs/…]")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1 or mps.")]
Threads = Annotated[int, typer.Option(min=1, help="CPU threads of training; one is fastest on a busy machine.")]
Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", help="Say nothing but results and errors; RUN/run.log has the rest.")
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say every step, not just now and then.")]
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


@attrs.frozen
class Search:
    """What to plan and within which limits."""

    planner: Planner = None
    instances: Instances = None
    length: Length = None
    time_limit: TimeLimit = None
    memory_limit: MemoryLimit = None

    def flags(self) -> dict[str, object | None]:
        """Return the settings they stand for."""
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
        """Return defaults, preset, file, ``--set`` and flags, the last on top; flags that are None say nothing."""
        settings = parse_settings(self.pairs or [])
        settings |= {key: value for key, value in flags.items() if value is not None}
        if self.seed is not None:
            settings |= dict.fromkeys(("data.seed", "train.seed", "extract.seed", "plan.seed"), self.seed)
        return load_config(self.config, settings, self.preset)


@attrs.frozen
class Talk:
    """What a command says and how, and which plugins it does without."""

    quiet: Quiet = False
    verbose: Verbose = False
    as_json: AsJson = False
    no_plugin: NoPlugin = None

    def catalogue(self) -> Catalogue:
        """Return the plugins."""
        return catalogue(self.no_plugin)

    def terminal(self) -> Terminal:
        """Return who tells the user how the work goes."""
        return Terminal(quiet=self.quiet, verbose=self.verbose)


def open_run(folder: Path | None, config: RunConfig) -> Run:
    """Open or make the run folder of a configuration."""
    return Run.start(folder or default_folder(config), config)


def execution(device: str, threads: int) -> Execution:
    """Return where and how to train; a device that is not there is refused before any work is done."""
    if device != "auto":
        from cubespace.devices import pick_device

        pick_device(device)
    return Execution(device=device, threads=threads)
