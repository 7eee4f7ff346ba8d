"""The Weisfeiler-Lehman subtree kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import whole_number
from .features import CountKernel, count
from .graph import Whole
from .pool import GraphPool

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class WeisfeilerLehman(CountKernel):
    r"""The Weisfeiler-Lehman subtree kernel: how many rooted neighbourhoods two graphs share.

    A node starts with its label (all alike if there are none). In each of `depth` rounds its new label stands for its
    old one together with the multiset of the old labels of its neighbours (and of the labels of the edges to them).
    With :math:`c_h(G, l)` nodes of label l after h rounds,

    .. math:: k(G, H) = \sum_{h=0}^{depth} \sum_l c_h(G, l)\, c_h(H, l).

    New labels are exact, not hashes. Attributes and lengths are not looked at.

    Parameters
    ----------
    normalised
        Divide k(G, H) by the square root of k(G, G) k(H, H). An empty graph is then like other empty ones only: 1.
    depth
        Rounds; 0 is the vertex histogram.

    Notes
    -----
    O(depth · E log E) for E edges in all graphs together; the features are sparse, so that 10⁵ graphs are feasible.
    In a directed graph a node sees the nodes that its edges lead to. Not for graphs whose labels are measurements:
    almost all labels are then different; use :class:`RandomWalk`. With a large depth every graph is like itself only.

    Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt (2011), JMLR 12.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> path = ts.graphs.Graph(3, [(0, 1), (1, 2)])
    >>> triangle = ts.graphs.Graph(3, [(0, 1), (1, 2), (0, 2)])
    >>> ts.graphs.WeisfeilerLehman(depth=1, normalised=False).block([path], [path, triangle])
    array([[14., 12.]])
    """

    depth: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", whole_number("depth", self.depth, least=0))

    def counts(self, pool: GraphPool) -> sparse.csr_array:
        from scipy import sparse

        codes = pool.codes
        blocks = []
        for h in range(self.depth + 1):
            if h:
                codes = relabel(codes, pool)
            blocks.append(count(pool.owner, codes, (len(pool), int(codes.max(initial=-1)) + 1)))
        return sparse.csr_array(sparse.hstack(blocks, format="csr"))


def relabel(codes: Whole, pool: GraphPool) -> Whole:
    """(V,) codes of (own code, multiset of codes over the arcs that leave a node), equal if and only if these are."""
    width = int(codes.max(initial=0)) + 1
    seen = pool.edge_codes * width + codes[pool.target]
    seen = seen[np.lexsort((seen, pool.source))]
    degree = np.bincount(pool.source, minlength=pool.nodes)
    first = np.cumsum(degree) - degree
    new = np.empty(pool.nodes, dtype=np.intp)
    used = 0
    for d in np.unique(degree):  # nodes of one degree at a time: their multisets are rows of equal length
        which = np.flatnonzero(degree == d)
        part = codes[which]
        for j in range(d):  # a row becomes one code, column by column
            part = _pair_codes(part, seen[first[which] + j])
        new[which] = np.unique(part, return_inverse=True)[1] + used
        used = int(new[which].max()) + 1
    return new


def _pair_codes(a: Whole, b: Whole) -> Whole:
    """Codes below the number of pairs: equal if and only if the pairs (a_i, b_i) are equal."""
    b = np.unique(b, return_inverse=True)[1]
    return np.asarray(np.unique(a * (int(b.max()) + 1) + b, return_inverse=True)[1])
