import attrs
import pytest
import torch
from builders import build_model

from cubespace.autoencoder.layers import Picture
from cubespace.autoencoder.model import evaluating
from cubespace.base.errors import UsageError
from cubespace.settings.recipe import AutoencoderConfig

SIZES = {"mlp": "mlp:width=16", "conv": "conv:width=16,channels=4"}
SMALL = AutoencoderConfig(
    bits=6, actions=5, encoder=SIZES["mlp"], decoder=SIZES["mlp"], action="head", action_width=16, objective="paper"
)
BAYES = attrs.evolve(SMALL, decoder="sprites", action="posterior", objective="likelihood")
NETWORKS = list(SIZES)


def with_networks(name: str) -> AutoencoderConfig:
    return attrs.evolve(SMALL, encoder=SIZES[name], decoder=SIZES[name])


@pytest.mark.parametrize("shape", [(9, 9), (7, 10), (8, 5, 3)], ids=str)
@pytest.mark.parametrize("network", NETWORKS)
def test_pictures_of_any_shape_and_in_colour_pass(network, shape) -> None:
    model = build_model(with_networks(network), shape)
    images = torch.rand(2, 4, torch.Size(shape).numel())
    outputs = model(images, 1.0)
    assert outputs.logits.shape == outputs.states.shape == (2, 4, 6)
    assert outputs.labels.shape == (4, 5)
    assert outputs.successor.shape == (4, 6)
    assert outputs.pixels.shape == (3, 4, torch.Size(shape).numel())
    outputs.pixels.sum().backward()
    assert all(parameter.grad is not None for parameter in model.encoder.parameters())


def test_neighbouring_pixels_stay_neighbours_through_the_convolutions() -> None:
    model = build_model(with_networks("conv"), (6, 4, 3)).eval()
    picture = torch.rand(6, 4, 3)
    reshape = next(layer for layer in model.encoder.modules() if isinstance(layer, Picture))
    assert (reshape(picture.flatten()[None])[0] == picture.permute(2, 0, 1)).all()


@pytest.mark.parametrize("apply", ["btl", "minmax", "smooth", "blackbox"])
def test_evaluation_is_hard_and_without_noise(apply) -> None:
    model = build_model(attrs.evolve(SMALL, apply=apply), (8, 8))
    images = torch.rand(2, 10, 64)
    with evaluating(model):
        first, again = model(images, 1.0), model(images, 5.0)
    for name in ("states", "successor"):
        value = getattr(first, name)
        assert ((value == 0) | (value == 1)).all()
        assert (value == getattr(again, name)).all()
    assert (first.pixels == again.pixels).all()
    alone = model.eval()(images[:, :1], 1.0)  # running statistics: a picture means the same alone and in a batch
    assert (alone.states == first.states[:, :1]).all()


AUTHORS = attrs.evolve(
    SMALL,
    encoder="conv:width=16,channels=4,dropout=0.4,order=activation-norm,bias=off,pooling=floor,logits=two",
    decoder="mlp:width=16,depth=2,dropout=0.4,order=activation-norm",
    action="head:dropout=0.4,order=activation-norm",
    apply="btl:norm=affine,width=16,depth=1,hidden=tanh,dropout=0.4,order=activation-norm",
    frames="apart",
)


def test_the_authors_network_has_their_layers_in_their_order() -> None:
    model = build_model(AUTHORS, (9, 9))
    names = [[type(layer).__name__ for layer in part.modules()] for part in (model.decoder, model.action)]
    for layers in names:
        dense = layers.index("Linear")
        assert layers[dense + 2 : dense + 4] == ["BatchNorm1d", "Dropout"]
    assert model.encoder.net[-1](torch.tensor([[3.0, 1.0, 1.0, 2.0]])).tolist() == [[2.0, -1.0]]
    assert not any(layer.bias is not None for layer in model.modules() if isinstance(layer, torch.nn.Conv2d))
    outputs = model.train()(torch.rand(2, 4, 81), 1.0, draw_after=False)
    assert outputs.pixels.shape == (2, 4, 81)
    outputs.pixels.sum().backward()
    assert all(parameter.grad is not None for parameter in model.encoder.parameters())


