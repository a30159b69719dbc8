"""Several searches at a time: each is a process of its own, so that threads which wait for them are enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from cubespace.search.supervised_process import interrupt_searches

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def side_by_side(search: Callable[[Item], Result], items: Iterable[Item], at_once: int) -> Iterator[Iterator[Result]]:
    """Give the results of ``search``, in the order of the items, with so many searches at work at a time.

    When the block is left early, as by Ctrl-C, the searches end with it.
    """
    if at_once == 1:
        yield map(search, items)
        return
    with ThreadPoolExecutor(at_once) as pool:
        try:
            yield _in_order(pool, search, items, at_once)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            interrupt_searches()
            raise


def _in_order(
    pool: ThreadPoolExecutor, search: Callable[[Item], Result], items: Iterable[Item], at_once: int
) -> Iterator[Result]:
    """Yield results in order; no more than one search per thread waits to begin, so that little is held in memory."""
    started: deque[Future[Result]] = deque()
    for item in items:
        started.append(pool.submit(search, item))
        if len(started) == 2 * at_once:
            yield started.popleft().result()
    while started:
        yield started.popleft().result()
