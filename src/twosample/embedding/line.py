r"""Numbers as weighted points on a line, and features of the Gaussian kernel there: one rule for values and for bins.

*Values* are points. *Bins* are three points each, with the count, mean and variance of their rows; the third
moment is that of a density that rises or falls steadily, as the mean tells, the fourth that of an even spread. What
remains is the third moment of chance, about :math:`(h/\sigma)^3/50` of the difference of two random samples in bins
of width h: 1e-6 for bins of 1/32 of the bandwidth, 1e-9 for 1/250, nothing where every bin holds one value.

*Many points* are carried over to an even grid: the rows of a point are shared among the twelve nodes around it with the
weights of Lagrange's interpolation, which integrate :math:`k`, :math:`k^2` and :math:`k^4` of a Gaussian kernel to
1e-11 at 16 nodes to a bandwidth. Rows at nodes are parts of rows, some below 0; sums with them are what they would
be with the rows themselves, and 10⁵ rows cost what 200 cost.

*Features* are exact on the points, by pivoted Cholesky decomposition, until next to nothing of the kernel is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import floor, log2

import numpy as np

from ..core.line_distances import WeightedLine
from ..core.ranks import rank_features
from ..core.types import Floats
from ..summaries import BinnedColumn
from ..summaries.bins import ONE_VALUE, Cells, bin_cells
from .pair import Embedded

_NODES = 12  # around a point
_STEPS = 16.0  # nodes to a bandwidth
_FEW = 400  # points that need no grid
_GAP = 9.0  # bandwidths beyond which the kernel is 0 to the last digit
_TRACE, _LOOSE = 1e-12, 1e-7  # of the kernel that features may leave
_RANK = 160
_BINS = 1 << 16  # of many values, at most


@dataclass(frozen=True, eq=False)
class Line:
    """Two samples of numbers as weighted points on one line."""

    place: Floats  # (K,) means of the rows of each point, ascending, in units from the start
    x: Floats  # (K,) rows of either sample
    y: Floats
    variance: Floats
    skew: Floats
    kurtosis: Floats
    """``(K,)`` variance of the rows of a point in units, third moment over variance, fourth over squared variance."""
    unit: float = 1.0  # what is at place p is the number (start + p) * unit
    start: float = 0.0
    blur: float = 0.0  # the width of bins, in units; 0 if every point is one value

    @classmethod
    def of_values(cls, x: Floats, y: Floats) -> Line:
        """Values themselves."""
        place, index = np.unique(np.concatenate([x, y]), return_inverse=True)
        first, second = (
            np.bincount(part, minlength=len(place)).astype(np.float64) for part in (index[: len(x)], index[len(x) :])
        )
        zero = np.zeros(len(place))
        return cls(place, first, second, zero, zero, zero)

    @classmethod
    def of_bins(cls, x: BinnedColumn, y: BinnedColumn) -> Line:
        """Two columns in the same bins; rows beyond these are at their ends."""
        parts = [bin_cells(column) for column in (x, y)]
        blur = 1.0 if any(part[2].any() for part in parts) else 0.0
        return cls._merged(parts, 2.0**x.grid.unit, float(x.grid.start), blur)

    @classmethod
    def of_many_values(cls, x: Floats, y: Floats, width: float) -> Line:
        """Many values in any order, of which only sums are wanted: in bins of a 64th of a width, with four moments."""
        unit = 2.0 ** floor(log2(width / 64))
        low = floor(min(float(x.min()), float(y.min())) / unit)
        high = max(float(x.max()), float(y.max())) / unit
        if high - low > _BINS:
            return cls.of_values(x, y)
        parts = [_value_cells(np.sort(part) / unit - low) for part in (x, y)]
        return cls._merged(parts, unit, float(low), 1.0 if any(part[2].any() for part in parts) else 0.0)

    @classmethod
    def _merged(cls, parts: list[Cells], unit: float, start: float, blur: float) -> Line:
        place, rows, variance, skew, kurtosis = (np.concatenate(both) for both in zip(*parts, strict=True))
        first = np.arange(len(place)) < len(parts[0][0])
        order = np.argsort(place, kind="stable")
        both = [np.where(own, rows, 0.0)[order] for own in (first, ~first)]
        if not blur:  # both samples at the same values, which bins of other widths have rounded differently
            at = np.flatnonzero(np.diff(place[order], prepend=-np.inf) > ONE_VALUE)
            zero = np.zeros(len(at))
            own = [np.add.reduceat(part, at) for part in both]
            return cls(place[order][at], own[0], own[1], zero, zero, zero, unit, start)
        return cls(place[order], both[0], both[1], variance[order], skew[order], kurtosis[order], unit, start, blur)

    @property
    def values(self) -> Floats:
        """``(K,)`` the numbers at the points."""
        return np.asarray((self.start + self.place) * self.unit)

    @cached_property
    def median_distance(self) -> float:
        """The median distance of two pooled rows, of different ones if most are equal; no less than a bin. 0: one."""
        place, rows = self.place, self.x + self.y
        if self.blur:  # both samples have points in a bin
            start = np.flatnonzero(np.diff(np.floor(place / self.blur), prepend=-np.inf))
            total = np.add.reduceat(rows, start)
            place, rows = np.add.reduceat(place * rows, start) / total, total
        found = WeightedLine(place, rows, self.blur).quantile(0.5)
        return self.unit * (max(found, self.blur) if place[0] != place[-1] or self.blur else 0.0)

    @cached_property
    def bins(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The first and the last number of each bin, or the one value of a point, and rows of either sample there."""
        if not self.blur:
            return self.values, self.values, self.x, self.y
        bins = np.floor(self.place / self.blur)
        start = np.flatnonzero(np.diff(bins, prepend=-np.inf))
        low = (self.start + bins[start] * self.blur) * self.unit
        high = np.nextafter(low + self.blur * self.unit, -np.inf)
        return low, high, np.add.reduceat(self.x, start), np.add.reduceat(self.y, start)

    def on_ranks(self, width: float) -> Embedded:
        """With features of a Gaussian kernel of that width on the pooled ranks, which lie between 0 and 1."""
        _, _, x, y = self.bins
        return Embedded.of(rank_features(x + y, width), x, y)

    def embedded(self, bandwidth: float, rows: bool = False, tolerance: float | None = None) -> Embedded:
        """With features of the Gaussian kernel.

        `rows`: with a point for every value, whose rows can be relabelled. `tolerance`: how much of the kernel features
        may leave out, 1e-12 of it, or 1e-7 where rows are relabelled and many features would cost much.
        """
        place, counts = self.place, np.stack([self.x, self.y])
        if self.blur:
            place, counts = _spread(place, counts, self.variance, self.skew, self.kurtosis)
        place = _closed(place, bandwidth / self.unit)
        if not rows and len(place) > max(_FEW, _STEPS * place[-1]):
            place, counts = _gridded(place, counts)
        features = _features(place, np.abs(counts).sum(axis=0), tolerance or (_LOOSE if rows else _TRACE))
        return Embedded.of(features, counts[0], counts[1])


