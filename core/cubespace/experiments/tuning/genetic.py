"""The paper's genetic search: a random population, then offspring of the best; no configuration is tried twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from cubespace.experiments.tuning.space import Range, dimension

MAX_TRIES = 1000  # to find new offspring, before a configuration is drawn at random

Genes = dict[str, Any]


class GeneticSampler(BaseSampler):
    """Mutation: one gene of one of the best is changed. Otherwise, each gene comes from one of two of the best."""

    def __init__(self, space: Mapping[str, Any], population: int, mutation: float, seed: int) -> None:
        self.space = {key: dimension(key, given) for key, given in space.items()}
        self.population, self.mutation, self.seed = population, mutation, seed

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002
        """Return the whole space: genes are chosen together."""
        return {key: of.distribution() for key, of in self.space.items()}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> Genes:  # noqa: ARG002
        """Return a configuration that no trial had; it depends only on the seed and the trials so far."""
        trials = study.get_trials(deepcopy=False)
        known = {genes_key(other.params) for other in trials if other.number != trial.number}
        done = [other for other in trials if other.state == TrialState.COMPLETE]
        rng = np.random.default_rng([self.seed, trial.number])
        sign = -1 if study.directions[0] == StudyDirection.MAXIMIZE else 1  # of several objectives, the first counts
        best = sorted(done, key=lambda other: sign * float(other.values[0]))
        parents = [other.params for other in best[: self.population]]
        for _ in range(MAX_TRIES):
            born = self.random(rng) if len(done) < self.population else self.offspring(parents, rng)
            if genes_key(born) not in known:
                return born
        while True:  # the neighbourhood of the best is exhausted
            born = self.random(rng)
            if genes_key(born) not in known:
                return born

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Refuse: every setting is in the space."""
        raise ValueError(
            f"'{param_name}' of {trial.number} is not in the space of {study.study_name}: {param_distribution}"
        )

    def random(self, rng: np.random.Generator) -> Genes:
        """Return a random configuration."""
        return {key: of.random(rng) for key, of in self.space.items()}

    def offspring(self, parents: Sequence[Genes], rng: np.random.Generator) -> Genes:
        """Return a mutated parent, or a uniform crossover of two."""
        one, other = (parents[number] for number in rng.choice(len(parents), size=2, replace=len(parents) < 2))
        if rng.random() >= self.mutation:
            return {key: (one if rng.random() < 0.5 else other)[key] for key in self.space}
        key = list(self.space)[rng.integers(len(self.space))]
        of = self.space[key]
        if isinstance(of, Range):
            return {**one, key: of.random(rng)}
        others = [choice for choice in of.values if choice != one[key]] or [one[key]]
        return {**one, key: others[rng.integers(len(others))]}


def genes_key(genes: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return a key that differs between different configurations."""
    return tuple(sorted((key, repr(value)) for key, value in genes.items()))
