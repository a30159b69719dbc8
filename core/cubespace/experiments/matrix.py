"""A matrix: axes of settings, named variants, exclusions; from a TOML file or the command line. Its cells are runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import tomli_w

from cubespace.base.errors import CubeError, UsageError
from cubespace.base.options import Text, parse_spec, structure, suggestion
from cubespace.experiments.cell_folders import LAST, CellFolders
from cubespace.experiments.reach import refuse_idle_axes
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.check import resolve_components
from cubespace.settings.run_config import SHORT_NAMES, RunConfig, flat, load_config
from cubespace.settings.stages import way_to
from cubespace.settings.toml_file import read_toml

CHAIN = tuple(stage.name for stage in way_to(LAST))  # the stages of a cell, besides its diagnosis
DOMAIN, VARIANT, PLANNER, SEED, PRESET = "domain", "variant", "planner", "seed", "preset"
NAMED = {DOMAIN, VARIANT, PLANNER, PRESET, "learner", "apply", "encoder", "decoder", "precondition"}
MAX_SLUG = 60  # characters of a folder's name before its hash


@attrs.frozen(kw_only=True)
class Matrix:
    """What a matrix file says; see docs/experiments.md for the format.

    Every combination of the values of the axes is a cell, except those that are excluded. An axis is the name of a
    setting, or ``domain``, ``variant``, ``planner`` or ``seed``.
    """

    about: str = ""
    preset: str | None = None
    settings: Mapping[str, Any] = attrs.field(factory=dict)  # of every cell
    axes: Mapping[str, Any] = attrs.field(factory=dict)  # by name: a value, or a list of them
    domains: Mapping[str, Mapping[str, Any]] = attrs.field(
        factory=dict
    )  # further settings of a value of the axis domain
    variants: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)  # named sets of settings
    exclude: tuple[Mapping[str, Any], ...] = ()  # cells to leave out: values by axis
    diagnose: bool = True  # whether models are compared with the truth, where the domain knows its states

    def values(self) -> dict[str, list[Any]]:
        """Return the values of each axis; without an axis ``variant``, all variants are used."""
        axes = {name: _values(name, given) for name, given in self.axes.items()}
        if self.variants and VARIANT not in axes:
            axes = {VARIANT: list(self.variants), **axes}
        for name, values in axes.items():
            if not values:
                raise UsageError(f"axis '{name}' has no values")
            twice = [value for value in map(str, values) if list(map(str, values)).count(value) > 1]
            if twice:
                raise UsageError(f"axis '{name}' has the value {twice[0]} twice")
        for variant in axes.get(VARIANT, ()):
            if variant not in self.variants:
                raise UsageError(f"no variant is called '{variant}'. {_there(variant, self.variants)}")
        return axes

    def dump(self) -> str:
        """Return the matrix as TOML that :func:`read_matrix` reads back."""
        return tomli_w.dumps(attrs.asdict(self, filter=lambda _, value: value is not None))


@attrs.frozen(kw_only=True)
class MatrixCell:
    """One combination of the axes: a run."""

    values: Mapping[str, str]  # of each axis, as written
    config: RunConfig
    folder: Path  # its run folder
    varying: tuple[str, ...] = ()  # the axes that tell it from other cells

    @property
    def name(self) -> str:
        """Return in one line what tells this cell from others; settings that are no component by their names."""
        values = {axis: value for axis, value in self.values.items() if axis in self.varying} or self.values
        return ", ".join(_said(axis, value) for axis, value in values.items())

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Return the identity of each stage, in order."""
        return tuple(self.config.key(stage) for stage in CHAIN)


def read_matrix(file: Path) -> Matrix:
    """Read a matrix file, or that of a matrix folder."""
    file = file / "matrix.toml" if file.is_dir() else file
    return structure(Matrix, read_toml(file), str(file))


