"""What a reader of results needs to know about the machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from cubespace.base.version import __version__, version_of

LIBRARIES = ("torch", "numpy", "up-fast-downward", "pyperplan")


def environment() -> dict[str, object]:
    """Return what a reader of the results needs to know about the machine."""
    return {
        "cubespace": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "libraries": dict(_libraries()),
        "date": time.strftime("%Y-%m-%d"),
    }


@cache  # a matrix asks for it once per cell
def _libraries() -> Mapping[str, str | None]:
    return MappingProxyType({name: version_of(name) for name in LIBRARIES})


@cache
def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
