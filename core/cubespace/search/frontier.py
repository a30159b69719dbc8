"""The states that a search has generated but not yet expanded, in buckets of equal value."""

from __future__ import annotations

import heapq
from collections import deque

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Indices


class Frontier:
    """A queue of state numbers: smallest value first, and first in, first out among equal values."""

    def __init__(self) -> None:
        self._buckets: dict[int, deque[Indices]] = {}
        self._values: list[int] = []  # a heap of the values that have a bucket

    def push(self, numbers: Indices, values: NDArray[np.intp]) -> None:
        """Add numbers with their values."""
        for value in np.unique(values).tolist():
            if value not in self._buckets:
                self._buckets[value] = deque()
                heapq.heappush(self._values, value)
            self._buckets[value].append(numbers[values == value])

    def pop(self, most: int) -> Indices:
        """Take up to ``most`` numbers, all of the smallest value; empty if the queue is empty."""
        if not self._values:
            return np.empty(0, dtype=np.intp)
        bucket = self._buckets[self._values[0]]
        taken: list[Indices] = []
        room = most
        while bucket and room:
            part = bucket.popleft()
            if len(part) > room:
                bucket.appendleft(part[room:])
                part = part[:room]
            taken.append(part)
            room -= len(part)
        if not bucket:
            del self._buckets[heapq.heappop(self._values)]
        return np.concatenate(taken)
