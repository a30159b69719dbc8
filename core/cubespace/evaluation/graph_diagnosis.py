"""How good the graph is that a network spans: recall and wrong successors, as for a STRIPS model."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Images, Indices, step_keys
from cubespace.data.domain import StateSpace

Encode = Callable[[Images], Bits]
Expand = Callable[[Bits], tuple[Bits, Indices, Indices]]  # successors, the row of the state of each, its label
Plausible = Callable[[Bits, Bits], Bits]

STATES_PER_BATCH = 100


@attrs.frozen(kw_only=True)
class GraphDiagnosis:
    """Recall and wrong successors of a latent graph, with and without its discriminator."""

    graph_recall: float  # fraction of true moves that are edges of the graph
    graph_wrong: float  # edges per state that are no true moves
    made_recall: float  # the same of all successors that are made, before the discriminator drops some
    made_wrong: float


def diagnose_graph(
    domain: StateSpace, encode: Encode, expand: Expand, plausible: Plausible, count: int = 1000, seed: int = 0
) -> GraphDiagnosis:
    """Compare the moves of the domain with the edges of the graph, from ``count`` random states."""
    rng = np.random.default_rng([seed, 0xD1A6])  # the states of the diagnosis of models
    states = domain.random_states(count, rng)
    children, parent = domain.successors(states)
    before = encode(domain.render(states))
    true_moves = step_keys(parent, encode(domain.render(children)))
    made, kept = [], []
    for start in range(0, count, STATES_PER_BATCH):
        successors, rows, _ = expand(before[start : start + STATES_PER_BATCH])
        rows = rows + start
        moved = (successors != before[rows]).any(1)  # a step that changes nothing is never taken
        keys = step_keys(rows[moved], successors[moved])
        made.append(np.unique(keys))
        kept.append(np.unique(keys[plausible(before[rows[moved]], successors[moved])]))
    everything, edges = np.concatenate(made), np.concatenate(kept)
    return GraphDiagnosis(
        graph_recall=float(np.isin(true_moves, edges).mean()),
        graph_wrong=float((~np.isin(edges, true_moves)).sum() / count),
        made_recall=float(np.isin(true_moves, everything).mean()),
        made_wrong=float((~np.isin(everything, true_moves)).sum() / count),
    )
