r"""All squared MMDs between columns of numbers, with a Gaussian kernel for each source column.

A Gaussian kernel is an integral of products of narrower Gaussians, and the trapezoid rule for it converges faster
than any power: with nodes t at steps of half a bandwidth σ

.. math:: \exp(-(x-y)^2/2\sigma^2) = \sum_t f_t(x) f_t(y), \qquad f_t(x) = c\,\exp(-(x-t)^2/\sigma^2),

up to 5e-9. So the mean embedding of a column is a short vector of values :math:`u_t = E f_t(x)` at the nodes near its
rows, a squared MMD the squared distance between two of those, and what is far apart never meets. Unlike waves, nodes
have no period after which distant values would seem close.

PointColumns are collected in cells around the nodes, as moments of the offset from the node; the Hermite series of the
Gaussian takes moments to the values at the 17 nodes around. Bandwidths are rounded to powers of 2, so that columns
share cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, factorial, pi, sqrt

import numpy as np

from ..core.types import Floats
from .points import Places, PointColumns, Points

_STEP = 0.5  # between nodes, in bandwidths
_REACH = 8  # nodes on either side; beyond, f is below 2e-7
_ORDER = 9  # of the moments: offsets are at most 1/4 of a bandwidth
_WIDTH = 2 * _REACH + 1
_COARSEST = 0.25  # a point wider than this variance, in squared steps, is taken for one of this variance
_FARTHEST = 2.0**52  # steps from 0 beyond which all is one place
_NARROWEST = 1e-290  # bandwidth
_ROUNDED = 1  # bandwidths to an octave
_HULL = 2000  # nodes
_ROUNDING = 1e-14  # of mean kernel values


def _series() -> Floats:
    """``(ORDER + 1, WIDTH)`` values at the nodes -8, ..., 8 of one unit of each moment (offsets in steps)."""
    nodes = _STEP * np.arange(-_REACH, _REACH + 1.0)
    constant = sqrt(_STEP * sqrt(2 / pi))
    rows = [
        np.polynomial.hermite.hermval(nodes, np.eye(_ORDER + 1)[p]) * np.exp(-(nodes**2)) * _STEP**p / factorial(p)
        for p in range(_ORDER + 1)
    ]
    return constant * np.array(rows)


_SERIES = _series()


def rounded(bandwidth: Floats) -> Floats:
    """The nearest powers of 2; 1 for a constant column, where any serves."""
    safe = np.where(bandwidth > 0, np.maximum(bandwidth, _NARROWEST), 1.0)
    return np.asarray(2.0 ** (np.rint(_ROUNDED * np.log2(safe)) / _ROUNDED))


@dataclass(frozen=True, eq=False)
class Cells:
    """Columns at one bandwidth, as moments in cells around nodes."""

    node: Floats  # (N,) number of the node; ascending in each column
    moments: Floats  # (N, ORDER + 1) moments of the offset from the node, in steps
    start: Places  # (c + 1,) where the columns begin
    excess: Floats  # (c,) by how much the norms come out too large because of points that are wider than the cells

    @classmethod
    def of(cls, points: PointColumns, bandwidth: float) -> Cells:
        """Collect the points."""
        step = _STEP * bandwidth
        with np.errstate(over="ignore"):
            place = np.clip(points.place / step, -_FARTHEST, _FARTHEST)
            width = np.square(points.spread / step)
        node = np.rint(place)
        offset = place - node
        fresh = np.ones(len(node), dtype=bool)
        np.not_equal(node[1:], node[:-1], out=fresh[1:])
        fresh[points.start[:-1]] = True
        begin = np.flatnonzero(fresh)
        powers = np.empty((_ORDER + 1, len(node)))
        powers[0] = points.mass
        for p in range(_ORDER):
            np.multiply(powers[p], offset, out=powers[p + 1])
        spread = np.minimum(width, _COARSEST)
        if spread.any():
            _spread_out(powers, spread)
        sums = np.add.reduceat(powers, begin, axis=1) if len(begin) else powers
        start = np.searchsorted(begin, points.start)
        return cls(node[begin], np.ascontiguousarray(sums.T), start, _excess(points, width))

    @property
    def column(self) -> Places:
        """``(N,)`` the column to which each cell belongs."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def closed(self, gap: int) -> Places:
        """``(N,)`` positions at which the cells keep their distances up to `gap`, columns one after the other."""
        steps = np.minimum(np.diff(self.node, prepend=self.node[:1]), gap).astype(np.intp)
        steps[self.start[:-1]] = gap
        steps[0] = 0
        return np.cumsum(steps)

    @cached_property
    def shares(self) -> Floats:
        """``(N, WIDTH)`` what each cell adds to the embedding at the nodes around it."""
        return np.asarray(self.moments @ _SERIES)

    def values(self, position: Places) -> Floats:
        """The embedding at the nodes from ``position - REACH`` on, all columns one after the other."""
        index = position[:, None] + np.arange(_WIDTH)
        return _sums(index.ravel(), self.shares.ravel(), int(position[-1]) + _WIDTH)

    def dense(self, low: float, size: int, belongs: Places) -> Floats:
        """``(c, size)`` the embeddings at the nodes from `low` on; cells that reach beyond these are left out."""
        near = np.flatnonzero((self.node >= low + _REACH) & (self.node < low + size - _REACH))
        first = belongs[near] * size + (self.node[near] - low - _REACH).astype(np.intp)
        index = first[:, None] + np.arange(_WIDTH)
        columns = len(self.start) - 1
        return _sums(index.ravel(), self.shares[near].ravel(), columns * size).reshape(columns, size)

    def norms(self) -> Floats:
        """``(c,)`` squared norms of the embeddings: mean kernel values over all pairs of rows."""
        position = self.closed(_WIDTH)
        u = self.values(position)
        return np.add.reduceat(np.square(u, out=u), position[self.start[:-1]]) - self.excess

    def one(self, column: int) -> Cells:
        """A single column."""
        here = slice(int(self.start[column]), int(self.start[column + 1]))
        start = np.array([0, here.stop - here.start], dtype=np.intp)
        return Cells(self.node[here], self.moments[here], start, self.excess[column : column + 1])

    def products(self, others: Cells, belongs: Places) -> Floats:
        """``(c',)`` inner products of this single column with the others: mean kernel values between rows."""
        reach = 2 * _REACH
        position = self.closed(2 * reach + 1) + reach
        u = np.zeros(int(position[-1]) + reach + _WIDTH)
        own = self.values(position)
        u[: len(own)] = own  # u[k] is the value at the node k - REACH
        windows = np.lib.stride_tricks.sliding_window_view(u, _WIDTH)
        potential = windows @ _SERIES.T  # row k: of a unit of each moment in the cell k
        above = np.searchsorted(self.node, others.node)
        below = np.maximum(above - 1, 0)
        above = np.minimum(above, len(self.node) - 1)
        left, right = others.node - self.node[below], self.node[above] - others.node
        near = np.flatnonzero(np.minimum(np.abs(left), np.abs(right)) <= reach)
        from_left = np.abs(left[near]) <= np.abs(right[near])
        at = np.where(from_left, position[below[near]] + left[near], position[above[near]] - right[near]).astype(
            np.intp
        )
        terms = np.einsum("kp,kp->k", others.moments[near], potential[at])
        return _sums(belongs[near], terms, len(others.start) - 1)


