"""What the autoencoder says about its own training: updates, phases, parts, and the network before it was rewritten."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pytest
from builders import code_of, training_run, work_in
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.learner import train_network
from cubespace.base.observer import Observer
from cubespace.learning.bit_learner import Work
from cubespace.learning.code import Code
from cubespace.learning.code_metrics import measure
from cubespace.learning.measures import Measures

OURS = ("consolidate", "rewrite", "decoder")


class Listener(Observer):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def measured(code: Code) -> Mapping[str, Measures]:
    held_out = toggles(20, 1)
    return {"validation": measure(code, held_out.before, held_out.after)}


def work(folder, *extensions: str, apply: str = "btl", **changes: object) -> Work:
    given = work_in(folder, tiny_recipe(apply, extensions=extensions), EVERY_EPOCH)
    return attrs.evolve(given, measure=measured, **changes)


@pytest.mark.parametrize("apply", ["btl", "blackbox"])
def test_it_says_what_was_trained_and_how_long(tmp_path, apply) -> None:
    code = train_network(toggles(100), toggles(20, 1), work(tmp_path, "decoder", apply=apply))
    assert code.training is not None
    assert code.training.updates == 5 * (3 + 1)  # of each epoch, and the epochs of the two phases
    assert code.training.phases == ("joint", "decoder")
    assert code.training.parts["apply"] == apply
    assert not code.training.rewritten


def test_both_figures_are_kept_where_the_network_is_rewritten(tmp_path) -> None:
    code = train_network(toggles(100), toggles(20, 1), work(tmp_path, *OURS))
    assert code.training is not None
    assert code.training.rewritten
    assert code.training.before_rewriting is not None
    before, after = code.training.before_rewriting["validation"], measured(code)["validation"]
    assert before.exact < after.exact


def test_they_survive_an_interruption_after_the_rewriting(tmp_path) -> None:
    whole = train_network(toggles(100), toggles(20, 1), work(tmp_path / "whole", *OURS))
    given = work(tmp_path / "stopped", *OURS)
    stopped = training_run(given.folder, toggles(100), toggles(20, 1), given.recipe, EVERY_EPOCH)
    stopped.trainer.before_rewriting = lambda: {
        name: attrs.asdict(value) for name, value in measured(code_of(stopped.model, given.recipe)).items()
    }
    for row in stopped:
        if row["phase"] == "consolidate":
            break
    listener = Listener()
    again = train_network(toggles(100), toggles(20, 1), attrs.evolve(given, observer=listener))
    assert again.training == whole.training
    assert listener.lines == ["train: going on after epoch 4"]


def test_the_seed_of_the_work_decides(tmp_path) -> None:
    one, other, again = (
        train_network(toggles(100), toggles(20, 1), work(tmp_path / name, seed=seed))
        for name, seed in (("one", 0), ("other", 1), ("again", 0))
    )
    pictures = toggles(50, 3).before
    assert (one.decode(one.encode(pictures)) == again.decode(again.encode(pictures))).all()
    assert (one.decode(one.encode(pictures)) != other.decode(other.encode(pictures))).any()
