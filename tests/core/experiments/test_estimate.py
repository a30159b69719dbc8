"""The time that is left: stages once for all that share them, diagnosis, and the start of every process."""

import json
from pathlib import Path

import pytest

from cubespace.experiments.estimate import Estimate
from cubespace.experiments.job_times import start_seconds
from cubespace.experiments.jobs import LOGS, plan_jobs
from cubespace.experiments.matrix import Matrix, cells_of
from cubespace.plugins.catalogue import load_plugins

SECONDS = {"data": 1.0, "train": 20.0, "extract": 3.0, "evaluate": 40.0}


def two_planners(folder: Path) -> list:
    """Three jobs: the model, which two planners share, and what each of them does."""
    cells = cells_of(Matrix(axes={"planner": ["fd-ms", "fd-lmcut"]}), folder, load_plugins())
    jobs = plan_jobs(cells, lambda *_: False)
    assert [job.stage for job in jobs] == ["extract", "evaluate", "evaluate"]
    return jobs


def test_what_cells_share_counts_once_and_every_job_starts_a_process(tmp_path) -> None:
    jobs = two_planners(tmp_path)
    assert Estimate({}, SECONDS).total(jobs) == pytest.approx(1 + 20 + 3 + 2 * 40)
    assert Estimate({}, SECONDS, start=5.0).total(jobs) == pytest.approx(104 + 3 * 5)


def test_a_model_is_diagnosed_once(tmp_path) -> None:
    jobs = two_planners(tmp_path)
    assert Estimate({}, {**SECONDS, "diagnose": 100.0}).total(jobs) == pytest.approx(104 + 100)
    assert Estimate({}, {"data": 1.0}).total(jobs) is None, "a stage was never done"


def test_the_start_of_a_job_is_what_is_not_a_stage(tmp_path) -> None:
    assert start_seconds(tmp_path) == 0
    (tmp_path / LOGS).mkdir()
    rows = [(0, 10.0, 7.0), (0, 6.0, 1.0), (1, 99.0, 0.0), (0, 1.0, 2.0)]  # the last was measured by two clocks
    lines = [json.dumps({"status": s, "seconds": whole, "stage_seconds": stages}) for s, whole, stages in rows]
    (tmp_path / LOGS / "jobs.jsonl").write_text("\n".join(lines) + "\n")
    assert start_seconds(tmp_path) == pytest.approx((3 + 5 + 0) / 3)
