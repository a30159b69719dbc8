"""What pairs held out say about a model: warnings where they are due, none where all is well, and advice that helps."""

from functools import cache

import attrs
import numpy as np
import pytest
from joints import joints, with_lamps

from cubespace.evaluation.judgement import Judgement, enough, judge_model
from cubespace.evaluation.observed import Observed, has_effect
from cubespace.evaluation.own_changes import own_changes
from cubespace.evaluation.same_codes import look_different
from cubespace.symbols.effects import differences
from cubespace.symbols.strips import StripsModel


def learned(before: np.ndarray, after: np.ndarray) -> StripsModel:
    """Return a model that has every difference, where the bits that it deletes are true and those it adds are not."""
    effects = differences(before, after)
    return StripsModel(
        names=[f"a{row}" for row in range(len(effects.add))],
        add=effects.add,
        delete=effects.delete,
        positive=effects.delete,
        negative=effects.add,
        support=effects.support,
        cost=np.ones(len(effects.add)),
    )


@cache
def observed(pairs: int, lamps: int = 0, *, shared: bool = False) -> Observed:
    """Return what is seen of three joints; unless effects are shared between states, each state has bits of its own."""
    rng = np.random.default_rng(5)
    bits = with_lamps(joints(pairs + 100, rng), lamps, rng)
    if not shared:
        bits = tuple(states(half) for half in bits)  # type: ignore[assignment]
    before, after = bits
    return Observed(
        before=before[:pairs],
        after=after[:pairs],
        held_before=before[pairs:],
        held_after=after[pairs:],
        model=learned(before[:pairs], after[:pairs]),
        effects="differences",
        labels=None,
        most_labels=None,
        own_changes=own_changes(before[:pairs], after[:pairs]),
    )


def states(bits: np.ndarray) -> np.ndarray:
    """Return one bit for each of the 64 states of three joints, and the lamps as they are."""
    angles = bits[:, :12].reshape(-1, 3, 4).argmax(2) @ np.array([16, 4, 1])
    return np.concatenate([np.eye(64, dtype=np.bool_)[angles], bits[:, 12:]], axis=1)


def about(judgement: Judgement) -> set[str]:
    return {finding.about for finding in judgement.warnings}


def test_enough_pairs_give_no_warning() -> None:
    judgement = judge_model(observed(2000))
    assert about(judgement) == set()
    assert judgement.numbers.held_out_covered == 100
    assert "none is new" in judgement.paragraph
    assert not any(line.startswith("warning") for line in judgement.lines)


def test_too_few_pairs_are_told_with_how_many_would_do() -> None:
    judgement = judge_model(observed(120))
    assert about(judgement) == {"coverage", "examples"}
    kinds = judgement.numbers.estimated_differences
    assert 150 <= kinds <= 260  # 192 there are
    assert "called unsolvable may well be reachable" in judgement.paragraph
    assert f"at least {kinds} differences: about " in judgement.paragraph
    assert judgement.paragraph.count("pairs would help") == 1
    assert judgement.lines[-1].startswith("warning: ")


def test_bits_that_change_by_chance_are_told_without_a_number_of_pairs() -> None:
    rng = np.random.default_rng(0)
    before, after = rng.random((2, 1000, 40)) < 0.5
    chance = attrs.evolve(
        observed(2000),
        before=before[:900],
        after=after[:900],
        held_before=before[900:],
        held_after=after[900:],
        model=learned(before[:900], after[:900]),
        most_labels=400,
    )
    judgement = judge_model(chance)
    assert {"coverage", "labels"} <= about(judgement)
    assert "hardly any plans of 7 steps" in judgement.paragraph
    assert "Nearly every pair shows a difference of its own" in judgement.paragraph
    assert "would help" not in judgement.paragraph
    assert "Set autoencoder.actions" not in judgement.paragraph


