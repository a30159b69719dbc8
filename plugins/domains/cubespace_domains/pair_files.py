"""Pairs of pictures on disk: all are read, or the collection is refused with every reason at once."""

from __future__ import annotations

import csv
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.arrays import Images
from cubespace.base.errors import CubeNote, InputError
from cubespace.base.images import FORMATS, Colour, read_picture
from cubespace.base.words import listed

Size = tuple[int, int]  # height and width
Pair = tuple[Path, Path]

HEADER = ["before", "after"]


def read_pairs(path: Path, colour: Colour, size: Size | None) -> tuple[Images, Images]:
    """Read a collection: the pictures before and those after, pair by pair."""
    try:
        there = path.exists()
    except (OSError, ValueError) as error:  # a name that is too long, or has a zero byte
        raise InputError(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from error
    if not there:
        raise InputError(f"'{path}' does not exist")
    if path.is_dir():
        pairs, problems = _pairs_in_folder(path)
        return _read_files(pairs, path, colour, size, problems)
    if path.suffix.lower() == ".npz":
        return _read_archive(path, colour, size)
    if path.suffix.lower() == ".csv":
        return _read_files(_pairs_in_table(path), path, colour, size, [])
    raise InputError(f"'{path}' is neither a folder nor an .npz or .csv file")


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder, without those of its sub-folders."""
    return [file for file in folder.iterdir() if file.is_file()]


def pictures_of(folder: Path) -> list[Path]:
    """Return all files of a folder and its sub-folders that are called like pictures."""
    known = set(Image.registered_extensions())
    return [file for file in folder.rglob("*") if file.suffix.lower() in known and file.is_file()]


def pictures_named(table: Path) -> list[Path]:
    """Return the pictures that a table names, each once; none if it cannot be read, which is said elsewhere."""
    try:
        pairs = _pairs_in_table(table)
    except InputError:
        return []
    return list(dict.fromkeys(file for pair in pairs for file in pair))


def _pairs_in_folder(folder: Path) -> tuple[list[Pair], list[str]]:
    """Pair ``NAME_a.png`` with ``NAME_b.png``, in the order of the names, and report pictures that cannot be paired.

    Other kinds of files are ignored.
    """
    endings = Image.registered_extensions()
    halves: dict[str, dict[str, Path]] = {}
    problems = []
    for file in sorted(folder.iterdir()):
        name, _, half = file.stem.rpartition("_")
        kind = endings.get(file.suffix.lower())
        of_a_pair = half in ("a", "b") and kind is not None  # a format that is not supported is refused later
        if file.name.startswith(".") or not (kind in FORMATS or of_a_pair):
            continue
        if half not in ("a", "b"):
            problems.append(f"'{file.name}' ends neither in _a nor in _b")
        elif half in halves.setdefault(name, {}):
            problems.append(f"'{file.name}' and '{halves[name][half].name}' are the same half of a pair")
        else:
            halves[name][half] = file
    for pair in halves.values():
        if len(pair) == 1:
            ((half, file),) = pair.items()
            problems.append(f"'{file.name}' has no partner _{'b' if half == 'a' else 'a'}")
    return [(pair["a"], pair["b"]) for pair in halves.values() if len(pair) == 2], problems


def _pairs_in_table(table: Path) -> list[Pair]:
    """Read two paths per row, relative to the table; a first row ``before,after`` is a heading."""
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:
            rows = [(number, row) for number, row in enumerate(csv.reader(file), start=1) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"table '{table}' cannot be read: {error}") from error
    if rows and [cell.strip().lower() for cell in rows[0][1]] == HEADER:
        rows = rows[1:]
    _refuse([f"row {number} has {len(row)} cells, not 2" for number, row in rows if len(row) != 2], table)
    return [(table.parent / before.strip(), table.parent / after.strip()) for _, (before, after) in rows]


def _read_files(
    pairs: Sequence[Pair], source: Path, colour: Colour, size: Size | None, problems: list[str]
) -> tuple[Images, Images]:
    """Read all pictures, in one shape; what is wrong with any of them is reported with the ``problems`` so far."""
    if not pairs and not problems:
        raise InputError(f"'{source}' has no pairs of pictures")
    pictures: dict[Path, NDArray[np.uint8]] = {}
    files = [file for pair in pairs for file in pair]
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", CubeNote)
        for file in dict.fromkeys(files):  # a picture may be in several pairs
            try:
                pictures[file] = read_picture(file, colour, size)
            except InputError as error:
                problems.append(str(error))
    _refuse(problems, source)
    if notes:  # thousands of pictures may have the same note
        warnings.warn(listed([str(note.message) for note in notes], most=1), CubeNote, stacklevel=2)
    if any(picture.ndim == 3 for picture in pictures.values()):  # if one is in colour, all are
        pictures = {file: in_colour(picture) for file, picture in pictures.items()}
    _refuse(_odd_sizes(pictures), source)
    return _in_pairs(pairs, pictures)


def _in_pairs(pairs: Sequence[Pair], pictures: dict[Path, NDArray[np.uint8]]) -> tuple[Images, Images]:
    """Return the pictures before and after; each is let go of after its last use, since all twice may not fit."""
    shape = next(iter(pictures.values())).shape
    sides = np.empty((len(pairs), *shape), np.uint8), np.empty((len(pairs), *shape), np.uint8)
    left = Counter(file for pair in pairs for file in pair)
    for row, pair in enumerate(pairs):
        for side, file in zip(sides, pair, strict=True):
            left[file] -= 1
            side[row] = pictures[file] if left[file] else pictures.pop(file)
    return sides


def _read_archive(path: Path, colour: Colour, size: Size | None) -> tuple[Images, Images]:
    """Read the arrays ``before`` and ``after``."""
    before = _half(path, HEADER[0], colour, size)
    after = _half(path, HEADER[1], colour, size)
    if before.shape != after.shape:
        raise InputError(f"'{path}': 'before' has shape {before.shape}, 'after' {after.shape}; they must be equal")
    return before, after


def _half(path: Path, name: str, colour: Colour, size: Size | None) -> Images:
    """Return one of the two arrays as pictures."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            array = np.asarray(archive[name])
    except Exception as error:  # a damaged archive may raise anything: zlib.error, BadZipFile, KeyError …
        raise InputError(f"'{path}' is not an .npz with arrays 'before' and 'after': {error}") from error
    pictures = _as_bytes(name, array, path)
    if size is None and colour == "auto":
        return pictures
    return np.stack([converted(picture, colour, size) for picture in pictures])


def _as_bytes(name: str, array: NDArray[np.generic], path: Path) -> Images:
    """Return the pictures of an array as uint8, grey or colour."""
    if array.ndim == 4 and array.shape[3] == 1:
        array = array[..., 0]
    if array.size == 0 or not (array.ndim == 3 or (array.ndim == 4 and array.shape[3] == 3)):
        raise InputError(f"'{path}': '{name}' has shape {array.shape}, not (pairs, height, width) or (…, 3)")
    if array.dtype == np.uint8:
        return array.astype(np.uint8, copy=False)
    if np.issubdtype(array.dtype, np.floating):
        if array.min() >= 0 and array.max() <= 1:  # false for NaN as well
            return np.stack([np.rint(255 * picture.astype(np.float64)).astype(np.uint8) for picture in array])
        raise InputError(f"'{path}': '{name}' has values that are outside [0, 1] or not numbers")
    raise InputError(f"'{path}': '{name}' is {array.dtype}: use uint8, or floating point in [0, 1]")


def converted(picture: NDArray[np.uint8], colour: Colour, size: Size | None) -> NDArray[np.uint8]:
    """Return one picture in the requested colours and size."""
    image = Image.fromarray(picture)
    if size is not None:
        image = image.resize((size[1], size[0]), Image.Resampling.LANCZOS)
    if colour != "auto":
        image = image.convert("L" if colour == "grey" else "RGB")
    return np.asarray(image)


def in_colour(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture in colour, even if it is grey."""
    return picture if picture.ndim == 3 else picture[..., None].repeat(3, axis=2)


def _odd_sizes(pictures: dict[Path, NDArray[np.uint8]]) -> list[str]:
    """Name the pictures that differ in size from the most common one."""
    sizes = [picture.shape[:2] for picture in pictures.values()]
    most = max(dict.fromkeys(sizes), key=sizes.count)
    return [
        f"'{file.name}' is {picture.shape[0]}x{picture.shape[1]}, most are {most[0]}x{most[1]} (resize=HEIGHTxWIDTH)"
        for file, picture in pictures.items()
        if picture.shape[:2] != most
    ]


def _refuse(problems: list[str], source: Path) -> None:
    """Raise one error with all problems, if there are any."""
    if problems:
        raise InputError(f"'{source}' cannot be used: {listed(problems)}")
