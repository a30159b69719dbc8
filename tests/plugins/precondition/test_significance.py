"""Rules that chance does not explain: an action that is seen far more rarely than it is allowed needs more."""

import numpy as np
import pytest

from cubespace.base.arrays import Bits, literals
from cubespace_precondition.rules import Rule
from cubespace_precondition.significance import SignificanceOptions, restrict_rare

BITS = 12
STATES = np.random.default_rng(0).random((3000, BITS)) < 0.5
HELD = literals(STATES)


def rule(effect: int, examples: Bits) -> Rule:
    """Return a rule that needs nothing yet."""
    everywhere = np.arange(len(STATES))
    return Rule(effect, np.zeros(2 * BITS, dtype=np.bool_), literals(examples), everywhere, everywhere < 0, 0)


def restricted(*rules: Rule, rare: float = 0.1) -> list[Rule]:
    made = np.zeros((len(rules), 2 * BITS), dtype=np.bool_)
    return restrict_rare(list(rules), made, HELD, HELD, SignificanceOptions(rare=rare))


def often(share: float = 0.5) -> Rule:
    """Return a rule that is seen as often as usual."""
    return rule(0, STATES[np.random.default_rng(1).random(len(STATES)) < share])


def test_one_that_is_seen_as_often_as_others_needs_nothing() -> None:
    one, other = restricted(often(), often(0.2))
    assert not one.needed.any()
    assert not other.needed.any()


def test_one_that_is_seen_rarely_needs_what_its_examples_have_in_common_by_no_chance() -> None:
    true = STATES[STATES[:, :7].all(1)][:8]  # it needs seven bits, and was seen eight times
    _, strict = restricted(often(), rule(1, true))
    assert strict.needed[:7].all()
    assert (
        strict.needed.sum() <= 8
    )  # a literal that holds in half of all states does so in all eight by a chance of .004


@pytest.mark.parametrize("examples", [1, 2])
def test_one_with_too_few_examples_to_tell_needs_all_they_have_in_common(examples: int) -> None:
    seen = STATES[STATES[:, :7].all(1)][:examples]
    _, strict = restricted(often(), rule(1, seen))
    np.testing.assert_array_equal(strict.needed, literals(seen).all(0))


def test_one_that_is_allowed_often_but_was_never_seen_is_none() -> None:
    usual, never = often(), rule(1, STATES[:0])
    assert restricted(usual, never) == [usual]


def test_the_suspicion_can_be_switched_off() -> None:
    _, free = restricted(often(), rule(1, STATES[:2]), rare=0.0)
    assert not free.needed.any()


def test_parts_without_examples_are_dropped_from_the_largest_until_it_is_no_wonder_that_none_was_seen() -> None:
    """Where it holds, an action is seen in half the states; parts hold in 3,000, some 90 and some 6 of them."""
    parts = [rule(1, STATES[:0]) for _ in range(3)]
    parts[1].needed[:5] = True
    parts[2].needed[:9] = True
    kept = restricted(often(), rule(1, STATES[::2]), *parts)
    assert kept[2:] == parts[2:]
    assert restricted(often(), rule(1, STATES[::2]), *parts, rare=0.0)[2:] == parts
