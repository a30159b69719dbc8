"""SymK's symbolic searches by name."""

from __future__ import annotations

from cubespace.hookspecs import hookimpl
from cubespace.plugins import Registry

ROWS = (("symk-bd", "sym_bd()", True, "bidirectional symbolic search (BDDs)"),)


@hookimpl
def cube_planners(registry: Registry) -> None:
    """Offer the rows."""
    for name, search, optimal, summary in ROWS:
        registry.add(name, "cubespace_planners.downward:SymK", summary, search=search, optimal=optimal)
