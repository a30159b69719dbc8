"""Small matrices, and a look at what their cells came to."""

import contextlib
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tiny_run import SETTINGS

from cubespace.base.files import read_json
from cubespace.cli.commands import app
from cubespace.experiments.executor import Executor, Job, JobResult, in_order, left_out
from cubespace.experiments.matrix import Matrix

DEFAULTS = {
    "data.transitions": 600,
    "plan.instances": 3,
    "plan.length": 2,
    "diagnose.states": 20,
    "domain": "lightsout:size=2",
}
TRAINED = {**DEFAULTS, **SETTINGS, "train.epochs": 12}  # with a network, for which a kill during training matters
VARYING = re.compile(r"seconds|date")  # of a record, what is different each time


def tiny_matrix(axes: dict[str, Any], settings: dict[str, Any] = DEFAULTS) -> Matrix:
    return Matrix(settings=dict(settings), axes=axes)


class InProcess(Executor):
    """Calls ``cube`` in this process, one job after another: quick, since torch is imported once."""

    def run(self, jobs: Sequence[Job], finished: Callable[[JobResult], None]) -> None:
        succeeded: dict[str, bool] = {}
        for job in in_order(jobs):
            failed = [name for name in job.after if not succeeded[name]]
            result = left_out(job, failed[0]) if failed else self.call(job)
            succeeded[job.name] = result.succeeded
            finished(result)

    def call(self, job: Job) -> JobResult:
        with contextlib.redirect_stderr(io.StringIO()):
            try:
                app(list(job.arguments), standalone_mode=False)
            except Exception as error:
                return JobResult(job=job, status=getattr(error, "exit_code", 1), errors=str(error))
        return JobResult(job=job, status=0)


def done(folder: Path) -> Counter[str]:
    """Return how often each stage was begun, by the logs of the runs."""
    logs = "".join(path.read_text() for path in folder.glob("cells/*/run.log"))
    begun = re.findall(
        r"^\S+ \S+ (data: transitions|train: \d+ transitions|extract: effects|evaluate: \d+ inst)", logs, re.M
    )
    return Counter(line.split(":")[0] for line in begun)


def outcome(folder: Path) -> dict[str, Any]:
    """Return what the cells came to, without times: hashes of what was learned, and every record of every planner."""
    found = {}
    for run in sorted(folder.glob("cells/*")):
        manifest, results = read_json(run / "manifest.json"), read_json(run / "results.json")
        stages = manifest.get("stages", manifest)
        hashes = {
            file: digest for stage in ("data", "train", "extract") for file, digest in stages[stage]["files"].items()
        }
        for timed in ("metrics.jsonl", "learner.json"):
            hashes.pop(timed, None)
        found[run.name] = (hashes, _steady(results["planners"]), _steady(read_json(run / "diagnosis.json")))
    return found


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _steady(each) for key, each in value.items() if not VARYING.search(key) and key != "megabytes"}
    return [_steady(each) for each in value] if isinstance(value, list) else value
