"""The executor ``ray`` on real clusters: what all executors keep, lost workers, lost machines, files that are sent."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_matrix import DEFAULTS, TRAINED, done, outcome, tiny_matrix

from cubespace.base.errors import UsageError
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.executor import OUTPUT, Job, JobResult
from cubespace.plugins.catalogue import load_plugins
from cubespace.testing import conformance
from cubespace.testing import executor as suite

ray = pytest.importorskip("ray", reason="the executor ray needs the extra [ray]")

from cubespace_executors.local import Local, LocalOptions  # noqa: E402
from cubespace_executors.ray_executor import Ray, RayOptions  # noqa: E402
from cubespace_executors.ray_worker import pack, unpack  # noqa: E402

SLOW = """
import os, time
from pathlib import Path
from cubespace import hookimpl

@hookimpl
def cube_commands(app):
    @app.command()
    def slowly(folder: str, seconds: float = 5):
        '''Say that we begin, stay a while, say that we end.'''
        number = len(list(Path(folder).glob("begun*")))
        Path(folder, f"begun{number}").write_text(str(os.getpid()))
        time.sleep(seconds)
        Path(folder, f"ended{number}").touch()
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One cluster for all tests that need no particular one."""
    ray.init(
        address="local",
        num_cpus=2,
        resources={"site": 1},
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    yield
    ray.shutdown()


pytestmark = pytest.mark.usefixtures("cluster")
test_ray_is_an_executor = conformance("executor", "ray:retries=0")


def run(jobs: list[Job], /, **options: object) -> dict[str, JobResult]:
    results: dict[str, JobResult] = {}
    Ray(RayOptions(**options)).run(jobs, lambda result: results.update({result.job.name: result}))
    return results


@pytest.fixture
def slow_command(tmp_path) -> Iterator[Path]:
    with suite.probes() as made:
        (made / "site" / "cube_probe.py").write_text(SLOW)
        yield tmp_path


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def soon(file: Path, seconds: float = 60) -> str:
    deadline = time.monotonic() + seconds
    while not (file.is_file() and file.read_text()):
        assert time.monotonic() < deadline, f"{file.name} did not come"
        time.sleep(0.05)
    return file.read_text()


def test_a_job_whose_worker_is_killed_is_done_again(slow_command) -> None:
    killed: list[int] = []

    def kill() -> None:
        killed.append(parent(int(soon(slow_command / "begun0"))))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    results = run([Job("one", ("slowly", str(slow_command)), slow_command / "log")])
    thread.join()
    assert results["one"].succeeded
    assert sorted(path.name for path in slow_command.glob("*[01]")) == ["begun0", "begun1", "ended1"]


@pytest.mark.parametrize(
    "options", [{"jobs": 1}, {"resources": ("site=1",)}, {"cpus": 2.0}], ids=lambda each: next(iter(each))
)
def test_what_a_job_needs_and_the_number_of_jobs_bound_those_at_work(slow_command, options) -> None:
    """The cluster has two cores and one site: without a bound, both jobs are at work at the same time."""
    folders = [slow_command / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    words = [("slowly", str(folder), "--seconds", "0.5") for folder in folders]
    jobs = [
        Job(folder.name, each, slow_command / f"log-{folder.name}") for folder, each in zip(folders, words, strict=True)
    ]
    assert all(result.succeeded for result in run(jobs, **options).values())
    starts = [(slow_command / f"log-{folder.name}" / OUTPUT).stat().st_mtime for folder in folders]
    ends = [(folder / "ended0").stat().st_mtime for folder in folders]
    times = sorted(zip(starts, ends, strict=True))
    assert times[1][0] >= times[0][1], "the second one begins when the first has ended"


def test_machines_are_chosen_by_what_they_have() -> None:
    options = RayOptions(
        cpus=2.0, gpus=0.5, memory=100, accelerator="A100", resources=("a=1", "b=0.5"), labels=("x=y",)
    )
    assert Ray(options)._resources() == {
        "num_cpus": 2.0,
        "num_gpus": 0.5,
        "memory": 100 << 20,
        "accelerator_type": "A100",
        "resources": {"a": 1.0, "b": 0.5},
        "label_selector": {"x": "y"},
        "max_retries": 3,
    }
    ray.remote(lambda: None).options(**Ray(options)._resources())  # Ray knows them all


@pytest.mark.parametrize("options", [{"resources": ("site",)}, {"resources": ("site=much",)}, {"labels": ("=x",)}])
def test_what_names_no_resource_is_refused(options, tmp_path) -> None:
    with pytest.raises(UsageError, match="is not"):
        run([Job("one", ("--version",), tmp_path)], **options)


def test_trials_of_a_tuning_can_be_sent(tmp_path) -> None:
    pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")
    from cubespace.experiments.tuning.study import TuningRun, completed
    from cubespace.experiments.tuning.tuning_file import Tuning

    tuning = Tuning(settings=dict(DEFAULTS), space={"data.seed": [0, 1]}, objective="coverage", sampler="random")
    study = TuningRun(tmp_path / "t", tuning, load_plugins()).run(2, Ray(RayOptions(files="driver")), at_once=2)
    assert len(completed(study)) == 2
    assert len(list((tmp_path / "t" / "trials").glob("*/measures.json"))) == 2, "results came back"


def test_a_matrix_whose_files_are_sent_ends_like_any_other(tmp_path) -> None:
    matrix = tiny_matrix({"precondition": ["static", "values"]})
    assert MatrixRun.of(matrix, tmp_path / "here").run(Local(LocalOptions())).done == 2
    sent = MatrixRun.of(matrix, tmp_path / "sent").run(Ray(RayOptions(files="driver")))
    assert (sent.done, sent.failures) == (2, {})
    assert outcome(tmp_path / "sent") == outcome(tmp_path / "here")
    assert done(tmp_path / "sent")["train"] == 1
    wider = MatrixRun.of(tiny_matrix({"precondition": ["static", "values", "significant"]}), tmp_path / "sent")
    assert wider.run(Ray(RayOptions(files="driver"))).done == 3
    assert done(tmp_path / "sent")["train"] == 1, "the training of an earlier call was sent along"


def test_archives_keep_what_is_there(tmp_path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("text")
    unpack(pack(tmp_path, ("a", "missing")), tmp_path / "b")
    assert (tmp_path / "b" / "a" / "file").read_text() == "text"


NODE_LOSS = """
import sys, threading, time
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from cubespace.experiments.executor import Job
from cubespace_executors.ray_executor import Ray, RayOptions

