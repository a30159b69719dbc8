"""What changes while training, as functions of the progress of a phase, from 0 to 1."""

from __future__ import annotations

from cubespace.settings.recipe import TemperatureConfig, TrainConfig


def batch_sizes(config: TrainConfig, transitions: int) -> list[int]:
    """Return the sizes of the batches of an epoch.

    If they are drawn again in every epoch, the few transitions that are left over are others in each. Fixed ones take
    them all: the last batch is smaller; a single transition, from which batch norm cannot learn, joins the one before.
    """
    size = min(config.batch, transitions)
    sizes, left = [size] * (transitions // size), transitions % size
    if config.batches == "fixed" and left == 1:
        sizes[-1] += 1
    elif config.batches == "fixed" and left:
        sizes.append(left)
    return sizes


def steps_of_epoch(config: TrainConfig, transitions: int) -> int:
    """Return the updates of an epoch."""
    return len(batch_sizes(config, transitions))


def progress(config: TrainConfig, epoch: int, part: float, epochs: int) -> float:
    """Return where the schedules of a phase are, from 0 to 1, after some epochs and a part of the next one.

    Those that change once per epoch and lag by one, as callbacks at the end of an epoch make them, are at 0 in the
    first two of 10 epochs, then at 0.1.
    """
    moment = epoch + part if config.schedule == "update" else float(epoch)
    return max(moment - config.lag, 0.0) / epochs


def epochs(given: int | None, updates: int, steps: int) -> int:
    """Return the epochs of a phase: as given, or as many as make ``updates`` with ``steps`` of them in an epoch."""
    return given if given is not None else round(updates / steps) or min(1, updates)


def amount(given: int | None, updates: int) -> str:
    """Return the length of a phase in words."""
    number, unit = (updates, "update") if given is None else (given, "epoch")
    return f"{number} {unit}{'' if number == 1 else 's'}"


def temperature(config: TemperatureConfig, progress: float) -> float:
    """Return τ: exponential from start to end, held once the end is reached."""
    return float(config.start * (config.end / config.start) ** min(progress / config.hold, 1.0))


def learning_rate(config: TrainConfig, progress: float) -> float:
    """Return the learning rate: constant, then falling exponentially to its last fraction."""
    fallen = max(progress - config.decay_from, 0.0) / (1.0 - config.decay_from)
    return float(config.learning_rate * config.decay**fallen)


def falling(rate: float, progress: float) -> float:
    """Return a learning rate that falls linearly to 0."""
    return rate * (1.0 - progress)


def delayed(weight: float, start: float, progress: float) -> float:
    """Return the weight after its bootstrap delay, 0 before."""
    return weight if progress >= start else 0.0
