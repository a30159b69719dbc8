"""The claim of the paper's Figure 3: a graph whose edges need fewer colours than any assignment has differences."""

from __future__ import annotations

import math
from pathlib import Path

import attrs

from cubespace.base.arrays import Bits
from cubespace.theory.answer_sets import Edges, assignment, count_differences, cycle, edge_chromatic_number

NODES, BITS, TOO_FEW, ENOUGH = 10, 4, 2, 4
EDGES = cycle(NODES)


@attrs.frozen(eq=False, kw_only=True)
class Star:
    """The three statements, as decided by clingo."""

    colours: int  # c(G), said to be 2
    possible_with_two: bool  # whether an assignment of 4 bits has only two differences, said to be impossible
    vectors: Bits | None  # an assignment of 4 bits with at most four differences, said to exist
    differences: int | None  # and the number of its differences

    @property
    def holds(self) -> bool:
        """Return whether the three statements are true."""
        return self.colours == TOO_FEW and not self.possible_with_two and self.differences == ENOUGH


def check_star(edges: Edges = EDGES) -> Star:
    """Decide the three statements for a graph: by default the outline of a star, a cycle of ten nodes."""
    vectors = assignment(edges, BITS, ENOUGH)
    return Star(
        colours=edge_chromatic_number(edges),
        possible_with_two=assignment(edges, BITS, TOO_FEW) is not None,
        vectors=vectors,
        differences=None if vectors is None else count_differences(edges, vectors),
    )


def draw_star(path: Path, vectors: Bits) -> None:
    """Draw the star with its vectors; edges of equal difference have equal colours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5))
    axes = figure.subplots()
    places = [_place(node) for node in range(NODES)]
    kinds: dict[str, str] = {}
    for start, end in EDGES:
        difference = "".join(str(int(bit)) for bit in vectors[start] ^ vectors[end])
        colour = kinds.setdefault(difference, f"C{len(kinds)}")
        (x, y), (u, v) = places[start], places[end]
        axes.plot([x, u], [y, v], color=colour, linewidth=3, zorder=1)
    for place, vector in zip(places, vectors, strict=True):
        label = "".join(str(int(bit)) for bit in vector)
        axes.annotate(label, place, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white"}, zorder=2)
    for difference, colour in sorted(kinds.items()):
        axes.plot([], [], color=colour, linewidth=3, label=difference)
    axes.legend(title="difference", loc="center", frameon=False)
    axes.set_axis_off()
    axes.set_aspect("equal")
    figure.savefig(path, dpi=90, bbox_inches="tight")


def _place(node: int) -> tuple[float, float]:
    """Return where a node of the star is drawn: points and notches alternate."""
    radius, angle = (1.0, 0.62)[node % 2], math.pi * (0.5 + 2 * node / NODES)
    return radius * math.cos(angle), radius * math.sin(angle)
