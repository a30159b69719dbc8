"""A matrix with real runs: what cells share is done once, what is done is kept, what fails harms no other."""

import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest
from tiny_matrix import DEFAULTS, TRAINED, InProcess, done, outcome, tiny_matrix

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import NoOptions
from cubespace.cli.commands import app
from cubespace.cli.matrix import Axes
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.executor import Job, JobResult
from cubespace.experiments.tables.formats import markdown
from cubespace.experiments.tables.rows import read_runs
from cubespace.experiments.tables.table import make_table

PLANNERS = ["fd-lmcut", "pyperplan-bfs"]


def test_a_planner_axis_and_a_precondition_axis_retrain_nothing(tmp_path) -> None:
    axes = {"precondition": ["static", "values"], "planner": PLANNERS}
    run = MatrixRun.of(tiny_matrix(axes), tmp_path)
    result = run.run(InProcess(NoOptions()))
    assert (result.done, result.before, result.failures) == (4, 0, {})
    assert done(tmp_path) == {"data": 1, "train": 1, "extract": 2, "evaluate": 4}
    before = {file: file.stat().st_mtime_ns for file in tmp_path.glob("cells/*/manifest.json")}

    told: list[JobResult] = []
    again = MatrixRun.of(tiny_matrix(axes), tmp_path).run(InProcess(NoOptions()), told=told.append)
    assert (again.done, again.before, told) == (4, 4, [])

    wider = MatrixRun.of(tiny_matrix({**axes, "planner": [*PLANNERS, "fd-blind"]}), tmp_path)
    assert wider.estimate().total(wider.jobs()) is not None
    assert wider.run(InProcess(NoOptions())).done == 6
    assert done(tmp_path) == {"data": 1, "train": 1, "extract": 2, "evaluate": 6}
    assert before.items() <= {file: file.stat().st_mtime_ns for file in tmp_path.glob("cells/*/manifest.json")}.items()


def test_a_cell_whose_results_were_changed_is_left_out_by_name_and_done_again(tmp_path) -> None:
    axes = {"seed": "0-2"}
    MatrixRun.of(tiny_matrix(axes), tmp_path).run(InProcess(NoOptions()))
    changed = sorted(tmp_path.glob("cells/*/results.json"))[1]
    changed.write_text(changed.read_text().replace('"found": 3', '"found": 2'))

    table = make_table(read_runs([tmp_path]))
    assert table.values[0][0].counts.instances == 6
    told = f"1 run is left out, without a finished stage 'evaluate': {changed.parent.name}"
    assert table.left_out == told
    assert told in markdown(table)
    assert not make_table(read_runs([tmp_path]), values=["updates"]).left_out, "no result of planners is shown"
    assert tables_command(tmp_path).count(told) == 1

    again = MatrixRun.of(tiny_matrix(axes), tmp_path)
    assert [again.done(cell) for cell in again.cells].count(False) == 1
    assert (again.run(InProcess(NoOptions())).before, again.done(again.cells[1])) == (2, True)
    assert make_table(read_runs([tmp_path])).left_out == ""


def tables_command(folder: Path) -> str:
    """Return what ``cube tables --json`` says on stderr."""
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        app(["tables", str(folder), "--json"], standalone_mode=False)
    return said.getvalue()


def test_the_precision_of_the_command_line_is_a_setting_of_the_cells(tmp_path) -> None:
    given = tiny_matrix({"seed": "0"}, TRAINED)
    (tmp_path / "m.toml").write_text(given.dump())
    cells = {
        precision: MatrixRun.of(Axes(precision=precision).put_on(given), tmp_path).cells[0]
        for precision in (None, "float32", "bf16")
    }
    assert cells["bf16"].config.train.precision == "bf16"
    assert cells["bf16"].keys != cells["float32"].keys == cells[None].keys
    quick = tiny_matrix({"learner": ["places"], "seed": "0"})
    assert MatrixRun.of(Axes(precision="bf16").put_on(quick), tmp_path).cells[0].config.train.precision == "float32"


def test_another_matrix_lends_what_it_has_done(tmp_path) -> None:
    MatrixRun.of(tiny_matrix({"planner": PLANNERS[:1]}), tmp_path / "one").run(InProcess(NoOptions()))
    two = MatrixRun.of(tiny_matrix({"planner": PLANNERS}), tmp_path / "two")
    two.reuse([tmp_path / "one"])
    assert two.run(InProcess(NoOptions())).done == 2
    assert done(tmp_path / "two") == {"evaluate": 1}, "the one that the other matrix has not"
    same = MatrixRun.of(tiny_matrix({"planner": PLANNERS}), tmp_path / "same")  # its cells have the same names
    same.reuse([tmp_path / "two"])
    assert same.run(InProcess(NoOptions())).done == 2
    assert not done(tmp_path / "same")


