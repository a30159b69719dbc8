"""Back-to-Logit: the logical operation as an addition in logit space."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Literal

import attrs
import torch
from attrs.validators import gt
from torch import Tensor, nn
from torch.nn.functional import softplus

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import Monotone, make_identity
from cubespace.autoencoder.relaxations import BinConcrete, softplus_inverse, step
from cubespace.base.options import option

INITIAL_SCALE = 2.0  # of the logit of a bit: an action must mean it to change one
MARGIN = 1.0  # logits by which a written effect decides a bit


@attrs.frozen(kw_only=True)
class BtlOptions:
    """How logits are computed and turned into bits."""

    norm: Literal["scale", "batch", "none"] = option(
        "scale",
        "how a bit becomes a logit: by a learned scale, by batch norm (the paper's) or not at all (its ablation -BN)",
    )
    activation: Literal["sigmoid", "binconcrete"] = option(
        "sigmoid", "activation of the successor in training: the paper says binconcrete, its code uses sigmoid"
    )
    table: Literal["normal", "glorot"] = option(
        "normal", "initial effects: normal, or small ones as of a dense layer in Keras"
    )
    deviation: float = option(2.0, "standard deviation of normal initial effects", gt(0.0))


class BitScale(nn.Module):
    """The logit of a bit: s if it is true, -s if it is false, with a positive s for each bit."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((bits,), softplus_inverse(INITIAL_SCALE)))

    def forward(self, values: Tensor) -> Tensor:
        """Return the logits of relaxed bits."""
        return (2.0 * values - 1.0) * softplus(self.scale)


class BackToLogit(ApplyModule):
    """BinConcrete(m(z0) + effect(a)): m is monotone, in the paper batch norm; effect has a row per action."""

    revision = 3  # 2: a learned scale in place of batch norm, larger initial effects; 3: written effects are exact
    Options = BtlOptions
    writable: ClassVar[bool] = True

    def __init__(self, bits: int, actions: int, options: BtlOptions) -> None:
        super().__init__(bits, actions, options)
        self.table = nn.Parameter(torch.randn(actions, bits) * options.deviation)
        if options.table == "glorot":
            nn.init.xavier_uniform_(self.table)
        norms: dict[str, Callable[[], nn.Module]] = {
            "scale": lambda: BitScale(bits),
            "batch": lambda: Monotone(bits),
            "none": nn.Identity,
        }
        self.state_logit = norms[options.norm]()
        self.effect_logit = Monotone(bits) if options.norm == "batch" else nn.Identity()
        self.shift = nn.Parameter(torch.zeros(bits))
        self.bin_concrete = BinConcrete()

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        if not self.training:
            false, true, effect = self._logits()
            return step(torch.where(state > 0.5, true, false) + effect[action.argmax(1)])
        logits = self.state_logit(state) + self.effect_logit(action @ self.table) + self.shift  # (batch, bits)
        if self.options.activation == "sigmoid":
            return torch.sigmoid(logits)
        relaxed: Tensor = self.bin_concrete(logits, temperature)
        return relaxed

    def bit_logits(self) -> tuple[Tensor, Tensor]:
        """Return the sums of both logits; batch norm is that of evaluation, since all actions are not a batch."""
        with self._as_in_evaluation():
            false, true, effect = self._logits()
        return false + effect, true + effect

    @torch.no_grad()
    def effects(self) -> tuple[Tensor, Tensor]:
        """Return the add and the delete mask of every action."""
        false, true = self.bit_logits()
        return false > 0, ~(true > 0)

    @torch.no_grad()
    def leave_bit(self, bit: int) -> None:
        """Set all effects on a bit to nothing."""
        nothing = torch.zeros(1, self.bits, dtype=torch.bool, device=self.table.device)
        self.table[:, bit] = self._entries(nothing, nothing)[:, bit]

    @torch.no_grad()
    def write_rows(self, rows: Tensor, add: Tensor, delete: Tensor) -> None:
        """Set the effects of some actions clearly enough to change a bit, and to leave the others as they are."""
        self.table[rows] = self._entries(add, delete)

    @torch.no_grad()
    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Set the weights so that the first actions have these effects, (effects, bits), and the others none.

        The logits of effects become 2, -2 or 0, those of bits 1/2 or -1/2.
        """
        for part in (self.state_logit, self.effect_logit):
            if isinstance(part, Monotone):
                part.scale.fill_(softplus_inverse(1.0))
                make_identity(part.norm)
            elif isinstance(part, BitScale):
                part.scale.fill_(softplus_inverse(0.5))
        self.table.zero_()
        self.table[: len(add)] = 2.0 * (add.float() - delete.float())
        self.shift.fill_(0.0 if isinstance(self.state_logit, BitScale) else -0.5)

    def _entries(self, add: Tensor, delete: Tensor) -> Tensor:
        """Return the entries of the table that have these effects, (rows, bits) each."""
        with self._as_in_evaluation():
            false, true, _ = self._logits()
            nothing, one = self.effect_logit(torch.stack((torch.zeros_like(self.shift), torch.ones_like(self.shift))))
        change = (add.float() - delete.float()) * (true - false + MARGIN)  # (rows, bits)
        effect = change - (false + true) / 2.0  # in the middle between false and true, nothing happens
        entries: Tensor = (effect - self.shift - nothing) / (one - nothing)
        return entries

    @contextmanager
    def _as_in_evaluation(self) -> Iterator[None]:
        """Use running statistics inside the block, with gradients."""
        training = self.training
        self.eval()
        try:
            yield
        finally:
            self.train(training)

    def _logits(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of a false bit and of a true one, (bits,), and those of the effects, (actions, bits).

        Evaluation and masks add the same numbers, so that they agree to the last digit.
        """
        constants = torch.stack((torch.zeros_like(self.shift), torch.ones_like(self.shift)))
        false, true = self.state_logit(constants)
        return false, true, self.effect_logit(self.table) + self.shift
