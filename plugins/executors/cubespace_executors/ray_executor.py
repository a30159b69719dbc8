"""The executor ``ray``: every job a process on some machine of a Ray cluster, or of one that is started here.

Ray starts a job again when its worker or its machine is lost; a job goes on from what is in its run folder.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import attrs
from attrs.validators import ge, gt, optional

from cubespace.base.errors import UsageError
from cubespace.base.options import option
from cubespace.experiments.executor import (
    ERRORS,
    NOT_STARTED,
    OUTPUT,
    Executor,
    Finished,
    Job,
    JobQueue,
    JobResult,
    More,
    in_order,
    last_words,
)
from cubespace_executors.ray_worker import Answer, call, pack, unpack

HERE = "local"  # the address that starts a cluster on this machine
REPORTS = "RAY_USAGE_STATS_ENABLED"  # Ray reports to its makers how it is used, unless this is 0
LOST = -9  # the status of a job whose workers were lost again and again, as of one that was killed
MEGABYTE = 1 << 20


@attrs.frozen(kw_only=True)
class RayOptions:
    """Where the cluster is and what each job needs."""

    address: str = option(HERE, "of a running cluster, such as auto or ray://host:10001; local starts one here")
    jobs: int | None = option(
        None, "how many jobs at most are at work, and CPUs of a cluster that is started here", optional(ge(1))
    )
    cpus: float = option(1.0, "CPUs that each job reserves", gt(0))
    gpus: float = option(0.0, "GPUs that each job reserves, and alone can see", ge(0))
    memory: int | None = option(None, "megabytes that each job reserves", optional(ge(1)))
    accelerator: str | None = option(None, "kind of GPU that each job needs, as Ray calls it, such as A100")
    resources: tuple[str, ...] = option((), "further resources of the cluster that each job reserves, as NAME=AMOUNT")
    labels: tuple[str, ...] = option((), "labels that the machine of each job must have, as KEY=VALUE")
    retries: int = option(3, "how often a job is tried again whose process, worker or machine is lost", ge(0))
    files: Literal["shared", "driver"] = option(
        "shared", "shared: all machines see the folder of the matrix; driver: files are sent, and results brought back"
    )


class Ray(Executor):
    """Runs jobs on a Ray cluster."""

    Options = RayOptions
    options: RayOptions

    def missing(self) -> str | None:
        """Return how to install Ray if it is missing."""
        return None if importlib.util.find_spec("ray") else "pip install 'cubespace[ray]'"

    def run(self, jobs: Sequence[Job], finished: Finished) -> None:
        """Submit every job once those that it needs have ended; Ray starts it when resources are free."""
        self.run_fed(jobs, finished, list)

    def run_fed(self, jobs: Sequence[Job], finished: Finished, more: More) -> None:
        """Do the same; further jobs are submitted whenever one has ended."""
        if not jobs:
            return
        import ray  # noqa: PLC0415 - takes two seconds to import

        queue, most = JobQueue(in_order(jobs)), self.options.jobs
        with self._connected(ray):
            task = ray.remote(call).options(**self._resources())
            working: dict[Any, Job] = {}  # by the promise of its answer
            try:
                while True:
                    while (most is None or len(working) < most) and (job := queue.next()) is not None:
                        working[self._submit(task, job)] = job
                    if not working:
                        break
                    (ended,), _ = ray.wait(list(working), num_returns=1)
                    result = self._result(ray, working.pop(ended), ended)
                    finished(result)
                    for other in queue.ended(result.job.name, result.succeeded):
                        finished(other)
                    queue.add(more())
            finally:
                for state in working:
                    ray.cancel(state, force=True)

    def _submit(self, task: Any, job: Job) -> Any:
        sent = self.options.files == "driver"
        if sent and job.files is None:
            raise UsageError(f"ray:files=driver: job '{job.name}' does not say which files it needs")
        files = pack(job.files.root, job.files.reads) if sent and job.files is not None else None
        home, environment = (None, {}) if sent else (Path.cwd(), dict(os.environ))
        return task.remote(job, home, environment, self.options.retries, files)

    def _resources(self) -> dict[str, Any]:
        options = self.options
        resources: dict[str, Any] = {"num_cpus": options.cpus, "max_retries": options.retries}
        if options.gpus:
            resources["num_gpus"] = options.gpus
        if options.memory is not None:
            resources["memory"] = options.memory * MEGABYTE
        if options.accelerator is not None:
            resources["accelerator_type"] = options.accelerator
        if options.resources:
            resources["resources"] = {name: _amount(name, value) for name, value in _pairs(options.resources)}
        if options.labels:
            resources["label_selector"] = dict(_pairs(options.labels))
        return resources

    def _result(self, ray: Any, job: Job, ended: Any) -> JobResult:
        """Return how a job ended, and bring its files back."""
        try:
            answer: Answer = ray.get(ended)
        except ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[0]
            return JobResult(job=job, status=LOST, errors=f"Ray lost it: {reason}", tries=self.options.retries + 1)
        if answer.output is not None:
            job.folder.mkdir(parents=True, exist_ok=True)
            (job.folder / OUTPUT).write_bytes(answer.output)
            (job.folder / ERRORS).write_bytes(answer.errors or b"")
        if answer.files is not None and job.files is not None:
            unpack(answer.files, job.files.root)
        errors = answer.refusal if answer.status == NOT_STARTED else last_words(job.folder)
        return JobResult(job=job, status=answer.status, errors=errors, seconds=answer.seconds, tries=answer.tries)

    @contextmanager
    def _connected(self, ray: Any) -> Iterator[None]:
        """Connect to the cluster, unless already connected, and disconnect in the end."""
        if ray.is_initialized():
            yield
            return
        here = self.options.address == HERE
        if here:
            os.environ.setdefault(REPORTS, "0")
        try:
            with _quiet_output():
                ray.init(
                    address=self.options.address,
                    num_cpus=(self.options.jobs or len(os.sched_getaffinity(0))) if here else None,
                    include_dashboard=False if here else None,
                    log_to_driver=False,
                    logging_level="ERROR",
                )
        except Exception as error:  # Ray raises many kinds
            raise UsageError(f"no Ray cluster at '{self.options.address}': {str(error).splitlines()[0]}") from error
        try:
            yield
        finally:
            with _quiet_output():
                ray.shutdown()


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the two sides of texts such as ``site=0.5``."""
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise UsageError(f"ray: '{text}' is not of the form NAME=VALUE")
        yield name, value


def _amount(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"ray:resources: '{text}' of '{name}' is not a number") from None


@contextmanager
def _quiet_output() -> Iterator[None]:
    """Send what Ray prints to stderr: stdout is for results."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
