"""A network put together from the parts that its settings name."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from cubespace.autoencoder.action_model import ActionModel, ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.contract_check import check_parts
from cubespace.autoencoder.devices import RandomState, pick_device
from cubespace.autoencoder.encoder import Decoder, Encoder, picture_shape
from cubespace.autoencoder.joint import JointPhase
from cubespace.autoencoder.layers import initialise_as_glorot
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.network_code import NetworkCode
from cubespace.autoencoder.phase import Phase
from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import structure
from cubespace.learning.bit_learner import Parts
from cubespace.learning.code import SavedCode
from cubespace.settings import defaults
from cubespace.settings.recipe import AutoencoderConfig, TrainConfig

KINDS = ("encoder", "decoder", "action", "apply", "objective")  # of the parts, each a setting of ``autoencoder``


def part_specs(config: AutoencoderConfig) -> dict[str, str]:
    """Return the spec of each part, by kind."""
    return {kind: getattr(config, kind) or defaults.APPLY for kind in KINDS}  # only the apply module may be open


def load_extensions(names: Sequence[str], parts: Parts) -> list[type[Phase]]:
    """Return the phases that a list of extensions names."""
    return [parts.load("extension", name) for name in names]


def phases(extensions: Sequence[type[Phase]]) -> list[type[Phase]]:
    """Return the phases of a training in order: the joint one, unless an extension takes its place, then the others."""
    main = [] if any(extension.main for extension in extensions) else [JointPhase]
    return [*main, *extensions]


def build_network(
    config: AutoencoderConfig,
    train: TrainConfig,
    image_shape: tuple[int, ...],
    parts: Parts,
) -> SpaceAutoEncoder:
    """Build an untrained network for pictures of one shape, with the parts that the extensions of a training need."""
    extensions = load_extensions(train.extensions, parts)
    for extension in extensions:
        config = extension.adapted(config)
    shape = picture_shape(image_shape)
    sizes = ActionShape(width=config.action_width, depth=config.action_depth, activation=config.action_activation)
    apply: ApplyModule = parts.create("apply", config.apply or defaults.APPLY, config.bits, config.actions)
    encoder: Encoder = parts.create("encoder", config.encoder, shape, config.bits)
    decoder: Decoder = parts.create("decoder", config.decoder, shape, config.bits)
    action: ActionModel = parts.create("action", config.action, config.bits, config.actions, sizes)
    if action.needs_effects and not apply.strips:
        raise UsageError(
            f"the action model '{config.action}' infers labels from the effects of the apply module, and "
            f"'{config.apply}' has none: set autoencoder.action to another, see `cube plugins action`"
        )
    apart = config.frames == "apart"
    model = SpaceAutoEncoder(
        image_shape, encoder=encoder, decoder=decoder, action=action, apply=apply, frames_apart=apart
    )
    for extension in extensions:
        extension.extend(model, train)
    if config.initialisation == "glorot":
        initialise_as_glorot(model)
    return model


def new_network(
    config: AutoencoderConfig, train: TrainConfig, image_shape: tuple[int, ...], parts: Parts
) -> SpaceAutoEncoder:
    """Build a network whose random weights depend on the seed alone, and look once at what its parts return."""
    cpu = torch.device("cpu")
    with RandomState(train.seed, cpu)():
        model = build_network(config, train, image_shape, parts)
    with RandomState(train.seed, cpu)():
        check_parts(model)
    return model


def read_network(saved: SavedCode, parts: Parts) -> NetworkCode:
    """Build a trained network again."""
    config = structure(AutoencoderConfig, dict(saved.details["autoencoder"]), "autoencoder")
    if config.bits != saved.bits:
        raise InputError(f"its settings have {config.bits} bits, it has {saved.bits}")
    train = structure(TrainConfig, dict(saved.details["train"]), "train")
    model = build_network(config, train, saved.image_shape, parts)
    tensors = {name: torch.from_numpy(array.copy()) for name, array in saved.arrays.items()}
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise InputError(f"its weights do not fit its settings: {str(error).splitlines()[0]}") from error
    return NetworkCode(model.to(pick_device(parts.execution.device)), config, train, saved.training)
