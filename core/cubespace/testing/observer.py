"""The rules that every observer must follow."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from cubespace.base.observer import Observer
from cubespace.base.records import as_table
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.plugins.catalogue import load_plugins

ROWS: tuple[Mapping[str, Any], ...] = (
    {"epoch": 1, "phase": "joint", "total": 1.5, "validation_successor": 0.2, "seconds": 0.1},
    {"epoch": 2, "phase": "joint", "total": 0.5, "validation_direct": None, "seconds": 0.1},
)
SOLVED = PlanRecord(
    key="",
    problem="001",
    planner="theirs",
    outcome="solved",
    detail="",
    plan=(3, 1),
    trace="",
    valid=True,
    optimal=True,
    reason="",
    wrong_step=None,
    seconds=0.2,
    expansions=5,
    known_states=3,
    known_transitions=1,
    unseen_steps=(2,),
)
UNSOLVED = PlanRecord(
    key="",
    problem="002",
    planner="theirs",
    outcome="out of time",
    detail="",
    plan=None,
    trace=None,
    valid=False,
    optimal=False,
    reason="",
    wrong_step=None,
    seconds=9.0,
    known_states=None,
    known_transitions=None,
    unseen_steps=None,
)
RECORDS: tuple[Mapping[str, Any], ...] = (as_table(SOLVED), as_table(UNSOLVED))


def _observer(spec: str) -> Observer:
    observer = load_plugins().create("observer", spec)
    assert isinstance(observer, Observer)
    return observer


def _report_all(observer: Observer, folder: Path) -> None:
    """Report the events of a whole run."""
    observer.start(folder)
    observer.stage("train", "two epochs")
    for row in ROWS:
        observer.step(row["epoch"], len(ROWS), "loss")
        observer.epoch(row)
    observer.stage("evaluate", "two instances")
    for record in RECORDS:
        observer.plan(record)
    observer.wrote("evaluate", [folder / "results.json"])
    observer.say("that was all")
    observer.close()


def it_follows_a_whole_run(spec: str) -> None:
    """Every event is accepted, and a second run after the first."""
    observer = _observer(spec)
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            _report_all(observer, Path(folder))


def it_follows_a_run_that_fails_at_once(spec: str) -> None:
    """The work may end before anything has happened."""
    observer = _observer(spec)
    with tempfile.TemporaryDirectory() as folder:
        observer.start(Path(folder))
        observer.failed("InputError: no such picture")
        observer.close()


def it_changes_nothing_that_it_is_given(spec: str) -> None:
    """Rows and records belong to the caller."""
    kept = deepcopy((ROWS, RECORDS))
    it_follows_a_whole_run(spec)
    assert kept == (ROWS, RECORDS)


def standard_output_is_left_to_results(spec: str) -> None:
    """Nothing is printed where the results of a command go."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        it_follows_a_whole_run(spec)
    assert printed.getvalue() == ""


CHECKS = (
    it_follows_a_whole_run,
    it_follows_a_run_that_fails_at_once,
    it_changes_nothing_that_it_is_given,
    standard_output_is_left_to_results,
)
