"""Compiled, a training is the same up to rounding, and what changes as it goes on is not compiled in."""

import shutil
from functools import partial

import attrs
import pytest
import torch
from toggles import EVERY_EPOCH, tiny_recipe
from trainers import bayes_recipe, trainer

from cubespace.autoencoder.training import Row
from cubespace.settings.recipe import LossConfig, Recipe

EPOCHS = 4
COMPILED = attrs.evolve(EVERY_EPOCH, compile=True)
DELAYED = LossConfig(direct_from=0.3, zero_suppress=0.1, zero_suppress_from=0.2)
ALL_COUNT_FROM = 2  # epochs: from then on every term has its weight


def graphs_of_epochs(recipe: Recipe) -> list[int]:
    """Train compiled and not, compare each epoch, and return how many graphs had been compiled after each."""
    from torch._dynamo.utils import counters  # takes seconds

    torch.compiler.reset()
    counters.clear()
    plain, compiled = trainer(recipe), trainer(recipe, COMPILED)
    graphs = []
    for expected, row in zip(plain.rows(), compiled.rows(), strict=True):
        assert row["phase"] == expected["phase"]
        assert numbers(row) == pytest.approx(numbers(expected), rel=1e-3, abs=1e-4)
        graphs.append(counters["stats"]["unique_graphs"])
    return graphs


def numbers(row: Row) -> dict[str, float]:
    return {key: value for key, value in row.items() if key not in ("phase", "seconds")}


@pytest.fixture
def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trace and differentiate as always, and run the graphs as they are: no C++ compiler is needed."""
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))


@pytest.mark.usefixtures("without_kernels")
def test_our_recipe_is_compiled_once_and_trains_as_before() -> None:
    graphs = graphs_of_epochs(bayes_recipe(epochs=EPOCHS, losses=DELAYED))
    assert graphs[0] > 0
    assert set(graphs) == {graphs[0]}


@pytest.mark.slow
@pytest.mark.usefixtures("without_kernels")
@pytest.mark.parametrize("apply", ["btl", "minmax", "smooth", "blackbox"])
def test_the_papers_objective_is_compiled_once_for_each_set_of_terms_that_count(apply) -> None:
    graphs = graphs_of_epochs(tiny_recipe(apply, epochs=EPOCHS, losses=DELAYED, extensions=()))
    assert set(graphs[ALL_COUNT_FROM:]) == {graphs[-1]}


@pytest.mark.slow
@pytest.mark.usefixtures("without_kernels")
@pytest.mark.parametrize("extensions", [("consolidate", "rewrite", "decoder"), ("states", "actions", "discriminate")])
def test_every_step_is_compiled(extensions) -> None:
    graphs_of_epochs(tiny_recipe(epochs=EPOCHS, extensions=extensions))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_with_kernels_of_its_own_it_trains_as_before() -> None:
    graphs = graphs_of_epochs(bayes_recipe(epochs=EPOCHS))
    assert set(graphs) == {graphs[0]}


def test_on_a_device_one_graph_holds_forward_pass_and_losses() -> None:
    torch.compiler.reset()
    run = trainer(bayes_recipe(), COMPILED)
    phase = type(run.phase)(run.model.to("meta"), run.images.to("meta"), run.config, run.objective)
    whole = torch.compile(phase.losses, backend="eager", fullgraph=True)  # an error if Python is asked in between
    assert whole(torch.arange(20, device="meta"), phase.moment(0.9))["total"].device.type == "meta"
