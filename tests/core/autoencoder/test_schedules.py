from itertools import pairwise

import pytest

from cubespace.autoencoder.schedules import batch_sizes, delayed, learning_rate, progress, steps_of_epoch, temperature
from cubespace.settings.recipe import TemperatureConfig, TrainConfig


def test_temperature_falls_exponentially_and_is_held() -> None:
    config = TemperatureConfig(start=5.0, end=0.5, hold=0.8)
    assert temperature(config, 0.0) == pytest.approx(5.0)
    assert temperature(config, 0.4) == pytest.approx((5.0 * 0.5) ** 0.5)
    assert temperature(config, 0.8) == pytest.approx(0.5)
    assert temperature(config, 1.0) == pytest.approx(0.5)
    steps = [temperature(config, progress / 100) for progress in range(80)]
    ratios = {round(after / before, 9) for before, after in pairwise(steps)}
    assert len(ratios) == 1


def test_learning_rate_is_constant_then_falls_to_its_last_fraction() -> None:
    config = TrainConfig(learning_rate=1e-2, decay=0.1, decay_from=0.5)
    assert learning_rate(config, 0.5) == pytest.approx(1e-2)
    assert learning_rate(config, 0.75) == pytest.approx(1e-2 * 0.1**0.5)
    assert learning_rate(config, 1.0) == pytest.approx(1e-3)


def test_a_delayed_weight_is_zero_before_its_time() -> None:
    assert [delayed(3.0, 0.5, progress) for progress in (0.0, 0.49, 0.5, 1.0)] == [0.0, 0.0, 3.0, 3.0]


def test_schedules_follow_updates_or_lag_behind_epochs_as_callbacks_do() -> None:
    by_update, by_epoch = TrainConfig(), TrainConfig(schedule="epoch", lag=1)
    assert [progress(by_update, 3, part, 10) for part in (0.0, 0.5)] == [0.3, 0.35]
    assert [progress(by_epoch, epoch, 0.5, 10) for epoch in (0, 1, 2, 9)] == [0.0, 0.0, 0.1, 0.8]


def test_a_delay_ends_in_the_epoch_after_the_one_it_names() -> None:
    config = TrainConfig(schedule="epoch", lag=1)  # 0.05 to 0.5 of 200 epochs are epochs 10 to 100, counted from 0
    for share in (0.05, 0.1, 0.2, 0.3, 0.5):
        first = next(epoch for epoch in range(200) if delayed(1.0, share, progress(config, epoch, 0.0, 200)))
        assert first == round(200 * share) + 1


@pytest.mark.parametrize(
    ("batches", "transitions", "sizes"),
    [
        ("shuffled", 25, [10, 10]),
        ("fixed", 25, [10, 10, 5]),
        ("fixed", 21, [10, 11]),
        ("fixed", 20, [10, 10]),
        ("fixed", 4, [4]),
    ],
)
def test_fixed_batches_leave_no_transition_out(batches, transitions, sizes) -> None:
    config = TrainConfig(batch=10, batches=batches)
    assert batch_sizes(config, transitions) == sizes
    assert steps_of_epoch(config, transitions) == len(sizes)
