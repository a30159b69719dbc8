"""``cube info``: what this installation is made of."""

from __future__ import annotations

import json
import os
import platform
from typing import Any

import attrs
import typer

from cubespace import __version__
from cubespace.base.errors import UsageError
from cubespace.base.version import version_of
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.plugins.catalogue import Catalogue
from cubespace.plugins.component import KINDS

LIBRARIES = ("torch", "numpy", "pluggy", "attrs", "cattrs", "pillow", "up-fast-downward", "pyperplan", "up-symk")


@app.command(
    epilog="Example: `cube info --json`. One component and its options: `cube plugins mnist`",
    context_settings={"allow_extra_args": True},  # so that the error can say where they belong
)
def info(ctx: typer.Context, as_json: AsJson = False, no_plugin: NoPlugin = None) -> None:
    """Show versions, device, threads, planners found, plugins, failures, and the presets with their reasons."""
    if ctx.args:
        raise UsageError(f"cube info takes no name: cube plugins {ctx.args[0]} shows one component and its options")
    facts = gather(catalogue(no_plugin))
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(f"cubespace {facts['cubespace']}, Python {facts['python']}, {facts['platform']}")
    typer.echo(f"device {facts['device']}, {facts['threads']} thread(s) by default, {facts['cores']} core(s)")
    typer.echo("libraries: " + ", ".join(f"{name} {number or 'absent'}" for name, number in facts["libraries"].items()))
    for name, state in facts["planners"].items():
        typer.echo(f"planner {name}: {state}")
    for name, preset in facts["presets"].items():
        typer.echo(f"preset {name}: {preset['reason']}  [{preset['plugin']}, {preset['distribution']}]")
    for kind in KINDS:
        typer.echo(f"{KINDS[kind].title}s: {', '.join(facts['components'][kind]) or 'none'}")


def gather(loaded: Catalogue) -> dict[str, Any]:
    """Return what ``cube info --json`` prints."""
    from cubespace.autoencoder.devices import default_threads, pick_device

    return {
        "cubespace": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "device": str(pick_device("auto")),
        "threads": default_threads(),
        "cores": os.cpu_count(),
        "libraries": {name: version_of(name) for name in LIBRARIES},
        "planners": {name: _planner_state(loaded, name) for name in loaded.names("planner")},
        "presets": {
            name: {"reason": preset.reason, "plugin": preset.plugin, "distribution": preset.distribution}
            for name, preset in loaded.presets.items()
        },
        "components": {kind: loaded.names(kind) for kind in KINDS},
        "failures": [attrs.asdict(failure) for failure in loaded.failures],
    }


def _planner_state(loaded: Catalogue, name: str) -> str:
    try:
        missing = loaded.create("planner", name).missing()
    except UsageError as error:  # one planner that cannot be built must not hide the others
        return str(error)
    return f"missing: {missing}" if missing else "found"
