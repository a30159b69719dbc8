"""Finished runs to look at."""

from tiny_run import any_run, default_run, tiny_run

__all__ = ["any_run", "default_run", "tiny_run"]
