"""Which learner a run gets if none is named: every quick one is tried, and held-out pairs decide."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import numpy as np
import pytest
from builders import work_in
from tile_learner import TileLearner, with_a_stranger
from tile_rows import smooth_blobs, tile_rows

from cubespace.data.domain import Pairs
from cubespace.learning.bit_learner import BitLearner, Unsuitable
from cubespace.learning.choice import Candidate, Choice, _description, choose_code, refusal
from cubespace.learning.code import Code
from cubespace.learning.trial import Trial
from cubespace.plugins.blame import blame
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.learners import quick_learners
from cubespace.settings.recipe import LearnerConfig

TOWERS, LAMPS = "hanoi:disks=3", "lightsout:size=2"


def drawn(spec: str, count: int, seed: int = 0) -> Pairs:
    pairs: Pairs = load_plugins().create("domain", spec).sample(count, np.random.default_rng(seed))
    return pairs


def chosen(pairs: Pairs, config: LearnerConfig | None = None, catalogue: Catalogue | None = None) -> Choice:
    """Let a tenth of the pairs choose."""
    return choose_from(quick_learners(catalogue or load_plugins()), pairs, config)


def choose_from(learners: dict[str, BitLearner], pairs: Pairs, config: LearnerConfig | None = None) -> Choice:
    held_out = len(pairs) // 10
    config = LearnerConfig() if config is None else config
    return choose_code(learners, pairs[held_out:], pairs[:held_out], work_in(Path()), config, guard=blame)


def candidates(choice: Choice, *names: str) -> list[Candidate]:
    """Return what was tried, by name."""
    tried = {candidate.learner: candidate for candidate in choice.candidates}
    return [tried[name] for name in names]


def test_towers_are_seen_as_piles() -> None:
    choice = chosen(drawn(TOWERS, 600))
    assert choice.learner == "piles"
    assert choice.code is not None
    assert choice.code.bits == 9
    piles, places = candidates(choice, "piles", "places")
    assert piles.fits
    assert piles.trial is not None
    assert piles.trial.coverage == 1.0
    assert places.trial is None or not places.fits or places.trial.description > piles.trial.description


def test_lamps_are_seen_as_places() -> None:
    choice = chosen(drawn(LAMPS, 500))
    assert choice.learner == "places"
    piles, places = candidates(choice, "piles", "places")
    assert not piles.fits
    assert "no piles" in piles.reason
    assert places.fits
    assert places.trial is not None
    assert places.trial.differences == 32


def test_of_codes_that_describe_transitions_equally_well_the_one_with_fewer_bits_is_taken() -> None:
    """Things seen as piles and as places, in the same events: the sums of logarithms differ in the last digits."""
    small, large = (
        Trial(bits=bits, differences=9, coverage=1.0, description=each, unexplained=0.0, residue=0.0)
        for bits, each in ((49, 5.2 + 1e-12), (225, 5.2))
    )
    places, piles = (
        Candidate(learner=name, fits=True, seconds=1.0, trial=trial)
        for name, trial in (("places", small), ("piles", large))
    )
    assert min((piles, places), key=_description) is places


def test_pictures_that_nothing_fits_are_left_to_a_learner_that_trains() -> None:
    choice = chosen(Pairs(*smooth_blobs(400, 8)))
    assert (choice.learner, choice.code) == (None, None)
    assert not any(candidate.fits for candidate in choice.candidates)
    assert {candidate.learner for candidate in choice.candidates} == {"piles", "places"}


def test_limits_that_nothing_keeps_leave_no_choice() -> None:
    choice = chosen(drawn(LAMPS, 300), LearnerConfig(most_residue=0.0))
    assert choice.learner is None
    assert not any(candidate.fits for candidate in choice.candidates)
    said = refusal(choice.candidates)
    assert said.startswith("no quick learner fits these pictures: piles: these pictures show no piles")
    assert "places: bits lack something that stays" in said


def test_the_record_says_what_was_tried_and_why_not() -> None:
    record = json.loads(json.dumps([attrs.asdict(each) for each in chosen(drawn(LAMPS, 300)).candidates]))
    tried = {candidate["learner"]: candidate for candidate in record}
    piles, places = tried["piles"], tried["places"]
    assert (piles["fits"], piles["trial"]) == (False, None)
    assert "no piles" in piles["reason"]
    assert places["trial"]["coverage"] == 1.0
    assert places["trial"]["residue"] <= 0.02


def tiles() -> Pairs:
    world = tile_rows(500)
    return Pairs(world.before, world.after)


def test_a_quick_learner_of_someone_else_is_tried_like_the_others() -> None:
    choice = chosen(tiles(), catalogue=with_a_stranger(TileLearner))
    names = [candidate.learner for candidate in choice.candidates]
    assert {"piles", "places", "stranger"} <= set(names)
    (mine,) = candidates(choice, "stranger")
    assert mine.fits
    assert mine.trial is not None
    assert mine.trial.coverage == 1.0
    best = min((each for each in choice.candidates if each.fits), key=lambda each: each.trial.description)
    assert choice.learner == best.learner


def test_it_is_chosen_where_it_fits_and_no_other_does() -> None:
    learners = quick_learners(with_a_stranger(TileLearner))
    choice = choose_from({name: learners[name] for name in ("piles", "stranger")}, tiles())
    assert choice.learner == "stranger"
    assert choice.code is not None
    assert choice.code.bits == 16


def test_one_that_has_no_code_is_passed_over_with_its_reason() -> None:
    class Refusing(TileLearner):
        def learn(self, *_) -> Code:
            raise Unsuitable("there are no tiles")

    choice = chosen(tiles(), catalogue=with_a_stranger(Refusing))
    assert choice.learner == "places"
    (mine,) = candidates(choice, "stranger")
    assert (mine.fits, mine.reason) == (False, "there are no tiles")
    assert "not possible, there are no tiles" in mine.summary


@pytest.mark.parametrize(
    ("result", "words"),
    [(ValueError("too many"), "ValueError: too many"), (None, "it returned NoneType, not a Code")],
    ids=["raises", "returns nothing"],
)
def test_one_that_fails_is_named_and_does_not_keep_others_from_being_chosen(result, words) -> None:
    class Failing(TileLearner):
        def learn(self, *_) -> Code:
            if result is not None:
                raise result
            return None  # type: ignore[return-value]

    choice = chosen(tiles(), catalogue=with_a_stranger(Failing))
    assert choice.learner == "places"
    (mine,) = candidates(choice, "stranger")
    assert mine.reason == f"bit learner 'stranger' of plugin 'stranger' (stranger 1.0) failed: {words}"
    assert mine.failed
    assert not any(each.failed for each in choice.candidates if each is not mine)


@pytest.mark.parametrize("colours", [1, 3])
def test_what_a_learner_is_not_made_for_it_refuses(colours: int) -> None:
    world = tile_rows(300, colours=colours)
    choice = chosen(Pairs(world.before, world.after), catalogue=with_a_stranger(TileLearner))
    (mine,) = candidates(choice, "stranger")
    assert mine.fits == (colours == 1)
    assert ("in colour" in mine.reason) == (colours == 3)


def test_a_code_that_its_own_learner_doubts_is_not_taken() -> None:
    class Doubting(TileLearner):
        def learn(self, *given) -> Code:
            code = super().learn(*given)
            code.doubt = "there may be a fifth tile"
            return code

    choice = choose_from({"stranger": quick_learners(with_a_stranger(Doubting))["stranger"]}, tiles())
    assert choice.learner is None
    assert choice.candidates[0].reason == "there may be a fifth tile"
