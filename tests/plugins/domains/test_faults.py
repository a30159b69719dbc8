"""What is impossible in a picture is said in words that a person can check."""

import numpy as np
import pytest

from cubespace.data.domain import Simulator
from cubespace.data.spoiling import spoil
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import Spoiling


def domain(spec: str) -> Simulator:
    made = load_plugins().create("domain", spec)
    assert isinstance(made, Simulator)
    return made


@pytest.mark.parametrize(
    ("tiles", "words"),
    [
        ([1, 2, 4, 0, 3, 0, 6, 7, 8], "0 twice, 5 missing"),
        ([1, 1, 1, 0, 3, 5, 6, 7, 8], "1 3 times, 2 and 4 missing"),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8], ""),
    ],
)
def test_tiles_that_are_there_twice_or_missing_are_named(tiles, words) -> None:
    puzzle = domain("mnist")
    assert puzzle.faults(puzzle.render(np.array([tiles], dtype=np.uint8))) == [words]


def test_a_cell_without_a_tile_is_named_first() -> None:
    puzzle = domain("mnist")
    picture = puzzle.render(puzzle.goal())
    picture[0, 14:28, 28:] = 127
    assert puzzle.faults(picture) == ["no tile in row 2, column 3"]


@pytest.mark.parametrize(
    ("slots", "words"),
    [
        ([[1, 0, 0], [1, 0, 0], [3, 0, 0]], "disk 1 twice, disk 2 missing"),
        ([[0, 0, 0], [3, 0, 0], [1, 2, 0]], "disk 3 lies on disk 1"),
        ([[1, 0, 0], [0, 0, 0], [3, 2, 0]], "disk 1 stands on nothing"),
        ([[1, 0, 0], [2, 0, 0], [3, 0, 0]], ""),
    ],
)
def test_what_stands_wrongly_on_a_peg_is_named(slots, words) -> None:
    towers = domain("hanoi:disks=3")
    cells = np.array([slots], dtype=np.uint8)
    assert towers.faults(towers._mosaic.draw(cells)) == [words]  # type: ignore[attr-defined]


@pytest.mark.parametrize("spec", ["lightsout", "twisted"])
def test_a_lamp_that_is_neither_on_nor_off_is_named(spec) -> None:
    lamps = domain(spec)
    states = np.zeros((1, 16), dtype=np.uint8)
    states[0, 5] = 1
    dim = (lamps.render(states) // 2).astype(np.uint8)
    assert lamps.faults(dim) == ["a lamp neither on nor off in row 2, column 2"]


def test_many_are_counted_and_spoiled_pictures_are_explained_too() -> None:
    lamps = spoil(domain("lightsout"), Spoiling(blink=1), 0)
    assert isinstance(lamps, Simulator)
    dim = (lamps.render(np.ones((1, 16), dtype=np.uint8)) // 2).astype(np.uint8)
    (words,) = lamps.faults(dim)
    assert words.endswith(" in row 1, column 1 and row 1, column 2 and row 1, column 3 and 13 more")
