"""Back-to-Logit: the logical operation as an addition in logit space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import attrs
import torch
from attrs.validators import gt
from torch import Tensor, nn
from torch.nn.functional import softplus

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import AffineNorm, Monotone, make_identity
from cubespace.autoencoder.relaxations import BinConcrete, softplus_inverse, step
from cubespace.base.options import option
from cubespace_apply_modules.effect_network import EffectNetwork, EffectOptions, as_in_evaluation

INITIAL_SCALE = 2.0  # of the logit of a bit: an action must mean it to change one
MARGIN = 1.0  # logits by which a written effect decides a bit


@attrs.frozen(kw_only=True)
class BtlOptions(EffectOptions):
    """The effect network, and how logits are computed and turned into bits."""

    norm: Literal["scale", "batch", "affine", "none", "sign"] = option(
        "scale",
        "how a bit becomes a logit: by a learned scale, by batch norm (the paper's) with a common shift, by batch norm "
        "with a shift each (affine, as the authors' code), not at all (the ablation -BN), or as 2 z - 1 (sign, -BN in "
        "their code)",
    )
    activation: Literal["sigmoid", "binconcrete"] = option(
        "sigmoid", "activation of the successor in training: the paper says binconcrete, its code uses sigmoid"
    )
    table: Literal["normal", "glorot"] = option(
        "normal", "initial effects of a table: normal, or small ones as of a dense layer in Keras"
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


class Sign(nn.Module):
    """The logit of a bit as in the authors' ablation -BN: 1 if it is true, -1 if it is false."""

    def forward(self, values: Tensor) -> Tensor:
        """Return the logits of relaxed bits."""
        return 2.0 * values - 1.0


class BackToLogit(ApplyModule):
    """BinConcrete(m(z0) + effect(a)): m is monotone, in the paper batch norm; effect is a table or a network."""

    revision = 3  # 2: a learned scale in place of batch norm, larger initial effects; 3: written effects are exact
    Options = BtlOptions
    shift: Tensor  # (bits,), of the sum of both logits; a parameter unless both have one of their own

    def __init__(self, bits: int, actions: int, options: BtlOptions) -> None:
        super().__init__(bits, actions, options)
        self.writable = options.depth == 0
        if options.depth:
            normed = options.norm in ("batch", "affine")  # batch norm has the bias
            self.network = EffectNetwork(actions, bits, options, bias=not normed)
        else:
            self.table = nn.Parameter(torch.randn(actions, bits) * options.deviation)
            if options.table == "glorot":
                nn.init.xavier_uniform_(self.table)
        norms: dict[str, Callable[[], nn.Module]] = {
            "scale": lambda: BitScale(bits),
            "batch": lambda: Monotone(bits),
            "affine": lambda: AffineNorm(bits),
            "none": nn.Identity,
            "sign": Sign,
        }
        self.state_logit = norms[options.norm]()
        self.effect_logit = norms[options.norm]() if options.norm in ("batch", "affine") else nn.Identity()
        if options.norm == "affine":
            self.register_buffer("shift", torch.zeros(bits))
        else:
            self.shift = nn.Parameter(torch.zeros(bits))
        self.bin_concrete = BinConcrete()

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        if not self.training:
            false, true, effect = self._logits()
            return step(torch.where(state > 0.5, true, false) + effect[action.argmax(1)])
        effect = self.network(action) if self.options.depth else action @ self.table  # (batch, bits)
        logits = self.state_logit(state) + self.effect_logit(effect) + self.shift
        if self.options.activation == "sigmoid":
            return torch.sigmoid(logits)
        relaxed: Tensor = self.bin_concrete(logits, temperature)
        return relaxed

    def bit_logits(self) -> tuple[Tensor, Tensor]:
        """Return the sums of both logits; batch norm is that of evaluation, since all actions are not a batch."""
        with as_in_evaluation(self):
            false, true, effect = self._logits()
        return false + effect, true + effect

    @torch.no_grad()
    def effects(self) -> tuple[Tensor, Tensor]:
        """Return the add and the delete mask of every action."""
        false, true = self.bit_logits()
        return false > 0, ~(true > 0)

    def tables(self) -> list[nn.Parameter]:
        """Return the table; a network has none, its weights serve all actions."""
        return [] if self.options.depth else [self.table]

    @torch.no_grad()
    def leave_bit(self, bit: int) -> None:
        """Set all effects on a bit to nothing."""
        nothing = torch.zeros(1, self.bits, dtype=torch.bool, device=self.shift.device)
        entry = self._entries(nothing, nothing)[0, bit]
        if not self.options.depth:
            self.table[:, bit] = entry
            return
        self.network.hold(bit, entry)
        if isinstance(self.effect_logit, (Monotone, AffineNorm)):  # the network then has no bias
            self.effect_logit.norm.get_buffer("running_mean")[bit] -= entry

    @torch.no_grad()
    def write_rows(self, rows: Tensor, add: Tensor, delete: Tensor) -> None:
        """Set the effects of some actions clearly enough to change a bit, and to leave the others as they are."""
        self.table[rows] = self._entries(add, delete)

    @torch.no_grad()
    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Set the weights so that the first actions have these effects, (effects, bits), and the others none.

        The logits of effects become 2, -2 or 0, those of bits 1/2 or -1/2 (1 or -1 without a scale).
        """
        for part in (self.state_logit, self.effect_logit):
            if isinstance(part, Monotone):
                part.scale.fill_(softplus_inverse(1.0))
                make_identity(part.norm)
            elif isinstance(part, AffineNorm):
                part.scale.fill_(1.0)
                part.shift.zero_()
                make_identity(part.norm)
            elif isinstance(part, BitScale):
                part.scale.fill_(softplus_inverse(0.5))
        self.table.zero_()
        self.table[: len(add)] = 2.0 * (add.float() - delete.float())
        self.shift.fill_(0.0 if isinstance(self.state_logit, (BitScale, Sign)) else -0.5)

    def _entries(self, add: Tensor, delete: Tensor) -> Tensor:
        """Return the entries of the table that have these effects, (rows, bits) each."""
        with as_in_evaluation(self):
            false, true, _ = self._logits()
            nothing, one = self.effect_logit(torch.stack((torch.zeros_like(self.shift), torch.ones_like(self.shift))))
        change = (add.float() - delete.float()) * (true - false + MARGIN)  # (rows, bits)
        effect = change - (false + true) / 2.0  # in the middle between false and true, nothing happens
        entries: Tensor = (effect - self.shift - nothing) / (one - nothing)
        return entries

    def _logits(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of a false bit and of a true one, (bits,), and those of the effects, (actions, bits).

        Evaluation and masks add the same numbers, so that they agree to the last digit.
        """
        constants = torch.stack((torch.zeros_like(self.shift), torch.ones_like(self.shift)))
        false, true = self.state_logit(constants)
        rows = self.network.rows() if self.options.depth else self.table
        return false, true, self.effect_logit(rows) + self.shift
