"""A finished run to look at."""

from tiny_run import tiny_run

__all__ = ["tiny_run"]
