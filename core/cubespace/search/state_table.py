"""Latent states, each stored once: bits packed into words, looked up in an open-addressing hash table, in batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices

Words = NDArray[np.uint64]  # (batch, words), 64 bits in each word

FREE = -1
FIRST_SIZE = 1 << 12
LEAST_FREE = 2  # a table has at least this many slots per state, so that few rounds of probing are needed
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)  # odd numbers that spread the bits of a word (splitmix64)


class StateTable:
    """Numbers distinct states from 0; within one batch, in any order.

    Two states are the same only if all their bits are: a hash decides where to look, never what is equal. All work is
    done on batches; a round of probing treats all rows that have not found their place yet.
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.words = max(1, -(-bits // 64))
        self.count = 0
        self._states: Words = np.empty((FIRST_SIZE, self.words), dtype=np.uint64)
        self._slots = np.full(LEAST_FREE * FIRST_SIZE, FREE, dtype=np.int64)

    @property
    def megabytes(self) -> float:
        """Return the memory that the table takes."""
        return (self._states.nbytes + self._slots.nbytes) / 1e6

    def megabytes_with(self, more: int) -> float:
        """Return the peak memory while adding ``more`` states: during growth, the old and the new table both exist."""
        size = len(self._states)
        if self.count + more <= size:
            return self.megabytes
        while size < self.count + more:
            size *= 2
        return self.megabytes + size * 8 * (self.words + LEAST_FREE) / 1e6

    def pack(self, states: Bits) -> Words:
        """Return states as rows of words."""
        packed = np.zeros((len(states), self.words * 8), dtype=np.uint8)
        packed[:, : -(-self.bits // 8)] = np.packbits(states, axis=1)
        return packed.view(np.uint64)

    def unpack(self, numbers: Indices) -> Bits:
        """Return the states of some numbers."""
        rows = np.ascontiguousarray(self._states[numbers]).view(np.uint8)
        return np.unpackbits(rows, axis=1, count=self.bits).astype(np.bool_)

    def find(self, packed: Words) -> Indices:
        """Return the numbers of states, -1 for those that are not in the table."""
        numbers = np.full(len(packed), FREE, dtype=np.intp)
        slots = self._first_slots(packed)
        rows = np.arange(len(packed))
        while len(rows):
            there = self._slots[slots[rows]]
            rows, there = rows[there >= 0], there[there >= 0]  # a free slot ends the search: the state is unknown
            same = (self._states[there] == packed[rows]).all(1)
            numbers[rows[same]] = there[same]
            rows = rows[~same]
            slots[rows] = (slots[rows] + 1) & (len(self._slots) - 1)
        return numbers

    def add(self, packed: Words) -> tuple[Indices, Indices]:
        """Add states; return the numbers of the new ones, and for each of these the row it came from."""
        self._grow(self.count + len(packed))
        before = self.count
        origin: list[Indices] = []
        slots = self._first_slots(packed)
        rows = np.arange(len(packed))
        while len(rows):
            free = rows[self._slots[slots[rows]] == FREE]
            origin.append(self._claim(slots, free, packed))
            there = self._slots[slots[rows]]
            rows = rows[(self._states[there] != packed[rows]).any(1)]  # a row that won its slot finds itself there
            slots[rows] = (slots[rows] + 1) & (len(self._slots) - 1)
        return np.arange(before, self.count), np.concatenate(origin) if origin else np.empty(0, dtype=np.intp)

    def _claim(self, slots: Indices, rows: Indices, packed: Words) -> Indices:
        """Put one row into each free slot that rows compete for, and return the rows that got one."""
        self._slots[slots[rows]] = rows  # the last one that writes wins …
        winners: Indices = rows[self._slots[slots[rows]] == rows]  # … and reads its own number
        numbers = self.count + np.arange(len(winners))
        self._states[numbers] = packed[winners]
        self._slots[slots[winners]] = numbers
        self.count += len(winners)
        return winners

    def _first_slots(self, packed: Words) -> Indices:
        mixed = np.zeros(len(packed), dtype=np.uint64)
        for word in packed.T:
            mixed = (mixed ^ word) * np.uint64(MULTIPLIERS[0])
            mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(MULTIPLIERS[1])
        mixed ^= mixed >> np.uint64(32)
        return (mixed & np.uint64(len(self._slots) - 1)).astype(np.intp)  # the number of slots is a power of two

    def _grow(self, count: int) -> None:
        """Make room for ``count`` states."""
        if count <= len(self._states):
            return
        size = len(self._states)
        while size < count:
            size *= 2
        states = np.empty((size, self.words), dtype=np.uint64)
        states[: self.count] = self._states[: self.count]
        self._states = states
        self._slots = np.full(LEAST_FREE * size, FREE, dtype=np.int64)
        self._replace()

    def _replace(self) -> None:
        """Give every state a slot again; they are distinct, so only the slots can clash."""
        known = self._states[: self.count]
        slots = self._first_slots(known)
        rows = np.arange(self.count)
        while len(rows):
            free = rows[self._slots[slots[rows]] == FREE]
            self._slots[slots[free]] = free
            rows = rows[self._slots[slots[rows]] != rows]
            slots[rows] = (slots[rows] + 1) & (len(self._slots) - 1)
