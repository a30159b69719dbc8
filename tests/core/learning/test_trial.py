"""What held-out pairs say about a prepared network: whether bits tell the transitions, and pictures come back."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
import torch
from tile_rows import TileRows, noisy, smooth_blobs, tile_rows
from torch import Tensor

from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.base.arrays import Images
from cubespace.data.domain import Pairs
from cubespace.learning.trial import Trial, try_network
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.stages.networks import new_network
from cubespace.settings.recipe import ModelConfig

PLACES = ModelConfig(encoder="places", decoder="places")
WORLD, HELD_OUT = tile_rows(1000), tile_rows(100, 5)


def network(before: Images, after: Images) -> SpaceAutoEncoder:
    return new_network(load_plugins(), PLACES, Pairs(before, after), 0)


def tried(model: SpaceAutoEncoder, known: TileRows = WORLD, fresh: TileRows = HELD_OUT) -> Trial:
    return try_network(model, (known.before, known.after), (fresh.before, fresh.after))


def with_noise(world: TileRows, sigma: float, seed: int) -> TileRows:
    return attrs.evolve(world, before=noisy(world.before, sigma, seed), after=noisy(world.after, sigma, seed + 1))


def test_bits_that_fit_tell_every_transition_by_one_that_was_seen() -> None:
    trial = tried(network(WORLD.before, WORLD.after))
    assert (trial.bits, trial.differences, trial.coverage) == (16, 36, 1.0)
    assert np.log2(36) <= trial.description < np.log2(36) + 0.3  # each of 36 swaps is as likely as the others
    assert trial.unexplained < 1e-3
    assert trial.fits(0.02, 0.5)


def test_noise_is_lost_but_is_no_residue() -> None:
    known, fresh = with_noise(WORLD, 0.2, 1), with_noise(HELD_OUT, 0.2, 3)
    trial = tried(network(known.before, known.after), known, fresh)
    assert trial.unexplained > 0.1
    assert trial.residue < 0.02
    assert trial.coverage == 1.0


def test_what_is_drawn_wrongly_as_a_whole_is_residue() -> None:
    """A decoder that never draws the first place: its pixels are wrong together."""
    model = network(WORLD.before, WORLD.after)
    with torch.no_grad():
        model.decoder.get_parameter("patterns")[0] = 0.0
    trial = tried(model)
    assert trial.residue > 0.02
    assert not trial.fits(0.02, 0.5)
    assert trial.coverage == 1.0  # bits are what they were


def test_differences_that_never_come_again_cost_many_bits_and_do_not_fit() -> None:
    """After each picture comes any other one: half of all cells change, in ever new ways."""
    unrelated = tile_rows(100, 9)
    mixed = attrs.evolve(HELD_OUT, after=unrelated.before)
    model = network(WORLD.before, WORLD.after)
    trial, usual = tried(model, fresh=mixed), tried(model)
    assert trial.coverage < 0.5
    assert trial.description > 2 * usual.description
    assert not trial.fits(0.02, 0.5)


def test_pictures_that_have_no_places_do_not_fit() -> None:
    before, after = smooth_blobs(400, 8)
    model = network(before[:300], after[:300])
    trial = try_network(model, (before[:300], after[:300]), (before[300:], after[300:]))
    assert not trial.fits(0.02, 0.5)


def test_without_bits_nothing_fits() -> None:
    good = {"differences": 1, "coverage": 1.0, "description": 0.0, "unexplained": 0.0, "residue": 0.0}
    assert Trial(bits=1, **good).fits(0.02, 0.5)
    assert not Trial(bits=0, **good).fits(0.02, 0.5)


@pytest.mark.parametrize(("residue", "coverage", "fits"), [(0.02, 0.5, True), (0.021, 0.5, False), (0.02, 0.49, False)])
def test_both_limits_are_kept(residue: float, coverage: float, fits: bool) -> None:
    trial = Trial(bits=9, differences=3, coverage=coverage, description=2.0, unexplained=0.1, residue=residue)
    assert trial.fits(0.02, 0.5) is fits


def test_a_trial_prepares_the_network_with_training_pictures_only(monkeypatch) -> None:
    model, seen = network(WORLD.before, WORLD.after), []

    def prepare(pixels: Tensor) -> None:
        seen.append(pixels)

    monkeypatch.setattr(model.encoder, "prepare", prepare)
    tried(model)
    known = {row.tobytes() for row in WORLD.before.reshape(len(WORLD), -1)}
    rows = (seen[0] * 255).round().to(torch.uint8).numpy()
    assert len(seen) == 1
    assert len(rows) >= 500
    assert all(row.tobytes() in known for row in rows)
