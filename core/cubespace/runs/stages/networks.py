"""The network of a run, put together from the components that its settings name, or that held-out pairs choose."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import torch

from cubespace.autoencoder.contract_check import check_parts
from cubespace.autoencoder.devices import RandomState
from cubespace.autoencoder.encoder import Layout, picture_shape
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.model_file import load_model
from cubespace.base.errors import CubeError
from cubespace.base.numbers import fixed
from cubespace.base.options import parse_spec
from cubespace.data.domain import Pairs
from cubespace.learning.trial import Trial, try_network
from cubespace.plugins.blame import blame
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.recipe import AUTO, ModelConfig

PLAIN = "mlp"  # what is left where no proposal fits: it assumes nothing about the pictures, and must be trained
MOST_LABELS = 800  # of an encoder that cannot tell how many it needs


@attrs.frozen(kw_only=True)
class Candidate:
    """An encoder that was tried, and what came of it."""

    encoder: str
    decoder: str
    fits: bool
    seconds: float
    trial: Trial | None = None
    reason: str = ""  # why it could not be tried

    @property
    def summary(self) -> str:
        """Return one line for the user."""
        if self.trial is None:
            return f"{self.encoder}: not possible, {self.reason}"
        return (
            f"{self.encoder}: {'fits' if self.fits else 'does not fit'}, {self.trial.differences} differences, "
            f"covering {fixed(self.trial.coverage)} of held-out pairs, {self.trial.description:.2f} bits each, "
            f"residue {fixed(self.trial.residue)}, {self.seconds} s"
        )


@attrs.frozen(eq=False, kw_only=True)
class Choice:
    """The settings of the model with nothing left to choose, the network they make, and what else was tried."""

    config: ModelConfig
    network: SpaceAutoEncoder
    candidates: tuple[Candidate, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return what was chosen and why, for JSON."""
        layout = self.network.encoder.layout
        return {
            "encoder": self.config.encoder,
            "decoder": self.config.decoder,
            "bits": layout.bits,
            "labels": self.network.actions,
            "variables": None if layout.groups is None else len(set(layout.groups)),
            "candidates": [attrs.asdict(candidate) for candidate in self.candidates],
        }


def choose_network(catalogue: Catalogue, config: ModelConfig, training: Pairs, held_out: Pairs, seed: int) -> Choice:
    """Build the network for some training pictures; ``auto`` takes the proposal that held-out pairs like best.

    A proposal is an encoder whose bits are final once it is prepared. Of those that fit, the one is taken that tells
    held-out transitions in the fewest bits of information; without any, the plain one, which is then trained.
    """
    if config.encoder != AUTO:
        resolved = resolve(catalogue, config, config.encoder)
        return Choice(config=resolved, network=new_network(catalogue, resolved, training, seed))
    tried = [_try(catalogue, config, spec, training, held_out, seed) for spec in _proposals(catalogue, training)]
    fitting = [(candidate, network) for candidate, network in tried if candidate.fits and network is not None]
    candidates = tuple(candidate for candidate, _ in tried)
    if not fitting:
        resolved = resolve(catalogue, config, PLAIN)
        network = new_network(catalogue, resolved, training, seed)
        return Choice(config=resolved, network=network, candidates=candidates)
    best, network = min(fitting, key=lambda pair: _cost(pair[0]))
    return Choice(config=resolve(catalogue, config, best.encoder), network=network, candidates=candidates)


def _cost(candidate: Candidate) -> float:
    return float("inf") if candidate.trial is None else candidate.trial.description


def _proposals(catalogue: Catalogue, training: Pairs) -> list[str]:
    """Return the specs of all encoders that want to be tried on such pictures."""
    shape = training.before.shape[1:]
    return [
        f"{name}:{options}" if options else name
        for name in catalogue.names("encoder")
        for options in catalogue.find("encoder", name).load().proposals(shape)
    ]


def _try(
    catalogue: Catalogue, config: ModelConfig, spec: str, training: Pairs, held_out: Pairs, seed: int
) -> tuple[Candidate, SpaceAutoEncoder | None]:
    """Build and prepare a network with one of the proposals; one that cannot be built does not fit."""
    resolved = resolve(catalogue, config, spec)
    begun = time.perf_counter()
    try:
        with blame():
            network = new_network(catalogue, resolved, training, seed)
            trial = try_network(network, (training.before, training.after), (held_out.before, held_out.after))
    except CubeError as error:
        seconds = round(time.perf_counter() - begun, 2)
        reason = str(error)
        return Candidate(encoder=spec, decoder=resolved.decoder, fits=False, seconds=seconds, reason=reason), None
    fits = network.encoder.layout.fits and trial.fits(config.most_residue, config.least_coverage)
    seconds = round(time.perf_counter() - begun, 2)
    return Candidate(encoder=spec, decoder=resolved.decoder, fits=fits, seconds=seconds, trial=trial), network


def resolve(catalogue: Catalogue, config: ModelConfig, encoder: str) -> ModelConfig:
    """Return the settings with an encoder and, where they leave the choice, the decoder that goes with it."""
    spec = parse_spec(encoder)
    cls = catalogue.find("encoder", spec.name).load()
    decoder = config.decoder
    if decoder == AUTO:
        shared = cls.decoder_options(spec.options)
        decoder = f"{cls.decoder}:{shared}" if shared else cls.decoder
    return attrs.evolve(config, encoder=encoder, decoder=decoder)


def default_learner(catalogue: Catalogue, encoder: str) -> str:
    """Return the precondition learner that goes with an encoder."""
    name: str = catalogue.find("encoder", parse_spec(encoder).name).load().precondition
    return name


def plan_layout(catalogue: Catalogue, config: ModelConfig, pairs: Pairs) -> Layout:
    """Let the encoder decide, by the training pictures, how a latent state is divided."""
    spec = parse_spec(config.encoder)
    component = catalogue.find("encoder", spec.name)
    layout: Layout = component.load().plan(pairs.before, pairs.after, config.bits, component.options(spec.options))
    return layout


def build_network(
    catalogue: Catalogue, config: ModelConfig, image_shape: tuple[int, ...], layout: Layout
) -> SpaceAutoEncoder:
    """Build an untrained network for pictures of one shape."""
    shape = picture_shape(image_shape)
    labels = config.actions or layout.labels or MOST_LABELS
    config = attrs.evolve(config, actions=labels, action_width=max(config.action_width, layout.bits))
    apply = catalogue.create("apply", config.apply, layout.bits, labels)
    encoder = catalogue.create("encoder", config.encoder, shape, layout)
    decoder = catalogue.create("decoder", config.decoder, shape, layout)
    return SpaceAutoEncoder(config, image_shape, encoder=encoder, decoder=decoder, apply=apply)


def new_network(catalogue: Catalogue, config: ModelConfig, pairs: Pairs, seed: int) -> SpaceAutoEncoder:
    """Build the network for some training pictures; its random weights depend on the seed alone."""
    layout = plan_layout(catalogue, config, pairs)
    with RandomState(seed, torch.device("cpu"))():
        network = build_network(catalogue, config, pairs.before.shape[1:], layout)
    with blame(network.encoder, network.decoder, network.apply_module), RandomState(seed, torch.device("cpu"))():
        check_parts(network)
    return network


def read_network(catalogue: Catalogue, path: Path, device: str = "cpu") -> SpaceAutoEncoder:
    """Read a trained network from its file."""
    return load_model(path, partial(build_network, catalogue), device)
