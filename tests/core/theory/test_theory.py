"""The paper's Figure 3 by answer sets, the numbers of Theorem 1 on graphs known by heart, and the command."""

import itertools
import json

import numpy as np
import pytest
from command import cube
from tiny_run import tiny_run  # noqa: F401 - a fixture

from cubespace.theory.answer_sets import assignment, count_differences, cycle, edge_chromatic_number
from cubespace.theory.cube_like_graph import graph_numbers
from cubespace.theory.star import EDGES, check_star, draw_star

clingo = pytest.importorskip("clingo", reason="install the extra 'theory'")
COMPLETE = [(a, b) for a, b in itertools.combinations(range(4), 2)]
CUBE = [(node, node ^ (1 << bit)) for node in range(8) for bit in range(3) if node < node ^ (1 << bit)]


def test_the_three_statements_of_figure_3() -> None:
    star = check_star()
    assert star.colours == 2
    assert not star.possible_with_two
    assert star.differences == 4
    assert len(np.unique(star.vectors, axis=0)) == 10
    assert star.holds


def test_a_square_is_not_such_a_graph() -> None:
    assert not check_star(cycle(4)).holds


def least_differences(edges, bits) -> int:
    """Return the least number of differences of any assignment."""
    return next(count for count in range(1, len(edges) + 1) if assignment(edges, bits, count) is not None)


@pytest.mark.parametrize(
    ("edges", "colours", "differences"),
    [(cycle(4), 2, 2), (cycle(5), 3, 4), (cycle(6), 2, 3), (cycle(8), 2, 3), (EDGES, 2, 4), (COMPLETE, 3, 3)],
    ids=["4", "5", "6", "8", "10", "complete"],
)
def test_colours_and_differences_of_known_graphs(edges, colours, differences) -> None:
    assert edge_chromatic_number(edges) == colours
    assert least_differences(edges, 4) == differences


def test_of_a_hypercube_there_is_equality() -> None:
    assert (edge_chromatic_number(CUBE), least_differences(CUBE, 3)) == (3, 3)


def test_an_assignment_has_the_differences_it_promises() -> None:
    vectors = assignment(EDGES, 4, 5)
    assert count_differences(EDGES, vectors) <= 5


def test_a_picture_of_the_star(tmp_path) -> None:
    draw_star(tmp_path / "star.png", assignment(EDGES, 4, 4))
    assert (tmp_path / "star.png").stat().st_size > 5000


def rows(*numbers: int, bits: int) -> np.ndarray:
    return (np.array(numbers)[:, None] >> np.arange(bits) & 1).astype(np.bool_)


def test_the_numbers_of_a_small_graph() -> None:
    numbers = graph_numbers(rows(0b00, 0b01, 0b01, 0b11, bits=2), rows(0b01, 0b00, 0b11, 0b11, bits=2))
    assert (numbers.nodes, numbers.edges, numbers.degree) == (3, 2, 2)
    assert (numbers.differences, numbers.effects, numbers.reversed) == (2, 3, 2)
    assert (numbers.bipartite, numbers.least_colours, numbers.most_colours, numbers.coloured) == (True, 2, 2, True)


def test_the_numbers_of_a_triangle() -> None:
    numbers = graph_numbers(rows(0, 1, 2, bits=2), rows(1, 2, 0, bits=2))
    assert not numbers.bipartite
    assert (numbers.degree, numbers.least_colours, numbers.most_colours, numbers.differences) == (2, 2, 3, 3)


def test_the_numbers_of_a_cube() -> None:
    start, end = np.array(CUBE).T
    both = np.concatenate([start, end]), np.concatenate([end, start])
    numbers = graph_numbers(rows(*both[0], bits=3), rows(*both[1], bits=3))
    assert (numbers.degree, numbers.differences, numbers.effects, numbers.reversed) == (3, 3, 6, 6)


def test_the_command_checks_the_figure_and_counts_in_a_run(tiny_run, tmp_path) -> None:  # noqa: F811
    figure = cube("theory", "--json", cwd=tmp_path)
    assert json.loads(figure.stdout)["holds"]
    assert "true" in cube("theory", "--picture", "star.png", cwd=tmp_path).stdout
    assert (tmp_path / "star.png").is_file()
    numbers = json.loads(cube("theory", str(tiny_run), "--json", cwd=tmp_path).stdout)
    assert numbers["theorem_2"]
    assert numbers["least_colours"] <= numbers["most_colours"] <= numbers["differences"]
    shown = cube("theory", str(tiny_run), cwd=tmp_path)
    assert "Theorem 2): yes" in shown.stdout
    assert cube("theory", str(tiny_run), "--picture", "star.png", cwd=tmp_path).returncode == 2
