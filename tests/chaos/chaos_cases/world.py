"""The runs that are disturbed: small enough for seconds, with every stage, and the results that they must give."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from PIL import Image

from chaos_cases.harness import run_cube

INSTANCES = ["--domain", "lightsout:size=2", "--length", "2", "--instances", "2"]
PLANNERS = ["--planner", "fd-lmcut", "--planner", "pyperplan-bfs"]
TRAINED = {
    "data.transitions": 300,
    "learner.name": "autoencoder",
    "autoencoder.bits": 12,
    "autoencoder.actions": 60,
    "autoencoder.encoder": "mlp:width=60",
    "autoencoder.decoder": "mlp:width=60",
    "autoencoder.action": "head",
    "autoencoder.action_width": 60,
    "autoencoder.objective": "paper",
    "train.epochs": 12,
    "train.batch": 50,
    "extract.effects": "differences",  # a network that has learned so little predicts nothing exactly
}
CHOSEN = {"data.transitions": 300}  # the encoder is chosen, nothing is trained
MATRIX = """
settings = { domain = "lightsout:size=2", data = { transitions = 300 }, plan = { instances = 2, length = 2 } }
axes = { seed = "0-2" }
"""
TUNING = """
objective = "coverage"
settings = { domain = "lightsout:size=2", data = { transitions = 300 }, learner = { name = "places" } }
space = { "data.seed" = [0, 1] }
"""
PAIRS = 120  # of the user's own pictures

# what depends on the moment, and what only describes the course of a run
CHANGING = ("run.log", "report.html", "environment.json", "manifest.json", "metrics.jsonl", ".lock")
MEASURED = ("seconds", "megabytes", "date", "key", "sha256")


def settings(table: dict[str, object]) -> list[str]:
    """Return settings as the command line takes them."""
    return [word for key, value in table.items() for word in ("--set", f"{key}={value}")]


@attrs.frozen
class World:
    """Finished runs in a folder; cases work on copies."""

    folder: Path

    @property
    def trained(self) -> Path:
        """Return the run that was trained for a few epochs."""
        return self.folder / "trained"

    @property
    def chosen(self) -> Path:
        """Return the run with the default encoder, which needs no training here."""
        return self.folder / "chosen"

    def words(self, which: str = "trained", output: str = "run") -> list[str]:
        """Return the command that makes one of the runs."""
        table = TRAINED if which == "trained" else CHOSEN
        return ["run", *INSTANCES, *PLANNERS, *settings(table), "-o", output]

    def make(self, *names: str) -> None:
        """Make undisturbed runs; existing ones are kept."""
        for which in names:
            place = self.folder / f"making-{which}"
            if (self.folder / which).exists():
                continue
            shutil.rmtree(place, ignore_errors=True)
            self._call(place, self.words(which))
            (place / "run").rename(self.folder / which)
            shutil.rmtree(place)

    @property
    def bundle(self) -> Path:
        """Return the bundle of the run with the default encoder."""
        return self._made("bundle", ["export", "bundle", str(self.chosen), "-o", "my.cube"]) / "my.cube"

    @property
    def matrix(self) -> Path:
        """Return a finished matrix of three cells."""
        return self._made("matrix", ["matrix", "m.toml", "-o", "mx", "--jobs", "1"], **{"m.toml": MATRIX}) / "mx"

    @property
    def tuning(self) -> Path:
        """Return a tuning of two trials."""
        words = ["tune", "t.toml", "-o", "tuning", "--trials", "2", "--jobs", "1"]
        return self._made("tuning", words, **{"t.toml": TUNING}) / "tuning"

    def sources(self, name: str) -> Path:
        """Return a folder with pictures of the user, a table of them, and a run that has learned from one of both."""
        folder = self.folder / f"sources-{name}"
        if not folder.exists():
            with np.load(self.chosen / "data.npz", allow_pickle=False) as archive:
                halves = {half: archive[key][:PAIRS] for half, key in (("a", "before"), ("b", "after"))}
            making = self.folder / f"making-sources-{name}"
            shutil.rmtree(making, ignore_errors=True)
            (making / "pairs").mkdir(parents=True)
            for half, pictures in halves.items():
                for number, pixels in enumerate(pictures):
                    Image.fromarray(pixels).save(making / "pairs" / f"{number:03d}_{half}.bmp")
            rows = [f"pairs/{number:03d}_a.bmp,pairs/{number:03d}_b.bmp" for number in range(len(halves["a"]))]
            (making / "pairs.csv").write_text("\n".join(rows) + "\n")
            self._call(making, ["train", "--domain", f"images:path={name}", "--learner", "places", "-o", "run"])
            making.rename(folder)
        return folder

    def _made(self, name: str, words: list[str], **files: str) -> Path:
        """Return a folder in which a command was run, once."""
        folder, making = self.folder / name, self.folder / f"making-{name}"
        if not folder.exists():
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(parents=True)
            for file, text in files.items():
                (making / file).write_text(text)
            self._call(making, words)
            making.rename(folder)
        return folder

    def _call(self, place: Path, words: list[str]) -> None:
        (place / "tmp").mkdir(parents=True, exist_ok=True)
        ended, _ = run_cube(words, place, seconds=600)
        if ended.code != 0:
            raise SystemExit(f"cube {' '.join(words)} failed: {ended.errors}")

    def copy(self, folder: Path, which: str = "chosen", name: str = "run") -> Path:
        """Return a copy of a run in the folder of a case."""
        return Path(shutil.copytree(self.folder / which, folder / name))

    def pictures(self) -> tuple[str, str]:
        """Return two pictures that a plan can be found between."""
        problem = self.chosen / "problems" / "000"
        return str(problem / "init.png"), str(problem / "goal.png")


def contents(run: Path) -> dict[str, str]:
    """Return the hash of every file of a run; of JSON, without what was measured by a clock."""
    found = {}
    for place, _, names in os.walk(run):
        for name in names:
            path = Path(place, name)
            if name not in CHANGING and not name.startswith("checkpoint"):
                found[str(path.relative_to(run))] = _digest(path)
    return found


def _digest(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix == ".json":
        content = json.dumps(_timeless(json.loads(content)), sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if not any(word in name for word in MEASURED)}
        return {name: _timeless(each) for name, each in kept.items()}
    return [_timeless(each) for each in value] if isinstance(value, list) else value


def difference(run: Path, reference: Path) -> str:
    """Return how a run differs from the undisturbed one, or ""."""
    here, there = contents(run), contents(reference)
    names = sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))
    return f"changed: {', '.join(names)}" if names else ""


def forge_manifest(run: Path, names: Sequence[str] = ()) -> None:
    """Make the manifest state that the files of a run are as they should be, whatever was done to them."""
    path = run / "manifest.json"
    text = path.read_text("utf-8")
    manifest = json.loads(text)
    forged = set(names) or {str(each.relative_to(run)) for each in run.iterdir() if each.is_file()}

    def mend(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: _sha256(run / name) if name in forged and isinstance(each, str) else mend(each)
                for name, each in value.items()
            }
        return value

    path.write_text(json.dumps(mend(manifest), indent=2))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
