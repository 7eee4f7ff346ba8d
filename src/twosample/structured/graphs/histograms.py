"""Baselines: kernels that count labels of nodes and of edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .features import CountKernel, count
from .pool import GraphPool

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class VertexHistogram(CountKernel):
    r"""How many nodes of each label: :math:`k(G, H) = \sum_l c(G, l)\, c(H, l)`.

    A baseline: what it finds is no matter of structure. Without labels it sees the number of nodes only, and
    nothing at all when normalised.

    Parameters
    ----------
    normalised
        Divide k(G, H) by the square root of k(G, G) k(H, H). An empty graph is then like other empty ones only: 1.

    Notes
    -----
    O(V) for V nodes in all graphs together.

    Examples
    --------
    >>> import twosample as ts
    >>> a, b = ts.graphs.Graph(2, labels=["C", "O"]), ts.graphs.Graph(3, labels=["C", "C", "N"])
    >>> ts.graphs.VertexHistogram(normalised=False).block([a], [a, b])
    array([[2., 2.]])
    """

    def counts(self, pool: GraphPool) -> sparse.csr_array:
        return count(pool.owner, pool.codes, (len(pool), int(pool.codes.max(initial=0)) + 1))


@dataclass(frozen=True)
class EdgeHistogram(CountKernel):
    r"""How many edges of each kind, where the kind is the labels of both ends and of the edge itself.

    :math:`k(G, H) = \sum_t c(G, t)\, c(H, t)` over kinds t = (label of u, label of the edge, label of v); an undirected
    edge counts in both directions. A baseline beside :class:`WeisfeilerLehman`.

    Parameters
    ----------
    normalised
        Divide k(G, H) by the square root of k(G, G) k(H, H). Graphs without edges are then like each other only: 1.

    Notes
    -----
    O(E log E) for E edges in all graphs together.

    Examples
    --------
    >>> import twosample as ts
    >>> a = ts.graphs.Graph(3, [(0, 1), (1, 2)], labels=["C", "C", "O"])
    >>> ts.graphs.EdgeHistogram(normalised=False).block([a], [a])  # C-C twice, C-O and O-C once
    array([[6.]])
    """

    def counts(self, pool: GraphPool) -> sparse.csr_array:
        labels, kinds = pool.codes, int(pool.codes.max(initial=0)) + 1
        key = (pool.edge_codes * kinds + labels[pool.source]) * kinds + labels[pool.target]
        patterns, code = np.unique(key, return_inverse=True)
        return count(pool.owner[pool.source], code, (len(pool), len(patterns)))
