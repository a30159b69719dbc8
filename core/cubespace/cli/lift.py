"""``cube lift``: objects, places and schemas instead of bits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from cubespace.cli.app import app
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import Device, OrNewest, Set, Talk, execution, or_newest
from cubespace.cli.run import changed, work

if TYPE_CHECKING:
    from cubespace.runs.folder.lifting_file import LiftingRecord

NOT_VALID = 4  # exit code, as that of ``cube plan`` for a plan that is not valid


@app.command(epilog="Examples: `cube lift`, `cube lift runs/mnist-… --baseline`")
@grouped
def lift(
    *,
    folder: OrNewest = None,
    pairs: Set = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="For comparison, also lift the raw pictures, without the network.")
    ] = False,
    device: Device = "auto",
    talk: Talk,
) -> None:
    """Find objects, places and action schemas in the training pairs; write them as lifted PDDL and check them.

    If a check fails, the exit code is 4 and a line says which one.
    """
    loaded = talk.catalogue()
    opened = changed(or_newest(folder), loaded, pairs, {})
    done = work(opened, loaded, execution(device), "lift", talk.terminal())
    record = done.lifting()
    from cubespace.runs.stages.lift import DOMAIN
    from cubespace.runs.stages.lifted_checks import baseline as without_network

    plain = without_network(done.transitions().train, done.domain(), opened.config.lift) if baseline else None
    if talk.as_json:
        baseline_table = None if plain is None else _table(plain)
        typer.echo(json.dumps({"run": str(done.run.path), **_table(record), "baseline": baseline_table}, indent=2))
        _end(record)
        return
    if record.lifted:
        typer.echo(done.run.file(DOMAIN).read_text("utf-8"))
    typer.echo(record.summary)
    for line in (*record.notes, *_checks(record)):
        typer.echo(line)
    if plain is not None:
        typer.echo(f"without the network: {plain.summary}")
    typer.echo(str(done.run.file(DOMAIN) if record.lifted else done.run.path))
    _end(record)


def _end(record: LiftingRecord) -> None:
    """End with the exit code of a model that is not valid if a check of the lifted model failed."""
    failures = () if record.checks is None else record.checks.failures
    for failure in failures:
        typer.echo(f"cube: the lifted model failed a check: {failure}", err=True)
    if failures:
        raise typer.Exit(NOT_VALID)


def _table(record: LiftingRecord) -> dict[str, object]:
    """Return a record without the model itself, which is in the run folder."""
    return attrs.asdict(record, filter=attrs.filters.exclude("model"))


def _checks(record: LiftingRecord) -> list[str]:
    """Return the checks in words."""
    checks = record.checks
    if checks is None:
        return []
    lines = [
        f"{name} transitions that are actions of the lifted model: {split.explained} of {split.transitions}"
        for name, split in (("training", checks.training), ("held-out", checks.held_out))
    ]
    learned = checks.learned
    if learned is not None:
        lines.append(
            f"states with the same successors in the learned model: {learned.same} of {learned.states}; "
            f"successors that only the lifted model has: {learned.added}, only the learned one: {learned.missing}"
        )
        for whose, actions in (("lifted", learned.only_lifted), ("learned", learned.only_learned)):
            if actions:
                listed = ", ".join(f"{name} ({count})" for name, count in actions.items())
                lines.append(f"  only in the {whose} model: {listed}")
    return lines
