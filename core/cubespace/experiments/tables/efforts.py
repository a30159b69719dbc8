"""The data for plots of many runs: the effort of one planner against that of others, and losses over training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from cubespace.base.errors import UsageError
from cubespace.experiments.tables.rows import Row, RunFacts, planner_rows, varying_axes
from cubespace.experiments.tables.statistics import wilson

Pair = tuple[float | None, float | None]  # None where the planner did not solve the problem
Rows = Sequence[Mapping[str, Any]]


def efforts(runs: Sequence[RunFacts], against: str, key: str) -> dict[str, list[Pair]]:
    """Return, by planner, its effort and that of another one on each problem that both were given.

    ``key`` is a number of a planner's record, such as ``expansions``. Problems are the same if model, seed and distance
    are.
    """
    solved: dict[str, dict[tuple[str, ...], float | None]] = {}
    for row in planner_rows(runs):
        for record in row.records:
            settings = row.facts.settings
            model = row.facts.key("extract")
            problem = (model, *(str(settings[f"plan.{name}"]) for name in ("seed", "length")), record.problem)
            solved.setdefault(row.planner, {})[problem] = getattr(record, key) if record.found else None
    if against not in solved:
        raise UsageError(f"no run was solved by {against}. There are: {', '.join(sorted(solved)) or 'none'}.")
    base = solved.pop(against)
    pairs = {name: [(base[one], mine[one]) for one in mine if one in base] for name, mine in solved.items()}
    return {name: points for name, points in pairs.items() if points}


def known_fractions(runs: Sequence[RunFacts], key: Literal["states", "transitions"]) -> dict[str, list[float]]:
    """Return, by planner, which fraction of each plan's states or steps the training split has; no invalid plans."""
    fractions: dict[str, list[float]] = {}
    for row in planner_rows(runs):
        for record in row.records:
            known = record.known_states if key == "states" else record.known_transitions
            whole = record.steps + 1 if key == "states" else record.steps
            if record.found and record.valid is not False and known is not None and whole:
                fractions.setdefault(row.planner, []).append(known / whole)
    return fractions


def effort_lists(runs: Sequence[RunFacts], key: str) -> dict[str, list[float | None]]:
    """Return the effort of every search, None where no plan was found, by planner and the axes in which runs differ."""
    lists: dict[str, list[float | None]] = {}
    for label, row in _labelled(runs):
        lists.setdefault(label, []).extend(getattr(record, key) if record.found else None for record in row.records)
    return {label: values for label, values in lists.items() if any(value is not None for value in values)}


def coverages(runs: Sequence[RunFacts], name: str = "valid") -> dict[str, Coverage]:
    """Return the fraction of problems with a valid plan, by planner and the axes in which runs differ."""
    counts: dict[str, tuple[int, int]] = {}
    for label, row in _labelled(runs):
        known = None if row.plans is None else getattr(row.plans, name)
        if known is not None and row.plans is not None:
            before = counts.get(label, (0, 0))
            counts[label] = before[0] + known, before[1] + row.plans.instances
    return {label: Coverage.of(*of) for label, of in counts.items()}


@attrs.frozen
class Coverage:
    """A fraction of problems with Wilson's interval."""

    fraction: float
    low: float
    high: float
    problems: int

    @classmethod
    def of(cls, solved: int, problems: int) -> Coverage:
        """Return that of a count."""
        return cls(solved / max(1, problems), *wilson(solved, problems), problems)


def _labelled(runs: Sequence[RunFacts]) -> Iterator[tuple[str, Row]]:
    """Yield each run and planner with a label for plots."""
    axes = varying_axes(runs)
    several = [axis for axis in axes if len({facts.value(axis) for facts in runs}) > 1]
    for row in planner_rows(runs):
        yield ", ".join([row.planner, *(row.facts.value(axis) for axis in several)]), row


def loss_rows(runs: Sequence[RunFacts]) -> dict[str, list[Rows]]:
    """Return the rows of training of each run, by the axes in which runs differ; seeds are pooled."""
    trained = [facts for facts in runs if "train" in facts.stages]
    axes = _training_axes(trained)
    trainings: dict[str, dict[str, Rows]] = {}
    for facts in trained:
        lines = facts.run.file("metrics.jsonl").read_text("utf-8").splitlines()
        label = ", ".join(facts.value(axis) for axis in axes)
        once = trainings.setdefault(label, {})  # a training that several runs share counts once
        once[facts.key("train")] = [json.loads(line) for line in lines]
    return {label: [rows for rows in once.values() if rows] for label, once in trainings.items() if any(once.values())}


def _training_axes(runs: Sequence[RunFacts]) -> list[str]:
    """Return the axes on which trainings differ: a planner or a precondition learner changes none."""
    axes = varying_axes(runs) if runs else []

    def matters(axis: str) -> bool:
        keys: dict[tuple[str, ...], set[str]] = {}
        for facts in runs:
            others = tuple(facts.value(other) for other in axes if other != axis)
            seeds = tuple(str(facts.settings[f"{section}.seed"]) for section in ("data", "train"))
            keys.setdefault(others + seeds, set()).add(facts.key("train"))
        return any(len(each) > 1 for each in keys.values())

    return [axis for axis in axes if matters(axis)] or ["domain"]
