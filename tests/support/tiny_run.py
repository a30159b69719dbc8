"""Two small finished runs, each made once for all tests: what reports, interface and pages are tested on.

One trains a small autoencoder, in seconds; the other leaves all choices to the defaults, which train nothing there.
"""

import json
import os
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from command import cube
from filelock import FileLock

from cubespace.base.files import sha256

SETTINGS: dict[str, object] = {
    "data.transitions": 600,
    "learner.name": "autoencoder",
    "autoencoder.bits": 12,
    "autoencoder.actions": 60,
    "autoencoder.encoder": "mlp:width=100",
    "autoencoder.decoder": "mlp:width=100",
    "autoencoder.action": "head",
    "autoencoder.action_width": 60,
    "autoencoder.objective": "paper",
    "train.extensions": ["consolidate", "rewrite", "decoder"],
    "train.epochs": 60,
    "train.batch": 50,
    "train.consolidation.updates": 40,
    "train.decoder_updates": 120,
    "extract.precondition": "counterexamples",  # exact here, though not every bit means one thing
}
DEFAULTS: dict[str, object] = {"data.transitions": 600}
HASTY: dict[str, object] = {  # for tests in which a network must be trained, but need not be any good
    **SETTINGS,
    "data.transitions": 300,
    "train.epochs": 5,
    "train.consolidation.rounds": 1,
    "train.consolidation.updates": 10,
    "train.decoder_updates": 10,
}
RECIPES = {"plain": SETTINGS, "default": DEFAULTS}
WORLD = [
    *("--domain", "lightsout:size=2", "--length", "2", "--instances", "4"),
    *("--planner", "fd-lmcut", "--planner", "pyperplan-bfs"),
]


def words(settings: Mapping[str, object]) -> list[str]:
    """Return settings as the command line takes them."""
    texts = {key: "+".join(value) if isinstance(value, list) else value for key, value in settings.items()}
    return [word for key, text in texts.items() for word in ("--set", f"{key}={text}")]


ARGUMENTS = [*WORLD, *words(SETTINGS)]


@cache
def _made(recipe: str) -> Path:
    """Return the run of a recipe; whichever process needs it first makes it."""
    folder = Path(os.environ["CUBESPACE_TEST_RUNS"], recipe)
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            making = folder.with_suffix(".making")
            making.mkdir(exist_ok=True)
            answer = cube("run", *WORLD, *words(RECIPES[recipe]), "-o", "run", cwd=making)
            assert answer.returncode == 0, answer.stderr
            making.rename(folder)
    return folder / "run"


def copy_run(folder: Path, recipe: str = "plain") -> Path:
    """Return a copy of a run in a folder: one that may be spoiled."""
    return shutil.copytree(_made(recipe), folder / "run")


def reseal(run: Path, stage: str, file: str) -> None:
    """Let a file that was changed by hand count as the one that a stage has written."""
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["stages"][stage]["files"][file] = sha256(run / file)
    (run / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture
def tiny_run(tmp_path) -> Path:
    """A run of the plain recipe, of the test's own."""
    return copy_run(tmp_path)


@pytest.fixture
def default_run(tmp_path) -> Path:
    """A run with the defaults, of the test's own: its learner was chosen by held-out pairs."""
    return copy_run(tmp_path, "default")


@pytest.fixture(params=list(RECIPES))
def any_run(request, tmp_path) -> Path:
    """Each of the two, one after the other."""
    return copy_run(tmp_path, request.param)
