"""Follow a search from another thread: what it says so far, and a way to end this one search and no other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LAST_BYTES = 4096  # of what a search says: enough for its last line


class Watch:
    """Someone who follows one search; the search runs in a :func:`watched` block of its own thread."""

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
        """Return the last whole line that the search said."""
        lines = [line for line in self._said.decode(errors="replace").split("\n")[:-1] if line.strip()]
        return lines[-1].strip() if lines else ""

    def hear(self, said: bytes) -> None:
        """Take down what the search says."""
        self._said = (self._said + said)[-LAST_BYTES:]

    def end(self) -> None:
        """Ask the search to end, now or as soon as it begins; a second time changes nothing."""
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
    """Return who follows the search of this thread; someone who never interferes if nobody does."""
    return _present.get() or Watch()


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Let someone follow the search that this thread does in the block."""
    token = _present.set(watch)
    try:
        yield
    finally:
        _present.reset(token)
