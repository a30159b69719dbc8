"""What every training step must keep, whether it follows the joint training or takes its place."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import attrs
import torch
from torch import Tensor

from cubespace.autoencoder.building import load_extensions, new_network, phases
from cubespace.autoencoder.learner import train_network
from cubespace.autoencoder.phase import Phase
from cubespace.autoencoder.resuming import TrainingRun
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.recipe import AutoencoderConfig
from cubespace.settings.run_config import RunConfig, flat
from cubespace.testing.pictures import SHAPES, lamps
from cubespace.testing.trainings import EXECUTION, SHORT, parts, split, work_in


def _phase(spec: str) -> type[Phase]:
    phase = load_plugins().find("extension", spec).load()
    assert issubclass(phase, Phase)
    return phase


def _run(folder: Path, spec: str) -> TrainingRun:
    """Return a training with the step, in a folder that may hold a part of it."""
    work = work_in(folder, spec)
    training, held_out = split(lamps(SHAPES[0]))
    network = work.recipe.autoencoder
    return TrainingRun(
        folder,
        new_network(network, work.recipe.train, training.before.shape[1:], parts()),
        training,
        held_out,
        work.recipe,
        objective=parts().create("objective", network.objective, work.recipe.train.losses),
        phases=phases(load_extensions([spec], parts())),
        execution=EXECUTION,
    )


def _weights(run: TrainingRun) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in run.model.state_dict().items()}


def _use_up(rows: Iterable[object]) -> int:
    return sum(1 for _ in rows)


def it_is_called_what_it_calls_itself(spec: str) -> None:
    """The name in the settings is that in the metrics; what it says of its length is one line."""
    phase = _phase(spec)
    assert phase.name == spec
    assert phase.outline(SHORT.train)
    assert "\n" not in phase.outline(SHORT.train)


def its_length_is_known_beforehand(spec: str) -> None:
    """The number of epochs is a whole number, 0 for what is done at once."""
    epochs = _phase(spec).epochs(SHORT.train, 4)
    assert isinstance(epochs, int)
    assert epochs >= 0


def its_settings_exist(spec: str) -> None:
    """What the names of its own settings begin with is the beginning of a setting."""
    known = flat(attrs.asdict(RunConfig()))
    for prefix in _phase(spec).settings:
        assert any(key.startswith(prefix) for key in known), prefix


def the_network_that_it_asks_for_has_as_many_bits_and_labels(spec: str) -> None:
    """A step may ask for wider layers, but bits and labels are the user's choice."""
    adapted = _phase(spec).adapted(SHORT.autoencoder)
    assert isinstance(adapted, AutoencoderConfig)
    assert (adapted.bits, adapted.actions) == (SHORT.autoencoder.bits, SHORT.autoencoder.actions)


def a_training_with_it_makes_a_code(spec: str) -> None:
    """The training takes place, names the step, and ends with a network in evaluation."""
    training, held_out = split(lamps(SHAPES[0]))
    with tempfile.TemporaryDirectory(prefix="cube-suite-") as folder:
        code = train_network(training, held_out, work_in(Path(folder), spec))
    assert code.training is not None
    assert spec in code.training.phases
    assert code.training.updates > 0
    assert code.training.rewritten == _phase(spec).rewrites
    assert not code.model.training
    assert code.encode(training.before).shape == (len(training), code.bits)


def an_interrupted_training_ends_with_the_same_weights(spec: str) -> None:
    """Stopped after any epoch and continued, it is bit by bit what it would have been."""
    with tempfile.TemporaryDirectory(prefix="cube-suite-") as name:
        folder = Path(name)
        whole = _run(folder / "whole", spec)
        length = _use_up(whole)
        for done in range(1, length):
            stopped = folder / str(done)
            _use_up(row for row, _ in zip(_run(stopped, spec), range(done), strict=False))
            again = _run(stopped, spec)
            assert _use_up(again) <= length - done
            assert all(torch.equal(tensor, _weights(whole)[key]) for key, tensor in _weights(again).items())


CHECKS = (
    it_is_called_what_it_calls_itself,
    its_length_is_known_beforehand,
    its_settings_exist,
    the_network_that_it_asks_for_has_as_many_bits_and_labels,
    a_training_with_it_makes_a_code,
    an_interrupted_training_ends_with_the_same_weights,
)
