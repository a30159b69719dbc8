"""Planners of extras: what is missing says how to install it, and what they do not support is said too."""

from __future__ import annotations

import importlib.util

import pytest
from planning_tasks import scattered

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.planner import Limits, Outcome
from cubespace.search.planner_process import run_planner
from cubespace.symbols.strips import Task
from cubespace.testing.planner import corridor, state

LIMITS = Limits(seconds=600, megabytes=2048)
needs_engines = pytest.mark.skipif(
    importlib.util.find_spec("unified_planning") is None,
    reason="unified-planning is not installed: pip install 'cubespace[up]'",
)


def task() -> Task:
    return Task(corridor(), state(0, door_open=False), state(5, door_open=True))


@pytest.mark.parametrize(
    ("spec", "package"),
    [("up:engine=enhsp", "up-enhsp"), ("up:engine=pyperplan", "up-pyperplan"), ("lapkt", "cubespace[lapkt]")],
)
def test_what_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, spec: str, package: str) -> None:
    gone = ("up_enhsp", "up_pyperplan", "lapkt")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in gone else object())
    with pytest.raises(UsageError) as caught:
        run_planner(load_plugins().create("planner", spec), task(), LIMITS)
    assert f"pip install {package}" in str(caught.value).replace("'", "")


def test_java_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    planner = load_plugins().create("planner", "up:engine=enhsp")
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    assert "needs Java" in str(planner.missing())


@needs_engines
def test_an_engine_that_nobody_has_is_unsupported() -> None:
    result = run_planner(load_plugins().create("planner", "up:engine=nobody"), task(), LIMITS)
    assert result.outcome is Outcome.UNSUPPORTED
    assert "no engine 'nobody'" in result.detail


def test_only_engines_that_guarantee_it_are_optimal() -> None:
    engines = {engine: load_plugins().create("planner", f"up:engine={engine}") for engine in ("symk", "symk-opt")}
    assert {engine: planner.optimal for engine, planner in engines.items()} == {"symk": False, "symk-opt": True}


@needs_engines
def test_costs_count_for_engines_and_are_refused_by_lapkt() -> None:
    result = run_planner(load_plugins().create("planner", "up:engine=fast-downward-opt"), scattered(6), LIMITS)
    assert result.outcome is Outcome.SOLVED
    lapkt = load_plugins().create("planner", "lapkt")
    assert "costs" in str(lapkt.unsupported(scattered(6)))


@needs_engines
def test_too_little_time_is_out_of_time() -> None:
    result = run_planner(load_plugins().create("planner", "up"), task(), Limits(seconds=0.1, megabytes=2048))
    assert result.outcome is Outcome.OUT_OF_TIME
