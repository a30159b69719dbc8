"""A learned model in one file, to be given away: network, STRIPS model, PDDL, settings, licence, hashes.

It is a zip archive of known files and nothing else. Nothing in it is ever executed: weights are safetensors, arrays are
read without pickle, and what does not match its hash, or is too large, is refused before it is read.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.base.files import read_json, replacing
from cubespace.base.options import parse_spec
from cubespace.base.version import __version__
from cubespace.data.domain import Domain, Pairs
from cubespace.runs.folder import RunFolder
from cubespace.runs.stages import Pipeline

SUFFIX, CARD, FORMAT = ".cube", "card.json", 1
STAGES_GIVEN = ("train", "extract")
BESIDES = ("config.toml", "manifest.json", "environment.json")
MAX_CARD, MAX_BYTES = 1 << 20, 1 << 30  # of the card, and of all files together
A_TIME = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same model gives the same bundle


def write_bundle(run: RunFolder, target: Path, licence: str) -> Path:
    """Write the bundle of a run whose model is extracted."""
    for stage in STAGES_GIVEN:
        if not run.finished(stage):
            raise InputError(f"{run.path} has no finished stage '{stage}': cube {stage} {run.path} does it")
    stages = {stage: _stages(run)[stage] for stage in STAGES_GIVEN}
    names = [name for record in stages.values() for name in record["files"]]
    content = {name: run.file(name).read_bytes() for name in (*BESIDES, *names)}
    card = {
        "format": FORMAT,
        "cubespace": __version__,
        "domain": run.config.domain,
        "licence": licence,
        "date": time.strftime("%Y-%m-%d"),
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
    }
    with replacing(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {CARD: json.dumps(card, indent=2).encode(), **content}.items():
            archive.writestr(zipfile.ZipInfo(name, A_TIME), data, zipfile.ZIP_DEFLATED)
    return target


@contextmanager
def opened_bundle(path: Path) -> Iterator[RunFolder]:
    """Unpack a bundle into a folder that is removed in the end, and open it as a run."""
    with tempfile.TemporaryDirectory(prefix="cube-bundle-") as name:
        unpack(path, Path(name))
        yield RunFolder.load(name)


def unpack(path: Path, folder: Path) -> dict[str, Any]:
    """Write the files of a bundle into a folder and return its card."""
    try:
        with zipfile.ZipFile(path) as archive:
            card = _card(archive)
            for name, digest in card["files"].items():
                data = archive.read(name)
                if hashlib.sha256(data).hexdigest() != digest:
                    raise InputError(f"{path} is damaged: {name} does not match its hash")
                (folder / name).write_bytes(data)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a forged archive can make the reader raise anything
        raise InputError(f"{path} is not a bundle of cubespace ({type(error).__name__}: {error})") from error
    return card


def _card(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Return the card of an archive that has what it says and nothing else."""
    if archive.getinfo(CARD).file_size > MAX_CARD:
        raise ValueError("its card is too large")
    card = json.loads(archive.read(CARD))
    if card["format"] != FORMAT:
        raise ValueError(f"format {card['format']}, this version reads {FORMAT}")
    named, there = set(card["files"]) | {CARD}, [entry.filename for entry in archive.infolist()]
    if sorted(named) != sorted(there):
        raise ValueError("its files are not those of its card")
    for name in named:
        if Path(name).name != name or name.startswith("."):
            raise ValueError(f"'{name}' is not a plain file name")
    if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
        raise ValueError("it is too large")
    return dict(card)


@contextmanager
def opened_run(path: Path) -> Iterator[RunFolder]:
    """Open a run folder, or a bundle."""
    if path.is_file():
        with opened_bundle(path) as run:
            yield run
    else:
        yield RunFolder.load(path)


class Unjudged(Domain):
    """Stands for a domain that is not there, or that would read files which a stranger has named."""

    def __init__(self, image_shape: tuple[int, ...]) -> None:
        self._shape = image_shape

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of the pictures."""
        return self._shape

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:  # noqa: ARG002 - the contract's
        """Refuse: a bundle has no pictures."""
        raise UsageError("a bundle has no pictures to learn from: name a domain")


def bundle_domain(pipeline: Pipeline, image_shape: tuple[int, ...]) -> Domain:
    """Return the domain of a bundle, which judges its plans, or one that judges nothing."""
    spec = parse_spec(pipeline.run.config.domain)
    try:
        options = pipeline.catalogue.find("domain", spec.name).options(spec.options)
        if any(isinstance(value, Path) for value in attrs.asdict(options, recurse=False).values()):
            return Unjudged(image_shape)
        return pipeline.domain()
    except CubeError:  # a plugin that is not installed here, or what it needs
        return Unjudged(image_shape)


def _stages(run: RunFolder) -> dict[str, Any]:
    manifest = read_json(run.file("manifest.json"))
    assert isinstance(manifest, dict)
    return dict(manifest.get("stages", manifest))
