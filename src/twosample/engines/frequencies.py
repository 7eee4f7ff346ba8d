r"""Gaussian kernels as sums over a regular grid of frequencies.

A shift-invariant kernel is the Fourier transform of its spectral density,
:math:`k(t) = \int\Lambda(w)\cos(wt)\,dw`, and the trapezoid rule on a grid of spacing s gives, by Poisson's formula,
:math:`\sum_j k(t + 2\pi j/s)`: the kernel and its copies at distance :math:`2\pi/s`. With :math:`2\pi/s \ge L + r`,
where L is the range of the data and k(r) is below the tolerance, the copies are not seen, and M ≈ 20 to 40 frequencies
a dimension replace N points.

The range is first made as small as the kernel allows: where a coordinate has a gap wider than r, nothing on one side
sees anything on the other, and the gap may be closed to r. That keeps heavy tails affordable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import ceil, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import OptionError
from ..kernels import Gaussian, Kernel, Product, Scaled, Sum

Waves = NDArray[np.complex128]

Parts = list[tuple[float, float]]
"""A sum of Gaussians: factors and bandwidths."""

MAX_FREQUENCIES = 3_000_000
"""A grid with more frequencies than this is refused."""


@dataclass(frozen=True, eq=False)
class FrequencyGrid:
    """Cosine and sine features on a regular grid of frequencies in one to three dimensions.

    Parameters
    ----------
    origin
        ``(d,)`` point that the phases are measured from.
    spacing
        ``(d,)`` grid spacing in each dimension.
    orders
        ``(J, d)`` multiples of the spacing: one of each pair w, -w, without the zero frequency.
    weights
        ``(J,)`` what each frequency adds to k(x, x).
    """

    origin: Floats
    spacing: Floats
    orders: NDArray[np.int64]
    weights: Floats

    @property
    def width(self) -> int:
        """The number of features."""
        return 2 * len(self.weights)

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


def gaussian_parts(kernel: Kernel) -> Parts | None:
    """The kernel as a sum of (factor, bandwidth) Gaussians, or None if it is not one."""
    if isinstance(kernel, Gaussian):
        return [(1.0, kernel.scale)]
    if isinstance(kernel, Scaled):
        inner = gaussian_parts(kernel.kernel)
        return None if inner is None else [(kernel.factor * factor, width) for factor, width in inner]
    if isinstance(kernel, Sum | Product):
        every = [gaussian_parts(part) for part in kernel.parts]
        known = [parts for parts in every if parts is not None]
        if len(known) < len(every):
            return None
        if isinstance(kernel, Sum):
            return [part for parts in known for part in parts]
        return multiply_parts(known)
    return None


def multiply_parts(factors: list[Parts]) -> Parts:
    """The product of sums of Gaussians: exp(-t²/2a²) exp(-t²/2b²) is a Gaussian again."""
    combined = factors[0]
    for parts in factors[1:]:
        combined = [(f * g, 1 / sqrt(a**-2 + b**-2)) for f, a in combined for g, b in parts]
    return combined


def reach_of(tolerance: float) -> float:
    """How many bandwidths away a Gaussian is below half the tolerance."""
    return sqrt(2 * log(2 / tolerance))


def grid_shape(
    parts: Parts, z: Floats, tolerance: float, close: bool = True
) -> tuple[Floats, Floats, list[int], float]:
    """The points with wide gaps closed, the grid spacing, its highest orders, and about how many frequencies."""
    reach = reach_of(tolerance)
    widest, narrowest = max(width for _, width in parts), min(width for _, width in parts)
    closed = np.column_stack([close_gaps(column, reach * widest) for column in z.T]) if close else z
    spacing = 2 * pi / (np.ptp(closed, axis=0) + reach * widest)
    highest = [ceil(reach / narrowest / s) for s in spacing]
    ball = {1: 1.0, 2: 0.785, 3: 0.524}[z.shape[1]]  # the corners of the grid have no weight
    return closed, spacing, highest, ball * float(np.prod([2.0 * h + 1 for h in highest])) / 2


def frequency_grid(kernel: Kernel, z: Floats, tolerance: float, close: bool = True) -> tuple[Floats, FrequencyGrid]:
    """The points, with wide gaps closed if asked for, and the grid that makes the kernel exact on them."""
    parts = gaussian_parts(kernel)
    assert parts is not None
    closed, spacing, highest, count = grid_shape(parts, z, tolerance, close)
    narrowest = min(width for _, width in parts)
    if count > MAX_FREQUENCIES:
        raise OptionError(
            f"engine='fourier' would need {count:.3g} frequencies: the data span "
            f"{float(np.ptp(closed) / narrowest):.3g} bandwidths. Use a larger bandwidth or engine='auto'."
        )
    axes = [np.arange(-h, h + 1) for h in highest]
    orders = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, z.shape[1])
    orders = orders[len(orders) // 2 + 1 :]  # one of each pair w, -w; the zero frequency is constant and not needed
    omega = orders * spacing
    density = np.sum([factor * Gaussian(width).spectral_density(omega) for factor, width in parts], axis=0)
    weights = 2 * float(np.prod(spacing)) * density
    keep = _large_enough(weights, tolerance * sum(factor for factor, _ in parts))
    return closed, FrequencyGrid(closed.mean(axis=0), spacing, orders[keep], weights[keep])


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
