r"""Columns in other units: matched by shape, by ties, and by how they depend on the other columns of their table.

An affine map leaves three things of a column as they are. Its *shape*, compared by MMD after both columns were moved
to their medians and divided by their median distances. The chance of a *tie*, that two rows have the same value. And
its *rank correlations* with the other columns. Shapes alone are too alike to tell columns apart; the correlations
settle it. The assignment P minimises

.. math:: \sum_{ij} S_{ij} P_{ij} + \tfrac n8\big(p^\top R_A^{\circ2} p + q^\top R_B^{\circ2} q
          - 2\,\mathrm{tr}(R_A P R_B P^\top)\big), \qquad p = P 1,\; q = P^\top 1,

where S holds the marginal terms in units of their noise and the second term is the squared difference of the
correlation matrices of the matched columns in units of its noise. It is a quadratic assignment problem, solved
approximately by Frank and Wolfe's method on the doubly stochastic matrices from several starts (the FAQ algorithm,
Vogelstein et al. 2015, with a linear term and for unequal numbers of columns), then by exchanging pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..core.types import Floats
from .columns import Side
from .costs import Costs, Measured, squared_effect, within
from .lines import inner_products
from .points import Mask, PointColumns

_WORST = 30.0  # of a marginal term
_UNITS = 4.0  # what a marginal cost of half its noise counts
_MAPPED = 5.0  # what it costs to need a map at all: more than nearly all pairs that agree as they are
_VALUES = 20  # different values of a column that are mapped one by one
_FORBIDDEN = 1e4
_STEPS = 40
_STARTS = 6
_FEW = 60  # columns up to which several starts are affordable


@dataclass(frozen=True, eq=False)
class Rescaled:
    """The columns of numbers of two tables, compared up to affine maps."""

    shape: Floats  # (s, t) squared effect size and MMD_b of the columns in their own units of location and spread
    mmd: Floats
    mapped: Mask  # (s, t) whether a pair needs a map: as they are, the columns differ
    allowed: Mask  # (s, t) whether the columns can be compared
    terms: Floats  # (s, t) S


def rescaled(costs: Costs, a: Measured, b: Measured, left: Side, right: Side) -> Rescaled:
    """All pairs of columns of numbers, as they are and up to affine maps."""
    at = np.ix_(a.index, b.index)
    x, y = _standard(a.points), _standard(b.points)
    inner = inner_products(x, y, np.ones(len(x)))
    shape = squared_effect(inner.unbiased(x.rows, y.rows), 1 - within(inner, x.rows, y.rows))
    raw, noise = costs.total[at], costs.noise[at]
    mapped = raw > noise / 2
    marginal = np.where(mapped, shape, raw) / (noise / 2)
    terms = np.minimum(_UNITS * marginal, _WORST) + np.minimum(_ties(left, right, a, b), _WORST) + _MAPPED * mapped
    return Rescaled(shape, np.sqrt(inner.biased), mapped, np.isfinite(raw), terms)


def _standard(points: PointColumns) -> PointColumns:
    """Moved to the median and divided by the median distance."""
    middle = np.empty(len(points))
    for k in range(len(points)):
        here = slice(int(points.start[k]), int(points.start[k + 1]))
        middle[k] = points.place[here][np.argmax(np.cumsum(points.mass[here]) >= 0.5 - 1e-12)]
    return points.mapped(-middle, 1 / np.where(points.scale > 0, points.scale, 1.0))


def _ties(left: Side, right: Side, a: Measured, b: Measured) -> Floats:
    """``(s, t)`` squared differences of the chance of a tie, over their variances."""
    found = []
    for side, part in ((left, a), (right, b)):
        values = np.array([_tie(side.columns[i].values) for i in part.index]).reshape(-1, 2)
        found.append((values[:, 0], values[:, 1]))
    (chance, variance), (other, noise) = found
    return np.asarray(np.square(chance[:, None] - other) / (variance[:, None] + noise + 1e-6))


def _tie(values: Floats) -> tuple[float, float]:
    """The chance that two rows are equal, and the variance of that estimate."""
    count = np.unique(values, return_counts=True)[1]
    n, p = len(values), count / len(values)
    square = float(p @ p)
    variance = 4 * (float((p**3).sum()) - square**2) / n + 2 * square / n**2
    return float((count * (count - 1)).sum() / (n * (n - 1))), variance


def assign_by_dependence(found: Rescaled, RA: Floats, RB: Floats, rows: int, seed: int) -> list[tuple[int, int]]:
    """The best assignment found, without the pairs that are not allowed."""
    s, t = found.terms.shape
    problem = _Quadratic(np.where(found.allowed, found.terms, _FORBIDDEN), RA, RB, rows / 8)
    rng = np.random.default_rng(seed)
    even = np.full((s, t), 1 / max(s, t))
    profiles = problem.linear + rows * _profiles(RA, RB)
    starts = [even, 0.5 * even + 0.5 * _vertex(problem.linear), 0.3 * even + 0.7 * _vertex(profiles)]
    if max(s, t) <= _FEW:
        starts += [0.7 * even + 0.3 * _vertex(rng.normal(size=(s, t))) for _ in range(_STARTS - 3)]
    ends = [problem.descend(start) for start in starts]
    if max(s, t) <= _FEW:  # from each of them: the best after exchanges need not be the best before
        ends = [problem.polished(P) for P in ends]
    best = min(ends, key=problem.value)
    return [(int(i), int(j)) for i, j in np.argwhere(best > 0.5) if found.allowed[i, j]]


def _profiles(RA: Floats, RB: Floats) -> Floats:
    """``(s, t)`` mean squared differences of the quantiles of the correlations of two columns, whatever their order."""
    levels = np.linspace(0.0, 1.0, 21)
    A, B = (np.quantile(R, levels, axis=1).T for R in (RA, RB))
    return np.asarray(np.square(A[:, None] - B[None]).mean(axis=2))


@dataclass(frozen=True, eq=False)
class _Quadratic:
    """The quadratic assignment problem: linear terms, and what is paid for correlations that differ."""

    linear: Floats
    RA: Floats
    RB: Floats
    weight: float

    def value(self, P: Floats) -> float:
        return float((self.linear * P).sum() + 0.5 * (self._slope(P) * P).sum())

    def descend(self, P: Floats) -> Floats:
        """Frank and Wolfe's method, then the nearest vertex."""
        for _ in range(_STEPS):
            slope = self.linear + self._slope(P)
            D = _vertex(slope) - P
            gain, bend = float((slope * D).sum()), 0.5 * float((self._slope(D) * D).sum())
            step = min(1.0, -gain / (2 * bend)) if bend > 0 else float(gain + bend < 0)
            P = P + step * D
            if step * float(np.abs(D).max()) < 1e-5:
                break
        return _vertex(-P)

    def polished(self, P: Floats) -> Floats:
        """The assignment after all exchanges of two targets, taken ones and free ones, that lower the value."""
        wide = P if P.shape[0] <= P.shape[1] else P.T
        turned = self if wide is P else _Quadratic(self.linear.T, self.RB, self.RA, self.weight)
        wide, least, better = wide.copy(), turned.value(wide), True
        while better:
            better = False
            for j, k in combinations(range(wide.shape[1]), 2):
                if not (wide[:, j].any() or wide[:, k].any()):
                    continue
                wide[:, [j, k]] = wide[:, [k, j]]
                value = turned.value(wide)
                if value < least - 1e-9:
                    least, better = value, True
                else:
                    wide[:, [j, k]] = wide[:, [k, j]]
        return wide if turned is self else wide.T

    def _slope(self, P: Floats) -> Floats:
        """The derivative of the quadratic term, which is linear in P."""
        p, q = P.sum(axis=1), P.sum(axis=0)
        own = (np.square(self.RA) @ p)[:, None] + np.square(self.RB) @ q
        return np.asarray(2 * self.weight * (own - 2 * (self.RA @ P @ self.RB)))


def _vertex(slope: Floats) -> Floats:
    """The assignment of least cost as a matrix of zeros and ones."""
    from scipy.optimize import linear_sum_assignment

    P = np.zeros_like(slope)
    P[linear_sum_assignment(slope)] = 1.0
    return P


def affine_map(x: Floats, y: Floats) -> tuple[float, float]:
    """The a and b such that a + b x is distributed about like y.

    Columns of equally few different values: least squares between those. Others: between quantiles.
    """
    p, q = np.unique(x), np.unique(y)
    if not 2 <= len(p) == len(q) <= _VALUES:
        levels = np.linspace(0.02, 0.98, 97)
        p, q = np.quantile(x, levels), np.quantile(y, levels)
    if p[0] == p[-1]:  # most values are the same: the whole range must do
        p, q = np.sort(x)[[0, -1]], np.sort(y)[[0, -1]]
    unit = float(np.abs(p - p.mean()).max())
    if unit == 0:
        return float(q.mean() - p.mean()), 1.0
    z = (p - p.mean()) / unit  # squares of very small or large numbers would vanish or overflow
    b = float(z @ (q - q.mean())) / float(z @ z) / unit
    return float(q.mean() - b * p.mean()), b
