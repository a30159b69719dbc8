"""Exports, read by the tools they are for."""

import csv
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from command import cube

from cubespace.base.errors import InputError
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.pictures.bundle import CARD, unpack
from cubespace.runs.pictures.opening import Unjudged, bundle_domain
from cubespace.settings.run_config import load_config

LAB = """
import sys
from downward.reports.absolute import AbsoluteReport
attributes = "coverage valid optimal expansions recall wrong_per_state plan_length memory error".split()
AbsoluteReport(attributes=attributes)(sys.argv[1], sys.argv[2])
"""


@pytest.fixture
def diagnosed(default_run) -> Path:
    assert cube("diagnose", str(default_run), "--states", "20", cwd=default_run.parent).returncode == 0
    return default_run


def test_lab_makes_its_report_of_the_properties(diagnosed, tmp_path) -> None:
    answer = cube("export", "lab", "run", "-o", "eval", cwd=tmp_path)
    assert answer.stdout == "eval/properties\n"
    properties = json.loads((tmp_path / "eval" / "properties").read_text())
    assert len(properties) == 8, "four instances, two planners"
    run = next(iter(properties.values()))
    assert {"algorithm", "domain", "problem", "id", "coverage", "cost", "plan_length", "planner_time", "error"} <= set(
        run
    )
    assert {"valid", "optimal", "recall", "wrong_per_state", "known_states", "training_time"} <= set(run)
    pytest.importorskip("downward", reason="needs the package lab")
    script = [sys.executable, "-c", LAB, str(tmp_path / "eval"), str(tmp_path / "report.html")]
    made = subprocess.run(script, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    page = (tmp_path / "report.html").read_text()
    assert "fd-lmcut" in page
    assert "wrong_per_state" in page
    assert "0 runs with unexplained errors" in made.stderr + made.stdout


def test_a_csv_has_a_line_for_each_search(diagnosed, tmp_path) -> None:
    assert cube("export", "csv", "run", cwd=tmp_path).returncode == 0
    lines = list(csv.DictReader((tmp_path / "run.csv").read_text().splitlines()))
    assert len(lines) == 8
    assert {line["planner"] for line in lines} == {"fd-lmcut", "pyperplan-bfs"}
    assert {line["valid"] for line in lines} == {"True"}


def test_macq_loads_the_transitions(default_run, tmp_path) -> None:
    answer = cube("export", "macq", "run", "-o", "traces.csv", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    lines = list(csv.DictReader((tmp_path / "traces.csv").read_text().splitlines()))
    assert len(lines) == 2 * 540
    loader = pytest.importorskip("macq.generate.csv", reason="needs the package macq")
    traces = loader.load(str(tmp_path / "traces.csv"), "action", "trace")
    assert len(traces) == 540
    assert len(traces[0]) == 2
    changed = [name for name in traces[0][0].state if traces[0][0].state[name] != traces[0][1].state[name]]
    assert changed, "the action changes something"


def test_a_bundle_that_was_moved_plans(default_run, tmp_path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert cube("export", "bundle", "run", "-o", "elsewhere/my.cube", "--licence", "CC0", cwd=tmp_path).returncode == 0
    problem = default_run / "problems" / "000"
    for name in ("init.png", "goal.png"):
        shutil.copy(problem / name, elsewhere / name)
    shutil.rmtree(default_run)
    answer = cube("plan", "--run", "my.cube", "init.png", "goal.png", "--json", cwd=elsewhere)
    assert answer.returncode == 0, answer.stderr
    record = json.loads(answer.stdout)
    assert record["valid"] is True
    assert (elsewhere / record["folder"] / "strip.png").is_file()
    with zipfile.ZipFile(elsewhere / "my.cube") as archive:
        assert json.loads(archive.read(CARD))["licence"] == "CC0"


def forged(source: Path, target: Path, change) -> Path:
    """Write a bundle again with its contents changed."""
    with zipfile.ZipFile(source) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    change(content)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return target


def test_a_forged_bundle_is_refused_and_writes_nothing_elsewhere(default_run, tmp_path) -> None:
    assert cube("export", "bundle", "run", "-o", "good.cube", cwd=tmp_path).returncode == 0
    good = tmp_path / "good.cube"

    def escape(content) -> None:
        card = json.loads(content[CARD])
        card["files"]["../evil.txt"] = "0"
        content[CARD], content["../evil.txt"] = json.dumps(card).encode(), b"evil"

    def spoil(content) -> None:
        content["strips.npz"] = content["strips.npz"][:-1] + b"x"

    def smuggle(content) -> None:
        content["more.py"] = b"import os"

    complaints = ((escape, "other files"), (spoil, "does not match its hash"), (smuggle, "other files"))
    for change, complaint in complaints:
        folder = tmp_path / "a" / change.__name__
        folder.mkdir(parents=True)
        with pytest.raises(InputError, match=complaint):
            unpack(forged(good, tmp_path / "bad.cube", change), folder)
        assert not (folder.parent / "evil.txt").exists()
    (tmp_path / "none.cube").write_bytes(b"no archive")
    answer = cube("plan", "--run", "none.cube", "a.png", "b.png", cwd=tmp_path)
    assert answer.returncode == 3
    assert "is not a bundle" in answer.stderr


def test_a_bundle_whose_domain_reads_files_is_not_judged() -> None:
    for domain, judged in (("lightsout", True), ("photo:image=/etc/passwd", False), ("no-such-domain", False)):
        built = bundle_domain(load_config(None, {"domain": domain}), (8, 8), load_plugins())
        assert isinstance(built, Unjudged) is not judged
