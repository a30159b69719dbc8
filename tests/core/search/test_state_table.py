"""Distinct states get distinct numbers, whatever their number of bits and however they come."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubespace.search.state_table import FIRST_SIZE, StateTable


def states(bits: int, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((count, bits)) < 0.5


@settings(max_examples=30, deadline=None)
@given(bits=st.integers(1, 140), count=st.integers(0, 300), seed=st.integers(0, 1000))
def test_every_distinct_state_is_numbered_once(bits, count, seed) -> None:
    table, given_states = StateTable(bits), states(bits, count, seed)
    numbers, rows = table.add(table.pack(given_states))
    assert table.count == len(numbers) == len(np.unique(given_states, axis=0))
    np.testing.assert_array_equal(table.unpack(numbers), given_states[rows])
    again, _ = table.add(table.pack(given_states))
    assert len(again) == 0
    found = table.find(table.pack(given_states))
    np.testing.assert_array_equal(table.unpack(found), given_states)


def test_a_state_that_was_not_added_is_not_found() -> None:
    table = StateTable(3)
    table.add(table.pack(np.array([[True, False, True]])))
    np.testing.assert_array_equal(table.find(table.pack(np.eye(3, dtype=np.bool_))), [-1, -1, -1])


def test_states_whose_hashes_collide_stay_apart(monkeypatch) -> None:
    monkeypatch.setattr(StateTable, "_first_slots", lambda _, packed: np.zeros(len(packed), dtype=np.intp))
    table, given_states = StateTable(10), states(10, 50, 0)
    table.add(table.pack(given_states[:30]))
    table.add(table.pack(given_states))
    assert table.count == len(np.unique(given_states, axis=0))
    np.testing.assert_array_equal(table.unpack(table.find(table.pack(given_states))), given_states)


def test_it_grows_and_says_beforehand_how_much_that_takes() -> None:
    table, given_states = StateTable(80), states(80, 3 * FIRST_SIZE, 1)
    assert table.megabytes_with(FIRST_SIZE) == table.megabytes
    foretold = table.megabytes_with(len(given_states))
    small = table.megabytes
    numbers, rows = table.add(table.pack(given_states))
    assert small < table.megabytes <= foretold
    np.testing.assert_array_equal(table.unpack(numbers), given_states[rows])


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 128])
def test_packing_keeps_every_bit(bits) -> None:
    table, given_states = StateTable(bits), states(bits, 20, bits)
    _, rows = table.add(table.pack(given_states))
    np.testing.assert_array_equal(table.unpack(np.arange(table.count)), given_states[rows])
