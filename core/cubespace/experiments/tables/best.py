"""The best of several trainings, chosen by the validation split alone, as the paper's authors choose theirs."""

from __future__ import annotations

from collections.abc import Sequence

from cubespace.experiments.tables.rows import RunFacts

CAPTION = "of runs that differ in nothing but seeds, the one with the least loss on the validation split"


def best_of_seeds(runs: Sequence[RunFacts]) -> list[RunFacts]:
    """Return the best run of each setting by its loss on the validation split, in the order given.

    What is then shown of it is measured on other data, so that the choice has not seen it. Where no run has such a
    loss, because nothing is trained yet or the learner has no actions of its own, all are returned.
    """
    groups: dict[str, list[RunFacts]] = {}
    for facts in runs:
        groups.setdefault(facts.setting("evaluate"), []).append(facts)
    chosen = {id(facts) for group in groups.values() for facts in _best(group)}
    return [facts for facts in runs if id(facts) in chosen]


def _best(group: Sequence[RunFacts]) -> Sequence[RunFacts]:
    losses = {number: loss for number, facts in enumerate(group) if (loss := _validation_loss(facts)) is not None}
    return [group[min(losses, key=losses.__getitem__)]] if losses else group


def _validation_loss(facts: RunFacts) -> float | None:
    return None if facts.measures is None else facts.measures.validation.authors_loss
