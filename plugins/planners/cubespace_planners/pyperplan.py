"""pyperplan's searches by name: slow, but pure Python and a second opinion."""

from __future__ import annotations

from cubespace.hookspecs import hookimpl
from cubespace.plugins import Registry

# name, search, heuristic, whether its plans are shortest, summary
ROWS = (
    ("pyperplan-blind", "astar", "blind", True, "A* without a heuristic"),
    ("pyperplan-bfs", "bfs", "blind", True, "breadth-first search"),
    ("pyperplan-hmax", "astar", "hmax", True, "A* with the hmax heuristic"),
    ("pyperplan-lmcut", "astar", "lmcut", True, "A* with the landmark-cut heuristic"),
    ("pyperplan-astar-hff", "astar", "hff", False, "A* with the FF heuristic"),
    ("pyperplan-gbf-hff", "gbf", "hff", False, "greedy search with the FF heuristic"),
    ("pyperplan-gbf-landmark", "gbf", "landmark", False, "greedy search that counts landmarks"),
)


@hookimpl
def cube_planners(registry: Registry) -> None:
    """Offer the rows."""
    for name, search, heuristic, optimal, summary in ROWS:
        target = "cubespace_planners.pure_python:Pyperplan"
        registry.add(name, target, f"pyperplan: {summary}", search=search, heuristic=heuristic, optimal=optimal)
