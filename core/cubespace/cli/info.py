"""``cube info``: what this installation is made of."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping

import attrs
import typer

from cubespace import __version__
from cubespace.base.errors import UsageError
from cubespace.base.version import version_of
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.plugins.catalogue import Catalogue
from cubespace.plugins.component import KINDS
from cubespace.plugins.offers import Failure

LIBRARIES = ("torch", "numpy", "pluggy", "attrs", "cattrs", "pillow", "up-fast-downward", "pyperplan", "up-symk")


@app.command(
    epilog="Example: `cube info --json`. One component and its options: `cube plugins mnist`",
    context_settings={"allow_extra_args": True},  # so that the error can say where they belong
)
def info(ctx: typer.Context, as_json: AsJson = False, no_plugin: NoPlugin = None) -> None:
    """Show versions, device, threads, planners found, plugins, failures, and the presets with their reasons."""
    if ctx.args:
        raise UsageError(f"cube info takes no name: cube plugins {ctx.args[0]} shows one component and its options")
    installation = inspect_installation(catalogue(no_plugin))
    if as_json:
        typer.echo(json.dumps(attrs.asdict(installation), indent=2))
        return
    typer.echo(f"cubespace {installation.cubespace}, Python {installation.python}, {installation.platform}")
    typer.echo(
        f"device {installation.device}, {installation.threads} thread(s) by default, {installation.cores} core(s)"
    )
    libraries = ", ".join(f"{name} {number or 'absent'}" for name, number in installation.libraries.items())
    typer.echo(f"libraries: {libraries}")
    for name, state in installation.planners.items():
        typer.echo(f"planner {name}: {state}")
    for name, preset in installation.presets.items():
        typer.echo(f"preset {name}: {preset.reason}  [{preset.plugin}, {preset.distribution}]")
    for kind in KINDS:
        typer.echo(f"{KINDS[kind].title}s: {', '.join(installation.components[kind]) or 'none'}")


@attrs.frozen(kw_only=True)
class ListedPreset:
    """A preset without its settings."""

    reason: str
    plugin: str
    distribution: str


@attrs.frozen(kw_only=True)
class Installation:
    """What ``cube info --json`` prints."""

    cubespace: str
    python: str
    platform: str
    device: str
    threads: int
    cores: int | None
    libraries: Mapping[str, str | None]  # versions; None: absent
    planners: Mapping[str, str]  # found, or the reason why not
    presets: Mapping[str, ListedPreset]
    components: Mapping[str, list[str]]  # names by kind
    failures: tuple[Failure, ...]


def inspect_installation(loaded: Catalogue) -> Installation:
    """Return the parts of this installation."""
    from cubespace.autoencoder.devices import default_threads, pick_device

    return Installation(
        cubespace=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        device=str(pick_device("auto")),
        threads=default_threads(),
        cores=os.cpu_count(),
        libraries={name: version_of(name) for name in LIBRARIES},
        planners={name: _planner_state(loaded, name) for name in loaded.names("planner")},
        presets={
            name: ListedPreset(reason=preset.reason, plugin=preset.plugin, distribution=preset.distribution)
            for name, preset in loaded.presets.items()
        },
        components={kind: loaded.names(kind) for kind in KINDS},
        failures=tuple(loaded.failures),
    )


def _planner_state(loaded: Catalogue, name: str) -> str:
    try:
        missing = loaded.create("planner", name).missing()
    except UsageError as error:  # one planner that cannot be built must not hide the others
        return str(error)
    return f"missing: {missing}" if missing else "found"
