"""``cube export``: results and models in the formats of other tools, or in one file to share."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from cubespace.base.errors import UsageError
from cubespace.base.files import write_text
from cubespace.base.leftovers import temporary_prefix
from cubespace.base.observer import Observer
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import execution
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.stages import CODE

Half = Annotated[
    bool,
    typer.Option(
        "--half", help="Of a bundle: a network's weights in half precision, which is refused if it changes a state."
    ),
]


@app.command(
    epilog="Examples: `cube export lab runs/smoke -o smoke-eval`, `cube export bundle runs/mnist-… -o mnist.cube`"
)
def export(
    form: Annotated[
        Literal["lab", "csv", "macq", "bundle"],
        typer.Argument(
            metavar="FORMAT",
            help="`lab`: a properties file for reports of Lab. `csv`: a line per search. "
            "`macq`: transitions in bits, for macq. `bundle`: a model in one file, for `cube plan --run FILE`.",
        ),
    ],
    folders: Annotated[list[Path], typer.Argument(metavar="RUN…|MATRIX", help="Run folders, or that of a matrix.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="Where to write; for lab, a folder.  [default: after RUN]"),
    ] = None,
    licence: Annotated[
        str, typer.Option(metavar="TEXT", help="Of a bundle: the licence under which the model is shared.")
    ] = "not stated",
    half: Half = False,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Write results or models in the formats of other tools."""
    loaded = catalogue(no_plugin)
    if form in RESULTS:
        written = RESULTS[form](folders, output)
    elif len(folders) > 1:
        raise UsageError(f"cube export {form} takes one run: {len(folders)} were named")
    elif form == "bundle":
        written = _bundle(folders[0], output, licence, loaded if half else None)
    else:
        written = _macq(folders[0], output or Path(f"{folders[0].name}-macq.csv"), loaded)
    if as_json:
        facts = {"file": str(written), "format": form, "runs": [str(folder) for folder in folders]}
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(str(written))


def _bundle(folder: Path, output: Path | None, licence: str, halving: Catalogue | None) -> Path:
    """Write a model in one file; given the plugins that read its code, with weights in half precision."""
    from cubespace.runs.pictures.bundle import SUFFIX, write_bundle

    run, target = RunFolder.load(folder), output or Path(folder.name + SUFFIX)
    if halving is None:
        return write_bundle(run, target, licence)
    from cubespace.runs.folder.contents import RunContents
    from cubespace.runs.pictures.smaller import write_half

    with tempfile.TemporaryDirectory(prefix=temporary_prefix()) as name:
        code = Path(name) / CODE
        write_half(RunContents(run, halving, execution("auto"), Observer()), code)
        return write_bundle(run, target, licence, code)


def _lab(folders: Sequence[Path], output: Path | None) -> Path:
    """Write the properties file of Lab into a folder, which is what its reports read."""
    from cubespace.experiments.exports.lab import lab_properties
    from cubespace.experiments.tables.rows import read_runs

    target = (output or Path(f"{folders[0].name}-eval")) / "properties"
    write_text(target, json.dumps(lab_properties(read_runs(folders)), indent=2, sort_keys=True) + "\n")
    return target


def _csv(folders: Sequence[Path], output: Path | None) -> Path:
    from cubespace.experiments.exports.records import search_csv
    from cubespace.experiments.tables.rows import read_runs

    target = output or Path(f"{folders[0].name}.csv")
    write_text(target, search_csv(read_runs(folders)))
    return target


RESULTS: dict[str, Callable[[Sequence[Path], Path | None], Path]] = {"lab": _lab, "csv": _csv}


def _macq(folder: Path, target: Path, loaded: Catalogue) -> Path:
    """Write the training transitions in bits."""
    from cubespace.experiments.exports.macq import macq_csv
    from cubespace.runs.stages.pipeline import Pipeline

    pipeline = Pipeline(RunFolder.load(folder), loaded, execution("auto"), Observer())
    code, pairs = pipeline.code(), pipeline.transitions().train
    before, after = (code.encode(pictures) for pictures in (pairs.before, pairs.after))
    text, missing = macq_csv(before, after, pipeline.strips())
    write_text(target, text)
    if missing:
        typer.echo(
            f"{missing} of {len(before)} transitions are left out: no action of the model explains them", err=True
        )
    return target
