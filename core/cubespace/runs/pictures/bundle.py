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
from collections.abc import Mapping
from pathlib import Path

import attrs
import numpy as np

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.base.files import replacing
from cubespace.base.leftovers import temporary_prefix
from cubespace.base.observer import Observer
from cubespace.base.options import parse_spec, structure
from cubespace.base.records import read_record
from cubespace.base.version import __version__
from cubespace.data.domain import Domain, Pairs
from cubespace.data.spoiling import spoil
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.bits_file import load_bits
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.doubting import doubts_of
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.run_folder import CONFIG, RunFolder
from cubespace.runs.learners import read_code
from cubespace.runs.pictures.plan import Planning
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import RunConfig, load_config
from cubespace.settings.stages import BITS, CODE, EXTRACTION, LEARNER, MEASURES, PDDL, STRIPS
from cubespace.symbols.strips import load_strips

SUFFIX, CARD, FORMAT = ".cube", "card.json", 2
FILES = (CONFIG, CODE, LEARNER, MEASURES, BITS, STRIPS, PDDL, EXTRACTION)
MAX_CARD, MAX_BYTES = 1 << 20, 1 << 30  # of the card, and of all files together
A_TIME = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same model gives the same bundle


@attrs.frozen(kw_only=True)
class Card:
    """What a bundle says about itself."""

    format: int
    cubespace: str  # version
    domain: str
    licence: str
    date: str
    files: Mapping[str, str]  # hashes by name


def open_planning(path: Path, catalogue: Catalogue, execution: Execution) -> Planning:
    """Open the model of a run folder, or of a bundle."""
    if not path.is_file():
        return Planning.of(RunContents(RunFolder.load(path, catalogue), catalogue, execution, Observer()))
    with tempfile.TemporaryDirectory(prefix=temporary_prefix()) as name:
        folder = Path(name)
        unpack(path, folder)
        code = read_code(catalogue, folder / CODE, execution)
        domain = bundle_domain(load_config(folder / CONFIG, {}), code.image_shape, catalogue)
        seen = load_bits(folder / BITS)["train"]
        extraction = read_record(ExtractionRecord, folder / EXTRACTION)
        return Planning(
            code=code,
            model=load_strips(folder / STRIPS),
            domain=domain,
            memory=TrainingMemory.of(seen.before, seen.after),
            doubts=doubts_of(code, seen, extraction),
            redrawing_error=extraction.redrawing_error,
        )


def write_bundle(run: RunFolder, target: Path, licence: str) -> Path:
    """Write the bundle of a run whose model is extracted."""
    if not run.finished("extract"):
        raise InputError(f"{run.path} has no finished stage 'extract': cube extract {run.path} does it")
    content = {name: run.file(name).read_bytes() for name in FILES}
    card = Card(
        format=FORMAT,
        cubespace=__version__,
        domain=run.config.domain,
        licence=licence,
        date=time.strftime("%Y-%m-%d"),
        files={name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
    )
    with replacing(target) as file, zipfile.ZipFile(file, "w") as archive:
        for name, data in {CARD: json.dumps(attrs.asdict(card), indent=2).encode(), **content}.items():
            archive.writestr(zipfile.ZipInfo(name, A_TIME), data, zipfile.ZIP_DEFLATED)
    return target


def unpack(path: Path, folder: Path) -> Card:
    """Write the files of a bundle into a folder and return its card."""
    try:
        with zipfile.ZipFile(path) as archive:
            card = _card(archive)
            for name, digest in card.files.items():
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


def _card(archive: zipfile.ZipFile) -> Card:
    """Return the card of an archive that has the files of a bundle and nothing else."""
    if archive.getinfo(CARD).file_size > MAX_CARD:
        raise ValueError("its card is too large")
    table = json.loads(archive.read(CARD))
    if table["format"] != FORMAT:
        raise InputError(
            f"{archive.filename} is a bundle of format {table['format']}, this version reads {FORMAT}: "
            "export it again from its run, or use the version that made it"
        )
    card = structure(Card, table, CARD)
    there = sorted(entry.filename for entry in archive.infolist())
    if there != sorted((CARD, *FILES)) or set(card.files) != set(FILES):
        raise ValueError("it has other files than a bundle")
    if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
        raise ValueError("it is too large")
    return card


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


def bundle_domain(config: RunConfig, image_shape: tuple[int, ...], catalogue: Catalogue) -> Domain:
    """Return the domain of a bundle, which judges its plans, or one that judges nothing."""
    spec = parse_spec(config.domain)
    try:
        options = catalogue.find("domain", spec.name).options(spec.options)
        if any(isinstance(value, Path) for value in attrs.asdict(options, recurse=False).values()):
            return Unjudged(image_shape)
        return spoil(catalogue.create("domain", spec), config.data.spoil, config.data.seed, 1)
    except CubeError:  # a plugin that is not installed here, or what it needs
        return Unjudged(image_shape)
