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
    from cubespace.report.visuals import LearnedPictures
    from cubespace.runs.folder.contents import RunContents
    from cubespace.runs.folder.run_folder import RunFolder

REPORT = "report.html"


def write_report(runs: Sequence[Path | str], catalogue: Catalogue, output: Path | str | None = None) -> Path:
    """Write the report of one run, by default into its folder, or of several, by default beside them.

    Return the path. With several runs, the report of each is written too if it is missing or older than its results.
    """
    if not runs:
        raise UsageError("a report needs at least one run folder")
    from cubespace.runs.folder.run_folder import RunFolder

    with well_formed(*runs):
        opened = [RunFolder.load(run, catalogue) for run in runs]
        if len(opened) == 1:
            return report_run(_contents(opened[0]), output)
        return _compare_runs(opened, Path(output) if output else opened[0].path.parent / REPORT)


def report_run(run: RunContents, output: Path | str | None = None) -> Path:
    """Write the report of one run, by default into its folder, and return the path."""
    from cubespace.report.run_files import facts_of

    with well_formed(run.run.path):
        return _write_run(facts_of(run.run), run, Path(output) if output else run.run.file(REPORT))


def _compare_runs(runs: Sequence[RunFolder], target: Path) -> Path:
    from cubespace.report.compare import compare_page
    from cubespace.report.run_files import facts_of

    found = [facts_of(run) for run in runs]
    for facts in found:
        if _outdated(facts):
            _write_run(facts, _contents(facts.run), facts.run.file(REPORT))
    write_text(target, compare_page(found, target))
    return target


def _contents(run: RunFolder) -> RunContents:
    from cubespace.base.observer import Observer
    from cubespace.runs.folder.contents import RunContents
    from cubespace.settings.recipe import Execution

    return RunContents(run, run.catalogue, Execution(device="cpu"), Observer())


def _write_run(facts: Facts, run: RunContents, target: Path) -> Path:
    from cubespace.report.page import run_page

    write_text(target, run_page(facts, _learned(facts, run), target))
    return target


def _learned(facts: Facts, run: RunContents) -> LearnedPictures | None:
    """Return what the run has learned, or None if training is not finished."""
    if "train" not in facts.finished:
        return None
    from cubespace.report.visuals import LearnedPictures
    from cubespace.runs.stages.planned import planned_run

    model = run.strips() if "extract" in facts.finished else None
    names = planned_run(run).strips.names if "evaluate" in facts.finished else ()
    return LearnedPictures(run.run, run.code(), model, run.transitions(), run.bits()["train"], names)


def _outdated(facts: Facts) -> bool:
    report, results = facts.run.file(REPORT), facts.run.file("results.json")
    if not report.is_file():
        return True
    return results.is_file() and results.stat().st_mtime > report.stat().st_mtime
