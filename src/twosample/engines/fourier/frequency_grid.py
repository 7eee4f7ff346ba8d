r"""Kernels as sums over regular grids of frequencies.

A Gaussian is the Fourier transform of its spectral density,
:math:`k(t) = \int\Lambda(w)\cos(wt)\,dw`, and the trapezoid rule on a grid of spacing s gives, by Poisson's formula,
:math:`\sum_j k(t + 2\pi j/s)`: the kernel and its copies at distance :math:`2\pi/s`. With :math:`2\pi/s \ge L + r`,
where L is the range of the data and k(r) is below the tolerance, the copies are not seen, and M ≈ 20 to 40 frequencies
a dimension replace N points.

A mixture of Gaussians (:class:`Mixture`) of like widths shares a grid: its spacing follows from the widest, its highest
frequency from the narrowest, each only as far as it weighs more than the tolerance. Where widths differ so much that
such a grid would be too large, there is one for each range of widths.

The range is first made as small as the kernel allows: where a coordinate has a gap wider than r, nothing on one side
sees anything on the other, and the gap may be closed to r. That keeps heavy tails affordable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ...core.types import Floats, Waves
from ...kernels import Mixture

MAX_FREQUENCIES = 3_000_000  # grids with more frequencies than this are refused
_POINT_COST = {1: 0.3, 2: 0.8, 3: 3.0}  # what a transform costs for each point, in terms of a frequency


@dataclass(frozen=True, eq=False)
class FrequencyGrid:
    """Cosine and sine features on a regular grid of frequencies in one to three dimensions."""

    origin: Floats  # (d,) point that the phases are measured from
    spacing: Floats  # (d,) grid spacing in each dimension
    orders: NDArray[np.int64]  # (J, d) multiples of the spacing: one of each pair w, -w, without the zero frequency
    weights: Floats  # (J,) what each frequency adds to k(x, x)

    @property
    def width(self) -> int:
        """The number of features."""
        return 2 * len(self.weights)

    def without_smallest(self, share: float) -> FrequencyGrid:
        """Without the frequencies that add least to k(x, x), less than so much of it together."""
        order = np.argsort(self.weights)
        kept = np.sort(order[np.cumsum(self.weights[order]) >= share * self.weights.sum()])
        return replace(self, orders=self.orders[kept], weights=self.weights[kept])

    def __call__(self, points: Floats) -> Floats:
        """``(len(points), 2 J)`` features."""
        J = len(self.weights)
        phi = np.empty((2 * J, len(points)))
        roots = np.sqrt(self.weights)
        for j, wave in enumerate(self.waves(points)):
            np.multiply(wave.real, roots[j], out=phi[j])
            np.multiply(wave.imag, roots[j], out=phi[J + j])
        return phi.T

    def waves(self, points: Floats) -> Iterator[Waves]:
        """exp(i w'(point - origin)) for one frequency after the other."""
        angles = (points - self.origin) * self.spacing
        highest = np.abs(self.orders).max(axis=0)
        powers = [_powers(angles[:, i], int(highest[i])) for i in range(points.shape[1])]
        for order in self.orders:
            factors = [
                power[step] if step > 0 else power[-step].conj()
                for power, step in zip(powers, order, strict=True)
                if step
            ]
            yield reduce(np.multiply, factors)


@dataclass(frozen=True, eq=False)
class GridShape:
    """A grid that is not made yet."""

    mixture: Mixture  # the Gaussians that it is for
    spacing: Floats  # (d,) grid spacing in each dimension
    highest: Floats  # (d,) highest multiples of it, as floating-point numbers: they may be too many to make

    @property
    def count(self) -> float:
        """About how many frequencies there are; the corners of the grid have no weight."""
        with np.errstate(over="ignore"):
            return {1: 1.0, 2: 0.785, 3: 0.524}[len(self.spacing)] * float(np.prod(2 * self.highest + 1)) / 2

    def grid(self, origin: Floats, spare: float) -> FrequencyGrid:
        """The frequencies and their weights, but for the smallest that sum up to `spare`."""
        axes = [np.arange(-h, h + 1) for h in self.highest.astype(np.int64)]
        orders = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        orders = orders[len(orders) // 2 + 1 :]  # one of each pair w, -w; the zero frequency is constant: not needed
        unit = float(self.mixture.widths.min())
        squares = np.square(orders * (self.spacing * unit)).sum(axis=1)
        weights = np.zeros(len(orders))
        for factor, width in zip(self.mixture.factors, self.mixture.widths, strict=True):
            volume = 2 * float(np.prod(self.spacing * width / sqrt(2 * pi)))
            weights += factor * volume * np.exp(-0.5 * (width / unit) ** 2 * squares)
        keep = _large_enough(weights, spare)
        return FrequencyGrid(origin, self.spacing, orders[keep], weights[keep])


def grid_shapes(mixture: Mixture, z: Floats, tolerance: float, few: float) -> tuple[Floats, list[GridShape]]:
    """The points, with wide gaps closed, and the grids that together are the mixture on them, to half the tolerance.

    The tolerance is relative to k(x, x). On a grid with period L + r the copies of a Gaussian of width w weigh less
    than 2 d exp(-(r/w)²/2), and frequencies beyond W less than d exp(-(Ww)²/2): r and W are chosen so that all of that
    is half the tolerance. Up to `few` frequencies their number is what counts; beyond, every grid costs a transform of
    all points.
    """
    order = np.argsort(mixture.widths, kind="stable")
    factors, widths = mixture.factors[order], mixture.widths[order]
    edges = [0, *(np.flatnonzero(np.diff(np.ceil(np.log2(widths / widths[-1])))) + 1).tolist(), len(widths)]
    limit = tolerance * mixture.size / (6 * z.shape[1] * (len(edges) - 1))
    longest = max(_reach(factors, 1 / widths, limit), float(widths[0]))
    closed = np.column_stack([close_gaps(column, longest) for column in z.T])
    ranges = np.ptp(closed, axis=0)

    def shape(first: int, last: int) -> GridShape:
        f, w = factors[first:last], widths[first:last]
        spacing = 2 * pi / (ranges + max(_reach(f, 1 / w, limit), float(w[0])))
        return GridShape(Mixture(f, w, mixture.size), spacing, np.ceil(_reach(f, w, limit) / spacing))

    shapes = {(a, b): shape(a, b) for a, b in pairwise(edges)}
    for overhead in (0.0, _POINT_COST[z.shape[1]] * len(z)):
        if overhead and sum(one.count for one in shapes.values()) <= few:
            break
        shapes = _merged(shapes, shape, overhead)
    return closed, list(shapes.values())


def _reach(factors: Floats, rates: Floats, limit: float) -> float:
    """Where the sum of factor * exp(-(rate r)² / 2) has come down to the limit, to a millionth; 0 if it is below."""
    high = np.sqrt(2 * np.log(np.maximum(len(factors) * factors / limit, 1.0)))
    low, top = 0.0, float((high / rates).max())
    while top - low > 1e-6 * top:
        middle = 0.5 * (low + top)
        above = float(factors @ np.exp(-0.5 * (rates * middle) ** 2)) > limit
        low, top = (middle, top) if above else (low, middle)
    return top


Shapes = dict[tuple[int, int], GridShape]


def _merged(shapes: Shapes, shape: Callable[[int, int], GridShape], overhead: float) -> Shapes:
    """Neighbouring grids as one, while that saves work; each costs its frequencies and an overhead."""
    places = list(shapes)
    i = 0
    while i + 1 < len(places):
        both = (places[i][0], places[i + 1][1])
        joined = shape(*both)
        if joined.count < shapes[places[i]].count + shapes[places[i + 1]].count + overhead:
            shapes[both] = joined
            places[i : i + 2] = [both]
            i = max(0, i - 1)
        else:
            i += 1
    return {place: shapes[place] for place in places}


def close_gaps(values: Floats, widest: float) -> Floats:
    """Move the values together so that no two neighbours are further apart than `widest`; others stay as they are."""
    if np.ptp(values) <= 20 * widest:
        return values
    order = np.argsort(values, kind="stable")
    line = values[order]
    excess = np.cumsum(np.maximum(np.diff(line, prepend=line[0]) - widest, 0.0))
    closed = np.empty_like(values)
    closed[order] = line - excess
    return closed


def _large_enough(weights: Floats, tolerance: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Drop the smallest weights, up to a sum of `tolerance`."""
    order = np.argsort(weights)
    keep = np.ones(len(weights), dtype=bool)
    keep[order[np.cumsum(weights[order]) <= tolerance]] = False
    return keep


def _powers(angle: Floats, highest: int) -> Waves:
    """exp(i j angle) for j = 0, ..., highest, by repeated multiplication; the error grows like j roundings."""
    powers = np.empty((highest + 1, len(angle)), dtype=np.complex128)
    powers[0] = 1
    if highest:
        powers[1] = np.exp(1j * angle)
        for j in range(2, highest + 1):
            np.multiply(powers[j - 1], powers[1], out=powers[j])
    return powers
