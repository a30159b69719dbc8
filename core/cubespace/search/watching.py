"""Follow a search from another thread: its latest output, and a way to end this search and no other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LAST_BYTES = 4096  # of the output of a search: enough for its last line


class Watch:
    """Follows one search; the search runs in a :func:`watched` block of its own thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended = False
        self._end: Callable[[], None] | None = None
        self._said = b""

    @property
    def ended(self) -> bool:
        """Return whether the search was asked to end."""
        return self._ended

    @property
    def last_line(self) -> str:
        """Return the last complete line of the search's output."""
        lines = [line for line in self._said.decode(errors="replace").split("\n")[:-1] if line.strip()]
        return lines[-1].strip() if lines else ""

    def hear(self, said: bytes) -> None:
        """Record output of the search."""
        self._said = (self._said + said)[-LAST_BYTES:]

    def end(self) -> None:
        """Ask the search to end, now or as soon as it begins; asking again changes nothing."""
        with self._lock:
            self._ended = True
            if self._end is not None:
                self._end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Have ``end`` called if the search is asked to end while the block runs; after it, never again."""
        with self._lock:
            self._end = end
            if self._ended:
                end()
        try:
            yield
        finally:
            with self._lock:
                self._end = None


_present: ContextVar[Watch | None] = ContextVar("watch", default=None)


def present_watch() -> Watch:
    """Return the watch on the search of this thread; if there is none, one that never interferes."""
    return _present.get() or Watch()


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Let a watch follow the search that this thread runs in the block."""
    token = _present.set(watch)
    try:
        yield
    finally:
        _present.reset(token)
