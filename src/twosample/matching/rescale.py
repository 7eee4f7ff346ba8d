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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..core.types import Floats
from .columns import Column
from .costs import Costs, squared_effect, within
from .evidence import SOME_SHARED, ColumnPairs, best_pairs
from .lines import inner_products
from .points import Mask, Places

_WORST = 30.0  # of a marginal term
_UNITS = 4.0  # what a marginal cost of half its noise counts
_NAMES = 10.0  # what names with nothing in common cost
_MAPPED = 5.0  # what it costs to need a map at all: more than nearly all pairs that agree as they are
_VALUES = 20  # different values of a column that are mapped one by one
_FORBIDDEN = 1e4
_STEPS = 40
_STARTS = 6
_FEW = 60  # columns up to which several starts are affordable


@dataclass(frozen=True, eq=False)
class Rescaled:
    """The columns of numbers of two tables, compared up to affine maps."""

    pair: ColumnPairs
    shape: Floats  # (s, t) squared effect size and MMD_b of the columns in their own units of location and spread
    mmd: Floats
    mapped: Mask  # (s, t) whether a pair needs a map: as they are, the columns differ
    allowed: Mask  # (s, t) whether the columns can be compared
    terms: Floats  # (s, t) S

    @classmethod
    def of(cls, pair: ColumnPairs) -> Rescaled | None:
        """All pairs of columns of numbers, as they are and up to affine maps; None if a table has none."""
        first, second = ([side.columns[k] for k in side.measured] for side in (pair.left, pair.right))
        if not first or not second:
            return None
        x, y = ([column.points.standard() for column in side] for side in (first, second))
        m, n = (np.array([one.rows for one in side]) for side in (x, y))
        inner = inner_products(x, y, np.ones(len(x)))
        shape = squared_effect(inner.unbiased(m, n), 1 - within(inner, m, n))
        at = np.ix_(pair.left.measured, pair.right.measured)
        raw, noise = pair.costs.total[at], pair.costs.noise[at]
        mapped = raw > noise / 2
        marginal = np.where(mapped, shape, raw) / (noise / 2)
        terms = np.minimum(_UNITS * marginal, _WORST) + np.minimum(_ties(first, second), _WORST) + _MAPPED * mapped
        if pair.names is not None:
            terms += _NAMES * (1 - pair.names[at])
        return cls(pair, shape, np.sqrt(inner.biased), mapped, np.isfinite(raw), terms)

    @property
    def _at(self) -> tuple[Places, Places]:
        """Where the columns of numbers are among all."""
        return self.pair.left.measured[:, None], self.pair.right.measured[None, :]

    def needs_map(self, i: int, j: int) -> bool:
        """Whether two columns of the tables are partners only in other units."""
        row, column = np.searchsorted(self.pair.left.measured, i), np.searchsorted(self.pair.right.measured, j)
        return bool(self.mapped[row, column])

    def costs(self) -> Costs:
        """All costs: of pairs that need a map, after the map."""
        costs, at, use = self.pair.costs, self._at, self.mapped & self.allowed
        total, mmd = costs.total.copy(), costs.mmd.copy()
        total[at] = np.where(use, self.shape, total[at])
        mmd[at] = np.where(use, self.mmd, mmd[at])
        return replace(costs, total=total, mmd=mmd)

    def evidence(self) -> Floats:
        """The evidence for all pairs: values in common say nothing where units are free, nor do kinds."""
        common = self.pair.costs.common.copy()
        common[self._at] = SOME_SHARED
        free = replace(
            self.pair, costs=replace(self.costs(), common=common), same_kind=np.ones_like(self.pair.same_kind)
        )
        return free.with_sole(free.evidence())

    def best_pairs(self, evidence: Floats, force: bool, seed: int) -> list[tuple[int, int]]:
        """Columns of numbers paired by shape and dependence, the others by evidence."""
        pairs = self._by_dependence(seed)
        rest = evidence.copy()
        rest[self._at] = -np.inf
        for i, j in pairs:
            rest[i], rest[:, j] = -np.inf, -np.inf
        return [(i, j) for i, j in sorted(pairs + best_pairs(rest, force)) if force or evidence[i, j] > 0]

    def _by_dependence(self, seed: int) -> list[tuple[int, int]]:
        """The best assignment found, without the pairs that are not allowed."""
        s, t = self.terms.shape
        sides = self.pair.left, self.pair.right
        RA, RB = (side.correlations[np.ix_(side.measured, side.measured)] for side in sides)
        rows = int(2 / sum(1 / len(side.ranked) for side in sides))
        problem = _Quadratic(np.where(self.allowed, self.terms, _FORBIDDEN), RA, RB, rows / 8)
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
        return [
            (int(sides[0].measured[i]), int(sides[1].measured[j]))
            for i, j in np.argwhere(best > 0.5)
            if self.allowed[i, j]
        ]


def _ties(first: Sequence[Column], second: Sequence[Column]) -> Floats:
    """``(s, t)`` squared differences of the chance of a tie, over their variances."""
    (chance, variance), (other, noise) = (
        np.array([_tie(column.counts) for column in side]).T for side in (first, second)
    )
    return np.asarray(np.square(chance[:, None] - other) / (variance[:, None] + noise + 1e-6))


def _tie(count: Places) -> tuple[float, float]:
    """The chance that two rows are equal, and the variance of that estimate."""
    n = int(count.sum())
    p = count / n
    square = float(p @ p)
    variance = 4 * (float((p**3).sum()) - square**2) / n + 2 * square / n**2
    return float((count * (count - 1)).sum() / (n * (n - 1))), variance


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


def affine_map(x: Column, y: Column) -> tuple[float, float]:
    """The a and b such that a + b x is distributed about like y.

    Columns of equally few different values: least squares between those. Others: between quantiles.
    """
    p, q = x.numbers, y.numbers
    if not 2 <= len(p) == len(q) <= _VALUES:
        levels = np.linspace(0.02, 0.98, 97)
        p, q = (np.quantile(column.ascending, levels) for column in (x, y))
    if p[0] == p[-1]:  # most values are the same: the whole range must do
        p, q = x.numbers[[0, -1]], y.numbers[[0, -1]]
    unit = float(np.abs(p - p.mean()).max())
    if unit == 0:
        return float(q.mean() - p.mean()), 1.0
    z = (p - p.mean()) / unit  # squares of very small or large numbers would vanish or overflow
    b = float(z @ (q - q.mean())) / float(z @ z) / unit
    return float(q.mean() - b * p.mean()), b
