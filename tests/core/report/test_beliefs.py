"""Actions grouped by what they change."""

import numpy as np

from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.report.beliefs import MAX_ACTIONS, MAX_GROUPS, changed_together
from cubespace.report.plots import phase_marks
from cubespace.symbols.strips import StripsModel

ADD = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=bool)
DELETE = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=bool)
NOTHING = np.zeros_like(ADD)
COUNTS = {"support": np.array([5, 3, 9]), "cost": np.ones(3, dtype=int)}
MODEL = StripsModel(names=("a", "b", "c"), add=ADD, delete=DELETE, positive=NOTHING, negative=NOTHING, **COUNTS)


def test_actions_are_grouped_by_variables_or_by_bits() -> None:
    assert changed_together(MODEL, (0, 0, 1, 1)) == ("variables", {(0,): [0, 1], (1,): [2]})
    assert changed_together(MODEL, None) == ("bits", {(0, 1): [0, 1], (2, 3): [2]})


def test_the_page_shows_them_bounded_and_says_how_often_they_were_seen(tiny_run) -> None:
    text = write_report([tiny_run], load_plugins()).read_text()
    section = text[text.index("What this model believes") :].split("</section>")[0]
    cards = section.split('<article class="card">')[1:]
    assert 1 <= len(cards) <= MAX_GROUPS
    assert all(1 <= card.count("→") <= MAX_ACTIONS for card in cards)
    assert all("seen " in card for card in cards)


def rows(*phases: str) -> list[dict[str, object]]:
    return [{"epoch": number, "phase": phase} for number, phase in enumerate(phases, start=1)]


def test_phases_without_epochs_are_marked_too() -> None:
    order = ["prepare", "joint", "consolidate", "rewrite", "decoder"]
    whole = rows("joint", "joint", "consolidate", "decoder")
    assert phase_marks(whole, order) == [(2, "consolidate"), (3, "rewrite, decoder")]
    assert phase_marks(whole[:3], order[:-1]) == [(2, "consolidate"), (3, "rewrite")]
    assert phase_marks(whole, []) == [(2, "consolidate"), (3, "decoder")]  # while training, the order is not known
