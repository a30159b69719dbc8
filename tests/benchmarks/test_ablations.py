"""The ablations with commands that only pretend: what is trained, what is copied, what is kept, what is printed."""

import importlib
import json
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from cubespace.cli.options import Settings
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder import RunFolder

ROOT = Path(__file__).parents[2]
FILES = ("model.safetensors", "metrics.jsonl", "measures.json")


def pretend_training(folder: Path, pairs: list[str], covered: float = 1.0) -> RunFolder:
    """Make a run folder with finished stages data and train."""
    run = RunFolder.start(folder, Settings(pairs=pairs).configuration({}))
    with run.stage("data", "data.npz"):
        run.file("data.npz").write_text("data")
    with run.stage("train", *FILES):
        run.file("model.safetensors").write_text(f"trained as {folder.name}")
        run.file("metrics.jsonl").write_text('{"seconds": 60}\n')
        run.file("measures.json").write_text(json.dumps({"test": {"covered": covered}}))
    return run


class Pretended:
    """Stands for ``cube``: the paper's preconditions block every tenth move; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, folder: Path, command: str, *arguments: str) -> dict:
        self.asked.append((folder.name, command, *arguments))
        pairs = [pair for word, pair in pairwise(arguments) if word == "--set"]
        if command == "train":
            pretend_training(folder, pairs, 0.5 if "train.consolidation.rounds=0" in pairs else 1.0)
            return {"run": str(folder)}
        run = RunFolder.load(folder)
        assert run.finished("train")
        if command == "extract":
            RunFolder.start(folder, Settings(config=folder / "config.toml", pairs=pairs).configuration({}))
            return {"run": str(folder), "differences": 192, "actions": 200}
        static = run.config.extract.precondition == "static"
        return {"recall": 0.9 if static else 0.995, "wrong": 0.0 if static else 0.0125, "failures": []}

    def of(self, command: str) -> list[str]:
        return [words[0] for words in self.asked if words[1] == command]


@pytest.fixture
def ablations(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("ablations")


@pytest.fixture
def pretended(ablations, monkeypatch) -> Pretended:
    cube = Pretended()
    monkeypatch.setattr(ablations, "cube", cube)
    return cube


@pytest.fixture
def make(ablations, tmp_path):
    """Make the table, and return its rows by name and the text that people read."""

    def made(*words: str) -> tuple[dict[tuple[str, str], dict], str]:
        ablations.main([*words, "--folder", str(tmp_path / "runs"), "--output", str(tmp_path / "table")])
        rows = json.loads((tmp_path / "table.json").read_text())["rows"]
        return {(row["domain"], row["name"]): row for row in rows}, (tmp_path / "table.md").read_text()

    return made


def test_every_row_is_another_configuration_that_exists(ablations) -> None:
    catalogue = load_plugins()
    keys = set()
    for row in ablations.ABLATIONS:
        config = Settings(pairs=list(row.settings)).configuration({})
        catalogue.create("precondition", config.extract.precondition)
        keys.add(config.key("extract"))
        full = Settings().configuration({})
        assert row.trains == (config.key("train") != full.key("train"))
    assert len(keys) == len({row.name for row in ablations.ABLATIONS}) == len(ablations.ABLATIONS)


def test_extractions_start_from_one_training(make, pretended, ablations, tmp_path) -> None:
    rows, text = make("--domains", "mnist", "--only", "extraction")
    assert pretended.of("train") == ["mnist-s0"]
    assert [name for _, name in rows] == [row.name for row in ablations.ABLATIONS if not row.trains]
    assert (tmp_path / "runs/mnist-s0-static/model.safetensors").read_text() == "trained as mnist-s0"
    assert RunFolder.load(tmp_path / "runs/mnist-s0-static").config.extract.precondition == "static"
    assert "| mnist | nothing: the full recipe | - | 192 | 1.0000 | 0.9950 | 0.0125 |" in text
    assert "| `extract.precondition=static` | 192 | 1.0000 | 0.9000 (-0.0950) | 0.0000 (-0.0125) |" in text
    diagnoses = [words for words in pretended.asked if words[1] == "diagnose"]
    assert all(words[-4:] == ("--states", "3000", "--seed", "1") for words in diagnoses)


def test_what_is_finished_is_not_done_again_and_stays_in_the_table(make, pretended, ablations) -> None:
    rows, _ = make("--domains", "mnist", "mandrill", "--mandrill", "ape.png", "--only", "extraction")
    done = len(pretended.asked)
    assert "domain=mandrill:image=ape.png" in next(words for words in pretended.asked if words[0] == "mandrill-s0")
    both, text = make("--domains", "mnist", "mandrill", "--mandrill", "ape.png", "--only", "training")
    assert rows.items() <= both.items()
    assert list(both) == [(domain, row.name) for domain in ("mnist", "mandrill") for row in ablations.ABLATIONS]
    assert sorted({words[0] for words in pretended.asked[done:]}) == sorted(
        f"{domain}-s0-{row.name}" for domain in ("mnist", "mandrill") for row in ablations.ABLATIONS if row.trains
    )
    assert "| `train.consolidation.rounds=0` | 192 | 0.5000 (-0.5000) | 0.9950 | 0.0125 |" in text
    assert "`train.rewrite=off`, `extract.effects=network`" in text
    done = len(pretended.asked)
    assert make("--domains", "mnist", "mandrill", "--mandrill", "ape.png")[0] == both
    assert len(pretended.asked) == done


def test_the_same_training_elsewhere_is_copied_and_not_touched(make, pretended, tmp_path) -> None:
    run = pretend_training(tmp_path / "trained/mnist-s0", ["plan.seed=31337"])
    with run.stage("extract", "extraction.json"):
        run.file("extraction.json").write_text("{}")
    before = {path: path.read_bytes() for path in run.path.iterdir()}
    make("--domains", "mnist", "--only", "extraction", "--trained", str(tmp_path / "trained"))
    assert {path: path.read_bytes() for path in run.path.iterdir()} == before
    copied = RunFolder.load(tmp_path / "runs/mnist-s0")
    assert copied.finished("train")
    assert not copied.file("extraction.json").exists()
    assert pretended.of("extract")[0] == "mnist-s0"


def test_a_row_with_other_settings_is_extracted_anew(make, pretended, monkeypatch, ablations, tmp_path) -> None:
    make("--domains", "mnist", "--only", "extraction")
    done = len(pretended.asked)
    full, static, *_ = ablations.ABLATIONS
    other = ablations.attrs.evolve(static, settings=("extract.precondition=significant",))
    monkeypatch.setattr(ablations, "ABLATIONS", (full, other))
    rows, _ = make("--domains", "mnist")
    assert {words[0] for words in pretended.asked[done:]} == {"mnist-s0-static"}
    assert rows["mnist", "static"]["diagnosis"]["recall"] == 0.995
    assert RunFolder.load(tmp_path / "runs/mnist-s0-static").config.extract.precondition == "significant"


@pytest.mark.parametrize("harm", ["other settings", "damaged"])
def test_another_training_is_not_copied(make, pretended, tmp_path, harm) -> None:
    run = pretend_training(tmp_path / "trained/mnist-s0", ["train.updates=5"] if harm == "other settings" else [])
    if harm == "damaged":
        run.file("model.safetensors").write_text("half")
    make("--domains", "mnist", "--only", "extraction", "--trained", str(tmp_path / "trained"))
    assert (tmp_path / "runs/mnist-s0/model.safetensors").read_text() == "trained as mnist-s0"
    assert RunFolder.load(tmp_path / "runs/mnist-s0").config.train.updates != 5


def test_a_row_that_fails_says_so_and_the_others_go_on(make, pretended, monkeypatch, ablations) -> None:
    def cube(folder: Path, command: str, *arguments: str) -> dict:
        if (folder.name, command) == ("mnist-s0-static", "extract"):
            raise subprocess.CalledProcessError(3, "cube")
        return pretended(folder, command, *arguments)

    monkeypatch.setattr(ablations, "cube", cube)
    rows, text = make("--domains", "mnist", "--only", "extraction")
    assert rows["mnist", "static"]["failed"].startswith("exit code 3")
    assert "| `extract.precondition=static` | exit code 3" in text
    assert "recall" in rows["mnist", "significant"]["diagnosis"]
    monkeypatch.setattr(ablations, "cube", pretended)
    assert "failed" not in make("--domains", "mnist", "--only", "extraction")[0]["mnist", "static"]


def test_a_partial_table_has_only_what_is_done(make, pretended, monkeypatch, ablations, tmp_path) -> None:
    def cube(folder: Path, command: str, *arguments: str) -> dict:
        if folder.name == "mnist-s0-significant":
            raise KeyboardInterrupt
        return pretended(folder, command, *arguments)

    monkeypatch.setattr(ablations, "cube", cube)
    with pytest.raises(KeyboardInterrupt):
        make("--domains", "mnist", "--jobs", "1")
    assert [row["name"] for row in json.loads((tmp_path / "table.json").read_text())["rows"]] == ["full", "static"]
