"""The minimum spanning tree of the pooled points, and the ranks that a standardised walk along it gives them.

Ties between distances are broken by the order of the points after a random permutation, never by their order in the
pool: x comes first there, and a tree that knows the labels is no basis for a test that relabels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Tree:
    """A spanning tree of N points."""

    ends: Indices  # (N-1, 2) the points at the ends of each edge, by their places in the random order
    lengths: Floats  # (N-1,) squared lengths; 0 between duplicates
    shuffle: Indices  # (N,) the random order: the row of the pool at each place

    @property
    def edges(self) -> Indices:
        """``(N-1, 2)`` rows of the pool at the ends of each edge."""
        return self.shuffle[self.ends]

    @property
    def degrees(self) -> Indices:
        """``(N,)`` edges at each point."""
        return np.bincount(self.edges.ravel(), minlength=len(self.shuffle))

    @property
    def adjacent_pairs(self) -> int:
        """The number of pairs of edges that share a point."""
        degrees = self.degrees
        return int((degrees * (degrees - 1)).sum() // 2)


def minimum_spanning_tree(z: Floats, rng: np.random.Generator) -> Tree:
    """The exact Euclidean minimum spanning tree: O(N² d) time and O(N d) memory, or a sort in one dimension.

    Distances are sums of squared differences, so that duplicates are at distance 0 exactly. Points at equal distance
    are chained one after the other rather than all joined to one of them.
    """
    shuffle = rng.permutation(len(z))
    ends, lengths = _sorted_line(z[shuffle, 0]) if z.shape[1] == 1 else _prim(z[shuffle])
    return Tree(ends, lengths, shuffle)


def _sorted_line(z: Floats) -> tuple[Indices, Floats]:
    order = np.argsort(z, kind="stable")
    return np.column_stack([order[:-1], order[1:]]), np.diff(z[order]) ** 2


def _prim(z: Floats) -> tuple[Indices, Floats]:
    """Prim's algorithm with one row of distances at a time.

    Points outside the tree are kept at the front of the arrays: the one that joins changes places with the last.
    """
    from scipy.spatial.distance import cdist

    total = len(z)
    ends = np.empty((total - 1, 2), dtype=np.intp)
    lengths = np.empty(total - 1)
    outside = z.copy()  # (N, d)
    name = np.arange(total)
    best = np.full(total, np.inf)
    nearest = np.zeros(total, dtype=np.intp)
    joined = total - 1
    for step in range(total - 1):
        left = total - 1 - step
        row = cdist(z[joined : joined + 1], outside[:left], "sqeuclidean")[0]
        closer = row <= best[:left]
        np.copyto(best[:left], row, where=closer)
        np.putmask(nearest[:left], closer, joined)
        at = int(best[:left].argmin())
        ends[step] = nearest[at], name[at]
        lengths[step] = best[at]
        joined = int(name[at])
        last = left - 1
        outside[at], name[at], best[at], nearest[at] = outside[last], name[last], best[last], nearest[last]
    return ends, lengths


def traversal_order(tree: Tree) -> Indices:
    """``(N,)`` rows of the pool in the order of the height-directed preorder walk (Friedman and Rafsky 1979).

    The root is an end of a longest path, counted in edges. Below each point the subtrees are visited from the lowest
    to the highest; of two that are equally high, the one whose first edge is shorter comes first.
    """
    root = int(_breadth_first(tree, 0)[0][-1])  # the point farthest from any point is an end of a longest path
    order, parents, lengths = _breadth_first(tree, root)
    heights, sizes = _heights_and_sizes(order, parents)
    below = order[1:]
    siblings = below[np.lexsort((lengths[below], heights[below], parents[below]))]
    before = np.cumsum(sizes[siblings]) - sizes[siblings]  # points in subtrees to the left, of any family
    eldest = np.flatnonzero(np.diff(parents[siblings], prepend=-1))
    before -= np.repeat(before[eldest], np.diff(eldest, append=len(siblings)))
    offsets, places = [0] * len(order), [0] * len(order)
    for point, offset in zip(siblings.tolist(), before.tolist(), strict=True):
        offsets[point] = offset + 1
    for point, parent in zip(below.tolist(), parents[below].tolist(), strict=True):
        places[point] = places[parent] + offsets[point]
    return tree.shuffle[np.argsort(places)]


def _breadth_first(tree: Tree, root: int) -> tuple[Indices, Indices, Floats]:
    """Points in breadth-first order; for each point its parent and the length of the edge to it."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    total = len(tree.shuffle)
    a, b = tree.ends.T
    graph = coo_array((np.ones(total - 1), (a, b)), shape=(total, total)).tocsr()
    order, parents = breadth_first_order(graph, root, directed=False)
    lengths = np.zeros(total)
    lengths[np.where(parents[b] == a, b, a)] = tree.lengths
    return order.astype(np.intp), parents.astype(np.intp), lengths


def _heights_and_sizes(order: Indices, parents: Indices) -> tuple[Indices, Indices]:
    """Edges down to the deepest leaf below each point, and points in the subtree that hangs from it."""
    heights, sizes = [0] * len(order), [1] * len(order)
    above = parents.tolist()
    for point in order[:0:-1].tolist():
        parent = above[point]
        heights[parent] = max(heights[parent], heights[point] + 1)
        sizes[parent] += sizes[point]
    return np.array(heights, dtype=np.intp), np.array(sizes, dtype=np.intp)
