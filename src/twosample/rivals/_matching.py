"""Pairs of points with the smallest total distance: minimum-weight perfect matching of a complete graph.

The matchings themselves come from rustworkx. What is here makes the graph small enough for it without giving up the
optimum: linear programming bounds prove that no better matching uses an edge that was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import missing_extra
from ..kernels.radial import distances
from ._tree import Indices

Edges = NDArray[np.bool_]  # (N, N) symmetric: which pairs of points may be matched

COMPLETE, AFFORDABLE = 150, 1500
"""Up to so many points the complete graph is matched at once; up to so many it is the last resort."""

NEIGHBOURS, CANDIDATES, ROUNDS = 10, 40, 25


@dataclass(frozen=True, eq=False)
class Pairing:
    """Pairs of rows."""

    pairs: Indices  # (N // 2, 2) rows of the pool
    gap: float
    """The total distance is at most this share above the smallest possible one; 0 when it is known to be the
    smallest."""


def nearest_pairs(z: Floats, rng: np.random.Generator) -> Pairing:
    """Pair the points so that the total Euclidean distance is smallest; of an odd number one is left out.

    The one left out is the partner of a pseudo-point at distance 0 from all (Rosenbaum 2005). Among several optima a
    random order of the points decides, never their order in the pool.
    """
    shuffle = rng.permutation(len(z))
    shuffled = z[shuffle] + 0.0  # no negative zeros
    if z.shape[1] == 1:
        return Pairing(shuffle[_on_a_line(shuffled[:, 0])], 0.0)
    twins, rest = _duplicates(shuffled)
    pairs, gap = np.empty((0, 2), dtype=np.intp), 0.0
    if rest.size > 1:
        D = distances(shuffled[rest], shuffled[rest], "euclidean")
        if rest.size % 2:
            D = np.pad(D, (0, 1))
        pairs, gap = minimum_matching(D)
        pairs = rest[pairs[(pairs < rest.size).all(axis=1)]]
    return Pairing(shuffle[np.concatenate([twins, pairs])], gap)


def minimum_matching(D: Floats) -> tuple[Indices, float]:
    """``(N/2, 2)`` pairs of smallest total in a matrix of distances, and the relative gap that remains unproven."""
    total = len(D)
    if total <= COMPLETE:
        return _blossom(D, ~np.eye(total, dtype=bool)), 0.0
    allowed = _near(D)
    pairs = _blossom(D, allowed)
    cuts = np.zeros((0, total), dtype=bool)
    gap = np.inf
    for _ in range(ROUNDS):
        bound = _relax(D, allowed, cuts)
        if bound is None:
            break
        cost = _cost(D, pairs)
        gap = cost - bound.value
        if gap <= 1e-9 * cost:
            return pairs, 0.0
        # A matching with an edge of reduced cost r costs at least bound + r: above the gap it cannot be an improvement.
        useful = bound.reduced <= gap + 1e-9 * cost
        if np.count_nonzero(useful) <= 2 * CANDIDATES * total:
            useful[tuple(pairs.T)] = useful[tuple(pairs.T[::-1])] = True
            return _blossom(D, useful), 0.0
        if bound.missing.any():
            allowed |= bound.missing
            pairs = _blossom(D, allowed)
        elif len(bound.cuts) == 0:
            break
        cuts = np.concatenate([cuts, bound.cuts])
    if total <= AFFORDABLE:
        return _blossom(D, ~np.eye(total, dtype=bool)), 0.0
    return pairs, gap / _cost(D, pairs)


@dataclass(frozen=True, eq=False)
class _Bound:
    """A lower bound on the cost of every perfect matching, with what would improve it."""

    value: float  # the bound
    reduced: Floats  # (N, N) reduced costs of all edges, none of them negative (infinite on the diagonal)
    missing: Edges
    """Edges that were not allowed and had negative reduced cost before the bound was lowered to make up for it."""
    cuts: Edges  # (k, N) odd sets of points that the fractional solution does not leave


def _relax(D: Floats, allowed: Edges, cuts: Edges) -> _Bound | None:
    """Solve the linear program of fractional matchings, with a blossom inequality for each cut, and price all edges."""
    from scipy import optimize
    from scipy.sparse import csr_array

    linprog: Any = optimize.linprog  # takes sparse matrices, which its stubs do not know
    total = len(D)
    i, j = np.nonzero(np.triu(allowed, 1))
    both = np.tile(np.arange(len(i)), 2)
    degrees = csr_array((np.ones(2 * len(i)), (np.concatenate([i, j]), both)), shape=(total, len(i)))
    leaving = csr_array((cuts[:, i] != cuts[:, j]).astype(np.float64))
    solution = linprog(
        D[i, j], A_ub=-leaving, b_ub=-np.ones(len(cuts)), A_eq=degrees, b_eq=np.ones(total), method="highs-ds"
    )
    if solution.status != 0:
        return None
    y = np.asarray(solution.eqlin.marginals)
    z = np.maximum(0.0, -np.asarray(solution.ineqlin.marginals))
    crossed = cuts * z[:, None]  # (k, N)
    price = y + crossed.sum(axis=0)
    reduced = D - price[:, None] - price + 2 * (crossed.T @ cuts)
    np.fill_diagonal(reduced, np.inf)
    short = np.maximum(0.0, -reduced.min(axis=1)) / 2  # lower every y by half of its worst violation
    missing = (reduced < -1e-12 * D.max()) & ~allowed
    reduced += short[:, None] + short
    value = float(y.sum() + z.sum() - short.sum())
    return _Bound(value, reduced, missing, _odd_sets(solution.x, i, j, total))


def _odd_sets(x: Floats, i: Indices, j: Indices, total: int) -> Edges:
    """Odd components of the fractional matching, or of its larger values, from which less than one edge leads out."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    for least in (1e-7, 0.3, 0.49):
        on = x > least
        graph = coo_array((np.ones(np.count_nonzero(on)), (i[on], j[on])), shape=(total, total))
        count, component = connected_components(graph, directed=False)
        out = np.zeros(count)
        across = component[i] != component[j]
        np.add.at(out, component[i][across], x[across])
        np.add.at(out, component[j][across], x[across])
        violated = np.flatnonzero((np.bincount(component) % 2 == 1) & (out < 1 - 1e-6))
        if violated.size:
            break
    return np.asarray(component == violated[:, None])


