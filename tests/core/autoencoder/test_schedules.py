from itertools import pairwise

import pytest

from cubespace.autoencoder.schedules import delayed, learning_rate, temperature
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
