"""Signals that ask ``cube`` to end: each becomes an exception, so that what is half-done is cleaned up on the way."""

from __future__ import annotations

import signal
import time
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ONE_REQUEST_SECONDS = 1.0  # signals so close to each other are one request: the second must not disturb the cleaning up


class Stopped(BaseException):
    """Somebody asked us to end, with Ctrl-C or another signal."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted ({signal.Signals(number).name})")
        self.exit_code = 128 + number
        self.advice = ""  # how to go on


class Requests:
    """The requests to end that this process has got."""

    def __init__(self) -> None:
        self.last: Stopped | None = None
        self.time = float("-inf")

    def catch(self) -> None:
        """Turn the signals into exceptions, except those that whoever started us has told us to ignore."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)

    def ignore(self) -> None:
        """Take no more requests: we are ending already."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _receive(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if now - self.time < ONE_REQUEST_SECONDS:
            return
        self.time, self.last = now, Stopped(number)
        raise self.last


requests = Requests()
