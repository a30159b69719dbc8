"""What held-out pairs say about a code: whether bits tell the transitions apart, and pictures come back."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
import torch
from tile_rows import TileRows, noisy, smooth_blobs, tile_rows

from cubespace.base.arrays import Images
from cubespace.data.domain import Pairs
from cubespace.learning.trial import Trial, try_code
from cubespace.settings.recipe import LearnerConfig
from cubespace_bit_learners.places.finder import find_places
from cubespace_bit_learners.places.learner import PlacesCode, new_code

WORLD, HELD_OUT = tile_rows(1000), tile_rows(100, 5)


def places(before: Images, after: Images) -> PlacesCode:
    return new_code(find_places(before, after), before.shape[1:])


def sides(world: TileRows) -> tuple[Images, Images]:
    return world.before, world.after


def tried(code: PlacesCode, known: TileRows = WORLD, fresh: TileRows = HELD_OUT) -> Trial:
    return try_code(code, Pairs(known.before, known.after), Pairs(fresh.before, fresh.after))


def with_noise(world: TileRows, sigma: float, seed: int) -> TileRows:
    return attrs.evolve(world, before=noisy(world.before, sigma, seed), after=noisy(world.after, sigma, seed + 1))


def test_bits_that_fit_tell_every_transition_by_one_that_was_seen() -> None:
    trial = tried(places(WORLD.before, WORLD.after))
    assert (trial.bits, trial.differences, trial.coverage) == (16, 36, 1.0)
    assert np.log2(36) <= trial.description < np.log2(36) + 0.3  # each of 36 swaps is as likely as the others
    assert trial.unexplained < 1e-3
    assert trial.fits(LearnerConfig())


def test_noise_is_lost_but_is_no_residue() -> None:
    known, fresh = with_noise(WORLD, 0.2, 1), with_noise(HELD_OUT, 0.2, 3)
    trial = tried(places(known.before, known.after), known, fresh)
    assert trial.unexplained > 0.1
    assert trial.residue < 0.02
    assert trial.coverage == 1.0


def test_what_is_drawn_wrongly_as_a_whole_is_residue() -> None:
    """A painter that never draws the first place: its pixels are wrong together."""
    code = places(WORLD.before, WORLD.after)
    with torch.no_grad():
        code.painter.get_parameter("patterns")[0] = 0.0
    trial = tried(code)
    assert trial.structure > 0.1
    assert not trial.fits(LearnerConfig())
    assert trial.coverage == 1.0  # bits are what they were


def test_a_light_that_differs_from_picture_to_picture_is_no_residue_but_structure() -> None:
    dim = np.random.default_rng(0).uniform(0.8, 1, (2, len(HELD_OUT), 1, 1))
    before, after = ((side * light).astype(np.uint8) for side, light in zip(sides(HELD_OUT), dim, strict=True))
    trial = tried(places(WORLD.before, WORLD.after), fresh=attrs.evolve(HELD_OUT, before=before, after=after))
    assert trial.structure > 0.02
    assert trial.residue < 0.01
    assert trial.fits(LearnerConfig())


def test_a_tile_that_is_taken_for_another_is_residue() -> None:
    """A painter that draws two tiles as one: what it lacks is in the next picture, too, unless that tile moved."""
    known, fresh = tile_rows(1000), tile_rows(600, 5)
    code = places(known.before, known.after)
    with torch.no_grad():
        patterns = code.painter.get_parameter("patterns")
        patterns[:, 1] = patterns[:, 0]
    assert tried(code, known, fresh).residue > 0.02


def test_differences_that_never_come_again_cost_many_bits_and_do_not_fit() -> None:
    """After each picture comes any other one: half of all cells change, in ever new ways."""
    unrelated = tile_rows(100, 9)
    mixed = attrs.evolve(HELD_OUT, after=unrelated.before)
    code = places(WORLD.before, WORLD.after)
    trial, usual = tried(code, fresh=mixed), tried(code)
    assert trial.coverage < 0.5
    assert trial.description > 2 * usual.description
    assert not trial.fits(LearnerConfig())


def test_pictures_that_have_no_places_do_not_fit() -> None:
    before, after = smooth_blobs(400, 8)
    code = places(before[:300], after[:300])
    trial = try_code(code, Pairs(before[:300], after[:300]), Pairs(before[300:], after[300:]))
    assert not trial.fits(LearnerConfig())


def test_without_bits_nothing_fits() -> None:
    good = {"differences": 1, "coverage": 1.0, "description": 0.0, "unexplained": 0.0, "residue": 0.0}
    assert Trial(bits=1, **good).fits(LearnerConfig())
    assert not Trial(bits=0, **good).fits(LearnerConfig())


@pytest.mark.parametrize(("residue", "coverage", "fits"), [(0.02, 0.5, True), (0.021, 0.5, False), (0.02, 0.49, False)])
def test_both_limits_are_kept(residue: float, coverage: float, fits: bool) -> None:
    trial = Trial(bits=9, differences=3, coverage=coverage, description=2.0, unexplained=0.1, residue=residue)
    assert trial.fits(LearnerConfig()) is fits
