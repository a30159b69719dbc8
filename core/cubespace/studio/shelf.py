"""The pictures that the page may speak of, by number: nothing else of this machine has a name there."""

from __future__ import annotations

import threading

import attrs

from cubespace.base.arrays import Images, States
from cubespace.base.errors import InputError

MAX_BYTES = 64 << 20  # of pictures that came and went: the oldest go first
LEAST_KEPT = 256  # however large they are


@attrs.frozen(eq=False)
class Item:
    """A picture in the shape of the run's pictures and, if it was drawn by the simulator, its state."""

    picture: Images  # (1, height, width, …)
    state: States | None = None  # (1, variables)


class Shelf:
    """Keeps pictures by number; those that are offered for good stay, of the others the latest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._items: dict[int, Item] = {}
        self._fixed: set[int] = set()
        self._next = 0

    def put(self, item: Item, *, fixed: bool = False) -> int:
        """Keep a picture and return its number."""
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._items[number] = item
            if fixed:
                self._fixed.add(number)
            self._drop(max(LEAST_KEPT, MAX_BYTES // max(1, item.picture.nbytes)))
            return number

    def get(self, number: int) -> Item:
        """Return a picture."""
        with self._lock:
            if number not in self._items:
                raise InputError(f"there is no picture {number} here any more: choose it again")
            return self._items[number]

    def _drop(self, most: int) -> None:
        """Forget the oldest pictures that are not fixed."""
        passing = [number for number in self._items if number not in self._fixed]
        for number in passing[: max(0, len(passing) - most)]:
            del self._items[number]
