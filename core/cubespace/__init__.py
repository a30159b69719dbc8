"""Learn a STRIPS planning model from pairs of pictures and plan with it."""

from cubespace.hookspecs import hookimpl

__all__ = ["__version__", "hookimpl"]
__version__ = "0.1.0"
