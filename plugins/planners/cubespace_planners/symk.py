"""SymK: symbolic search with decision diagrams; a fork of Fast Downward."""

from __future__ import annotations

from cubespace_planners.fast_downward import FastDownward


class SymK(FastDownward):
    """Symbolic search, from the wheel ``up-symk``; input, exit codes and log are those of Fast Downward."""

    revision = 1
    package = "up-symk"
    binary = ("up_symk", "symk/builds/release/bin/downward")
    translator = "translate"
    install = "pip install 'cubespace[symk]'"
