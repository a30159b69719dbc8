"""The worlds of PDDLGym keep the contract of domains."""

import pytest

from cubespace.plugins.catalogue import load_plugins
from cubespace.testing import conformance

pytest.importorskip("pddlgym", reason="PDDLGym is not installed, see README.md")

test_hanoi = conformance("domain", "pddlgym:problem=hanoi-2-3.pddl")


def test_two_disks_on_three_pegs_are_nine_states() -> None:
    """The package ships this problem."""
    hanoi = load_plugins().create("domain", "pddlgym:problem=hanoi-2-3.pddl")
    assert len(hanoi.map.frames) == 9
    assert "move(d1:default,peg2:default)" in hanoi.actions


@pytest.mark.parametrize(
    ("options", "words"),
    [("problem=nothing.pddl", "this package has blocks-4.pddl"), ("env=nothing", "no domain 'nothing'")],
)
def test_what_is_not_there_is_said(options: str, words: str) -> None:
    """The message lists what is available."""
    with pytest.raises(Exception, match=words):
        _ = load_plugins().create("domain", f"pddlgym:{options}").image_shape
