"""The graph that a trained network spans: its states are bits, its edges are what the apply module predicts.

Plain functions on arrays, for a search that knows nothing of networks (AMA2).
"""

from __future__ import annotations

import numpy as np
import torch

from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.arrays import Bits, Indices
from cubespace.base.errors import UsageError

ROWS_AT_ONCE = 8192  # transitions judged in one go: they fit into the cache of a core


class LatentGraph:
    """Successors by the apply module, under the labels that training transitions have; judged by the discriminator."""

    def __init__(self, model: SpaceAutoEncoder) -> None:
        if model.discriminator is None:
            raise UsageError(
                "the network has no action discriminator: train with --preset ama2, or set model.discriminator_width"
            )
        self.model = model
        self.discriminator = model.discriminator
        self.labels = model.discriminator.used.nonzero()[:, 0]

    def successors(self, states: Bits) -> tuple[Bits, Indices, Indices]:
        """Return the successors of states under every label, the row of the state each comes from, and its label."""
        before = torch.from_numpy(states).to(self.model.device).float()
        with evaluating(self.model):
            after = self.model.apply_module.successors(before, self.labels)  # (states, labels, bits)
        rows = np.repeat(np.arange(len(states)), len(self.labels))
        labels = np.tile(self.labels.cpu().numpy().astype(np.intp), len(states))
        return after.flatten(0, 1).cpu().numpy(), rows, labels

    def plausible(self, before: Bits, after: Bits) -> Bits:
        """Return which transitions the discriminator takes for possible."""
        pairs = [torch.from_numpy(states).to(self.model.device) for states in (before, after)]
        with evaluating(self.model):
            parts = zip(*(states.split(ROWS_AT_ONCE) for states in pairs), strict=True)
            verdicts = [self.discriminator.possible(one.float(), other.float()) for one, other in parts]
        possible: Bits = torch.cat(verdicts).cpu().numpy() if verdicts else np.empty(0, dtype=np.bool_)
        return possible
