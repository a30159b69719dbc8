"""The early stopping of the paper's released code, with its numbers: 20 epochs, a change of .001, a falling ceiling."""

import attrs
import pytest

from cubespace.autoencoder.stopping import EarlyStop
from cubespace.settings.recipe import LossConfig, StoppingConfig, TrainConfig

AUTHORS = TrainConfig(
    stopping=StoppingConfig(window=20), losses=LossConfig(direct_from=0.3, zero_suppress_from=0.2), epochs=100
)


def row(value: float) -> dict[str, float]:
    """Return a row whose ½ Rec + ½ Succ + Direct is a value."""
    return {"validation_reconstruction": value / 2, "validation_successor": value / 2, "validation_direct": value / 2}


def end(values: list[float], config: TrainConfig = AUTHORS) -> int | None:
    """Return after which epoch, counted from 1, a training of 100 epochs ends; None if it does not."""
    stop = EarlyStop(config)
    return next((epoch for epoch, value in enumerate(values, 1) if stop.after(row(value), epoch, 100)), None)


def test_it_ends_when_validation_is_at_rest_and_all_delays_are_a_tenth_behind() -> None:
    assert end([0.1] * 100) == 41  # the last delay is at .3; epochs are counted from 0, so the 41st is number 40


def test_it_looks_back_over_the_window() -> None:
    assert end([0.5] * 60 + [0.1] * 40) == 41
    falling = [0.3 - 0.001 * epoch for epoch in range(55)]
    assert end(falling + [0.1] * 45) == 75


def test_it_ends_when_validation_is_hopeless() -> None:
    falling = [0.6 - 0.003 * epoch for epoch in range(100)]  # above 1 - progress from the 60th epoch on or so
    assert end(falling) == next(
        epoch for epoch in range(41, 101) if (falling[epoch - 11] + falling[epoch - 10]) / 2 >= 1 - (epoch - 1) / 100
    )
    without = attrs.evolve(AUTHORS, stopping=attrs.evolve(AUTHORS.stopping, ceiling=False))
    assert end(falling, without) is None


@pytest.mark.parametrize("values", [[0.1] * 100, [0.9] * 100])
def test_by_default_it_never_ends_early(values) -> None:
    assert end(values, TrainConfig(epochs=100)) is None
