import pytest

from cubespace.base.numbers import binomial_tail, duration, estimated, fixed, number, percent, rounded, size, some_of

ALMOST_ALL = (0.9995, 0.99996, 0.9999999, 1 - 1e-12)
ALMOST_NONE = (0.0004, 1e-5, 1e-7, 1e-12)


def test_numbers_are_easy_on_the_eye() -> None:
    assert [number(value) for value in (None, 3, 4500.0, 0.00012, 0.1534, 17.25)] == [
        "?", "3", "4,500", "1e-04", "0.153", "17.2",
    ]  # fmt: skip
    assert [duration(value) for value in (0.12, 31, 600, 9000)] == ["0.12 s", "31 s", "10 min", "2 h 30 min"]
    assert [size(value) for value in (2048, 3 << 20)] == ["2 kB", "3.0 MB"]
    assert [percent(value) for value in (None, 0, 0.978, 0.9995, 1)] == ["?", "0 %", "97.8 %", "99.95 %", "100 %"]
    assert [fixed(value) for value in (None, 0.0, 0.25, 1e-7, 1.0)] == ["?", "0.0000", "0.2500", "1e-07", "1.0000"]
    assert [some_of(3, 40), some_of(0, 0)] == ["3 of 40 (7.5 %)", "0 of 0"]


@pytest.mark.parametrize("value", ALMOST_ALL)
def test_almost_all_is_never_rounded_up_to_all(value) -> None:
    assert not percent(value).startswith("100")
    assert float(fixed(value)) < 1
    assert float(number(value)) < 1
    assert rounded(value) < 1


@pytest.mark.parametrize("value", ALMOST_NONE)
def test_hardly_any_is_never_rounded_down_to_none(value) -> None:
    assert float(percent(value).removesuffix(" %")) > 0
    assert float(fixed(value)) > 0
    assert float(number(value)) > 0
    assert rounded(value) > 0


def test_a_little_more_than_one_does_not_look_like_one() -> None:
    assert fixed(1.00001) == "1.0001"


def test_a_count_says_what_it_is_compatible_with() -> None:
    assert estimated(6, 6) == "6 of 6 (100 %, compatible with 61 %)"
    assert estimated(0, 6) == "0 of 6 (0 %, compatible with 39 %)"
    assert estimated(3, 6) == "3 of 6 (50 %, compatible with 18.8 % to 81.2 %)"
    assert estimated(0, 0) == "0 of 0"
    assert binomial_tail(1, 2, 0.5) == pytest.approx(0.75)
