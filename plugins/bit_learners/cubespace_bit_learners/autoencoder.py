"""The Cube-Space AutoEncoder, trained by gradient: the paper's network, with the paper's parts or with ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubespace.autoencoder.building import part_specs, read_network
from cubespace.autoencoder.learner import train_network
from cubespace.learning.bit_learner import BitLearner, EffectSource, Parts, Work
from cubespace.learning.code import Code, SavedCode

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs
    from cubespace.settings.recipe import Recipe


class AutoencoderLearner(BitLearner):
    """Bits, labels and effects learned jointly; the settings ``autoencoder`` and ``train`` say how."""

    revision = 1
    trained = True
    precondition = "values"
    method = "the Cube-Space AutoEncoder"

    def learn(self, training: Pairs, held_out: Pairs, work: Work) -> Code:
        """Train the network; an interrupted training continues."""
        return train_network(training, held_out, work)

    def read(self, saved: SavedCode, parts: Parts) -> Code:
        """Build the network again."""
        return read_network(saved, parts)

    def components(self, recipe: Recipe) -> Sequence[tuple[str, str]]:
        """Return the parts of the network and the steps of its training."""
        return [*part_specs(recipe.autoencoder).items(), *(("extension", name) for name in recipe.train.extensions)]

    def effects(self, recipe: Recipe, parts: Parts) -> EffectSource:
        """Return that effects are the network's own, or what its labels were seen to do if it has none."""
        return "network" if parts.load("apply", part_specs(recipe.autoencoder)["apply"]).strips else "observed"
