"""Times of make: in a clone of its own, with what the target said; here with a Makefile that only pretends."""

import importlib
import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKEFILE = """\
run:
\t@echo "planner  instances found valid optimal all seen seconds"
\t@echo "fd-lmcut        30    30    29     28        0     1.5"
test: $(VENV)/.ready
\t@$(MAKE) --no-print-directory tests
tests: $(VENV)/.ready
\t@echo "12 passed, 3 skipped in 4.56s"
$(VENV)/.ready: Makefile
\t@echo "nothing should be set up again" && false
"""


@pytest.fixture
def times(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    module = importlib.import_module("times")
    project = tmp_path / "project"
    (project / "plugins" / "domains").mkdir(parents=True)
    (project / "plugins" / "domains" / "some").touch()
    (project / "Makefile").write_text(MAKEFILE)
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "all")):
        subprocess.run(["git", *words], cwd=project, check=True)
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / ".ready").touch()
    monkeypatch.setattr(module, "ROOT", project)
    monkeypatch.chdir(tmp_path)
    return module


def made(times, monkeypatch, *words: str) -> dict:
    monkeypatch.setattr("sys.argv", ["times.py", *words, "--venv", "venv"])
    times.main()
    return json.loads(Path("results/times.json").read_text())["targets"]


def test_targets_are_timed_and_say_what_they_came_to(times, monkeypatch) -> None:
    targets = made(times, monkeypatch, "run", "--repeat", "2")
    assert [each["said"] for each in targets["run"]] == ["30/29/28 of 30"] * 2
    assert all(each["seconds"] >= 0 and each["commit"] for each in targets["run"])
    both = made(times, monkeypatch, "test")
    assert both["run"] == targets["run"], "a target that is not asked for stays"
    assert both["test"][0]["said"] == "12 passed, 3 skipped"
    assert "| `make test` |" in Path("results/times.md").read_text()


def test_both_are_timed_where_none_is_named(times, monkeypatch) -> None:
    assert set(made(times, monkeypatch)) == {"run", "test"}


def test_a_target_that_does_not_exist_is_refused(times, monkeypatch, capsys) -> None:
    with pytest.raises(SystemExit):
        made(times, monkeypatch, "tests")
    assert "no such target: tests (there are: run, test)" in capsys.readouterr().err
