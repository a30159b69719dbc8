"""Several searches at a time: each is a separate process, so threads that wait for them are enough."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from cubespace.search.supervised_process import interrupt_searches

POLL_SECONDS = 0.1  # between two attempts to end searches
Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def side_by_side(search: Callable[[Item], Result], items: Iterable[Item], at_once: int) -> Iterator[Iterator[Result]]:
    """Yield the results of ``search``, in the order of the items, with ``at_once`` searches running at a time.

    When the block is left early, as by Ctrl-C, the searches end with it.
    """
    if at_once == 1:
        yield map(search, items)
        return
    started: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(at_once) as pool:
        try:
            yield _in_order(pool, search, items, at_once, started)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in started):  # one may have started since the last time
                interrupt_searches()
                time.sleep(POLL_SECONDS)
            raise


def _in_order(
    pool: ThreadPoolExecutor,
    search: Callable[[Item], Result],
    items: Iterable[Item],
    at_once: int,
    started: deque[Future[Result]],
) -> Iterator[Result]:
    """Yield results in order; at most one search per thread waits to start, so that little is held in memory."""
    for item in items:
        started.append(pool.submit(search, item))
        if len(started) == 2 * at_once:
            yield _first(started)
    while started:
        yield _first(started)


def _first(started: deque[Future[Result]]) -> Result:
    """Wait for the first search, which counts as started until it has ended, and return its result."""
    result = started[0].result()
    started.popleft()
    return result
