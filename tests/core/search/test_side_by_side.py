"""Searches side by side: in order, not too many at a time, and ended with the block."""

import signal
import sys
import threading
import time

import pytest

from cubespace.search.side_by_side import side_by_side
from cubespace.search.solver import Limits
from cubespace.search.supervised_process import supervisor


@pytest.mark.parametrize("at_once", [1, 3])
def test_results_come_in_order_and_so_many_searches_run_at_a_time(at_once) -> None:
    lock, working, most = threading.Lock(), 0, 0
    together = threading.Barrier(at_once)

    def search(number: int) -> int:
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        if number < at_once:
            together.wait(200)  # in vain, if fewer are allowed at a time
        time.sleep(0.02 * (3 - number % 3))  # later ones are quicker
        with lock:
            working -= 1
        return number

    with side_by_side(search, range(9), at_once) as results:
        assert list(results) == list(range(9))
    assert most == at_once


def test_an_error_of_a_search_is_raised_in_its_place() -> None:
    with side_by_side(lambda number: 1 // number, [1, 0, 1], 2) as results:
        assert next(results) == 1
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_searches_end_when_the_block_is_left(tmp_path) -> None:
    def search(_: int) -> object:
        with supervisor() as process:
            command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
            return process.run(command, tmp_path, Limits(seconds=600, megabytes=500))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    begun = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.7, 30)  # once more, should Python be collecting garbage at that moment
        with pytest.raises(KeyboardInterrupt), side_by_side(search, range(4), 2) as results:
            next(results)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begun < 20
