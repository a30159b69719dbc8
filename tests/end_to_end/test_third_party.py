"""A stranger's plugins, really installed with pip, in an environment of their own."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from command import least_cpu_seconds, python
from tiny_run import HASTY

from cubespace.plugins.component import KINDS
from cubespace.plugins.scaffold import STARTS, write_plugin

EXAMPLE = Path(__file__).parents[2] / "examples" / "cube-cells"
BROKEN = """
[project]
name = "cube-broken"
version = "0.1"
[project.entry-points.cubespace]
broken = "no_such_module"
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[tool.hatch.build.targets.wheel]
bypass-selection = true
"""

EXTRAS = '''
from cubespace import hookimpl

@hookimpl
def cube_presets(registry):
    registry.add("their-preset", "# Small enough for a test of five seconds.\\n[train]\\nepochs = 7\\n")
    registry.add("their-table", {"autoencoder": {"bits": 9}}, "as a table")

@hookimpl
def cube_commands(app):
    @app.command()
    def hello(name: str = "world"):
        """Greet."""
        print(f"hello {name}")
'''

BAD_COMMAND = '''
from cubespace import hookimpl

@hookimpl
def cube_commands(app):
    @app.command()
    def run():
        """Take the place of ours."""
'''


def one_file(folder: Path, name: str, text: str) -> Path:
    """Write a package of one module with one entry point."""
    folder.mkdir()
    (folder / f"cube_{name}.py").write_text(text)
    (folder / "pyproject.toml").write_text(
        BROKEN.replace("broken", name)
        .replace("no_such_module", f"cube_{name}")
        .replace("bypass-selection = true", f'include = ["cube_{name}.py"]')
    )
    return folder


@pytest.fixture(scope="module")
def strangers(tmp_path_factory) -> Path:
    """Return the folder of an environment that sees this one's packages and has plugins of all sorts installed."""
    folder = tmp_path_factory.mktemp("strangers")
    venv.create(folder / "venv", with_pip=False)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    # this environment's packages, editable ones included, without installing torch again
    (site / "outer.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    packages = [write_plugin(f"their-{start}", start, folder / start) for start in STARTS]
    packages.append(shutil.copytree(EXAMPLE, folder / "example"))
    packages += [one_file(folder / "extras", "extras", EXTRAS), one_file(folder / "greedy", "greedy", BAD_COMMAND)]
    (folder / "broken").mkdir()
    (folder / "broken" / "pyproject.toml").write_text(BROKEN)
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation"]
        + [str(package) for package in [*packages, folder / "broken"]],
        check=True,
        capture_output=True,
    )
    return folder


def interpreter(strangers: Path) -> str:
    return str(strangers / "venv" / "bin" / "python")


