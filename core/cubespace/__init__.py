"""Learn a STRIPS planning model from pairs of pictures and plan with it.

Everything here is loaded on first use: the command ``cube`` must catch signals before it spends time on imports, and
the Python interface needs torch, which takes seconds.
"""

TYPE_CHECKING = False  # as in typing, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from cubespace.api import Plan, Run, Strips, Sweep, matrix, run, table, train
    from cubespace.base.version import __version__
    from cubespace.plugins.hookspecs import hookimpl

__all__ = ["Plan", "Run", "Strips", "Sweep", "__version__", "hookimpl", "matrix", "run", "table", "train"]


HOMES = {"__version__": "cubespace.base.version", "hookimpl": "cubespace.plugins.hookspecs"}


def __getattr__(name: str) -> "Any":
    """Load what is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'cubespace' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(HOMES.get(name, "cubespace.api")), name)
