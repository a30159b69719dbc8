"""Learn a STRIPS planning model from pairs of pictures and plan with it.

Everything here is loaded on first use: the command ``cube`` must catch signals before it spends time on imports, and
the Python interface needs torch, which takes seconds.
"""

TYPE_CHECKING = False  # as in typing, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from cubespace.api import Plan, Run, Strips, run, table, train
    from cubespace.base.version import __version__
    from cubespace.plugins.hookspecs import hookimpl

__all__ = ["Plan", "Run", "Strips", "__version__", "hookimpl", "run", "table", "train"]


def __getattr__(name: str) -> "Any":
    """Load what is asked for."""
    if name == "__version__":
        from cubespace.base import version as home
    elif name == "hookimpl":
        from cubespace.plugins import hookspecs as home
    elif name in __all__:
        from cubespace import api as home
    else:
        raise AttributeError(f"module 'cubespace' has no attribute '{name}'")
    return getattr(home, name)
