"""The report: one HTML file that shows what a run learned and whether it plans; or several runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cubespace.base.errors import UsageError
from cubespace.base.files import well_formed, write_text

if TYPE_CHECKING:
    from cubespace.plugins.catalogue import Catalogue
    from cubespace.report.run_files import Facts
    from cubespace.report.visuals import Learned

REPORT = "report.html"


def write_report(runs: Sequence[Path | str], catalogue: Catalogue, output: Path | str | None = None) -> Path:
    """Write the report of one run, by default into its folder, or of several, by default beside them.

    Return the path. With several runs, the report of each is written too if it is missing or older than its results.
    """
    if not runs:
        raise UsageError("a report needs at least one run folder")
    with well_formed(*runs):
        return _write_report(runs, catalogue, Path(output) if output else None)


def _write_report(runs: Sequence[Path | str], catalogue: Catalogue, output: Path | None) -> Path:
    from cubespace.report.run_files import read_facts

    found = [read_facts(Path(run), catalogue) for run in runs]
    if len(found) == 1:
        return _write_run(found[0], output or found[0].run.file(REPORT), catalogue)
    from cubespace.report.compare import compare_page

    target = output or found[0].run.path.parent / REPORT
    for facts in found:
        if _outdated(facts):
            _write_run(facts, facts.run.file(REPORT), catalogue)
    write_text(target, compare_page(found, target))
    return target


def _write_run(facts: Facts, target: Path, catalogue: Catalogue) -> Path:
    from cubespace.report.page import run_page

    write_text(target, run_page(facts, _learned(facts, catalogue), target))
    return target


def _learned(facts: Facts, catalogue: Catalogue) -> Learned | None:
    """Return what the run has learned, or None if training is not finished."""
    run = facts.run
    if not run.finished("train"):
        return None
    from cubespace.base.observer import Observer
    from cubespace.report.visuals import Learned
    from cubespace.runs.stages.pipeline import Pipeline
    from cubespace.runs.stages.planned import planned_run
    from cubespace.settings.recipe import Execution

    pipeline = Pipeline(run, catalogue, Execution(device="cpu"), Observer())
    model = pipeline.strips() if run.finished("extract") else None
    names = planned_run(pipeline).strips.names if run.finished("evaluate") else ()
    return Learned(run, pipeline.code(), model, pipeline.transitions(), pipeline.bits()["train"], names)


def _outdated(facts: Facts) -> bool:
    report, results = facts.run.file(REPORT), facts.run.file("results.json")
    if not report.is_file():
        return True
    return results.is_file() and results.stat().st_mtime > report.stat().st_mtime
