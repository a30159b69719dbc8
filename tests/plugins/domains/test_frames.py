"""A world given by its frames: moves are those of the file, and some can be kept from learning."""

from pathlib import Path

import numpy as np
import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.data.domain import Pairs, Simulator
from cubespace.evaluation.distances import frontier
from cubespace.plugins.catalogue import load_plugins

FRAMES = np.random.default_rng(0).integers(256, size=(4, 3, 5), dtype=np.uint8)
EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [1, 3]])  # a ring one way, and a short cut


def build(path: Path, frames: object = FRAMES, edges: object = EDGES, options: str = "") -> Simulator:
    np.savez(path / "world.npz", frames=frames, edges=edges)
    domain = load_plugins().create("domain", f"frames:path={path / 'world.npz'}{options}")
    assert isinstance(domain, Simulator)
    return domain


def numbers(states: np.ndarray) -> list[int]:
    return (states[:, 0].astype(int) * 256 + states[:, 1]).tolist()


def moves(pairs: Pairs) -> set[tuple[int, int]]:
    assert pairs.states_before is not None
    assert pairs.states_after is not None
    return set(zip(numbers(pairs.states_before), numbers(pairs.states_after), strict=True))


def test_moves_go_one_way_and_are_known_backwards(tmp_path: Path) -> None:
    domain = build(tmp_path)
    assert numbers(domain.goal()) == [3]
    one = np.array([[0, 1]], dtype=np.uint8)
    assert numbers(domain.successors(one)[0]) == [2, 3]
    assert numbers(domain.predecessors(one)[0]) == [0]
    assert [numbers(frontier(domain, domain.goal(), distance)) for distance in (1, 2)] == [[1, 2], [0]]
    assert not domain.reversible


def test_pairs_are_frames_between_which_there_is_a_move(tmp_path: Path) -> None:
    pairs = build(tmp_path).sample(200, np.random.default_rng(0))
    assert moves(pairs) == set(map(tuple, EDGES.tolist()))
    assert (pairs.before == FRAMES[numbers(pairs.states_before)]).all()
    assert (pairs.after == FRAMES[numbers(pairs.states_after)]).all()


def test_moves_that_are_held_out_are_moves_but_no_pair_shows_them(tmp_path: Path) -> None:
    domain = build(tmp_path, options=",held_out=0.5")
    shown = moves(domain.sample(300, np.random.default_rng(0)))
    assert 0 < len(shown) < len(EDGES)
    states = np.array([[0, number] for number in range(4)], dtype=np.uint8)
    children, parents = domain.successors(states)
    assert set(zip(parents.tolist(), numbers(children), strict=True)) == set(map(tuple, EDGES.tolist()))


def test_more_frames_than_a_byte_can_count(tmp_path: Path) -> None:
    frames = np.random.default_rng(1).integers(256, size=(300, 3, 5), dtype=np.uint8)
    ring = np.stack([np.arange(300), np.roll(np.arange(300), -1)], axis=1)
    domain = build(tmp_path, frames, ring)
    states = domain.random_states(500, np.random.default_rng(0))
    assert (domain.read(domain.render(states))[0] == states).all()
    assert numbers(domain.goal()) == [299]


def test_without_a_file_it_says_what_it_needs() -> None:
    with pytest.raises(UsageError, match=r"path=FILE\.npz"):
        load_plugins().create("domain", "frames")


@pytest.mark.parametrize(
    ("frames", "edges", "words"),
    [
        (FRAMES / 255, EDGES, "frames must be uint8"),
        (FRAMES[0], EDGES, "frames must be uint8"),
        (FRAMES, EDGES / 2, "edges must be whole numbers"),
        (FRAMES, EDGES[:0], "edges must be whole numbers"),
        (FRAMES, EDGES.T, "edges must be whole numbers"),
        (FRAMES, EDGES + 1, "numbers of frames"),
        (FRAMES, EDGES - 1, "numbers of frames"),
    ],
)
def test_what_is_no_world_is_refused(tmp_path: Path, frames: object, edges: object, words: str) -> None:
    with pytest.raises(InputError, match=rf"world\.npz.*{words}"):
        build(tmp_path, frames, edges)


def test_absent_and_damaged_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        load_plugins().create("domain", f"frames:path={tmp_path / 'gone.npz'}")
    (tmp_path / "bad.npz").write_bytes(b"PK no archive")
    with pytest.raises(InputError, match=r"bad\.npz' is not an \.npz"):
        load_plugins().create("domain", f"frames:path={tmp_path / 'bad.npz'}")