def call(strangers: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module where the plugins are found."""
    (site,) = (strangers / "venv").glob("lib/python*/site-packages")
    return python("-m", *arguments, cwd=strangers, env={**os.environ, "PYTHONPATH": str(site)})


def cube(strangers: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return call(strangers, "cubespace.cli", *arguments)


@pytest.fixture(scope="module")
def suites(strangers) -> str:
    """What pytest says of each test that the plugins bring."""
    options = ("-q", "-rA", "-p", "no:cacheprovider", "--import-mode=importlib", "--rootdir", str(strangers))
    return call(strangers, "pytest", *options, *(str(strangers / package) for package in (*STARTS, "example"))).stdout


def test_they_are_listed_and_the_broken_one_is_named(strangers) -> None:
    command = [interpreter(strangers), "-m", "cubespace.cli", "plugins", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    listed = json.loads(answer.stdout)
    assert answer.returncode == 0
    for name, start in STARTS.items():
        assert f"their-{name}" in {row["name"] for row in listed[start.kind]}
    assert set(KINDS) == {start.kind for start in STARTS.values()}
    assert [failure["plugin"] for failure in listed["failures"]] == ["broken"]
    assert "skipped plugin 'broken' (cube-broken 0.1): ModuleNotFoundError" in answer.stderr


@pytest.mark.parametrize("word", ["plugins", "--help"])
def test_with_all_of_them_the_command_line_answers_within_a_second(strangers, word) -> None:
    assert least_cpu_seconds(interpreter(strangers), "-m", "cubespace.cli", word, enough=1) < 1


def test_no_plugin_imports_torch_before_it_is_used(strangers) -> None:
    load = "from cubespace.plugins.catalogue import load_plugins; load_plugins()"
    code = f"import sys; {load}; print('torch' in sys.modules)"
    answer = subprocess.run([interpreter(strangers), "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def test_asking_for_the_broken_one_is_an_error(strangers) -> None:
    answer = cube(strangers, "show", "broken")
    assert answer.returncode == 2
    assert "no_such_module" in answer.stderr


@pytest.mark.parametrize("start", [*STARTS, "example"])
def test_they_pass_the_suite_that_they_bring(suites: str, start: str) -> None:
    endings = re.findall(rf"^([A-Z]+) {start}/", suites, re.MULTILINE)
    assert set(endings) == {"PASSED"}, suites


def test_their_domain_is_used_by_name(strangers) -> None:
    answer = cube(strangers, "show", "their-domain:side=9", "-o", "row.png")
    assert answer.returncode == 0, answer.stderr
    assert (strangers / "row.png").stat().st_size > 0


def test_a_run_with_their_domain_without_states_their_network_training_solver_and_observer(strangers) -> None:
    settings = {
        **HASTY,
        "autoencoder.encoder": "their-encoder:noise=0.1",
        "autoencoder.decoder": "their-decoder",
        "autoencoder.action": "their-action",
        "autoencoder.objective": "their-objective",
        "train.extensions": "their-extension+consolidate",
        "extract.effects": "differences",  # a hasty network predicts no transition exactly
    }
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    words += ["--domain", "their-source:lamps=3", "--planner", "their-solver", "--instances", "3", "--length", "2"]
    answer = cube(strangers, "run", *words, "--observer", "their-observer:file=told.csv", "-o", "run", "--json")
    assert answer.returncode == 0, answer.stderr
    results = json.loads(answer.stdout)
    assert results["domain"] == "their-source:lamps=3"
    records = results["planners"]["their-solver"]["records"]
    assert len(records) == 3
    assert all(record["outcome"] in {"solved", "unsolvable in the learned model"} for record in records)
    assert all(record["valid"] is None for record in records if record["plan"]), "nothing can judge these plans"
    told = (strangers / "run" / "told.csv").read_text().splitlines()
    assert sum(line.startswith("plan,") for line in told) == 3
    epochs = {line.split(",")[1] for line in told if line.startswith("epoch,")}
    assert len(epochs) >= HASTY["train.epochs"]
    assert "their-observer" not in (strangers / "run" / "config.toml").read_text()
    learner = json.loads((strangers / "run" / "learner.json").read_text())
    assert learner["training"]["parts"]["action"] == "their-action"
    assert learner["training"]["phases"] == ["joint", "their-extension", "consolidate"]


@pytest.mark.parametrize(("learner", "size"), [("cells", 3), ("their-learner:rows=2,columns=2", 2)])
def test_their_bit_learner_is_used_by_name(strangers, learner, size) -> None:
    world = ("--domain", f"lightsout:size={size}", "--instances", "3", "--length", "2")
    output = f"learned-{size}"
    answer = cube(strangers, "run", *world, "--learner", learner, "-o", output, "--json")
    assert answer.returncode == 0, answer.stderr
    results = json.loads(answer.stdout)
    assert (results["learner"], results["updates"], results["effects"]) == (learner, 0, "differences")
    row = results["planners"]["fd-lmcut"]
    assert (row["found"], row["valid"], row["optimal"]) == (3, 3, 3)
    problem = strangers / output / "problems" / "000"
    again = cube(strangers, "plan", "--run", output, str(problem / "init.png"), str(problem / "goal.png"), "--json")
    assert again.returncode == 0, again.stderr


def test_their_quick_learner_is_tried_by_auto(strangers) -> None:
    world = ("--domain", "lightsout:size=2", "--set", "data.transitions=300")
    answer = cube(strangers, "train", *world, "-o", "tried")
    assert answer.returncode == 0, answer.stderr
    candidates = json.loads((strangers / "tried" / "learner.json").read_text())["candidates"]
    tried = {row["learner"]: row for row in candidates}
    assert set(tried) == {"cells", "piles", "places"}
    assert tried["cells"]["fits"]


def test_their_action_model_is_used_by_name(strangers) -> None:
    settings = {**HASTY, "train.extensions": "", "autoencoder.action": "difference", "extract.effects": "differences"}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    world = ("--domain", "lightsout:size=2", "--instances", "1", "--length", "1")
    answer = cube(strangers, "run", *world, "--apply", "btl", *words, "-o", "acted", "--json")
    assert answer.returncode == 0, answer.stderr
    results = json.loads(answer.stdout)
    assert results["learner"] == "autoencoder, btl"
    assert results["updates"] > 0
    known = json.loads((strangers / "acted" / "manifest.json").read_text())["stages"]["train"]["components"]
    assert known["action difference"] == "cube-cells 0.1.0"


def test_an_action_model_of_theirs_is_refused_where_nothing_trains_it(strangers) -> None:
    answer = cube(strangers, "run", "--learner", "cells", "--set", "autoencoder.action=difference", "-o", "refused")
    assert answer.returncode == 2
    assert "learner 'cells' trains nothing by gradient, so autoencoder.action would have no influence" in answer.stderr


def test_their_command_is_a_command_and_cannot_take_the_place_of_ours(strangers) -> None:
    answer = cube(strangers, "hello", "--name", "cube")
    assert answer.stdout == "hello cube\n"
    assert answer.stderr == "skipped plugin 'greedy' (cube-greedy 0.1): ValueError: there is a command 'run' already\n"
    assert "hello" in cube(strangers, "--help").stdout
    blocked = cube(strangers, "plugins", "observer", "--no-plugin", "greedy")
    assert "greedy" not in blocked.stderr


def test_their_preset_is_a_preset(strangers) -> None:
    answer = cube(strangers, "run", "--preset", "their-preset", "--dry-run")
    assert "epochs = 7" in answer.stdout
    assert "# phase joint: 7 epochs" in answer.stdout
    assert "bits = 9" in cube(strangers, "run", "--preset", "their-table", "--dry-run").stdout
    facts = json.loads(cube(strangers, "info", "--json").stdout)
    assert facts["presets"]["their-preset"] == {
        "reason": "Small enough for a test of five seconds.",
        "plugin": "extras",
        "distribution": "cube-extras 0.1",
    }
    assert facts["presets"]["paper"]["plugin"] == "presets"