def _value_cells(place: Floats) -> Cells:
    """Values in bins of width 1, with their moments."""
    index = place.astype(np.intp)
    offset = place - index - 0.5
    sums = [np.bincount(index)]
    power = offset
    for _ in range(4):
        sums.append(np.bincount(index, power))
        power = power * offset
    used = np.flatnonzero(sums[0])
    rows, *powers = (part[used].astype(np.float64) for part in sums)
    mean, second, third, fourth = (power / rows for power in powers)
    variance = second - mean**2
    single = variance < 1e-15
    variance[single] = 0.0
    value = np.empty(len(sums[0]))
    value[index] = offset  # one of the values in each bin
    safe = np.where(single, 1.0, variance)
    skew = (third - 3 * mean * second + 2 * mean**3) / safe
    kurtosis = (fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4) / safe**2
    place = np.asarray(used + 0.5 + np.where(single, value[used], mean), dtype=np.float64)
    return place, rows, variance, skew, np.asarray(kurtosis)


def _spread(place: Floats, counts: Floats, variance: Floats, skew: Floats, kurtosis: Floats) -> tuple[Floats, Floats]:
    """Three points for each that is spread, with its mean, variance, third and fourth moment."""
    wide = variance > 0
    v, skew = variance[wide], skew[wide]
    product = np.maximum(kurtosis[wide] * v - skew**2, v)  # of the distances to the left and to the right
    right = 0.5 * (skew + np.sqrt(skew**2 + 4 * product))
    left = right - skew
    side = v / (left + right)
    centre, rows = place[wide], counts[:, wide]
    places = np.concatenate([place, centre - left, centre + right])
    shared = counts.copy()
    shared[:, wide] = rows * (1 - v / product)
    total = np.concatenate([shared, rows * (side / left), rows * (side / right)], axis=1)
    order = np.argsort(places, kind="stable")
    return places[order], total[:, order]


def _closed(place: Floats, bandwidth: float) -> Floats:
    """Ascending places in bandwidths from the first; gaps that the kernel cannot see across are made smaller."""
    with np.errstate(over="ignore"):
        place = (place - place[0]) / bandwidth
    if place[-1] <= 100 * _GAP:
        return place
    return np.cumsum(np.minimum(np.diff(place, prepend=0.0), _GAP))


def _gridded(place: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Rows shared among the nodes around them, by Lagrange's interpolation; nodes without rows are left out."""
    position = place * _STEPS
    node = np.floor(position).astype(np.intp)
    weights = np.vander(position - node - 0.5, _NODES, increasing=True) @ _lagrange()
    index = (node[:, None] + np.arange(_NODES)).ravel()
    size = int(node[-1]) + _NODES
    totals = [np.bincount(index, (weights * rows[:, None]).ravel(), minlength=size) for rows in counts]
    used = np.flatnonzero(np.bincount(index, minlength=size))
    return np.asarray((used - (_NODES / 2 - 1)) / _STEPS), np.stack(totals)[:, used].astype(np.float64)


@cache
def _lagrange() -> Floats:
    """``(12, 12)`` coefficients of Lagrange's polynomials for nodes at -5.5, ..., 5.5; powers in rows."""
    nodes = np.arange(_NODES) - (_NODES - 1) / 2
    columns = []
    for node in nodes:
        others = nodes[nodes != node]
        columns.append(np.poly(others)[::-1] / np.prod(node - others))
    return np.stack(columns, axis=1)


def _features(place: Floats, mass: Floats, tolerance: float) -> Floats:
    """``(K, D)`` features of the Gaussian kernel with bandwidth 1: pivoted Cholesky, until so little of it is left."""
    residual = np.ones(len(place))
    columns = np.empty((min(_RANK, len(place)), len(place)))
    enough, rank = tolerance * float(mass.sum()), 0
    while rank < len(columns):
        left = mass * residual
        if float(left.sum()) <= enough:
            break
        pivot = int(np.argmax(left))
        column = np.exp(-0.5 * (place - place[pivot]) ** 2) - columns[:rank, pivot] @ columns[:rank]
        column /= np.sqrt(residual[pivot])
        columns[rank] = column
        residual = np.maximum(residual - column**2, 0.0)
        residual[pivot] = 0.0
        rank += 1
    return np.ascontiguousarray(columns[: max(rank, 1)].T)
