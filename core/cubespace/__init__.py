"""Learn a STRIPS planning model from pairs of pictures and plan with it."""

from typing import TYPE_CHECKING, Any

from cubespace.base.version import __version__
from cubespace.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from cubespace.api import Plan, Run, Strips, run, table, train

__all__ = ["Plan", "Run", "Strips", "__version__", "hookimpl", "run", "table", "train"]


def __getattr__(name: str) -> Any:
    """Load the Python interface on first use: it needs torch, which takes seconds to import."""
    if name in __all__:
        from cubespace import api

        return getattr(api, name)
    raise AttributeError(f"module 'cubespace' has no attribute '{name}'")
