"""The graphlet kernel: counts of small connected induced subgraphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.types import Floats
from ...errors import InputError, OptionError, is_one_of
from .features import CountKernel
from .pool import GraphPool

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class Graphlet(CountKernel):
    r"""How many connected induced subgraphs of each shape: :math:`k(G, H) = \sum_s c(G, s)\, c(H, s)`.

    Counts are exact, by formulas on the adjacency matrix, not by sampling. Shapes of 3 nodes: path, triangle. Of 4:
    path, star, cycle, triangle with a tail, diamond, complete. Labels and attributes are not looked at.

    Parameters
    ----------
    normalised
        Divide k(G, H) by the square root of k(G, G) k(H, H). Graphs without any such subgraph are then like each other
        only: 1.
    size
        Nodes of a subgraph, 3 or 4.

    Notes
    -----
    O(Σ d²) for node degrees d (size 3), times the largest number of triangles over an edge (size 4). Self-loops do not
    count. Directed graphs are refused. Counts differ by orders of magnitude between shapes, so that the most frequent
    shape dominates; for labelled graphs :class:`WeisfeilerLehman` is nearly always better.

    Shervashidze, Vishwanathan, Petri, Mehlhorn and Borgwardt (2009), AISTATS.

    Examples
    --------
    >>> import twosample as ts
    >>> square = ts.graphs.Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> ts.graphs.Graphlet(size=3, normalised=False).block([square], [square])  # 4 paths
    array([[16.]])
    """

    size: int = 3

    def __post_init__(self) -> None:
        if not is_one_of(self.size, (3, 4)):
            raise OptionError(f"size={self.size!r} must be 3 or 4.")

    def counts(self, pool: GraphPool) -> sparse.csr_array:
        from scipy import sparse

        if pool.directed:
            raise InputError("Graphlet: some graphs are directed, its shapes are not. Drop the directions first.")
        A = pool.adjacency - sparse.diags_array(pool.adjacency.diagonal())
        A.eliminate_zeros()
        A = sparse.csr_array(A)
        return sparse.csr_array(_three(pool, A) if self.size == 3 else _four(pool, A))


def _three(pool: GraphPool, A: sparse.csr_array) -> Floats:
    """(N, 2) induced paths and triangles."""
    degree = A.sum(axis=1)
    triangles = _per_graph(pool, (A @ A).multiply(A).sum(axis=1)) / 6
    return np.stack([_per_graph(pool, degree * (degree - 1) / 2) - 3 * triangles, triangles], axis=1)


def _four(pool: GraphPool, A: sparse.csr_array) -> Floats:
    """(N, 6) induced path, star, cycle, tailed triangle, diamond, complete.

    Subgraphs that need not be induced have closed forms; each is then freed of those inside denser shapes.
    """
    from scipy import sparse

    degree = A.sum(axis=1)
    AA = sparse.csr_array(A @ A)
    over = sparse.coo_array(AA.multiply(A))  # triangles over each arc
    at_node = np.bincount(over.row, over.data, pool.nodes) / 2
    u, v = A.nonzero()
    common = A[u].multiply(A[v])  # (E, V) nodes next to both ends
    complete = _per_graph(pool, np.bincount(u, (common @ A).multiply(common).sum(axis=1), pool.nodes)) / 24
    walks = sparse.coo_array(AA - sparse.diags_array(AA.diagonal()))
    diamond = _per_graph(pool, np.bincount(over.row, over.data * (over.data - 1) / 4, pool.nodes)) - 6 * complete
    cycle = _per_graph(pool, np.bincount(walks.row, walks.data * (walks.data - 1) / 8, pool.nodes))
    cycle -= diamond + 3 * complete
    tailed = _per_graph(pool, at_node * (degree - 2)) - 4 * diamond - 12 * complete
    star = _per_graph(pool, degree * (degree - 1) * (degree - 2) / 6) - tailed - 2 * diamond - 4 * complete
    path = _per_graph(pool, np.bincount(u, (degree[u] - 1) * (degree[v] - 1) / 2, pool.nodes))
    path -= _per_graph(pool, at_node) + 2 * tailed + 4 * cycle + 6 * diamond + 12 * complete
    return np.rint(np.stack([path, star, cycle, tailed, diamond, complete], axis=1))


def _per_graph(pool: GraphPool, of_nodes: NDArray[Any]) -> Floats:
    """(N,) sums over the nodes of each graph."""
    return np.bincount(pool.owner, np.asarray(of_nodes).reshape(-1), len(pool)).astype(np.float64)