folder = Path(sys.argv[1])
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")  # by the head, which stays
first = cluster.add_node(num_cpus=2)

for name in ("one", "two"):
    (folder / name).mkdir()
words = {name: ("slowly", str(folder / name), "--seconds", "20") for name in ("one", "two")}
jobs = [Job(name, words[name], folder / f"log-{name}") for name in words]
results = []
by = Ray(RayOptions(address=cluster.address))
thread = threading.Thread(target=lambda: by.run(jobs, results.append))  # nodes are started by the main thread alone
thread.start()
while not len(list(folder.glob("*/begun0"))) == 2:
    time.sleep(0.05)
cluster.remove_node(first, allow_graceful=False)
cluster.add_node(num_cpus=2)
thread.join()
print(*(result.status for result in results))
ray.shutdown()
cluster.shutdown()
"""


@pytest.mark.slow
def test_jobs_of_a_machine_that_is_lost_are_done_on_another(slow_command) -> None:
    script = [sys.executable, "-c", NODE_LOSS, str(slow_command)]
    answer = subprocess.run(script, capture_output=True, text=True, check=False, timeout=300)
    assert answer.stdout.split()[-2:] == ["0", "0"], answer.stderr[-2000:]
    for name in ("one", "two"):
        assert (slow_command / name / "ended1").exists()
        assert not (slow_command / name / "ended0").exists(), "the process went on although its machine was lost"


@pytest.mark.slow
def test_a_matrix_whose_workers_are_killed_ends_as_if_undisturbed(tmp_path) -> None:
    matrix = tiny_matrix({"precondition": ["static", "significant"], "seed": "0-1"}, TRAINED)
    assert MatrixRun.of(matrix, tmp_path / "calm").run(Local(LocalOptions())).done == 4
    over = threading.Event()
    kills: list[int] = []

    def kill() -> None:
        while not over.wait(7):
            listed = subprocess.run(
                ["pgrep", "-f", str(tmp_path / "wild" / "cells")], capture_output=True, text=True, check=False
            )
            workers = [process for process in map(int, listed.stdout.split()) if process != os.getpid()]
            above = [parent(process) for process in workers]
            ours = [
                process for process in above if process > 1 and "ray" in Path(f"/proc/{process}/cmdline").read_text()
            ]
            if ours and len(kills) < 3:
                os.kill(ours[0], signal.SIGKILL)
                kills.append(ours[0])

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        result = MatrixRun.of(matrix, tmp_path / "wild").run(Ray(RayOptions(retries=5)))
    finally:
        over.set()
        thread.join()
    assert kills
    assert (result.done, result.failures) == (4, {})
    assert outcome(tmp_path / "wild") == outcome(tmp_path / "calm")
