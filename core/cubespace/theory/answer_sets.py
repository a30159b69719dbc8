"""Statements about small graphs, decided by the answer-set solver clingo (extra ``theory``).

An *assignment* gives each node its own vector of bits. The differences of an assignment are the distinct symmetric
differences of the vectors at the ends of an edge; the paper calls their set D.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.errors import UsageError

Edges = Sequence[tuple[int, int]]

COLOURING = """
1 { paint(X,Y,C) : C = 1..colours } 1 :- edge(X,Y).
at(X,edge(X,Y),C) :- paint(X,Y,C).
at(Y,edge(X,Y),C) :- paint(X,Y,C).
:- at(N,E,C), at(N,F,C), E < F.
"""
ASSIGNMENT = """
bit(0..bits-1).
{ true(N,B) } :- node(N), bit(B), N > 0.        % node 0 is the vector of zeros: any vector may be added to all
apart(N,M) :- node(N), node(M), N < M, bit(B), true(N,B), not true(M,B).
apart(N,M) :- node(N), node(M), N < M, bit(B), true(M,B), not true(N,B).
:- node(N), node(M), N < M, not apart(N,M).
changed(X,Y,B) :- edge(X,Y), bit(B), true(X,B), not true(Y,B).
changed(X,Y,B) :- edge(X,Y), bit(B), true(Y,B), not true(X,B).
1 { kind(X,Y,K) : K = 1..differences } 1 :- edge(X,Y).
:- kind(X,Y,K), kind(V,W,K), changed(X,Y,B), not changed(V,W,B).
:- edge(X,Y), edge(X,Z), Y < Z, kind(X,Y,K), kind(X,Z,K).      % edges that meet differ, or their ends would be equal
#show true/2.
"""


def cycle(nodes: int) -> list[tuple[int, int]]:
    """Return the edges of a cycle; of ten nodes it is the outline of a five-pointed star."""
    return [(node, (node + 1) % nodes) for node in range(nodes)]


def edge_chromatic_number(edges: Edges) -> int:
    """Return the smallest number of colours with which adjacent edges differ."""
    ends = np.asarray(edges, dtype=np.intp).reshape(-1, 2)
    degree = int(np.bincount(ends.ravel()).max())
    return degree if _solve(COLOURING, edges, colours=degree) is not None else degree + 1  # Vizing


def assignment(edges: Edges, bits: int, differences: int) -> Bits | None:
    """Return vectors for the nodes, (nodes, bits), with at most ``differences`` differences, or None."""
    true = _solve(ASSIGNMENT, edges, bits=bits, differences=differences)
    if true is None:
        return None
    vectors = np.zeros((1 + max(max(edge) for edge in edges), bits), dtype=np.bool_)
    for symbol in true:
        node, bit = (argument.number for argument in symbol.arguments)
        vectors[node, bit] = True
    return vectors


def count_differences(edges: Edges, vectors: Bits) -> int:
    """Return the number of differences of an assignment."""
    start, end = np.asarray(edges, dtype=np.intp).T
    return len(np.unique(vectors[start] ^ vectors[end], axis=0))


def _solve(program: str, edges: Edges, **constants: int) -> list[Any] | None:
    """Return the shown atoms of an answer set, or None if there is no answer set."""
    try:
        import clingo
    except ImportError:
        raise UsageError("the answer-set solver clingo is not installed: pip install 'cubespace[theory]'") from None
    control = clingo.Control([f"-c{name}={value}" for name, value in constants.items()])
    facts = [f"edge({min(edge)},{max(edge)})." for edge in edges]
    facts += [f"node({node})." for node in sorted({node for edge in edges for node in edge})]
    control.add("base", [], program + "".join(facts))
    control.ground([("base", [])])
    atoms: list[Any] | None = None
    with control.solve(yield_=True) as answers:
        for answer in answers:
            atoms = list(answer.symbols(shown=True))
            break
    return atoms
