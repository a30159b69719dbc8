"""Data sets: the same for the same seed, split three ways, and never silently damaged."""

from pathlib import Path

import numpy as np
import pytest

from cubespace.base.errors import ContractError, InputError, UsageError
from cubespace.data.domain import Domain, Pairs
from cubespace.data.transitions import PICTURES, STATES, Transitions, draw, load, make
from cubespace.plugins.catalogue import load_plugins

SPEC = "lightsout:size=2"


@pytest.fixture(scope="module")
def domain() -> Domain:
    built = load_plugins().create("domain", SPEC)
    assert isinstance(built, Domain)
    return built


@pytest.fixture(scope="module")
def data(domain: Domain) -> Transitions:
    return make(domain, SPEC, 200, seed=7)


def same(one: Transitions, other: Transitions) -> bool:
    arrays = all(np.array_equal(getattr(one.pairs, name), getattr(other.pairs, name)) for name in (*PICTURES, *STATES))
    return arrays and (one.spec, one.seed) == (other.spec, other.seed)


def test_the_seed_decides(domain: Domain, data: Transitions) -> None:
    assert same(make(domain, SPEC, 200, seed=7), data)
    assert not same(make(domain, SPEC, 200, seed=8), data)


def test_the_split_is_ninety_five_five(data: Transitions) -> None:
    assert (len(data.train), len(data.validation), len(data.test)) == (180, 10, 10)
    parts = [data.train, data.validation, data.test]
    np.testing.assert_array_equal(np.concatenate([part.before for part in parts]), data.pairs.before)


@pytest.mark.parametrize("count", [4, 19, 20, 21, 30])
def test_small_data_sets_have_all_three_parts(domain: Domain, count: int) -> None:
    data = make(domain, SPEC, count, seed=0)
    sizes = [len(data.train), len(data.validation), len(data.test)]
    assert sum(sizes) == count
    assert min(sizes) >= 1
    assert sizes[0] >= 2  # batch norm needs two


@pytest.mark.parametrize("count", [1, 2, 3])
def test_too_few_transitions_are_refused(domain: Domain, count: int) -> None:
    with pytest.raises(UsageError, match="at least 4"):
        make(domain, SPEC, count, seed=0)


def test_pictures_show_the_states(domain: Domain, data: Transitions) -> None:
    np.testing.assert_array_equal(domain.render(data.test.states_after), data.test.after)


def test_what_was_saved_is_loaded(tmp_path: Path, data: Transitions) -> None:
    data.save(tmp_path / "data.npz")
    assert same(load(tmp_path / "data.npz"), data)
    assert [path.name for path in tmp_path.iterdir()] == ["data.npz"]


def test_the_file_depends_on_the_data_alone(tmp_path: Path, data: Transitions) -> None:
    data.save(tmp_path / "one.npz")
    data.save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_damage_anywhere_is_noticed(tmp_path: Path, data: Transitions) -> None:
    path = tmp_path / "data.npz"
    data.save(path)
    whole = path.read_bytes()
    for place in range(60, len(whole) - 400, len(whole) // 12):  # within the arrays, not the spare fields of the zip
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"data\.npz"):
            load(path)
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"data\.npz"):
            load(path)


def test_values_that_do_not_match_their_hash_are_noticed(tmp_path: Path, data: Transitions) -> None:
    path = tmp_path / "data.npz"
    data.save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["after"] = 255 - arrays["after"]
    np.savez_compressed(path, **arrays)
    with pytest.raises(InputError, match="hash of 'after'"):
        load(path)


def test_absent_and_foreign_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no data set"):
        load(tmp_path / "gone.npz")
    np.savez(tmp_path / "foreign.npz", x=np.zeros(3))
    with pytest.raises(InputError, match=r"foreign\.npz"):
        load(tmp_path / "foreign.npz")


def test_an_unwritable_place_is_named(tmp_path: Path, data: Transitions) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"):
        data.save(tmp_path / "file" / "data.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_domain_that_draws_otherwise_is_noticed(data: Transitions, domain: Domain) -> None:
    data.check_drawn_by(domain)
    for other in ("lightsout:size=3", "twisted:size=2"):
        with pytest.raises(InputError, match="no longer draws"):
            data.check_drawn_by(load_plugins().create("domain", other))


class Drawn(Domain):
    """Draws what it is told to."""

    image_shape = (4, 4)

    def __init__(self, pairs: object) -> None:
        self.pairs = pairs

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:  # noqa: ARG002
        return self.pairs  # type: ignore[return-value]


BLACK, WHITE = np.zeros((10, 4, 4), dtype=np.uint8), np.full((10, 4, 4), 255, dtype=np.uint8)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (None, "it drew NoneType, not Pairs"),
        ((BLACK, WHITE), "it drew tuple"),
        (Pairs(BLACK, WHITE / 255), r"'after' of its pairs must be uint8 \(10, 4, 4\), not float64"),
        (Pairs(BLACK, WHITE[:5]), r"'after' of its pairs must be uint8 \(10, 4, 4\), not uint8 \(5, 4, 4\)"),
        (Pairs(BLACK[:, :3], WHITE[:, :3]), r"'before' .* not uint8 \(10, 3, 4\)"),
        (Pairs(BLACK, None), "'after' .* not NoneType"),
        (Pairs(BLACK, WHITE, BLACK[:, 0]), "but not both"),
        (Pairs(BLACK, WHITE, BLACK[:, 0], WHITE[:, 0].astype(int)), "'states_after'"),
    ],
    ids=["nothing", "a tuple", "floats", "lengths", "another shape", "no array", "half of the states", "wide states"],
)
def test_a_domain_that_draws_something_else_than_pairs_is_to_blame(pairs: object, words: str) -> None:
    with pytest.raises(ContractError, match=words) as caught:
        make(Drawn(pairs), "mine", None, seed=0)
    assert isinstance(caught.value.component, Drawn)


def test_pairs_in_which_nothing_changes_are_refused() -> None:
    with pytest.raises(InputError, match="nothing changes in any of the 10 pairs of 'mine'"):
        make(Drawn(Pairs(BLACK, BLACK)), "mine", None, seed=0)


@pytest.mark.parametrize("count", [10**12, 10**23])
def test_more_pictures_than_fit_into_memory_are_refused_before_they_are_drawn(domain: Domain, count: int) -> None:
    with pytest.raises(UsageError, match=r"learning from .* transitions takes about .* GB of memory, this machine has"):
        make(domain, SPEC, count, seed=0)


def test_a_data_set_is_the_same_whether_it_is_put_in_order_in_memory_or_as_it_is_written(
    domain: Domain, data: Transitions, tmp_path: Path
) -> None:
    draw(domain, SPEC, 200, seed=7).save(tmp_path / "streamed.npz", {})
    data.save(tmp_path / "whole.npz")
    assert (tmp_path / "streamed.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert same(load(tmp_path / "streamed.npz"), data)
