"""What does not fit into memory is refused with a figure, and what fits is not."""

import pytest

from cubespace.base.errors import UsageError
from cubespace.data import memory
from cubespace.data.memory import check_memory, needed_bytes

GIGABYTE = 10**9


def test_pictures_count_once_and_what_is_computed_from_them_is_bounded() -> None:
    small, large = (needed_bytes(count, (128, 128, 3)) for count in (20_000, 40_000))
    pictures = 2 * 20_000 * 128 * 128 * 3
    assert pictures < large - small < 1.3 * pictures
    assert needed_bytes(20_000, (128, 128, 3)) < 4 * GIGABYTE


def test_what_does_not_fit_is_refused_with_both_figures(monkeypatch) -> None:
    monkeypatch.setattr(memory, "memory", lambda: 24 * GIGABYTE)
    with pytest.raises(UsageError, match=r"from 1,000,000 transitions takes about 1[12]\d\.\d GB .* has 24\.0"):
        check_memory(1_000_000, (128, 128, 3))
    check_memory(1_000_000, (42, 42))


def test_a_container_has_the_memory_that_it_is_given(monkeypatch, tmp_path) -> None:
    machine = memory.memory()
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "CONTAINER", limit)
    for text, expected in (("max\n", None), ("1000000\n", 1_000_000)):
        limit.write_text(text)
        assert memory.memory() == (expected or memory_of_the_machine(monkeypatch, tmp_path))
    assert machine > 0


def memory_of_the_machine(monkeypatch, tmp_path) -> int:
    with monkeypatch.context() as context:
        context.setattr(memory, "CONTAINER", tmp_path / "none")
        return memory.memory()
