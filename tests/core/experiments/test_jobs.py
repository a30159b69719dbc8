"""Stages that cells share are jobs of their own, and all is done once."""

from pathlib import Path

from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.jobs import executor_jobs, levels, plan_jobs
from cubespace.experiments.matrix import Matrix, MatrixCell, cells_of
from cubespace.experiments.slurm import job_lines
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.recipe import Execution

FOLDER = Path("runs/m")


def cells(**axes: object) -> list[MatrixCell]:
    return cells_of(Matrix(axes=axes), FOLDER, load_plugins())


def nothing(_: MatrixCell, __: str) -> bool:
    return False


def stages(**axes: object) -> list[str]:
    return sorted(job.stage for job in plan_jobs(cells(**axes), nothing))


def test_cells_that_share_nothing_are_one_job_each() -> None:
    assert stages(seed="0-2") == ["evaluate"] * 3


def test_a_planner_axis_shares_the_model_and_a_precondition_axis_the_training() -> None:
    assert stages(planner=["fd-ms", "fd-lmcut"]) == ["evaluate"] * 2 + ["extract"]
    assert stages(precondition=["static", "values"]) == ["evaluate"] * 2 + ["train"]
    assert stages(apply=["btl", "minmax"]) == ["data"] + ["evaluate"] * 2


def test_shared_stages_come_first_and_each_job_waits_for_the_nearest() -> None:
    jobs = plan_jobs(cells(apply=["btl", "minmax"], planner=["fd-ms", "fd-lmcut"], seed="0-1"), nothing)
    names = {job.name: job for job in jobs}
    for job in jobs:
        if job.stage == "evaluate":
            assert names[job.after].stage == "extract"
        if job.stage == "extract":
            assert names[job.after].stage == "data"
    assert [len(level) for level in levels(jobs)] == [2, 4, 8]


def test_what_is_done_is_no_job() -> None:
    some = cells(planner=["fd-ms", "fd-lmcut"], seed="0-1")
    first = some[0].config

    def done(cell: MatrixCell, stage: str) -> bool:
        return cell.config.train.seed == 0 and (stage != "evaluate" or cell.config == first)

    jobs = plan_jobs(some, done)
    assert sorted((job.stage, job.cell.config.train.seed) for job in jobs) == [
        ("evaluate", 0),
        ("evaluate", 1),
        ("evaluate", 1),
        ("extract", 1),
    ]
    assert next(job for job in jobs if job.cell.config.train.seed == 0).after is None
    assert plan_jobs(some, lambda *_: True) == []


def test_a_job_is_a_call_of_cube_and_has_a_line_in_the_script() -> None:
    jobs = plan_jobs(cells(planner=["fd-ms", "fd-lmcut"]), nothing)
    calls = executor_jobs(
        jobs,
        FOLDER,
        CellCall(
            execution=Execution(searches=2, device="cpu", checkpoint_seconds=5),
            observers=("tb:a=1",),
            blocked=("piles",),
            seconds=60,
        ),
        True,
    )
    assert [call.arguments[:2] for call in calls] == [("cell", str(job.cell.folder)) for job in jobs]
    assert calls[0].arguments[2:4] == ("--until", "extract")
    how = ("--device", "cpu", "--searches", "2", "--checkpoint-seconds", "5", "--diagnose", "--observer", "tb:a=1")
    how = (*how, "--no-plugin", "piles", "--cell-time", "60")
    assert calls[0].arguments[4:] == how, "a shared model is diagnosed for all, and there is nobody to take over from"
    assert calls[1].arguments[3:] == ("evaluate", *how), "it works in the same folder"
    assert calls[2].arguments[3:] == ("evaluate", "--reuse", str(jobs[0].cell.folder), *how)
    assert calls[1].after == (calls[0].name,)
    script = job_lines(jobs, FOLDER, CellCall(), False)
    assert sum("exec cube cell" in line for line in script) == len(jobs)
    assert any("--dependency=afterany:$level0" in line for line in script)


def test_a_job_takes_over_from_the_jobs_before_it_and_from_what_was_done_earlier() -> None:
    earlier = FOLDER / "cells" / "earlier"
    planned = plan_jobs(cells(apply=["btl", "minmax"], planner=["fd-ms", "fd-lmcut"]), nothing, lambda _: [earlier])
    of_data, of_model, of_other_model = (job for job in planned if job.stage != "evaluate")
    assert of_data.lenders == of_model.lenders == (earlier,), "the first three jobs work in one folder"
    assert of_other_model.lenders == (of_data.cell.folder, earlier)
    last = planned[-1]
    assert last.lenders == (of_other_model.cell.folder, of_data.cell.folder, earlier), "the one with most comes first"
