"""The page of a table: first what it is of and what was cut, then the table, last what it needs to be made again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import attrs

from cubespace.experiments.tables.formats import markdown
from cubespace.experiments.tables.rows import RunFacts
from cubespace.experiments.tables.table import Table
from cubespace.runs.folder.machine import environment
from cubespace.search.solver import Outcome

HOUR = 3600  # seconds
Number = TypeVar("Number", int, float)


@attrs.frozen(kw_only=True)
class Account:
    """What a table is of: what a reader must know before the figures."""

    command: str
    environment: dict[str, object]
    runs: int
    planned: int  # cells of the matrix that was run, done or not
    not_run: tuple[str, ...]  # values of its axes in examples/paper of which there is no run
    seeds: tuple[int, ...]  # of data and training
    instance_seeds: tuple[int, ...]
    updates: tuple[int, ...]  # of gradient, the numbers that occur
    time_limits: tuple[float, ...]  # of a search, in seconds
    searches: int
    out_of_time: int
    cpu_seconds: float  # of all stages; one that several runs share counts once

    @property
    def text(self) -> str:
        """Return the first line."""
        missing = f"{self.runs} of {self.planned} runs" if self.runs < self.planned else f"{self.runs} runs"
        trained = [f"{number:,}" for number in self.updates if number]
        parts = [
            f"{missing}, seeds {_listed(self.seeds)}",
            f"{' or '.join(trained)} gradient updates each" if trained else "nothing trained by gradient",
            f"searches of at most {' or '.join(f'{limit:g}' for limit in self.time_limits)} seconds (the paper: 900), "
            f"{self.out_of_time:,} of {self.searches:,} out of time",
            f"{self.cpu_seconds / HOUR:.1f} hours of processor time in all",
        ]
        left = f" **Not run:** {', '.join(self.not_run)}." if self.not_run else ""
        return f"**What was run:** {'; '.join(parts)}.{left}"


def account(runs: Sequence[RunFacts], planned: int, axes: Mapping[str, Sequence[object]], command: str) -> Account:
    """Return what a table of some runs is of; ``axes`` are those that go down, with all of their values."""
    results = [row for facts in runs if facts.results is not None for row in facts.results.planners.values()]
    stages = {
        (stage, tuple(sorted(record.files.items()))): record.cpu_seconds
        for facts in runs
        for stage, record in facts.stages.items()
    }
    return Account(
        command=command,
        environment=environment(),
        runs=len({facts.run.path for facts in runs if facts.results is not None}),
        planned=planned,
        not_run=tuple(
            str(value)
            for axis, values in axes.items()
            for value in values
            if str(value) not in {facts.value(axis) for facts in runs}
        ),
        seeds=_known(facts.settings["train.seed"] for facts in runs),
        instance_seeds=_known(facts.settings["plan.seed"] for facts in runs),
        updates=_known(facts.learner.updates for facts in runs if facts.learner is not None),
        time_limits=_known(facts.settings["plan.time_limit"] for facts in runs),
        searches=sum(row.instances for row in results),
        out_of_time=sum(row.outcomes.get(Outcome.OUT_OF_TIME, 0) for row in results),
        cpu_seconds=round(sum(stages.values()), 1),
    )


def page(name: str, about: str, said: Account, tables: Sequence[Table]) -> str:
    """Return the page of a table."""
    cut, what, command = split_about(about)
    machine = said.environment
    details = [
        "<details><summary>Command, seeds, machine</summary>",
        "",
        *(f"    {line.strip()}" for line in (*command, said.command.replace("RUNS", "runs/" + name))),
        "",
        f"Instances of seed {_listed(said.instance_seeds)}; {machine['processor']}, {machine['cores']} cores, "
        f"one thread per process; cubespace {machine['cubespace']}, {machine['date']}.",
        "",
        "</details>",
    ]
    return "\n".join(
        [
            f"# {name}",
            "",
            said.text,
            *(["", f"**Cut:** {cut}"] if cut else []),
            "",
            what,
            "",
            *(f"{markdown(table)}\n" for table in tables),
            *details,
            "",
        ]
    )


def split_about(about: str) -> tuple[str, str, list[str]]:
    """Return what was cut, if the first line says so, what a matrix says of itself, and its commands."""
    first, _, rest = about.strip().partition("\n")
    cut = first.removeprefix("Cut:").strip() if first.startswith("Cut:") else ""
    text, _, commands = " ".join((rest if cut else about).split()).partition("Command: ")
    found = re.split(r"; then: | (?=A shorter one: )", commands) if commands else []
    return cut, text.strip(), found


def _known(values: Iterable[Number]) -> tuple[Number, ...]:
    return tuple(sorted(set(values)))


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers in words, such as ``0 to 4`` or ``0, 7``."""
    together = len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[-1] + 1))
    return f"{numbers[0]} to {numbers[-1]}" if together else ", ".join(map(str, numbers))
