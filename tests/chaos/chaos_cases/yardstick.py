"""How late a loaded machine makes the least that ends a planner at its limit: a yardstick for limits by the clock.

A search ends within its limit and a tenth if ``cube`` keeps its promise *and* gets the processor when it needs it. On a
machine where twenty programs wait for two cores, starting an interpreter alone may take longer than the tenth. So when
a search took too long, the same is asked at once of a program with nothing but the necessary in it: it starts a
planner that ignores requests to end, and kills it when its time is up. Only the time that this *waits* is put down to
the machine, not its work: on an idle machine nothing is, and the tenth holds as it stands.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable

# argument: the time limit. What is timed is all that `cube` must do too, and nothing else.
BARE = """
import os, select, signal, sys, time
seconds = float(sys.argv[1])
planner = os.fork()
if planner == 0:
    ignore = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", ignore])
time.sleep(seconds)
os.kill(planner, signal.SIGKILL)
os.waitpid(planner, 0)
"""


def machine_delay(limit: float) -> float:
    """Return for how many seconds the bare program waits on this machine, now, besides its limit."""
    begun, worked = time.monotonic(), _cpu_seconds()
    subprocess.run([sys.executable, "-I", "-S", "-c", BARE, str(limit)], check=True, timeout=limit + 60)
    return max(0.0, time.monotonic() - begun - limit - (_cpu_seconds() - worked))


def _cpu_seconds() -> float:
    """Return the processor time of the children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def too_late(seconds: float, limit: float, within: float) -> str:
    """Return a complaint if a search took more than its limit and a fraction of it; "" if not."""
    return "" if seconds <= limit * (1 + within) else f"limit: {seconds:.2f} s of {limit:.0f} s"


def late_machine(complaint: str, limit: float, within: float, delay: Callable[[float], float] = machine_delay) -> str:
    """Return how much of the time the bare program waits as well, if that explains a complaint; "" if it does not."""
    found = re.match(r"limit: ([\d.]+) s", complaint)
    if not found:
        return ""
    waited = delay(limit)
    return f"a bare timer waited {waited:.2f} s" if float(found[1]) <= limit * (1 + within) + waited else ""
