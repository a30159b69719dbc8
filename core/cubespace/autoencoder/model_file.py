"""The result of a training: a safetensors file with weights, and in its metadata all that builds the network again."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import safetensors
import safetensors.torch
from torch import Tensor

from cubespace.autoencoder.devices import pick_device
from cubespace.autoencoder.encoder import Layout
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.base.errors import InputError
from cubespace.base.files import replacing
from cubespace.base.options import structure
from cubespace.settings.recipe import ModelConfig

FORMAT = 1
MOST_PIXELS = 10**8  # of a picture; no picture that is read has more
Build = Callable[[ModelConfig, tuple[int, ...], Layout], SpaceAutoEncoder]


def save_model(path: Path, model: SpaceAutoEncoder, **facts: object) -> None:
    """Write the weights with all that :func:`load_model` needs to build the network again, and further ``facts``."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    about = {
        "format": FORMAT,
        "model": attrs.asdict(model.config),
        "image_shape": list(model.image_shape),
        "layout": model.encoder.layout.record(),
        "sha256": _digest(tensors),
        **facts,
    }
    content = safetensors.torch.save(tensors, metadata={"cubespace": json.dumps(about)})
    with replacing(path) as file:
        file.write(content)


def load_model(path: Path | str, build: Build, device: str = "cpu") -> SpaceAutoEncoder:
    """Let ``build`` make the network of a model file and load its weights, ready for evaluation."""
    path = Path(path)
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})["cubespace"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        digest = about["sha256"]
        shape = _shape(about["image_shape"])
        settings, layout = dict(about["model"]), _layout(about["layout"])
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a forged file can make the reader raise anything
        raise InputError(f"{path} is damaged or not a model of cubespace ({type(error).__name__})") from error
    if _digest(tensors) != digest:
        raise InputError(f"{path} is damaged: its weights do not match their SHA-256. Train again to make it anew")
    try:
        model = build(structure(ModelConfig, settings, str(path)), shape, layout)
    except Exception as error:  # forged settings can make a network of any size, or none
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path} names a network that cannot be built: {first}") from error
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise InputError(f"{path} does not fit its own configuration: {str(error).splitlines()[0]}") from error
    return model.to(pick_device(device)).eval()


def _shape(sizes: Sequence[int]) -> tuple[int, ...]:
    shape = tuple(int(size) for size in sizes)
    if len(shape) not in (2, 3) or min(shape) < 1 or math.prod(shape) > MOST_PIXELS:
        raise ValueError(f"pictures of shape {shape}")
    return shape


def _layout(table: Mapping[str, Any]) -> Layout:
    groups = None if table["groups"] is None else tuple(map(int, table["groups"]))
    return Layout(bits=int(table["bits"]), groups=groups, labels=table["labels"], details=table["details"])


def _digest(tensors: Mapping[str, Tensor]) -> str:
    """Return one SHA-256 of the names and values of tensors."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.numpy().data)
    return digest.hexdigest()