def test_frames_apart_are_normalised_by_themselves_in_training_only() -> None:
    torch.manual_seed(0)
    config = attrs.evolve(SMALL, encoder="mlp:width=16,noise=0,dropout=0", frames="apart")
    model = build_model(config, (8, 8)).train()
    bright, dark = 0.5 + 0.5 * torch.rand(6, 64), 0.1 * torch.rand(6, 64)
    with torch.no_grad():
        first, _ = model.encode(torch.stack((bright, dark)), 1.0)
        again, _ = model.encode(torch.stack((bright, bright)), 1.0)
        torch.testing.assert_close(first[0], again[0])  # whatever the other frame is
        model.frames_apart = False
        together, _ = model.encode(torch.stack((bright, dark)), 1.0)
        assert not torch.allclose(together[0], first[0])
        model.eval()
        one, _ = model.encode(torch.stack((bright, dark)), 1.0)
        model.frames_apart = True
        other, _ = model.encode(torch.stack((bright, dark)), 1.0)
    assert torch.equal(one, other)


def test_pictures_too_small_to_halve_twice_are_refused() -> None:
    with pytest.raises(UsageError, match="smaller than 4 pixels"):
        build_model(attrs.evolve(SMALL, encoder="conv:pooling=floor"), (3, 8))


def test_evaluating_restores_the_mode_of_every_part() -> None:
    model = build_model(SMALL, (8, 8)).train()
    model.encoder.eval()
    with evaluating(model):
        assert not any(module.training for module in model.modules())
    assert model.decoder.training
    assert not model.encoder.training


@pytest.mark.parametrize("apply", ["btl", "btl:norm=batch", "minmax", "smooth"])
def test_labels_by_bayes_rule_pass_with_every_module_that_has_effects(apply) -> None:
    model = build_model(attrs.evolve(BAYES, apply=apply), (8, 8))
    outputs = model(torch.rand(2, 4, 64), 1.0)
    assert outputs.labels.shape == (4, 5)
    (outputs.pixels.sum() + outputs.labels.sum()).backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


@pytest.mark.parametrize("apply", ["btl", "btl:norm=batch", "minmax", "smooth"])
@pytest.mark.parametrize("network", NETWORKS)
def test_no_tensor_of_our_recipe_is_nailed_to_the_cpu(network, apply) -> None:
    model = build_model(attrs.evolve(BAYES, encoder=SIZES[network], apply=apply), (8, 8)).to("meta")
    for mode in (True, False):
        outputs = model.train(mode)(torch.rand(2, 4, 64, device="meta"), 1.0)
        assert all(value.device.type == "meta" for value in outputs)


@pytest.mark.parametrize("network", NETWORKS)
def test_no_tensor_is_nailed_to_the_cpu(network) -> None:
    model = build_model(with_networks(network), (8, 8)).to("meta")
    for mode in (True, False):
        outputs = model.train(mode)(torch.rand(2, 4, 64, device="meta"), 1.0)
        assert all(value.device.type == "meta" for value in outputs)


@pytest.mark.parametrize("network", NETWORKS)
def test_weights_can_begin_as_in_keras(network) -> None:
    model = build_model(attrs.evolve(with_networks(network), initialisation="glorot"), (8, 8))
    layers = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)]
    for layer in layers:
        outputs, inputs = layer.weight.shape
        assert layer.weight.abs().max() <= (6.0 / (inputs + outputs)) ** 0.5
        assert layer.bias is None or not layer.bias.any()
    assert layers[-1].weight.abs().max() > 0


def test_an_unknown_apply_module_is_named() -> None:
    with pytest.raises(UsageError, match="Did you mean 'btl'"):
        build_model(attrs.evolve(SMALL, apply="blt"), (8, 8))
