"""Best-first search over successors that come in batches: from a network or any other source.

States of equal value are expanded together, first come, first served. With the length of the path as value this is A*
without a heuristic, with the distance to the goal it is greedy search. A goal is recognised when it is generated.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices
from cubespace.search.frontier import Frontier
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Statistics
from cubespace.search.state_table import StateTable
from cubespace.search.watching import present_watch

# from states and the lengths of the paths to them; the smallest value is expanded first
Value = Callable[[Bits, Indices], NDArray[np.intp]]

PARENT, LABEL, LENGTH = range(3)
START = -1  # the parent of the initial state, and the label of the step that led there
BYTES_PER_NODE = 8 * (3 + 1)  # parent, label, length; and the number in the queue
BYTES_PER_BIT = 10  # of the successors in a batch: as truth values, and as numbers of state and successor


def path_length(_: Bits, lengths: Indices) -> NDArray[np.intp]:
    """Return the value of A* without a heuristic."""
    return lengths


def goal_count(problem: SearchProblem) -> Value:
    """Return the value of greedy search: how many of the bits that matter differ from the goal."""
    task = problem.task

    def value(states: Bits, _: Indices) -> NDArray[np.intp]:
        return np.asarray(((states != task.goal) & task.care).sum(1))

    return value


def best_first(problem: SearchProblem, limits: Limits, value: Value, batch: int) -> SearchResult:
    """Search within the limits; a path is accepted only after executing its labels again, step by step."""
    started = time.monotonic()
    search, watch = Search(problem, value), present_watch()
    outcome = None
    while outcome is None and search.goal is None:
        if watch.ended:
            outcome = Outcome.NOT_FOUND
        elif time.monotonic() - started >= limits.seconds:
            outcome = Outcome.OUT_OF_TIME
        else:
            outcome = search.advance(batch, limits.megabytes)
            watch.hear(f"{search.expansions} states expanded, {search.generated} generated\n".encode())
    seconds = time.monotonic() - started
    result = SearchResult(outcome=outcome or Outcome.SOLVED, statistics=search.statistics(seconds), latent=True)
    if outcome is None:
        labels = search.labels()
        trace = execute(problem, labels)
        if trace is None or not problem.task.reached(trace[-1]):
            detail = "its path does not lead to the goal when it is executed again"
            result = attrs.evolve(result, outcome=Outcome.CRASHED, detail=detail)
        else:
            result = attrs.evolve(result, plan=labels, trace=trace, cost=len(labels))
    return attrs.evolve(result, wall_seconds=time.monotonic() - started)


def execute(problem: SearchProblem, labels: tuple[int, ...]) -> Bits | None:
    """Return the states along a path, (steps + 1, bits), or None if a step does not exist or is not plausible."""
    trace = [problem.init]
    for label in labels:
        successors, _, offered = _successors(problem, trace[-1][None])
        (row,) = np.nonzero(offered == label)
        if len(row) != 1 or not _plausible(problem, trace[-1][None], successors[row])[0]:
            return None
        trace.append(successors[row[0]])
    return np.stack(trace)


class Search:
    """A search in progress: the states generated, how they were reached, and those still to be expanded."""

    def __init__(self, problem: SearchProblem, value: Value) -> None:
        self.problem = problem
        self.value = value
        self.table = StateTable(len(problem.init))
        self.frontier = Frontier()
        self.nodes = np.empty((3, 0), dtype=np.intp)  # parent, label and length of the path of each state
        self.goal: int | None = None
        self.expansions = self.generated = 0
        self.peak = 0.0  # megabytes
        start = np.array([START])
        self._keep(problem.init[None], start, start, np.array([0]))

    def advance(self, batch: int, megabytes: float) -> Outcome | None:
        """Expand some states; return the outcome if the search ends without a goal."""
        numbers = self.frontier.pop(batch)
        if not len(numbers):
            return Outcome.UNSOLVABLE
        states = self.table.unpack(numbers)
        successors, rows, labels = _successors(self.problem, states)
        self.expansions += len(numbers)
        self.generated += len(successors)
        new = self.table.find(self.table.pack(successors)) < 0  # a known state need not be judged: its path is as good
        successors, rows, labels = successors[new], rows[new], labels[new]
        likely = _plausible(self.problem, states[rows], successors)
        successors, rows, labels = successors[likely], rows[likely], labels[likely]
        if self._megabytes(len(successors), new.size) > megabytes:
            return Outcome.OUT_OF_MEMORY
        self._keep(successors, numbers[rows], labels, self.nodes[LENGTH, numbers[rows]] + 1)
        return None

    def labels(self) -> tuple[int, ...]:
        """Return the labels of the path to the goal."""
        steps: list[int] = []
        number = self.goal
        while number is not None and self.nodes[PARENT, number] != START:
            steps.append(int(self.nodes[LABEL, number]))
            number = int(self.nodes[PARENT, number])
        return tuple(reversed(steps))

    def statistics(self, seconds: float) -> Statistics:
        """Return the statistics of the search so far."""
        return Statistics(
            expansions=self.expansions,
            evaluations=self.table.count,
            generated=self.generated,
            search_seconds=round(seconds, 3),
            megabytes=round(self.peak, 1),
        )

    def _keep(self, states: Bits, parent: Indices, label: Indices, length: Indices) -> None:
        """Store the states that are new, and check whether the goal is among them."""
        numbers, rows = self.table.add(self.table.pack(states))
        if not len(numbers):
            return
        missing = self.table.count - self.nodes.shape[1]
        if missing > 0:
            more = max(missing, self.nodes.shape[1])  # doubled, so that states are rarely copied
            self.nodes = np.concatenate([self.nodes, np.empty((3, more), dtype=np.intp)], axis=1)
        self.nodes[:, numbers] = parent[rows], label[rows], length[rows]
        task = self.problem.task
        reached = ((states[rows] == task.goal) | ~task.care).all(1)
        if reached.any():
            self.goal = int(numbers[reached.argmax()])
        self.frontier.push(numbers, self.value(states[rows], length[rows]))

    def _megabytes(self, more: int, successors: int) -> float:
        """Return the memory that the search needs with ``more`` further states."""
        nodes = 2 * (self.table.count + more) * BYTES_PER_NODE  # twice, since they are doubled
        batch = successors * self.table.bits * BYTES_PER_BIT
        needed = self.table.megabytes_with(more) + (nodes + batch) / 1e6
        self.peak = max(self.peak, needed)
        return needed


def _successors(problem: SearchProblem, states: Bits) -> tuple[Bits, Indices, Indices]:
    if problem.expand is None:
        raise ValueError("a problem without successors by the network")
    return problem.expand(states)


def _plausible(problem: SearchProblem, before: Bits, after: Bits) -> Bits:
    if problem.plausible is None or not len(after):
        return np.ones(len(after), dtype=np.bool_)
    return problem.plausible(before, after)
