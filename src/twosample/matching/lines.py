r"""All squared MMDs between columns of numbers, with a Gaussian kernel for each source column.

A Gaussian kernel is an integral of products of narrower Gaussians, and the trapezoid rule for it converges faster
than any power: with nodes t at steps of half a bandwidth σ

.. math:: \exp(-(x-y)^2/2\sigma^2) = \sum_t f_t(x) f_t(y), \qquad f_t(x) = c\,\exp(-(x-t)^2/\sigma^2),

up to 5e-9. So the mean embedding of a column is a short vector of values :math:`u_t = E f_t(x)` at the nodes near its
rows, a squared MMD the squared distance between two of those, and what is far apart never meets. Unlike waves, nodes
have no period after which distant values would seem close.

Points are collected in cells around the nodes, as moments of the offset from the node; the Hermite series of the
Gaussian takes moments to the values at the 17 nodes around. Bandwidths are rounded to powers of 2, so that columns
share cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from .points import ColumnPoints, Places, different

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_STEP = 0.5  # between nodes, in bandwidths
_REACH = 8  # nodes on either side; beyond, f is below 2e-7
_ORDER = 9  # of the moments: offsets are at most 1/4 of a bandwidth
_WIDTH = 2 * _REACH + 1
_COARSEST = 0.25  # a point wider than this variance, in squared steps, is taken for one of this variance
_FARTHEST = 2.0**52  # steps from 0 beyond which all is one place
_NARROWEST = 1e-290  # bandwidth
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
    return np.asarray(2.0 ** (np.rint(np.log2(safe))))


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Columns at one bandwidth: their embeddings at the nodes near their rows, one column after the other."""

    node: Floats  # (N,) number of the node; ascending in each column
    value: Floats  # (N,) the embedding there
    start: Places  # (c,) where the columns begin
    norms: Floats  # (c,) squared norms: mean kernel values over all pairs of rows

    @classmethod
    def of(cls, columns: Sequence[ColumnPoints], bandwidth: float) -> Embeddings:
        """Collect the points in cells around nodes; the moments of a cell say what it adds to the nodes around it."""
        mass, place, spread = (
            np.concatenate([getattr(one, part) for one in columns]) for part in ("mass", "place", "spread")
        )
        start = np.cumsum([0, *(len(one.mass) for one in columns[:-1])])
        step = _STEP * bandwidth
        with np.errstate(over="ignore"):
            place, width = np.clip(place / step, -_FARTHEST, _FARTHEST), np.square(spread / step)
        node = np.rint(place)
        fresh = np.diff(node, prepend=np.nan) != 0
        fresh[start] = True
        begin = np.flatnonzero(fresh)
        moments = np.add.reduceat(_moments(mass, place - node, np.minimum(width, _COARSEST)), begin, axis=1)
        rows = np.repeat([one.rows for one in columns], np.diff(start, append=len(mass)))
        excess = np.add.reduceat(_excess(mass, width, rows), start)
        node, start = node[begin], np.searchsorted(begin, start)
        steps = np.minimum(np.diff(node), _WIDTH).astype(np.intp)  # gaps that no cell reaches across are closed
        steps[start[1:] - 1] = _WIDTH
        first = np.cumsum([0, *steps])  # of the nodes that each cell reaches
        size = int(first[-1]) + _WIDTH
        value = np.bincount((first[:, None] + np.arange(_WIDTH)).ravel(), (moments.T @ _SERIES).ravel(), size)
        nodes = np.arange(size) + np.repeat(node - _REACH - first, np.diff(first, append=size))
        start = first[start]
        return cls(
            nodes, value.astype(np.float64, copy=False), start, np.add.reduceat(np.square(value), start) - excess
        )

    def at(self, nodes: Floats) -> csr_array:
        """``(c, nodes)`` the embeddings at some nodes, which ascend."""
        from scipy.sparse import csr_array

        near = np.flatnonzero((self.node >= nodes[0]) & (self.node <= nodes[-1]))
        place = np.searchsorted(nodes, self.node[near])
        here = nodes[place] == self.node[near]
        near, place = near[here], place[here]
        ends = np.searchsorted(near, np.append(self.start, len(self.node)))
        return csr_array((self.value[near], place, ends), shape=(len(self.start), len(nodes)))


def _moments(mass: Floats, offset: Floats, variance: Floats) -> Floats:
    """``(ORDER + 1, M)`` moments of points that are spread evenly: up to fourth order in the width."""
    powers = np.empty((_ORDER + 1, len(mass)))
    powers[0] = mass
    for p in range(_ORDER):
        np.multiply(powers[p], offset, out=powers[p + 1])
    if variance.any():
        fourth = 1.8 * variance**2
        for p in range(_ORDER, 1, -1):
            powers[p] += comb(p, 2) * variance * powers[p - 2]
            if p >= 4:
                powers[p] += comb(p, 4) * fourth * powers[p - 4]
    return powers


def _excess(mass: Floats, width: Floats, rows: Places) -> Floats:
    """By how much points that are wider than cells make norms too large: pairs of rows within such a point.

    Their mean kernel value is that of rows that are spread like a normal law. `width` are variances in squared steps,
    `rows` those of the column to which a point belongs.
    """
    excess, wide = np.zeros(len(mass)), np.flatnonzero(width > _COARSEST)
    mass, width = mass[wide], width[wide]
    single = 1 / np.maximum(np.rint(mass * rows[wide]), 1.0)  # pairs of a row with itself
    true = single + (1 - single) / np.sqrt(1 + 2 * _STEP**2 * width / (1 - np.minimum(single, 0.5)))
    excess[wide] = mass**2 * (1 / sqrt(1 + 2 * _STEP**2 * _COARSEST) - true)
    return excess


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

    def unbiased(self, m: Places, n: Places) -> Floats:
        """``(s, t)`` MMD²_u of m and n rows."""
        return without_diagonal(self.own, m)[:, None] - 2 * self.cross + without_diagonal(self.other, n[None, :])


def without_diagonal(mean: Floats, rows: Places) -> Floats:
    """The mean over pairs of different rows from that over all pairs, for k(x, x) = 1.

    A single row is as close to itself as can be.
    """
    return np.asarray(np.where(rows > 1, (rows * mean - 1) / np.maximum(rows - 1, 1), mean))


def inner_products(sources: Sequence[ColumnPoints], targets: Sequence[ColumnPoints], bandwidth: Floats) -> Inner:
    """All mean kernel values, with a bandwidth for each source; embeddings for each of these, none for pairs."""
    s, t = len(sources), len(targets)
    own, cross, other = np.empty(s), np.empty((s, t)), np.empty((s, t))
    for value in np.unique(bandwidth):
        here = np.flatnonzero(bandwidth == value)
        theirs = Embeddings.of(targets, float(value))
        ours = Embeddings.of([sources[k] for k in here.tolist()], float(value))
        own[here], other[here] = ours.norms, theirs.norms
        nodes = different(ours.node)
        cross[here] = (ours.at(nodes) @ theirs.at(nodes).T).toarray()
    return Inner(own, cross, other)
