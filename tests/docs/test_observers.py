"""The tracker in docs/observers.md is a whole plugin: found by its entry point, it follows a run."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from command import python
from tiny_run import HASTY, WORLD, words

PAGE = Path(__file__).parents[2] / "docs" / "observers.md"

# stands for TensorBoard where that is not installed: writes what it is told as JSON lines
WRITER = """
import json
from pathlib import Path

class SummaryWriter:
    def __init__(self, folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.file = open(Path(folder) / "scalars.jsonl", "a")

    def add_scalar(self, tag, value, step=None):
        self.file.write(json.dumps([tag, float(value), step]) + "\\n")

    def close(self):
        self.file.close()
"""
# stands before the plugin, so that "torch.utils.tensorboard" is ours
INSTEAD = "import sys; sys.modules['torch.utils.tensorboard'] = __import__('fake_tensorboard')\n"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    return found.group(1)


@pytest.fixture
def site(tmp_path) -> Path:
    """Return a folder for the path of Python with the plugin in it."""
    folder = tmp_path / "site"
    project = tomllib.loads(block("toml"))["project"]
    info = folder / f"cube_tensorboard-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["cubespace"]
    (info / "entry_points.txt").write_text("[cubespace]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))
    (folder / "cube_tensorboard.py").write_text(INSTEAD + block("python"))
    (folder / "fake_tensorboard.py").write_text(WRITER)
    return folder


def call(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return python("-m", *arguments, cwd=site.parent, env={**os.environ, "PYTHONPATH": path})


def test_it_has_about_twenty_lines() -> None:
    body = block("python").split("class TensorBoard")[1].split("@hookimpl")[0]
    assert len([line for line in body.splitlines() if line.strip()]) <= 20


def test_it_passes_the_suite_of_observers(site) -> None:
    test = site.parent / "test_it.py"
    test.write_text('from cubespace.testing import conformance\n\ntest_it = conformance("observer", "tensorboard")\n')
    answer = call(site, "pytest", "-q", "-p", "no:cacheprovider", str(test))
    assert answer.returncode == 0, answer.stdout


def test_it_follows_a_run(site) -> None:
    answer = call(site, "cubespace.cli", "run", *WORLD, *words(HASTY), "--observer", "tensorboard", "-o", "run")
    assert answer.returncode == 0, answer.stderr
    lines = (site.parent / "run" / "tensorboard" / "scalars.jsonl").read_text().splitlines()
    scalars = [json.loads(line) for line in lines]
    rows = (site.parent / "run" / "metrics.jsonl").read_text().splitlines()
    totals = [[value, step] for tag, value, step in scalars if tag == "train/total"]
    assert totals == [[row["total"], row["epoch"]] for row in map(json.loads, rows)]
    assert sum(tag == "plans/found" for tag, *_ in scalars) == 8  # four instances, two planners


def test_one_that_fails_is_named_and_the_run_goes_on(site) -> None:
    (site / "fake_tensorboard.py").write_text("class SummaryWriter:\n    def __init__(self, folder): 1 / 0\n")
    answer = call(site, "cubespace.cli", "train", *WORLD[:2], *words(HASTY), "--observer", "tensorboard")
    assert answer.returncode == 0, answer.stderr
    assert "observer 'tensorboard' failed at 'start' and gets no more events: ZeroDivisionError" in answer.stderr
