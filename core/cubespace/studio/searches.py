"""The searches that the page has started: each in a thread, few at a time, and each can be ended alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import attrs

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.search.watching import Watch, watched
from cubespace.studio.shown import ShownPlan

MAX_SEARCHES = 2  # at a time: one for each side of the page
MAX_KEPT = 20  # of those that are over
ENDING_SECONDS = 10.0  # that all searches together have to end

Progress = dict[str, object]  # how far a search is, or its result, for JSON


class Busy(UsageError):  # noqa: N818 - what is the matter, not whose fault it is
    """There are as many searches as there may be."""


class Search:
    """One search, from its start until someone has seen what came of it."""

    def __init__(self, planner: str, seconds: float, work: Callable[[], ShownPlan]) -> None:
        self.planner, self.seconds = planner, seconds
        self.watch = Watch()
        self.begun = time.monotonic()
        self.plan: ShownPlan | None = None
        self.error: str | None = None
        self.unexpected: Exception | None = None
        self.thread = threading.Thread(target=self._run, args=(work,), daemon=True)

    @property
    def over(self) -> bool:
        """Return whether it has ended, one way or another."""
        return not self.thread.is_alive()

    def progress(self) -> Progress:
        """Return how far it is, or its result."""
        about: Progress = {"planner": self.planner, "limit": self.seconds}
        if not self.over:
            used = round(time.monotonic() - self.begun, 1)
            return {**about, "state": "running", "seconds": used, "said": self.watch.last_line}
        if self.plan is not None and (self.plan.frames or not self.watch.ended):
            return {**about, "state": "done", "plan": attrs.asdict(self.plan)}
        if self.watch.ended:
            return {**about, "state": "cancelled"}
        return {**about, "state": "failed", "error": self.error}

    def _run(self, work: Callable[[], ShownPlan]) -> None:
        try:
            with watched(self.watch):
                self.plan = work()
        except CubeError as error:
            self.error = str(error)
        except Exception as error:  # a mistake of ours, too little memory: the page is told that, not more
            self.error, self.unexpected = "the search failed unexpectedly: the terminal says more", error


class Searches:
    """All searches of a studio, by number."""

    def __init__(self, complain: Callable[[Exception], None]) -> None:
        self._lock = threading.Lock()
        self._all: dict[int, Search] = {}
        self._next = 0
        self._closed = False
        self._complain = complain

    def start(self, planner: str, seconds: float, work: Callable[[], ShownPlan]) -> int:
        """Begin a search and return its number."""
        with self._lock:
            if self._closed or sum(not search.over for search in self._all.values()) >= MAX_SEARCHES:
                raise Busy(f"{MAX_SEARCHES} searches are under way: wait for one, or cancel it")
            for number in [number for number, search in self._all.items() if search.over][:-MAX_KEPT]:
                del self._all[number]
            number, self._next = self._next, self._next + 1
            search = self._all[number] = Search(planner, seconds, work)
            search.thread.start()
            return number

    def progress(self, number: int) -> Progress:
        """Return how far a search is, or its result."""
        search = self._get(number)
        if search.over and search.unexpected is not None:
            self._complain(search.unexpected)
            search.unexpected = None
        return search.progress()

    def cancel(self, number: int) -> Progress:
        """End a search, with the process of its planner."""
        search = self._get(number)
        search.watch.end()
        return search.progress()

    def close(self) -> None:
        """End all searches, and begin no more."""
        with self._lock:
            self._closed = True
            searches = list(self._all.values())
        for search in searches:
            search.watch.end()
        deadline = time.monotonic() + ENDING_SECONDS
        for search in searches:
            search.thread.join(max(0.0, deadline - time.monotonic()))

    def _get(self, number: int) -> Search:
        with self._lock:
            if number not in self._all:
                raise InputError(f"there is no search {number} here any more")
            return self._all[number]
