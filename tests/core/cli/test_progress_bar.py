"""The bar on terminals of all widths."""

import io

import pytest
from rich.console import Console

from cubespace.cli import progress_bar
from cubespace.cli.progress_bar import Terminal

WORDS = "joint: loss 0.1372, Rec 0.0012, Succ 0.0025, Direct 0.0025"


def shown(monkeypatch, width: int, done: int) -> str:
    """Return the last line that a terminal of some width shows after ``done`` of 300 epochs."""
    text = io.StringIO()
    monkeypatch.setattr(
        progress_bar,
        "Console",
        lambda **_: Console(file=text, width=width, force_terminal=True, color_system=None, legacy_windows=False),
    )
    with Terminal() as terminal:
        terminal.stage("train", "4500 transitions")
        terminal.step(1, 300, WORDS)
        terminal.step(done, 300, WORDS)
    return text.getvalue().split("train ")[-1]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_epoch_and_time_stay_when_words_give_way(monkeypatch, width) -> None:
    line = shown(monkeypatch, width, 275)
    assert "275/300" in line
    assert ":" in line.split("275/300")[1].split()[0]  # the time left
    assert "joint" in line
    assert "━━━━━" in line
    assert len(line.splitlines()[0]) <= width


def test_a_full_bar_says_how_long_it_took(monkeypatch) -> None:
    assert "300/300 0:00:0" in shown(monkeypatch, 80, 300)
