"""Intervals and tests against figures that others printed, or that are counted by hand."""

import pytest

from cubespace.experiments.tables.statistics import SAMPLES, holm, mcnemar, sign_flips, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (15, 148, 0.0624, 0.1605), (81, 263, 0.2553, 0.3662)],
)
def test_wilsons_interval_is_that_of_the_literature(successes, trials, low, high) -> None:
    """The last two are the examples of Newcombe (1998), method 3."""
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_no_trials_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert mcnemar(0, 0) == 1.0
    assert sign_flips([]) == sign_flips([0.0, 0.0]) == 1.0


def test_mcnemar_counts_the_tails_of_a_fair_coin() -> None:
    assert mcnemar(0, 5) == mcnemar(5, 0) == pytest.approx(2 / 32)
    assert mcnemar(1, 6) == pytest.approx(2 * (1 + 7) / 128)
    assert mcnemar(3, 3) == 1.0


def test_signs_are_flipped_in_all_ways_or_in_many() -> None:
    assert sign_flips([2.0, 1.0]) == 0.5
    assert sign_flips([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(2 / 32)
    assert sign_flips([1.0] * 40) == pytest.approx(1 / (SAMPLES + 1))
    assert sign_flips([1.0, -1.0] * 20) == 1.0


def test_holm_corrects_in_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
