"""Every step of training runs on any device, and nothing in it waits for the device: there, no number can be read."""

from itertools import product
from pathlib import Path

import attrs
import pytest
import torch
from builders import build_model
from toggles import ON_THE_CPU, tiny_recipe

import cubespace.autoencoder
from cubespace.autoencoder.building import load_extensions
from cubespace.autoencoder.devices import settle
from cubespace.autoencoder.joint import JointPhase
from cubespace.autoencoder.losses import direct, image_loss, variational, zero_suppress
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.noise_pool import Noise, gumbel_
from cubespace.autoencoder.objective import Objective
from cubespace.autoencoder.phase import InstantPhase, Phase
from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.settings.recipe import Recipe

PARTS = parts_of(load_plugins(), ON_THE_CPU)
APPLY = [*load_plugins().names("apply"), "btl:norm=batch", "btl:norm=none", "btl:activation=binconcrete"]
NETWORKS = list(product(APPLY, load_plugins().names("action"), load_plugins().names("objective")))
EXTENSIONS = load_plugins().names("extension")
STEPS = [step for step in (JointPhase, *load_extensions(EXTENSIONS, PARTS)) if not issubclass(step, InstantPhase)]
PAIRS, PIXELS = 40, 144


def recipe_of(apply: str, action: str, objective: str) -> Recipe:
    recipe = tiny_recipe(apply, extensions=("discriminate",))
    return attrs.evolve(recipe, autoencoder=attrs.evolve(recipe.autoencoder, action=action, objective=objective))


def network(recipe: Recipe, device: str) -> tuple[SpaceAutoEncoder, Objective]:
    model = build_model(recipe.autoencoder, (12, 12), recipe.train).to(device)
    objective = PARTS.create("objective", recipe.autoencoder.objective, recipe.train.losses)
    objective.check(model)
    return model, objective


def fits(recipe: Recipe) -> bool:
    """Return whether the parts go together: Bayes' rule needs effects, and the likelihood needs Bayes' rule."""
    config = recipe.autoencoder
    bayes = config.action == "posterior"
    return bayes <= (config.apply != "blackbox") and (config.objective == "likelihood") <= bayes


def begin(step: type[Phase], model: SpaceAutoEncoder, objective: Objective, recipe: Recipe) -> Phase:
    """Return a step with all that it finds out once, by reading numbers, before the first update."""
    phase = step(model, torch.zeros(2, PAIRS, PIXELS, dtype=torch.uint8, device=model.device), recipe.train, objective)
    phase.labels = torch.zeros(3, dtype=torch.int64, device=model.device)
    phase.targets = torch.zeros(2, PAIRS, model.bits, dtype=torch.bool, device=model.device)
    return phase


@pytest.mark.parametrize(("apply", "action", "objective"), NETWORKS, ids=lambda name: name)
def test_every_step_runs_on_any_device_with_every_network_or_the_network_is_refused(apply, action, objective) -> None:
    recipe = recipe_of(apply, action, objective)
    if not fits(recipe):
        with pytest.raises(UsageError, match=r"set autoencoder\.action"):
            network(recipe, "meta")
        return
    model, loss = network(recipe, "meta")
    for step in STEPS:
        phase = begin(step, model, loss, recipe)
        losses = phase.losses(torch.arange(20, device="meta"), phase.moment(0.9))
        losses["total"].backward()
        assert {term.device.type for term in losses.values()} == {"meta"}


def test_steps_were_found() -> None:
    assert {"joint", "states", "actions", "discriminate", "decoder", "consolidate"} <= {step.name for step in STEPS}


@pytest.mark.parametrize(
    ("action", "objective"), [("head", "paper"), ("posterior", "paper"), ("posterior", "likelihood")]
)
def test_in_half_precision_every_loss_is_float32(action, objective) -> None:
    recipe = recipe_of("minmax", action, objective)
    model, loss = network(recipe, "cpu")
    for step in STEPS:
        phase = begin(step, model, loss, recipe)
        with torch.autocast("cpu", torch.bfloat16):
            losses = phase.losses(torch.arange(20), phase.moment(0.9))
        assert {term.dtype for term in losses.values()} == {torch.float32}, step.name


@pytest.mark.parametrize("seed", range(3))
def test_terms_are_reduced_in_float32_whatever_they_are_handed(seed) -> None:
    torch.manual_seed(seed)
    states, logits = (torch.rand(2, 500, 12).bfloat16() for _ in range(2))
    labels, pixels = torch.randn(500, 7).bfloat16(), torch.randn(2, 500, 9).bfloat16()
    for term, arguments in (
        (direct, (states, states[0])),
        (zero_suppress, (states,)),
        (lambda *rest: variational(*rest, 0.5), (logits, labels)),
        (lambda *rest: image_loss("bce", *rest), (pixels, torch.rand(2, 500, 9))),
    ):
        value = term(*arguments)
        assert value.dtype == torch.float32
        torch.testing.assert_close(value, term(*(argument.float() for argument in arguments)))


def test_noise_is_drawn_in_float32_on_every_device() -> None:
    for device in ("cpu", "meta"):
        assert Noise(gumbel_)(torch.empty(3, 4, dtype=torch.bfloat16, device=device)).dtype == torch.float32


def test_only_a_gpu_multiplies_rounded_factors() -> None:
    before, threads = torch.get_float32_matmul_precision(), torch.get_num_threads()
    try:
        settle(1, torch.device("cpu"))
        assert torch.get_float32_matmul_precision() == before == "highest"
        settle(1, torch.device("cuda"))
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision(before)
        torch.set_num_threads(threads)


def test_rows_are_told_apart_by_numpy_since_not_every_device_can_sort_them() -> None:
    (folder,) = cubespace.autoencoder.__path__
    for file in (*Path(folder).rglob("*.py"), *Path(folder).parents[2].glob("plugins/*/*/*.py")):
        text = file.read_text("utf-8")
        assert "unique(dim=" not in text, file
        assert "torch.unique(" not in text, file
