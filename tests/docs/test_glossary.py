"""The glossary has every word that the rest of the documentation leans on."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

from generate import written  # noqa: E402 - needs the path above

TERMS = [
    *("bit", "state", "latent state", "held bit", "unstable bit", "group (of bits)", "place", "value"),
    *("finite-domain variable", "mutex", "invariant", "transition", "event", "exogenous", "difference", "effect"),
    *("action", "label", "literal", "conjunction", "precondition", "recall", "wrong successor", "coverage"),
    *("known states, known steps", "found", "valid", "optimal", "domain", "judge", "state space", "solver", "planner"),
    *("backend (planner backend)", "stage", "phase", "run folder"),
]


@pytest.mark.parametrize("term", TERMS)
def test_the_glossary_explains(term) -> None:
    assert f"**{term}**" in (DOCS / "glossary.md").read_text("utf-8")


def test_every_term_has_an_explanation() -> None:
    lines = (DOCS / "glossary.md").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("**"):
            assert lines[number + 1].startswith(": "), line


def test_a_fraction_is_not_called_a_rate() -> None:
    for path in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]:
        words = re.sub(r"`[^`]*`", "", written(path.read_text("utf-8")).lower())
        allowed = words.count("learning rate") + words.count("*rate* is used")
        assert len(re.findall(r"\brates?\b", words)) == allowed, path.name