def _near(D: Floats) -> Edges:
    """A graph of near neighbours that surely holds a perfect matching, if not a good one."""
    total = len(D)
    others = D.copy()
    np.fill_diagonal(others, np.inf)
    nearest = np.argpartition(others, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    allowed = np.zeros((total, total), dtype=bool)
    allowed[np.arange(total)[:, None], nearest] = True
    allowed |= allowed.T
    i, j = np.nonzero(np.triu(allowed, 1))
    free = np.ones(total, dtype=bool)
    for k in np.argsort(D[i, j], kind="stable").tolist():
        if free[i[k]] and free[j[k]]:
            free[i[k]] = free[j[k]] = False
    left = np.flatnonzero(free)
    allowed[left[::2], left[1::2]] = allowed[left[1::2], left[::2]] = True
    return allowed


def _blossom(D: Floats, allowed: Edges) -> Indices:
    """The perfect matching of smallest total among the allowed edges; distances are rounded to 2^-40 of the largest."""
    rx = _rustworkx()
    i, j = np.nonzero(np.triu(allowed, 1))
    weights = 2**41 - np.rint(D[i, j] / (D.max() or 1.0) * 2**40).astype(np.int64)
    graph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(D)))
    graph.add_edges_from(list(zip(i.tolist(), j.tolist(), weights.tolist(), strict=True)))
    matched = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return np.array(sorted(sorted(pair) for pair in matched), dtype=np.intp).reshape(-1, 2)


def _rustworkx() -> Any:
    try:
        import rustworkx
    except ImportError:
        raise missing_extra("cross_match_test needs rustworkx for its matching", "matching") from None
    return rustworkx


def _cost(D: Floats, pairs: Indices) -> float:
    return float(D[pairs[:, 0], pairs[:, 1]].sum())


def _duplicates(z: Floats) -> tuple[Indices, Indices]:
    """Pairs of equal points, and the points that remain, all different.

    By the triangle inequality some optimal matching pairs equal points, as far as they go.
    """
    _, group = np.unique(z, axis=0, return_inverse=True)
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    firsts = np.cumsum(sizes) - sizes
    place = np.arange(len(z)) - np.repeat(firsts, sizes)
    alone = (sizes % 2 == 1).repeat(sizes) & (place == sizes.repeat(sizes) - 1)
    return order[~alone].reshape(-1, 2), order[alone]


def _on_a_line(z: Floats) -> Indices:
    """Neighbours in sorted order; of an odd number the one is left out whose absence makes the rest shortest."""
    order = np.argsort(z, kind="stable")
    if len(z) % 2:
        gaps = np.diff(z[order])
        before = np.concatenate([[0.0], np.cumsum(gaps[::2])])  # pairs (0, 1), (2, 3), ...
        after = np.concatenate([np.cumsum(gaps[1::2][::-1])[::-1], [0.0]])  # pairs (1, 2), (3, 4), ...
        order = np.delete(order, 2 * int((before + after).argmin()))
    return order.reshape(-1, 2)
