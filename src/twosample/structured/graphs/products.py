"""Walks on direct products of graphs, without making the product."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from math import log, log1p
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...core.types import Floats
from ...kernels import Kernel
from .graph import Whole
from .pool import GraphPool

if TYPE_CHECKING:
    from scipy import sparse

_CELLS = 2**18  # pairs of nodes (or of arcs) at a time: a few arrays of that many doubles stay near the processor
_DENSE = 128  # up to this many nodes the adjacency matrix of the single graph is dense

Step: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Piece:
    """One graph against the graphs from first to before last."""

    graph: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Products:
    """The products of all pairs of graphs of a pool, with kernels on their nodes and edges."""

    pool: GraphPool
    kernel: Kernel | None  # on attributes
    attributes: Floats  # (V, d) as the kernel wants them
    lengths: Kernel | None
    decay: float
    by_steps: bool = False  # a walk is the product of its steps, so that nodes inside it count twice

    def pieces(self) -> list[Piece]:
        """Work that covers each pair of graphs once, of about equal size."""
        return list(self._pieces())

    def walks(self, piece: Piece, steps: int) -> Floats:
        """(last - first,) sums over all common walks of up to `steps` edges, of none only where nodes count once."""
        pool = self.pool
        here = slice(pool.start[piece.graph], pool.start[piece.graph + 1])
        there = slice(pool.start[piece.first], pool.start[piece.last])
        N = self._nodes(there, here)
        step = self._step(there, here)
        X, total = N, np.zeros(len(N)) if self.by_steps else N.sum(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks at the result
            for _ in range(steps):
                X = step(X)
                X *= N
                total += X.sum(axis=1)
                if self.by_steps:
                    X *= N
        return np.bincount(pool.owner[there] - piece.first, total, piece.last - piece.first).astype(np.float64)

    def growth(self) -> float:
        """A factor that the weight of long walks cannot outgrow with each step, in any product."""
        power, A = 64, self.pool.adjacency
        v: Floats = np.ones(self.pool.nodes)
        scale = 0.0
        for _ in range(power):  # the row sums of Aᵖ bound its eigenvalues, hence those of A by the p-th root
            v = np.asarray(A @ v, dtype=np.float64)
            size = float(v.max(initial=0.0))
            if size == 0:
                return 0.0
            v, scale = v / size, scale + np.log(size)
        return self.decay * float(np.exp(scale / power)) ** 2 * self._largest()

    def enough(self, growth: float, share: float) -> int:
        """How many steps leave out no more than `share` of k(G, G) or k(H, H), if walks outgrow `growth` no longer.

        No product has more walks of p edges than the square of the most that any graph has. What is left out is
        measured by one node, or by one step where walks without an edge do not count.
        """
        A, v, scale = self.pool.adjacency, np.ones(self.pool.nodes), 0.0
        weight, least = self.decay * self._largest(), log(share) + log1p(-growth)
        if weight == 0 or not self.pool.nodes:
            return 0
        if self.by_steps:
            least += log(weight)
        for p in count(1):
            v = np.asarray(A @ v, dtype=np.float64)
            size = float(v.max())
            if size == 0:  # no walk is longer
                return p - 1
            v, scale = v / size, scale + log(size)
            walks = float(np.bincount(self.pool.owner, v).max())
            if p * log(weight) + 2 * (scale + log(walks)) < least:
                return p
        raise AssertionError

    def _largest(self) -> float:
        """The largest factor by which one more edge multiplies a walk: a node (twice, by steps) times an edge."""
        nodes = 1.0 if self.kernel is None else float(self.kernel.diagonal(self.attributes).max(initial=0.0))
        if self.by_steps:
            nodes *= nodes
        if self._lengths is None or self.lengths is None:
            return nodes
        return nodes * float(self.lengths.diagonal(self._lengths).max(initial=0.0))

    @property
    def _lengths(self) -> Floats | None:
        """(E, 1) lengths, if they are to be looked at."""
        lengths = self.pool.edge_lengths
        return None if lengths is None or self.lengths is None else lengths[:, None]

    def _pieces(self) -> Iterator[Piece]:
        arcs = np.diff(np.searchsorted(self.pool.source, self.pool.start))
        sizes = arcs if self._lengths is not None else self.pool.sizes
        ends = np.concatenate([[0], np.cumsum(sizes)])
        for i in range(len(self.pool)):
            room = max(1, _CELLS // max(1, int(sizes[i])))
            first = i
            while first < len(self.pool):
                last = max(first + 1, int(np.searchsorted(ends, ends[first] + room, side="right")) - 1)
                yield Piece(i, first, last)
                first = last

    def _nodes(self, there: slice, here: slice) -> Floats:
        """(nodes there, nodes here) kernel values."""
        codes = self.pool.codes
        same = codes[there, None] == codes[here]
        if self.kernel is None:
            return np.asarray(same, dtype=np.float64)
        return np.asarray(self.kernel.block(self.attributes[there], self.attributes[here]) * same)

    def _step(self, there: slice, here: slice) -> Step:
        """The map X -> decay · A X B', with the kernel on edges inside."""
        if self._lengths is not None:
            return self._step_of_arcs(there, here)
        pairs = [(A[there, there], _either(A[here, here])) for A in self._matrices]

        def step(X: Floats) -> Floats:
            return self.decay * sum((np.asarray((A @ X) @ B) for A, B in pairs), np.zeros(()))

        return step

    @cached_property
    def _matrices(self) -> list[sparse.csr_array]:
        """One adjacency matrix for each edge label; common steps are those within one of them."""
        codes = self.pool.edge_codes
        kinds = range(int(codes.max(initial=0)) + 1)
        found = [self.pool.arcs_as_matrix((codes == kind).astype(np.float64)) for kind in kinds]
        for A in found:
            A.eliminate_zeros()
        return found

    def _step_of_arcs(self, there: slice, here: slice) -> Step:
        """With a kernel on lengths: pairs of arcs, weighted, and gathered at the nodes where they start."""
        a, b = self._arcs(there), self._arcs(here)
        assert self.lengths is not None
        assert self._lengths is not None
        weights = self.decay * self.lengths.block(self._lengths[a], self._lengths[b])
        weights *= self.pool.edge_codes[a, None] == self.pool.edge_codes[b]
        ends = np.ix_(self.pool.target[a] - there.start, self.pool.target[b] - here.start)
        left = _starts(self.pool.source[a] - there.start, there.stop - there.start)
        right = _starts(self.pool.source[b] - here.start, here.stop - here.start)

        def step(X: Floats) -> Floats:
            return np.asarray((right @ (left @ (X[ends] * weights)).T).T)

        return step

    def _arcs(self, nodes: slice) -> slice:
        first, last = np.searchsorted(self.pool.source, [nodes.start, nodes.stop])
        return slice(first, last)


def _either(B: sparse.csr_array) -> Floats | sparse.csc_array:
    """B' in the form in which it is quickly multiplied from the right."""
    return np.ascontiguousarray(B.toarray().T) if B.shape[0] <= _DENSE else B.T


def _starts(source: Whole, nodes: int) -> sparse.csr_array:
    """(nodes, arcs) matrix that adds up what belongs to the arcs of each node."""
    from scipy import sparse

    ones = np.ones(len(source))
    return sparse.csr_array((ones, (source, np.arange(len(source)))), shape=(nodes, len(source)))