def cells_of(matrix: Matrix, folder: Path, catalogue: Catalogue) -> list[MatrixCell]:
    """Return the cells of a matrix; cells with equal settings share a run folder, which keeps the name it has."""
    axes = matrix.values()
    for rule in matrix.exclude:
        for axis in rule:
            if axis not in axes:
                raise UsageError(f"exclude: there is no axis '{axis}'. {_there(axis, axes)}")
    begun, folders = CellFolders.of(folder), dict[str, Path]()
    cells = []
    for combination in product(*axes.values()):
        values = dict(zip(axes, combination, strict=True))
        if any(_matches(rule, values) for rule in matrix.exclude):
            continue
        config = _configuration(matrix, values, catalogue)
        said = {axis: str(value) for axis, value in values.items()} or {DOMAIN: config.domain}
        varying = tuple(axis for axis in said if len(axes.get(axis, ())) > 1)
        key = config.key(LAST)
        if key not in folders:
            folders[key] = begun.place(_slug([said[axis] for axis in varying] or [config.domain]), key)
        cells.append(MatrixCell(values=said, config=config, folder=folders[key], varying=varying))
    if not cells:
        raise UsageError("every cell of the matrix is excluded")
    varied = [
        axis for axis, values in axes.items() if len(values) > 1 and axis not in (DOMAIN, VARIANT, PLANNER, PRESET)
    ]
    refuse_idle_axes(varied, [cell.config for cell in cells], catalogue)
    return cells


def _configuration(matrix: Matrix, values: Mapping[str, Any], catalogue: Catalogue) -> RunConfig:
    """Return the settings of a cell: presets at the bottom, then matrix, domain, variant, axes.

    A seed that is set by its own name, such as ``plan.seed``, is not overridden by ``seed``, which sets all.
    """
    domain, variant = (str(values.get(axis, "")) for axis in (DOMAIN, VARIANT))
    of_domain = matrix.domains.get(domain, {})
    named = {DOMAIN: domain} if domain and DOMAIN not in of_domain else {}
    axes = {axis: Text(value) if isinstance(value, str) else value for axis, value in values.items()}
    layers = [
        {PRESET: matrix.preset, **matrix.settings},
        {**named, **of_domain},
        matrix.variants.get(variant, {}),
        {axis: value for axis, value in axes.items() if axis not in (DOMAIN, VARIANT)},
    ]
    spec = next((layer[DOMAIN] for layer in reversed(layers) if DOMAIN in layer), RunConfig().domain)
    presets: dict[str, object] = {}
    for layer in layers:
        if layer.get(PRESET):
            presets |= flat(catalogue.find_preset(str(layer[PRESET]).format(domain=parse_spec(spec).name)).settings)
    seeds: dict[str, object] = {}
    settings: dict[str, object] = {}
    for layer in layers:
        for key, value in _named(layer):
            (seeds if key in SHORT_NAMES[SEED] and SEED in layer and key not in flat(layer) else settings)[key] = value
    try:
        return resolve_components(catalogue, load_config(None, {**presets, **seeds, **settings}))
    except CubeError as error:
        raise UsageError(f"cell {', '.join(map(str, values.values()))}: {error}") from None


def _named(layer: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the settings of a layer by their full names."""
    for key, value in flat(layer).items():
        if key == PRESET:
            continue
        if key == PLANNER:
            yield "plan.planners", [str(value)]
        elif key in SHORT_NAMES:
            for full in SHORT_NAMES[key]:
                yield full, value
        else:
            yield key, value


def _values(axis: str, given: Any) -> list[Any]:
    """Return the values of an axis; those of a seed may be a range such as ``0-4``."""
    values = list(given) if isinstance(given, list | tuple) else [given]
    if axis == SEED or axis.endswith(".seed"):
        return [seed for value in values for seed in seeds_of(str(value))]
    return values


def seeds_of(text: str) -> list[int]:
    """Return the seeds of a text such as ``0-4`` or ``0,3,7-9``."""
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if not match:
            raise UsageError(f"seeds '{text}': write numbers or ranges, such as 0-4 or 0,3,7-9")
        first, last = int(match[1]), int(match[2] or match[1])
        seeds += range(first, last + 1)
    return seeds


def _there(name: str, known: Iterable[str]) -> str:
    """Return what was probably meant, and what is available."""
    return f"{suggestion(name, known)}Available: {', '.join(known) or 'none'}."


def _said(axis: str, value: str) -> str:
    """Return the value of an axis for a reader: what names a component needs no more, a number does."""
    return value if axis in NAMED else f"{axis} {value}"


def _matches(rule: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Return whether a cell has one of the values that a rule names, on each axis that it names."""
    return all(
        str(values[axis]) in {str(each) for each in (allowed if isinstance(allowed, list) else [allowed])}
        for axis, allowed in rule.items()
    )


def _slug(parts: Sequence[str]) -> str:
    """Return values as the name of a folder: for specs the name and option values, for paths the last part."""
    plain = "-".join(re.sub(r"[\w.]+=", "", re.sub(r"[^,=:]*/", "", part)) for part in parts)
    return re.sub(r"[^A-Za-z0-9._]+", "-", plain).strip("-.")[:MAX_SLUG].rstrip("-.")
