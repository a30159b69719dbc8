"""What encoders and decoders are: the networks from pictures to the logits of bits, and from bits back to pictures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from cubespace.autoencoder.layers import held_outputs, hold_output
from cubespace.base.arrays import Images
from cubespace.base.options import NoOptions

Shape = tuple[int, int, int]  # height, width, colours


@attrs.frozen(kw_only=True)
class Layout:
    """How an encoder divides a latent state, known before any network is built; saved with the model.

    ``groups`` gives each bit the number of the finite-domain variable it is a value of: of the bits of one group
    exactly one is true in every state. None where bits are independent of each other. ``labels`` is how many different
    transitions the encoder has seen, None if it cannot tell. ``details`` are whatever the encoder and its decoder need
    to be built again; they must be plain JSON. ``start`` are arrays that weights may start from; they are not saved.
    """

    bits: int
    groups: tuple[int, ...] | None = None
    labels: int | None = None
    fits: bool = True  # whether the encoder itself finds that the pictures suit it
    details: Mapping[str, Any] = attrs.field(factory=dict)
    start: Mapping[str, NDArray[np.float32]] = attrs.field(factory=dict, eq=False, repr=False)

    def record(self) -> dict[str, Any]:
        """Return what is saved of it, for JSON."""
        return {"bits": self.bits, "groups": self.groups, "labels": self.labels, "details": dict(self.details)}


class Encoder(nn.Module, ABC):
    """Pictures to the logits of bits. A subclass is built as ``cls(shape, layout, options)``.

    Some bits turn out to be needless: they can be held at a constant value, whatever is in the picture.
    """

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    ready: ClassVar[bool] = False  # whether its bits are final once it is prepared: it then needs no training
    decoder: ClassVar[str] = "mlp"  # the decoder that goes with it where the settings leave the choice …
    precondition: ClassVar[str] = "counterexamples"  # … and the precondition learner

    def __init__(self, shape: Shape, layout: Layout, options: Any) -> None:
        super().__init__()
        self.shape = shape
        self.layout = layout
        self.options = options

    @classmethod
    def plan(cls, before: Images, after: Images, bits: int, options: Any) -> Layout:  # noqa: ARG003
        """Return the layout for some training pictures; ``bits`` is what the settings ask for."""
        return Layout(bits=bits)

    @classmethod
    def proposals(cls, image_shape: tuple[int, ...]) -> list[str]:  # noqa: ARG003
        """Return the options, as ``key=value,…``, with which ``model.encoder=auto`` should try this encoder."""
        return []

    @classmethod
    def decoder_options(cls, options: Mapping[str, object]) -> str:  # noqa: ARG003
        """Return those of the given options, as ``key=value,…``, that its decoder must share."""
        return ""

    def regions(self) -> NDArray[np.intp] | None:
        """Return the variable that each pixel tells about, (height, width), to be shown as a picture.

        -1 is background and -2 what changes by itself; None where pixels cannot be told apart like this.
        """
        return None

    def prepare(self, pixels: Tensor) -> None:
        """Set the weights by some training pictures, (pictures, pixels) in [0, 1], before any training."""

    def normalised(self, pixels: Tensor) -> Tensor:
        """Return pictures without what the encoder takes no notice of, such as the light: so they are redrawn."""
        return pixels

    @abstractmethod
    def forward(self, pixels: Tensor) -> Tensor:
        """Return the logits of the bits, (batch, bits), of pictures in [0, 1], (batch, pixels)."""

    @abstractmethod
    def hold_bit(self, bit: int, value: bool) -> None:
        """Let a bit have one value for every picture, from now on."""

    @abstractmethod
    def held_bits(self) -> Tensor:
        """Return the mask of the bits that are held constant, bool (bits,)."""


class LayeredEncoder(Encoder):
    """An encoder that is one sequence of layers, ending in a block of dense layers whose last one is linear."""

    net: nn.Sequential

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        logits: Tensor = self.net(pixels)
        return logits

    def hold_bit(self, bit: int, value: bool) -> None:
        """Cut the bit off its inputs."""
        hold_output(self._output, bit, value)

    def held_bits(self) -> Tensor:
        """Return the bits that have no inputs."""
        return held_outputs(self._output)

    @property
    def _output(self) -> nn.Linear:
        """Return the layer whose outputs are the logits of the bits."""
        layer: nn.Linear = self.net[-1][-1]  # type: ignore[index]
        return layer


class Decoder(nn.Module, ABC):
    """Bits to the logits of pixels. A subclass is built as ``cls(shape, layout, options)``."""

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    ready: ClassVar[bool] = False  # whether it draws as well as it can once it is prepared: it then needs no training

    def __init__(self, shape: Shape, layout: Layout, options: Any) -> None:
        super().__init__()
        self.shape = shape
        self.layout = layout
        self.options = options

    def prepare(self, pixels: Tensor, bits: Tensor) -> None:
        """Set the weights by some training pictures, in [0, 1], and the bits that the prepared encoder gives them."""

    @abstractmethod
    def forward(self, bits: Tensor) -> Tensor:
        """Return the logits of the pixels, (batch, pixels), of states (batch, bits)."""


def picture_shape(image_shape: tuple[int, ...]) -> Shape:
    """Return height, width and colours of pictures, 1 colour for grey ones."""
    height, width, *colours = image_shape
    return height, width, colours[0] if colours else 1
