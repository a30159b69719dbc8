"""A learned model in one file, to be given away: network, STRIPS model, PDDL, settings, licence, hashes.

It is a zip archive of known files and nothing else. Nothing in it is ever executed: weights are safetensors, arrays are
read without pickle, and what does not match its hash, or is too large, is refused before it is read.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import replacing
from cubespace.base.options import structure
from cubespace.base.version import __version__
from cubespace.runs.folder.run_folder import CONFIG, RunFolder
from cubespace.settings.stages import BITS, CODE, EXTRACTION, LEARNER, MEASURES, PDDL, STRIPS

SUFFIX, CARD, FORMAT = ".cube", "card.json", 2
FILES = (CONFIG, CODE, LEARNER, MEASURES, BITS, STRIPS, PDDL, EXTRACTION)
MAX_CARD, MAX_BYTES = 1 << 20, 1 << 30  # of the card, and of all files together
MAX_FILE: Mapping[str, int] = MappingProxyType(  # bytes of those that need not be large
    {**dict.fromkeys((CONFIG, LEARNER, MEASURES, EXTRACTION), 1 << 22), PDDL: 1 << 26}
)
CHUNK = 1 << 20  # bytes that are held of a file at a time
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


def write_bundle(run: RunFolder, target: Path, licence: str, code: Path | None = None) -> Path:
    """Write the bundle of a run whose model is extracted; another file of its code may be given."""
    if not run.finished("extract"):
        raise InputError(f"{run.path} has no finished stage 'extract': cube extract {run.path} does it")
    _refuse_large(run.path, {name: run.file(name).stat().st_size for name in FILES})
    content = {name: run.file(name).read_bytes() for name in FILES}
    if code is not None:
        content[CODE] = code.read_bytes()
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
                if _extract(archive, name, folder / name) != digest:
                    raise InputError(f"{path} is damaged: {name} does not match its hash")
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
    _refuse_large(Path(str(archive.filename)), {entry.filename: entry.file_size for entry in archive.infolist()})
    return card


def _refuse_large(owner: Path, sizes: Mapping[str, int]) -> None:
    """Raise if files, by their sizes in bytes, are larger than those of any model that can be planned with."""
    for name, size in (*sizes.items(), ("all of its files", sum(sizes.values()))):
        most = MAX_FILE.get(name, MAX_BYTES)
        if size > most:
            raise InputError(f"'{owner}' is too large for a bundle: {name}, {size >> 20} MB, may have {most >> 20}")


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> str:
    """Write a file of an archive, piece by piece, and return its hash."""
    digest = hashlib.sha256()
    with archive.open(name) as source, target.open("wb") as copy:
        while piece := source.read(CHUNK):
            digest.update(piece)
            copy.write(piece)
    return digest.hexdigest()
