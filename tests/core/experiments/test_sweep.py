"""A matrix from Python, followed by observers: what cells report, which files they write, how they fail."""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny_matrix import DEFAULTS, InProcess, done

import cubespace
from cubespace.base.errors import UsageError
from cubespace.base.options import NoOptions
from cubespace.experiments.cell_call import CellCall
from cubespace.plugins.catalogue import load_plugins

FOLLOWER = """
import json
from cubespace import hookimpl
from cubespace.base.observer import Observer

class Follower(Observer):
    def start(self, folder):
        self.file = (folder / "events.jsonl").open("a")
    def _add(self, *event):
        self.file.write(json.dumps(event) + "\\n")
    def plan(self, record):
        self._add("plan", record["problem"])
    def wrote(self, stage, files):
        self._add("wrote", stage, sorted(file.name for file in files if file.is_file()))
    def failed(self, reason):
        self._add("failed", reason)
    def close(self):
        self._add("close")
        self.file.close()

@hookimpl
def cube_observers(registry):
    registry.add("follower", Follower, "writes what it hears")
"""
AXES = {"planner": ["fd-lmcut", "pyperplan-bfs"], "seed": range(2)}


@pytest.fixture
def install(tmp_path, monkeypatch) -> Iterator[Callable[[str, str], None]]:
    """Return a function that installs an observer of one module, by name and code."""
    site = tmp_path / "site"

    def put(name: str, code: str) -> None:
        info = site / f"cube_{name}-0.1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: cube-{name}\nVersion: 0.1\n")
        (info / "entry_points.txt").write_text(f"[cubespace]\n{name} = cube_{name}\n")
        (site / f"cube_{name}.py").write_text(code)
        monkeypatch.syspath_prepend(str(site))
        load_plugins.cache_clear()

    yield put
    for name in ("cube_follower", "cube_tensorboard"):
        sys.modules.pop(name, None)
    load_plugins.cache_clear()


@pytest.fixture
def follower(install) -> None:
    install("follower", FOLLOWER)


def heard(run: Path) -> list[list[object]]:
    return [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]


@pytest.mark.usefixtures("follower")
def test_an_observer_follows_a_matrix_of_four_cells(tmp_path) -> None:
    sweep = cubespace.matrix(tmp_path / "m", AXES, DEFAULTS, executor=InProcess(NoOptions()), observers=["follower"])
    assert (sweep.outcome.done, sweep.outcome.failures) == (4, {})
    runs = sorted((tmp_path / "m" / "cells").iterdir())
    assert len(runs) == 4
    for run in runs:
        events = heard(run)
        kinds = Counter(event[0] for event in events)
        assert kinds["plan"] == DEFAULTS["plan.instances"]
        assert "failed" not in kinds
        assert {event[1] for event in events if event[0] == "wrote"} == {
            "data",
            "train",
            "extract",
            "evaluate",
            "diagnose",
        }
        assert ["wrote", "evaluate", ["results.json"]] in events
        assert events[-1] == ["close"]
    assert done(tmp_path / "m") == {"data": 2, "train": 2, "extract": 2, "evaluate": 4}
    logs = [(run / "run.log").read_text() for run in runs]
    assert sum(log.count("diagnose: 20 states") for log in logs) == 2, "a model is diagnosed once, not for each planner"
    assert len(sweep.table().rows) == 1

    lines = [json.loads(line) for line in (tmp_path / "m" / "logs" / "jobs.jsonl").read_text().splitlines()]
    assert len(lines) == 6, "two shared models, four cells"
    assert all(line["status"] == 0 for line in lines)


@pytest.mark.usefixtures("follower")
def test_a_cell_that_fails_is_heard_of_and_others_go_on(tmp_path) -> None:
    axes = {"domain": ["lightsout:size=2", "images:path=nowhere"]}
    settings = {key: value for key, value in DEFAULTS.items() if key != "domain"}
    call = CellCall(observers=("follower",))
    sweep = cubespace.matrix(tmp_path / "m", axes, settings, executor=InProcess(NoOptions()), call=call)
    assert sweep.outcome.done == 1
    (failing,) = (run for run in (tmp_path / "m" / "cells").iterdir() if "nowhere" in run.name)
    events = heard(failing)
    assert [event[0] for event in events] == ["failed", "close"]
    assert "nowhere" in str(events[0][1])


def test_a_cell_that_takes_too_long_fails_alone_and_goes_on_later(tmp_path) -> None:
    by = InProcess(NoOptions())
    late = cubespace.matrix(tmp_path / "m", {"seed": 0}, DEFAULTS, executor=by, call=CellCall(seconds=0.001))
    assert late.outcome.done == 0
    assert all("took longer than its limit" in reason for reason in late.outcome.failures.values())
    assert cubespace.matrix(tmp_path / "m", {"seed": 0}, DEFAULTS, executor=by).outcome.done == 1


def test_a_bad_observer_or_executor_is_refused_before_any_work(tmp_path) -> None:
    with pytest.raises(UsageError, match="No observer is called 'nobody'"):
        cubespace.matrix(tmp_path / "m", {"seed": 0}, observers=["nobody"])
    with pytest.raises(UsageError, match="No executor is called 'nobody'"):
        cubespace.matrix(tmp_path / "m", {"seed": 0}, executor="nobody")
    assert not (tmp_path / "m").exists()


def test_the_tracker_of_the_page_draws_every_cell_in_tensorboard(tmp_path, install) -> None:
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="draws with the real TensorBoard"
    )
    page = (Path(__file__).parents[3] / "docs" / "observers.md").read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code
    install("tensorboard", code.group(1))
    sweep = cubespace.matrix(tmp_path / "m", AXES, DEFAULTS, executor=InProcess(NoOptions()), observers=["tensorboard"])
    assert sweep.outcome.done == 4
    for run in (tmp_path / "m" / "cells").iterdir():
        drawn = accumulator.EventAccumulator(str(run / "tensorboard"))
        drawn.Reload()
        assert len(drawn.Scalars("plans/found")) == DEFAULTS["plan.instances"]
