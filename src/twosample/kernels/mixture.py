r"""Shift-invariant kernels as sums of Gaussians of many widths.

Schoenberg (1938): a function of the distance that is positive definite in every dimension is a mixture of Gaussians.
With precisions :math:`\tau = e^s` in units of the bandwidth the rational quadratic kernel mixes them by a Gamma law and
the Matérn kernel by an inverse Gamma law,

.. math:: (1+u)^{-\alpha} = \frac1{\Gamma(\alpha)}\int e^{\alpha s-e^s}\,e^{-ue^s}\,ds, \qquad
   k_\nu(r) = \frac{\nu^\nu}{\Gamma(\nu)}\int e^{-\nu s-\nu e^{-s}}\,e^{-r^2e^s/2\sigma^2}\,ds,

and the trapezoid rule in s converges geometrically, so that fifty Gaussians or so are the kernel to 1e-12. Sums of
kernels join their Gaussians and products multiply them. Gaussians so wide that the data see only a constant are left
out, because MMD does not see constants. So are Gaussians so narrow that all of them together weigh less than the
tolerance: the larger part of a rough kernel's cost, and what the tolerance is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi, sqrt

import numpy as np

from ..core.types import Floats


@dataclass(frozen=True, eq=False)
class Mixture:
    """The sum of factor * exp(-t² / 2 width²), plus a constant that makes it `size` at t = 0."""

    factors: Floats  # (n,) positive numbers
    widths: Floats
    size: float  # k(x, x)

    def scaled(self, factor: float) -> Mixture:
        """A multiple of it."""
        return Mixture(factor * self.factors, self.widths, factor * self.size)

    def plus(self, other: Mixture) -> Mixture:
        """The sum of both."""
        factors, widths = np.append(self.factors, other.factors), np.append(self.widths, other.widths)
        return Mixture(factors, widths, self.size + other.size)

    def times(self, other: Mixture) -> Mixture:
        """The product: Gaussians of widths a and b make one of width (a^-2 + b^-2)^-1/2; constants count too."""
        mine, theirs = (np.append(one.factors, one.constant) for one in (self, other))
        a, b = (np.append(1 / one.widths, 0.0) for one in (self, other))
        with np.errstate(divide="ignore"):
            widths = 1 / np.hypot(a[:, None], b[None, :])
        factors = np.outer(mine, theirs)
        seen = np.isfinite(widths) & (factors > 0)
        return Mixture(factors[seen], widths[seen], self.size * other.size)

    @property
    def constant(self) -> float:
        """What the Gaussians leave of k(x, x): those too wide or too narrow to matter."""
        return max(0.0, self.size - float(self.factors.sum()))

    def density(self, frequencies: Floats) -> Floats:
        """``(J,)`` spectral density of the Gaussians at ``(J, d)`` frequencies; see :meth:`Kernel.spectral_density`."""
        d, total = frequencies.shape[1], np.zeros(len(frequencies))
        for factor, width in zip(self.factors / self.size, self.widths, strict=True):
            squares = np.square(frequencies * width).sum(axis=1)
            total += factor * (width / sqrt(2 * pi)) ** d * np.exp(-0.5 * squares)
        return total


def rational_mixture(alpha: float, scale: float, span: float, tolerance: float) -> Mixture:
    """The rational quadratic kernel on data of that span, to a tolerance."""
    digits = log(1 / tolerance) + 6
    seen = max(1.0, span / scale * (span / scale) / (2 * alpha))
    lowest = -(digits + log(seen)) / (alpha + 1)  # wider Gaussians are flat to the tolerance
    highest = log(alpha + sqrt(2 * alpha * digits) + digits)
    step = _step(alpha, tolerance)
    s = np.arange(highest, lowest, -step)
    factors = step * np.exp(alpha * s - np.exp(s) - lgamma(alpha))
    heavy = factors > 1e-3 * tolerance / len(s)
    return Mixture(factors[heavy], scale * sqrt(alpha) * np.exp(-s[heavy] / 2), 1.0)


def matern_mixture(nu: float, scale: float, tolerance: float) -> Mixture:
    """The Matérn kernel of smoothness nu, to a tolerance."""
    constant = nu * log(nu) - lgamma(nu)
    lowest = log(nu) - log(log(1 / tolerance) + 10)  # wider ones weigh nothing
    highest = (constant - log(nu) + log(4 / tolerance)) / nu  # narrower ones together weigh a quarter of the tolerance
    step = _step(nu, tolerance)
    s = np.arange(lowest, highest + step, step)
    return Mixture(step * np.exp(constant - nu * s - nu * np.exp(-s)), scale * np.exp(-s / 2), 1.0)


def _step(shape: float, tolerance: float) -> float:
    """Of the trapezoid rule in s: its error is about ``2 |Gamma(shape + i w) / Gamma(shape)|`` at w = 2 pi / step."""
    from scipy.special import loggamma

    w = 10.0
    while loggamma(shape + 1j * w).real - lgamma(shape) > log(tolerance / 40):
        w *= 1.05
    return 2 * pi / w
