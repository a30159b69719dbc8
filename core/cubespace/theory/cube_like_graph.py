"""The numbers of the paper's Theorem 1 for a graph of latent states.

Its nodes are states in bits, its edges the pairs of states between which a transition was seen, in either direction.
The symmetric difference of the two states of an edge is its colour: edges that meet in a node have different colours,
so there are at least as many differences as colours needed.
"""

from __future__ import annotations

import attrs
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cubespace.base.arrays import Bits, Indices
from cubespace.base.differences import find_differences, group_effects, number_rows


@attrs.frozen(kw_only=True)
class GraphNumbers:
    """The quantities of Theorem 1, counted in one graph."""

    nodes: int
    edges: int
    degree: int  # Δ, the most edges that meet in a node
    bipartite: bool
    least_colours: int  # bounds of the edge chromatic number c(G): Δ …
    most_colours: int  # … and Δ + 1 or |D|, whichever is less; Δ if the graph is bipartite
    differences: int  # |D|, distinct symmetric differences
    effects: int  # distinct pairs (z1 - z0, z0 - z1), one STRIPS action each
    reversed: int  # of these effects, how many occur backwards too; Theorem 1 (3b) assumes all of them
    coloured: bool  # whether edges that meet have different differences: Theorem 1 (2)


def graph_numbers(before: Bits, after: Bits) -> GraphNumbers:
    """Count in the graph of transitions, (transitions, bits) each; those that change nothing are not edges.

    For 00 → 01, 01 → 00 and 01 → 11 there are three nodes, two edges, Δ = 2, two differences (01 and 10) and three
    effects, two of which occur backwards too.
    """
    moved = (before != after).any(1)
    before, after = before[moved], after[moved]
    states = number_rows(np.packbits(np.concatenate([before, after]), axis=1))
    ends = np.sort(states.number.reshape(2, -1), axis=0)  # (2, transitions)
    edges, first = np.unique(ends, axis=1, return_index=True)
    differences = number_rows(np.packbits(before ^ after, axis=1))
    degree = int(np.bincount(edges.ravel(), minlength=1).max())
    bipartite = _bipartite(edges, len(states))
    effects, backwards = _effects(before, after)
    return GraphNumbers(
        nodes=len(states),
        edges=edges.shape[1],
        degree=degree,
        bipartite=bipartite,
        least_colours=degree,
        most_colours=degree if bipartite else min(degree + 1, len(differences)),
        differences=len(differences),
        effects=effects,
        reversed=backwards,
        coloured=_coloured(edges, differences.number[first]),
    )


def _effects(before: Bits, after: Bits) -> tuple[int, int]:
    """Return how many effects there are and how many of them occur backwards too."""
    effects = find_differences(before, after)
    either_way = group_effects(
        np.concatenate([effects.add, effects.delete]), np.concatenate([effects.delete, effects.add])
    )
    return len(effects), 2 * len(effects) - len(either_way)


def _coloured(edges: Indices, colour: Indices) -> bool:
    """Return whether edges that meet in a node have different colours."""
    at_nodes = np.stack([edges.ravel(), np.tile(colour, 2)])  # (2, 2 edges)
    return bool(np.unique(at_nodes, axis=1).shape[1] == at_nodes.shape[1])


def _bipartite(edges: Indices, nodes: int) -> bool:
    """Return whether the nodes have two sides: then no node is connected with itself in the double cover."""
    start, end = edges
    rows, columns = np.concatenate([start, start + nodes]), np.concatenate([end + nodes, end])
    cover = coo_array((np.ones(len(rows), dtype=np.bool_), (rows, columns)), shape=(2 * nodes, 2 * nodes))
    _, part = connected_components(cover, directed=False)
    return bool((part[:nodes] != part[nodes:]).all())
