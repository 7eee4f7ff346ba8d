"""Kernels that are functions of a distance, the Gaussian first of all; distances by their definition, and quickly.

Values of kernels come from differences of rows, never from the expanded square.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import frexp
from typing import Any, Self

import numpy as np

from ..core.types import Floats, Reals
from ..errors import OptionError, positive_number
from .base import BandwidthOf, Kernel, Metric
from .mixture import Mixture
from .spectra import Frequencies, isotropic_frequencies

LONG = 64
"""Coordinates from which on distances are quicker by a matrix product."""

_NEAR = 1e-3  # of both squares, below which a difference of them loses digits
_CELLS = 1 << 20  # of differences at a time


@dataclass(frozen=True)
class RadialKernel(Kernel):
    """A kernel that is a function of the distance between two points, measured in bandwidths."""

    bandwidth: float | None = None
    """Length scale in the units of the data; None leaves it to the bandwidth rule."""

    characteristic = True
    shift_invariant = True

    @property
    def metric(self) -> Metric:
        """Squared Euclidean unless said otherwise."""
        return "sqeuclidean"

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            object.__setattr__(self, "bandwidth", positive_number("bandwidth", self.bandwidth))

    @property
    def needs_bandwidth(self) -> bool:
        return self.bandwidth is None

    @property
    def scale(self) -> float:
        """The bandwidth, which must be known by now."""
        if self.bandwidth is None:
            raise OptionError(
                f"{type(self).__name__} has no bandwidth yet. Give one, {type(self).__name__}(bandwidth=0.5), "
                "or let a test choose it by its bandwidth rule."
            )
        return self.bandwidth

    def fill(self, bandwidth_of: BandwidthOf) -> Self:
        if self.bandwidth is not None:
            return self
        options: dict[str, Any] = {"bandwidth": bandwidth_of(self.length)}
        return replace(self, **options)

    def rescaled(self, unit: float) -> Self:
        options: dict[str, Any] = {"bandwidth": self.scale / unit}
        return replace(self, **options)

    @property
    def length(self) -> Metric:
        """The distance whose typical size is the natural bandwidth."""
        return "cityblock" if self.metric == "cityblock" else "euclidean"

    def block(self, a: Floats, b: Floats) -> Floats:
        D = distances(a / self.scale, b / self.scale, self.metric)
        return np.asarray(self.of_distances(D, a, b), dtype=np.float64)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        D = paired_distances(a / self.scale, b / self.scale, self.metric)
        return np.asarray(self.of_distances(D, a, b), dtype=np.float64)

    def diagonal(self, a: Floats) -> Floats:
        return np.ones(len(a))

    @property
    def bounds(self) -> tuple[float, float] | None:
        return 0.0, 1.0


@dataclass(frozen=True)
class Gaussian(RadialKernel):
    r"""The Gaussian kernel of the paper, :math:`k(x,y) = \exp(-\|x-y\|^2 / (2\sigma^2))`.

    Smooth, bounded by 1, characteristic. The default. Not the best choice when the difference sits in fine structure
    far below the typical distance between points: give a smaller bandwidth or a grid of them.

    Parameters
    ----------
    bandwidth
        The width sigma, in the units of the data. None: by the bandwidth rule.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Gaussian(bandwidth=0.5)
    Gaussian(bandwidth=0.5)
    """

    def of_distances(self, D: Reals, a: Floats, b: Floats) -> Reals:
        D *= -0.5
        return np.exp(D, out=D)

    def spectral_density(self, frequencies: Floats) -> Floats:
        d = frequencies.shape[1]
        squares = np.square(frequencies * self.scale).sum(axis=1)
        return np.asarray((self.scale / np.sqrt(2 * np.pi)) ** d * np.exp(-0.5 * squares))

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        return isotropic_frequencies(np.ones(count), self.scale, d, rng, orthogonal)

    def gaussians(self, span: float, tolerance: float) -> Mixture:
        return Mixture(np.ones(1), np.array([self.scale]), 1.0)


def distances(a: Floats, b: Floats, metric: Metric) -> Floats:
    """``(len(a), len(b))`` distances."""
    from scipy.spatial.distance import cdist

    if a.shape[1] == 1:
        D: Floats = np.abs(a - b[:, 0])
        return np.square(D, out=D) if metric == "sqeuclidean" else D
    unit = _unit(a, b) if metric == "euclidean" else 1.0
    result: Floats = cdist(a, b, metric) if unit == 1 else unit * cdist(a / unit, b / unit, metric)
    return result


def quick_distances(a: Floats, b: Floats, metric: Metric) -> Floats:
    """The same, to twelve digits: those of long rows by one matrix product."""
    quick = metric != "cityblock" and a.shape[1] >= LONG and _unit(a, b) == 1
    squares = _squares_by_products(a, b) if quick else None
    if squares is None:
        return distances(a, b, metric)
    return np.sqrt(squares, out=squares) if metric == "euclidean" else squares


def _squares_by_products(a: Floats, b: Floats) -> Floats | None:
    """``(len(a), len(b))`` squared distances |a|² + |b|² - 2 a'b, with a centre taken off.

    Of what is smaller than a thousandth of both squares few digits would be left: such pairs are looked at one by one,
    so that equal rows are at distance 0. None if there are many of them.
    """
    centre = b.mean(axis=0)
    x, y = a - centre, b - centre
    left, right = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y)
    both = left[:, None] + right
    D: Floats = x @ y.T
    D *= -2.0
    D += both
    both *= _NEAR
    i, j = np.nonzero(both > D)
    if len(i) > D.size // 8:
        return None
    step = max(1, _CELLS // a.shape[1])
    for at in range(0, len(i), step):
        part = slice(at, at + step)
        D[i[part], j[part]] = paired_distances(a[i[part]], b[j[part]], "sqeuclidean")
    return D


def paired_distances(a: Floats, b: Floats, metric: Metric) -> Floats:
    """``(len(a),)`` distances between a_i and b_i."""
    difference = a - b
    if metric == "cityblock":
        absolute: Floats = np.abs(difference).sum(axis=1)
        return absolute
    if metric == "euclidean":
        return lengths(difference)
    square: Floats = np.einsum("ij,ij->i", difference, difference)
    return square


def lengths(a: Floats) -> Floats:
    """``(len(a),)`` Euclidean lengths of rows, also of those whose squares a double cannot hold."""
    unit = _unit(a)
    scaled = a if unit == 1 else a / unit
    return np.asarray(unit * np.sqrt(np.einsum("ij,ij->i", scaled, scaled)))


def _unit(*arrays: Floats) -> float:
    """A power of two in which no square of a large entry overflows or vanishes: 1, unless entries are extreme."""
    largest = max(max(float(a.max(initial=0.0)), -float(a.min(initial=0.0))) for a in arrays)
    return 1.0 if largest == 0 or 1e-100 < largest < 1e140 else 2.0 ** (frexp(largest)[1] - 1)