def test_a_cell_that_fails_is_told_with_its_reason_and_harms_no_other(tmp_path) -> None:
    matrix = tiny_matrix({"domain": ["lightsout:size=2", "images:path=nowhere"], "planner": PLANNERS})
    result = MatrixRun.of(attrs.evolve(matrix, settings={**DEFAULTS}), tmp_path).run(InProcess(NoOptions()))
    assert (result.done, result.cells) == (2, 4)
    assert len(result.failures) == 3, "the shared stage, and two cells that need it"
    assert any("needs" in reason for reason in result.failures.values())


def test_a_job_that_ends_well_without_its_results_is_told(tmp_path) -> None:
    class Idle(InProcess):
        def call(self, job: Job) -> JobResult:
            return JobResult(job=job, status=0)

    run = MatrixRun.of(tiny_matrix({"seed": "0"}), tmp_path)
    result = run.run(Idle(NoOptions()))
    assert result.done == 0
    (reason,) = result.failures.values()
    assert reason.startswith(f"it ended well, but {run.cells[0].folder} has no finished stage 'evaluate'")


def test_a_folder_of_something_else_and_a_matrix_at_work_are_refused(tmp_path) -> None:
    run = MatrixRun.of(tiny_matrix({"seed": "0"}), tmp_path)
    (tmp_path / "mine.txt").touch()
    with pytest.raises(InputError, match="not a matrix"):
        run.run(InProcess(NoOptions()))
    (tmp_path / "mine.txt").unlink()

    class Busy(InProcess):
        def run(self, *_) -> None:
            with pytest.raises(UsageError, match="another process"):
                MatrixRun.of(run.matrix, tmp_path).run(InProcess(NoOptions()))

    run.run(Busy(NoOptions()))


def command(file: Path, folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "cubespace.cli", "matrix", str(file), "-o", str(folder), "--jobs", "2", *words]


def children(process: int) -> list[int]:
    listed = subprocess.run(["ps", "--ppid", str(process), "-o", "pid="], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


@pytest.mark.slow
def test_kills_of_driver_and_workers_change_nothing(tmp_path) -> None:
    """Twelve cells; the driver is killed again and again, then workers under one driver: all ends as if undisturbed."""
    axes = {"precondition": ["static", "significant"], "planner": [*PLANNERS, "fd-blind"], "seed": "0-1"}
    file = tmp_path / "matrix.toml"
    file.write_text(tiny_matrix(axes, TRAINED).dump())
    calm, begun = tmp_path / "calm", time.monotonic()
    assert subprocess.run(command(file, calm), check=False, stderr=subprocess.DEVNULL).returncode == 0
    whole, moments = time.monotonic() - begun, random.Random(0)  # kills come early enough on a quick machine too

    driver_killed, kills = tmp_path / "driver", 0
    while True:
        process = subprocess.Popen(command(file, driver_killed), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            if process.wait(moments.uniform(0.2, 0.5) * whole) == 0:
                break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    assert kills >= 2
    assert outcome(driver_killed) == outcome(calm)

    worker_killed, kills = tmp_path / "worker", 0
    process = subprocess.Popen(command(file, worker_killed), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        time.sleep(moments.uniform(0.1, 0.25) * whole)
        workers = children(process.pid)
        if workers and kills < 4:
            os.kill(moments.choice(workers), signal.SIGKILL)
            kills += 1
    assert kills >= 2
    if process.returncode:  # one cell was killed on both tries
        assert subprocess.run(command(file, worker_killed), check=False, stderr=subprocess.DEVNULL).returncode == 0
    assert outcome(worker_killed) == outcome(calm)
    for folder in (calm, driver_killed, worker_killed):
        answer = subprocess.run(command(file, folder, "--json"), capture_output=True, text=True, check=True)
        assert json.loads(answer.stdout)["before"] == 12
        assert done(folder)["evaluate"] <= 12 + 6  # what was cut off began again, nothing that was finished did


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path) -> None:
    file = tmp_path / "matrix.toml"
    file.write_text(tiny_matrix({"seed": "0-1"}).dump())
    folder = tmp_path / "m"
    process = subprocess.Popen(command(file, folder), stderr=subprocess.PIPE, text=True)
    while not list(folder.glob("logs/*")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "continues" in said
    assert "Traceback" not in said
    assert MatrixRun.of(tiny_matrix({"seed": "0-1"}), folder).run(InProcess(NoOptions())).done == 2