def test_effects_that_are_shared_between_states_need_few_pairs() -> None:
    judgement = judge_model(observed(120, shared=True))
    assert about(judgement) == set()
    assert judgement.numbers.differences == 12
    assert judgement.numbers.unseen_reproduced == 100 - judgement.numbers.held_out_also_in_training > 0
    assert "seen from one state only" not in judgement.paragraph


def test_a_blinking_lamp_is_told() -> None:
    judgement = judge_model(observed(3000, lamps=1))
    assert about(judgement) == {"own changes"}
    assert "bits z64" in judgement.paragraph
    assert judgement.numbers.own_changes[0].bits == (64,)


def test_labels_against_their_cap_and_against_differences() -> None:
    seen = observed(2000)
    kinds = judge_model(seen).numbers.differences
    assert about(judge_model(attrs.evolve(seen, labels=kinds, most_labels=kinds))) == set()
    capped = judge_model(attrs.evolve(seen, labels=kinds - 1, most_labels=kinds - 1))
    assert about(capped) == {"labels"}
    assert f"Set autoencoder.actions to {kinds}" in capped.paragraph
    few = judge_model(attrs.evolve(seen, labels=5, most_labels=800))
    assert about(few) == {"effects"}
    assert f"5 labels for {kinds} differences" in few.paragraph
    assert about(judge_model(attrs.evolve(seen, labels=5, most_labels=800, effects="network"))) == set()


def test_pairs_that_change_nothing_and_pictures_that_share_their_bits_are_told() -> None:
    seen = observed(2000)
    after = seen.after.copy()
    after[:50] = seen.before[:50]
    judgement = judge_model(attrs.evolve(seen, after=after, look_different=7, looked_at=100))
    assert "50 of 2,000 (2.5 %) training pairs change no bit" in judgement.paragraph
    assert "7 of 100 (7 %) training pictures look unlike others" in judgement.paragraph


def test_one_picture_of_thousands_that_looks_unlike_others_is_told_without_a_warning() -> None:
    seen = observed(2000)
    rare = judge_model(attrs.evolve(seen, look_different=1, looked_at=3000))
    assert "1 of 3,000" in rare.paragraph
    assert about(rare) == set()
    assert about(judge_model(attrs.evolve(seen, look_different=1, looked_at=300))) == {"same states"}


def test_a_step_must_be_known_so_often_that_half_of_the_plans_are() -> None:
    assert enough(1) == 0.5
    assert enough(7) ** 7 == pytest.approx(0.5)


def test_an_effect_without_an_applicable_action_is_not_reproduced() -> None:
    seen = observed(2000)
    never = attrs.evolve(seen.model, positive=seen.model.positive | seen.model.add, negative=seen.model.add & False)
    covered, reproduced = has_effect(never, seen.held_before, seen.held_after)
    assert covered.all()
    assert not reproduced.any()


def test_noise_does_not_make_pictures_look_different() -> None:
    rng = np.random.default_rng(0)
    clean = rng.random((4, 300)).astype(np.float32)
    state = np.arange(200) % 4
    seen = clean[state] + rng.normal(0, 0.05, (200, 300)).astype(np.float32)
    bits = np.eye(4, dtype=np.bool_)[state]
    same = look_different(bits, seen, clean[state])
    assert not same.unlike.any()
    assert same.compared.sum() == 196  # the first picture of each state is compared with none
    merged = np.eye(4, dtype=np.bool_)[np.minimum(state, 2)]  # two states have one code
    assert look_different(merged, seen, clean[np.minimum(state, 2)]).unlike.sum() == 50


@pytest.mark.parametrize(("share", "warned"), [(0.0005, False), (0.002, True)])
def test_pictures_that_noise_makes_look_like_another_state_are_warned_of(share: float, warned: bool) -> None:
    """Two similar tiles and noise: each plan may begin in another state than its picture shows."""
    seen = attrs.evolve(observed(2000, shared=True), misread=share)
    assert ("misread pictures" in about(judge_model(seen))) == warned
