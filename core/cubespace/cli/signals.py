"""Signals that ask ``cube`` to end: each becomes an exception, so that unfinished work is cleaned up."""

from __future__ import annotations

import signal
import time
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ONE_REQUEST_SECONDS = 1.0  # signals this close together are one request: the second must not disturb the clean-up


class Stopped(BaseException):
    """Somebody asked us to end, with Ctrl-C or another signal."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted ({signal.Signals(number).name})")
        self.exit_code = 128 + number
        self.advice = ""  # how to continue


class Requests:
    """The requests to end that this process has received."""

    def __init__(self) -> None:
        self.last: Stopped | None = None
        self.time = float("-inf")

    def catch(self) -> None:
        """Turn the signals into exceptions, except those that the parent process set to be ignored."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)

    def ignore(self) -> None:
        """Ignore further requests: the process is ending already."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _receive(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if now - self.time < ONE_REQUEST_SECONDS:
            return
        self.time, self.last = now, Stopped(number)
        raise self.last


requests = Requests()
