"""The model of a run folder or of a bundle, opened to plan with.

A bundle may be a stranger's. Its parts are compared with each other, and its components are built from numbers and
choices alone: it names no file, no module and no program that would be read, imported or run.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from cubespace.base.closed_options import closed
from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.base.leftovers import temporary_prefix
from cubespace.base.observer import Observer
from cubespace.base.options import Spec, parse_spec
from cubespace.base.records import read_record
from cubespace.data.domain import Domain, Pairs
from cubespace.data.spoiling import spoil
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.bits_file import BitPairs, load_bits
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.doubting import doubts_of
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.run_folder import CONFIG, RunFolder
from cubespace.runs.learners import read_code
from cubespace.runs.pictures.bundle import unpack
from cubespace.runs.pictures.plan import Planning
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import RunConfig, load_config
from cubespace.settings.stages import BITS, CODE, EXTRACTION, STRIPS
from cubespace.symbols.strips import StripsModel, load_strips

MOST_ARRAY_BYTES = 1 << 28  # of the arrays of one file: packed bits of a hundred million states of twenty bits


def open_planning(path: Path, catalogue: Catalogue, execution: Execution) -> Planning:
    """Open the model of a run folder, or of a bundle."""
    if not path.is_file():
        return Planning.of(RunContents(RunFolder.load(path, catalogue), catalogue, execution, Observer()))
    with tempfile.TemporaryDirectory(prefix=temporary_prefix()) as name:
        folder = Path(name)
        unpack(path, folder)
        try:
            return _planning(folder, catalogue, execution)
        except InputError as error:  # the files are gone when it is read: name the bundle instead
            raise InputError(str(error).replace(f"{folder}/", f"{path}: ")) from error


def _planning(folder: Path, catalogue: Catalogue, execution: Execution) -> Planning:
    """Read the parts of a bundle, which must belong together."""
    for arrays in (BITS, STRIPS):
        _refuse_bomb(folder / arrays)
    code = read_code(OnlyClosed.of(catalogue), folder / CODE, execution)
    model, seen = load_strips(folder / STRIPS), load_bits(folder / BITS)["train"]
    domain = bundle_domain(load_config(folder / CONFIG, {}), code.image_shape, catalogue)
    _compare(folder, code, model, seen, domain)
    extraction = read_record(ExtractionRecord, folder / EXTRACTION)
    return Planning(
        code=code,
        model=model,
        domain=domain,
        memory=TrainingMemory.of(seen.before, seen.after),
        doubts=doubts_of(code, seen, extraction),
        redrawing_error=extraction.redrawing_error,
    )


def _compare(folder: Path, code: Code, model: StripsModel, seen: BitPairs, domain: Domain) -> None:
    """Raise if parts of a bundle are of different models."""
    for name, bits in ((STRIPS, model.bits), (BITS, seen.before.shape[1])):
        if bits != code.bits:
            raise InputError(f"'{folder / name}' has {bits} bits and {CODE} has {code.bits}: they are not one model")
    if domain.image_shape != code.image_shape:
        drawn, shape = ("x".join(map(str, shape)) for shape in (domain.image_shape, code.image_shape))
        raise InputError(f"'{folder / CONFIG}' has a domain with pictures of {drawn}, {CODE} has {shape}")


def _refuse_bomb(path: Path) -> None:
    """Raise if the arrays of a file would fill the memory."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except Exception as error:  # a forged archive can make the reader raise anything
        raise InputError(f"'{path}' is damaged: it is not a file of arrays ({error})") from error
    if size > MOST_ARRAY_BYTES:
        raise InputError(f"'{path}' is too large: {size >> 20} MB of arrays, at most {MOST_ARRAY_BYTES >> 20}")


class OnlyClosed(Catalogue):
    """A catalogue that builds no component with options other than numbers and choices."""

    @classmethod
    def of(cls, catalogue: Catalogue) -> OnlyClosed:
        """Return it for a catalogue."""
        return cls(**attrs.asdict(catalogue, recurse=False))

    def create(self, kind: str, spec: Spec | str, *arguments: object, home: Path | None = None) -> Any:
        """Build a component, or refuse."""
        parsed = parse_spec(spec) if isinstance(spec, str) else spec
        component = self.find(kind, parsed.name)
        if not closed(component.options(parsed.options), component.options({})):
            raise InputError(f"{kind} '{spec}' has options besides numbers and choices, which no bundle may name")
        return super().create(kind, spec, *arguments, home=home)


class Unjudged(Domain):
    """Stands for a domain that is not there, or that is more than numbers and choices."""

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
    """Return the domain of a bundle, which judges its plans, or one that judges nothing.

    Only a domain whose class declares that it is ``closed`` is built, and only from numbers and choices.
    """
    spec = parse_spec(config.domain)
    try:
        component = catalogue.find("domain", spec.name)
        if not component.load().closed or not closed(component.options(spec.options), component.options({})):
            return Unjudged(image_shape)
        return spoil(catalogue.create("domain", spec), config.data.spoil, config.data.seed, 1)
    except CubeError:  # a plugin that is not installed here, or what it needs
        return Unjudged(image_shape)
