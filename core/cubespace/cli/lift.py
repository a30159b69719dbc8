"""``cube lift``: objects, places and schemas instead of bits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from cubespace.cli.app import app
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import Device, Folder, Set, Talk, execution
from cubespace.cli.run import changed, work
from cubespace.settings.stages import LIFTING


@app.command(epilog="Example: `cube lift runs/mnist-… --baseline`")
@grouped
def lift(
    *,
    folder: Folder,
    pairs: Set = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="For comparison, also lift the raw pictures, without the network.")
    ] = False,
    device: Device = "auto",
    talk: Talk,
) -> None:
    """Find objects, places and action schemas in the training pairs; write them as lifted PDDL and check them."""
    loaded = talk.catalogue()
    opened = changed(folder, loaded, pairs, {})
    done = work(opened, loaded, execution(device), "lift", talk.terminal())
    record = done.table(LIFTING)
    from cubespace.runs.stages.lift import DOMAIN
    from cubespace.runs.stages.lifted_checks import baseline as without_network
    from cubespace.runs.stages.lifted_checks import summary

    plain = without_network(done.transitions().train, done.domain(), opened.config.lift) if baseline else None
    if talk.as_json:
        shown = {key: value for key, value in record.items() if key != "model"}
        typer.echo(json.dumps({"run": str(done.run.path), **shown, "baseline": plain}, indent=2))
        return
    if record["lifted"]:
        typer.echo(done.run.file(DOMAIN).read_text("utf-8"))
    typer.echo(summary(record))
    for line in (*record["notes"], *_checks(record["checks"])):
        typer.echo(line)
    if plain is not None:
        typer.echo(f"without the network: {summary(plain)}")
    typer.echo(str(done.run.file(DOMAIN) if record["lifted"] else done.run.path))


def _checks(checks: Mapping[str, Any] | None) -> list[str]:
    """Return the checks in words."""
    if checks is None:
        return []
    lines = [
        f"{name} transitions that are actions of the lifted model: {checks[key]['explained']} of "
        f"{checks[key]['transitions']}"
        for name, key in (("training", "training"), ("held-out", "held_out"))
    ]
    if "learned" in checks:
        learned = checks["learned"]
        lines.append(
            f"states with the same successors in the learned model: {learned['same']} of {learned['states']}; "
            f"successors that only the lifted model has: {learned['added']}, only the learned one: {learned['missing']}"
        )
        for whose, actions in (("lifted", learned["only_lifted"]), ("learned", learned["only_learned"])):
            if actions:
                listed = ", ".join(f"{name} ({count})" for name, count in actions.items())
                lines.append(f"  only in the {whose} model: {listed}")
    return lines
