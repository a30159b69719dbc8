"""Back-to-Logit: the logical operation as an addition in logit space."""

from __future__ import annotations

from typing import ClassVar, Literal

import attrs
import torch
from torch import Tensor, nn

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import Monotone, make_identity
from cubespace.autoencoder.relaxations import BinConcrete, softplus_inverse, step
from cubespace.base.options import option


@attrs.frozen(kw_only=True)
class BtlOptions:
    """How logits are computed and turned into bits."""

    bn: bool = option(True, "batch norm on state and effect; off is the paper's ablation -BN")
    activation: Literal["sigmoid", "binconcrete"] = option(
        "sigmoid", "activation of the successor in training: the paper says binconcrete, its code uses sigmoid"
    )
    table: Literal["normal", "glorot"] = option(
        "normal", "initial effects: normal with deviation 1, or small as in a dense layer of Keras"
    )


class BackToLogit(ApplyModule):
    """BinConcrete(BN(z0) + BN(effect(a))), where effect is a table with a row per action."""

    revision = 1
    Options = BtlOptions
    writable: ClassVar[bool] = True

    def __init__(self, bits: int, actions: int, options: BtlOptions) -> None:
        super().__init__(bits, actions, options)
        self.table = nn.Parameter(torch.randn(actions, bits))
        if options.table == "glorot":
            nn.init.xavier_uniform_(self.table)
        self.state_logit = Monotone(bits) if options.bn else nn.Identity()
        self.effect_logit = Monotone(bits) if options.bn else nn.Identity()
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

    def effects(self) -> tuple[Tensor, Tensor]:
        """Return the add and the delete mask of every action."""
        training = self.training
        with torch.no_grad():
            self.eval()
            false, true, effect = self._logits()
            self.train(training)
        return false + effect > 0, ~(true + effect > 0)

    @torch.no_grad()
    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Set the weights so that the first actions have these effects, (effects, bits), and the others none.

        The logits of effects become 2, -2 or 0, those of bits 1/2 or -1/2.
        """
        for part in (self.state_logit, self.effect_logit):
            if isinstance(part, Monotone):
                part.scale.fill_(softplus_inverse(1.0))
                make_identity(part.norm)
        self.table.zero_()
        self.table[: len(add)] = 2.0 * (add.float() - delete.float())
        self.shift.fill_(-0.5)

    def _logits(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of a false bit and of a true one, (bits,), and those of the effects, (actions, bits).

        Evaluation and masks add the same numbers, so that they agree to the last digit.
        """
        constants = torch.stack((torch.zeros_like(self.shift), torch.ones_like(self.shift)))
        false, true = self.state_logit(constants)
        return false, true, self.effect_logit(self.table) + self.shift
