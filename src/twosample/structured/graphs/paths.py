"""The shortest-path kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .features import CountKernel
from .graph import Whole
from .pool import GraphPool

if TYPE_CHECKING:
    from scipy import sparse


_ROWS = 2000  # sources of paths at a time, so that a large graph needs no matrix of all pairs


@dataclass(frozen=True)
class ShortestPath(CountKernel):
    r"""The shortest-path kernel: how many pairs of nodes are alike in their labels and their distance.

    .. math:: k(G, H) = \sum_{u \ne v \in G} \sum_{s \ne t \in H} [l(u)=l(s)]\,[l(v)=l(t)]\,[d(u,v)=d(s,t)]

    over ordered pairs that a path joins; d counts edges. Without labels all nodes are alike. Edge labels, lengths and
    attributes are not looked at.

    Parameters
    ----------
    normalised
        Divide k(G, H) by the square root of k(G, G) k(H, H). Graphs without any path are then like each other only: 1.

    Notes
    -----
    O(n (n + e)) time, up to logarithms, for each graph of n nodes and e edges. In a directed graph paths follow the
    edges. Blind to what isolated nodes carry: no path leads there.

    Borgwardt and Kriegel (2005): Shortest-path kernels on graphs, ICDM.

    Examples
    --------
    >>> import twosample as ts
    >>> path = ts.graphs.Graph(3, [(0, 1), (1, 2)])
    >>> ts.graphs.ShortestPath(normalised=False).block([path], [path])  # 4 ordered pairs at distance 1, 2 at 2
    array([[20.]])
    """

    def counts(self, pool: GraphPool) -> sparse.csr_array:
        from scipy import sparse

        parts = list(_pairs(pool))
        found = np.concatenate([np.empty((0, 5), dtype=np.int64), *parts])
        patterns, code = np.unique(_folded(found[:, 1:4]), return_inverse=True)
        shape = (len(pool), len(patterns))
        return sparse.coo_array((found[:, 4].astype(float), (found[:, 0], code)), shape=shape).tocsr()


def _folded(columns: Whole) -> Whole:
    """One number for each row of small whole numbers, different for different rows."""
    widths = columns.max(axis=0, initial=0) + 1
    return np.asarray((columns[:, 0] * widths[1] + columns[:, 1]) * widths[2] + columns[:, 2])


def _pairs(pool: GraphPool) -> Iterator[Whole]:
    """For some sources of each graph, rows (graph, label, label, distance, how many pairs)."""
    from scipy.sparse.csgraph import shortest_path

    A, labels = pool.adjacency, pool.codes
    kinds = int(labels.max(initial=0)) + 1
    for i in range(len(pool)):
        first, last = pool.start[i], pool.start[i + 1]
        if A.indptr[first] == A.indptr[last]:
            continue
        part, own = A[first:last, first:last], labels[first:last]
        for low in range(0, last - first, _ROWS):
            rows = np.arange(low, min(low + _ROWS, last - first))
            D = shortest_path(part, method="D", unweighted=True, indices=rows)
            u, v = np.nonzero(np.isfinite(D) & (D > 0))
            key = (D[u, v].astype(np.int64) * kinds + own[rows[u]]) * kinds + own[v]
            key, often = np.unique(key, return_counts=True)
            rest, label_v = np.divmod(key, kinds)
            length, label_u = np.divmod(rest, kinds)
            yield np.stack([np.full(len(key), i), label_u, label_v, length, often], axis=1)