def _sums(place: Places, weights: Floats, size: int) -> Floats:
    """``(size,)`` sums of the weights at each place."""
    return np.bincount(place, weights=weights, minlength=size).astype(np.float64, copy=False)


def _spread_out(powers: Floats, variance: Floats) -> None:
    """Moments of points that are spread evenly, from those of points: up to fourth order in the width."""
    fourth = 1.8 * variance**2
    for p in range(_ORDER, 1, -1):
        powers[p] += comb(p, 2) * variance * powers[p - 2]
        if p >= 4:
            powers[p] += comb(p, 4) * fourth * powers[p - 4]


def _excess(points: PointColumns, width: Floats) -> Floats:
    """Pairs of rows within one wide point: their mean kernel value if they are spread like a normal law, or not at all.

    `width` are variances in squared steps.
    """
    wide = np.flatnonzero(width > _COARSEST)
    if not len(wide):
        return np.zeros(len(points))
    column = points.column[wide]
    mass = points.mass[wide]
    single = 1 / np.maximum(np.rint(mass * points.rows[column]), 1.0)  # pairs of a row with itself
    true = single + (1 - single) / np.sqrt(1 + 2 * _STEP**2 * width[wide] / (1 - np.minimum(single, 0.5)))
    taken = 1 / sqrt(1 + 2 * _STEP**2 * _COARSEST)
    return _sums(column, mass**2 * (taken - true), len(points))


@dataclass(frozen=True, eq=False)
class Inner:
    """Mean kernel values, all pairs of rows included, with the kernel of each source column."""

    own: Floats  # (s,) within each source
    cross: Floats  # (s, t) between sources and targets
    other: Floats  # (s, t) within each target, with the kernel of the source

    def take(self, sources: slice) -> Inner:
        """Some of the sources."""
        return Inner(self.own[sources], self.cross[sources], self.other[sources])

    @property
    def biased(self) -> Floats:
        """``(s, t)`` squared MMD_b; 0 where it is no more than rounding."""
        squared = self.own[:, None] - 2 * self.cross + self.other
        return np.where(squared > _ROUNDING, squared, 0.0)

    def unbiased(self, m: Places, n: Places, diagonal: float = 1.0) -> Floats:
        """``(s, t)`` MMD²_u of m and n rows; `diagonal` is the value k(x, x)."""
        return (
            without_diagonal(self.own, m, diagonal)[:, None]
            - 2 * self.cross
            + without_diagonal(self.other, n[None, :], diagonal)
        )


def without_diagonal(mean: Floats, rows: Places, diagonal: float | Floats = 1.0) -> Floats:
    """The mean over pairs of different rows from that over all pairs; a single row is as close to itself as can be."""
    return np.asarray(np.where(rows > 1, (rows * mean - diagonal) / np.maximum(rows - 1, 1), mean))


def _products(ours: Cells, theirs: Cells) -> Floats:
    """``(c, c')`` inner products of columns at one bandwidth."""
    belongs = theirs.column
    low, high = float(ours.node.min()) - 3 * _REACH, float(ours.node.max()) + 3 * _REACH + 1
    if high - low <= _HULL:  # the sources live close together: at all nodes there
        size = int(high - low)
        return np.asarray(ours.dense(low, size, ours.column) @ theirs.dense(low, size, belongs).T)
    return np.array([ours.one(k).products(theirs, belongs) for k in range(len(ours.start) - 1)])


def inner_products(sources: Sequence[Points], targets: Sequence[Points], bandwidth: Floats) -> Inner:
    """All mean kernel values, with a bandwidth for each source; one set of cells for each of these, none for pairs."""
    s, t = len(sources), len(targets)
    own, cross, other = np.empty(s), np.empty((s, t)), np.empty((s, t))
    together = PointColumns.of(targets)
    for value in np.unique(bandwidth):
        here = np.flatnonzero(bandwidth == value)
        theirs = Cells.of(together, float(value))
        ours = Cells.of(PointColumns.of([sources[k] for k in here.tolist()]), float(value))
        own[here] = ours.norms()
        other[here] = theirs.norms()
        cross[here] = _products(ours, theirs)
    return Inner(own, cross, other)
