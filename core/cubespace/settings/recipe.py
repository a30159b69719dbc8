"""The recipe: every setting of learning, with defaults meant for all domains.

Delays and holds are fractions of the phase they belong to: a shorter training keeps the shape of its schedules.
Free of torch, so quick to import.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs
from attrs.validators import and_, ge, gt, le, lt, optional

from cubespace.base.options import MOST_LAYERS, MOST_UNITS
from cubespace.settings import defaults
from cubespace.settings.registration import RegistrationConfig

MOST_SEED = 2**63 - 1  # as large as torch takes

_units = and_(ge(1), le(MOST_UNITS))
_fraction = and_(ge(0.0), le(1.0))
_rate = and_(ge(0.0), lt(1.0))
_step = and_(gt(0.0), le(100.0))  # a learning rate: a larger one makes the first update infinite


def _setting(default: Any, validator: Any = None) -> Any:
    return attrs.field(default=default, validator=validator)


AUTO = "auto"  # a choice that held-out pairs make, or the component that it depends on


def is_of_training(key: str) -> bool:
    """Return whether a setting matters only to learners that are trained by gradient."""
    return key.startswith(("autoencoder.", "train.")) and key != "train.seed"


@attrs.frozen(kw_only=True)
class LearnerConfig:
    """How bits are learned."""

    name: str = AUTO  # bit learner, as NAME or NAME:key=value,…; auto: chosen by held-out pairs
    least_coverage: float = _setting(0.5, _fraction)  # of held-out pairs, of a code that auto may choose …
    most_residue: float = _setting(0.02, ge(0.0))  # … errors that stay in the next picture, of all variance …
    most_structure: float = _setting(0.1, ge(0.0))  # … and errors of pixels together, such as shadows
    registration: RegistrationConfig = attrs.field(factory=RegistrationConfig)


@attrs.frozen(kw_only=True)
class AutoencoderConfig:
    """The parts and the shape of the Cube-Space AutoEncoder."""

    bits: int = _setting(100, _units)  # F, propositions of a latent state
    actions: int = _setting(400, _units)  # A, labels of actions
    apply: str | None = None  # apply module, as NAME or NAME:key=value,…; given, it chooses the autoencoder
    encoder: str = defaults.ENCODER  # as NAME or NAME:key=value,…
    decoder: str = defaults.DECODER  # as NAME or NAME:key=value,…
    action: str = defaults.ACTION_MODEL  # how the label of a transition is inferred, as NAME or NAME:key=value,…
    action_width: int = _setting(300, _units)  # units of each hidden layer of an action model that is a network
    action_depth: int = _setting(1, and_(ge(0), le(MOST_LAYERS)))  # its hidden layers
    action_activation: Literal["relu", "tanh"] = "relu"  # between its layers
    objective: str = defaults.OBJECTIVE  # the terms of the loss, as NAME or NAME:key=value,…
    frames: Literal["together", "apart"] = "together"  # in encoder and decoder; apart: batch norm sees one at a time
    initialisation: Literal["torch", "glorot"] = "torch"  # of dense layers and convolutions; glorot as in Keras


@attrs.frozen(kw_only=True)
class TemperatureConfig:
    """The annealing of both Gumbel-Softmax relaxations: exponential from ``start`` to ``end``, then held."""

    start: float = _setting(2.0, gt(0.0))  # temperature in the first epoch
    end: float = _setting(0.5, gt(0.0))  # temperature in the last epoch
    hold: float = _setting(0.8, and_(gt(0.0), le(1.0)))  # when the end is reached


@attrs.frozen(kw_only=True)
class LossConfig:
    """The weights of the loss terms.

    ``*_from`` are the paper's bootstrap delays: the weight is 0 before. Direct loss and sparsity too strong or too
    early lose picture content for good, so both are small against the image terms.
    """

    image: Literal["bce", "mse"] = "bce"  # of pixels: cross-entropy or squared error
    reconstruction: float = _setting(1.0, ge(0.0))  # of x0 and of x1
    successor: float = _setting(1.0, ge(0.0))  # of x1 by way of the action
    direct: float = _setting(0.2, ge(0.0))  # γ, of predicted bits against encoded ones
    direct_from: float = _setting(0.3, _fraction)  # of the phase
    zero_suppress: float = _setting(0.0, ge(0.0))  # α, of true bits
    zero_suppress_from: float = _setting(0.2, _fraction)  # of the phase
    variational: float = 0.0  # β; negative values are in the paper's search space
    prior: float = _setting(0.5, and_(gt(0.0), lt(1.0)))  # probability of a true bit under the prior


@attrs.frozen(kw_only=True)
class StoppingConfig:
    """When the joint training ends early, by ½ Rec + ½ Succ + Direct of validation, as in the paper's released code.

    Delays are those of the losses. The ceiling falls linearly from 1 at the start of the phase to 0 at its end.
    """

    window: int = _setting(0, ge(0))  # epochs that are looked at; 0: it never ends early
    rest: float = _setting(0.1, _fraction)  # of the phase, after all delays, in which it does not end
    change: float = _setting(1e-3, ge(0.0))  # it ends if validation has varied by no more than this …
    ceiling: bool = True  # … or if its median is above the falling ceiling


@attrs.frozen(kw_only=True)
class ConsolidationConfig:
    """How the encoder is led to steady bits after the joint phase; errors are mean squared errors of pictures."""

    rounds: int = _setting(6, ge(1))  # how often bits are looked at
    updates: int = _setting(135, ge(1))  # of each round …
    epochs: int | None = _setting(None, optional(ge(1)))  # … or this many epochs
    frequent: int = _setting(3, ge(1))  # transitions that must show a difference for it to be one to agree on
    flips: int = _setting(1, ge(0))  # bits of a transition that may be changed to make it agree …
    move_error: float = _setting(5e-4, ge(0.0))  # … if its pictures get no worse than by this
    drop_error: float = _setting(1e-4, ge(0.0))  # a bit is held constant if pictures get no worse than by this


@attrs.frozen(kw_only=True)
class TrainConfig:
    """How long and how fast to train.

    Lengths are counted in updates, so that small and large data sets train equally long; an explicit number of epochs
    takes their place.
    """

    extensions: tuple[str, ...] = defaults.EXTENSIONS  # training steps beyond the paper's, in order; none in its preset
    updates: int = _setting(2700, ge(1))  # of the main phase …
    epochs: int | None = _setting(None, optional(ge(1)))  # … or this many epochs
    action_epochs: int | None = _setting(None, optional(ge(1)))  # of extension actions; as long if not given
    discriminator_epochs: int | None = _setting(None, optional(ge(1)))  # of extension discriminate, likewise
    discriminator_width: int = _setting(300, _units)  # of its hidden layers …
    discriminator_depth: int = _setting(1, and_(ge(0), le(MOST_LAYERS)))  # … and how many there are
    decoder_updates: int = _setting(540, ge(1))  # of extension decoder: the decoder alone, on frozen hard bits …
    decoder_epochs: int | None = _setting(None, optional(ge(1)))  # … or this many epochs
    batch: int = _setting(100, ge(2))  # transitions per update
    batches: Literal["shuffled", "fixed"] = "shuffled"  # drawn again in every epoch, or once for the whole phase
    optimiser: Literal["adam", "radam"] = "adam"  # adam with a short warm-up, or rectified Adam as in the paper
    epsilon: float = _setting(1e-8, gt(0.0))  # of the optimiser, beside the root of the second moment; Keras: 1e-7
    learning_rate: float = _setting(3e-3, _step)  # of the main phase
    decay: float = _setting(0.1, and_(gt(0.0), le(1.0)))  # the learning rate ends at this fraction of itself …
    decay_from: float = _setting(0.8, _rate)  # … falling exponentially from here on
    finish_rate: float = _setting(1e-3, _step)  # learning rate of the phases after it, falling to 0
    schedule: Literal["update", "epoch"] = "update"  # how often temperature, weights and learning rate change …
    lag: int = _setting(0, ge(0))  # … and by how many epochs they lag behind
    precision: Literal["float32", "bf16"] = "float32"  # of training; bf16 is faster on GPUs and on CPUs that have it
    patience: int | None = _setting(None, optional(ge(1)))  # epochs without gain on validation until a phase is stopped
    seed: int = _setting(0, and_(ge(0), le(MOST_SEED)))  # of the weights, the noise and the order of batches
    temperature: TemperatureConfig = attrs.field(factory=TemperatureConfig)
    consolidation: ConsolidationConfig = attrs.field(factory=ConsolidationConfig)
    losses: LossConfig = attrs.field(factory=LossConfig)
    stopping: StoppingConfig = attrs.field(factory=StoppingConfig)

    @property
    def settled(self) -> float:
        """Return from which fraction of the main phase on losses can be compared: all have begun, and have rested."""
        return min(1.0, max(self.losses.direct_from, self.losses.zero_suppress_from) + self.stopping.rest)


@attrs.frozen(kw_only=True)
class Recipe:
    """What is learned and how: together with the data it determines the result."""

    autoencoder: AutoencoderConfig = attrs.field(factory=AutoencoderConfig)
    train: TrainConfig = attrs.field(factory=TrainConfig)


@attrs.frozen(kw_only=True)
class Execution:
    """Where and how the work is done; no part of the result's identity, so a run may continue under another one.

    What changes results on one machine, such as the precision of training, is a setting instead.
    """

    device: str = "auto"  # auto, cpu, cuda, cuda:1, mps
    threads: int = _setting(1, ge(1))  # on a busy machine two can be ten times slower than one
    compile: bool = False  # torch.compile, pays on GPUs only
    searches: int = _setting(1, ge(1))  # of planners side by side, each a process of its own
    checkpoint_seconds: float = _setting(30.0, ge(0.0))  # at most this much work is lost, up to a whole epoch
