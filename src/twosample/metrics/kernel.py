"""Metrics that are maximum mean discrepancies in an RKHS under another name: energy distance, Parzen L2."""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np

from ..core.types import Floats
from ..errors import OptionError, options_by_name, positive_number
from ..kernels import Energy, Gaussian
from ._samples import line, pooled, spanned, squared_mmd


@options_by_name
def energy_distance(x: object, y: object, *, exponent: float = 1.0) -> float:
    r"""The energy distance of Székely and Rizzo, :math:`2E\|x-y\|^\beta - E\|x-x'\|^\beta - E\|y-y'\|^\beta`.

    All means over the samples, pairs of a row with itself included, so that it is never negative. It is twice MMD²
    with :class:`twosample.Energy`. Its square root is a metric; the energy distance itself breaks the triangle
    inequality, as any squared distance does.

    Parameters
    ----------
    x, y
        Samples of m and n rows with the same columns.
    exponent
        beta, strictly between 0 and 2.

    Returns
    -------
    float
        The energy distance, the V-statistic. ``scipy.stats.energy_distance`` returns its square root, R's
        ``energy::edist`` the value times mn/(m+n).

    Notes
    -----
    O(N log N) time for one column and exponent 1, where it is :math:`2\int (F_X - F_Y)^2`; otherwise O(N² d), in tiles.
    Not for data whose moment of order beta is infinite: take a smaller exponent.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> metrics.energy_distance([0.0, 0.0], [3.0, 3.0])
    6.0
    """
    pool = pooled(x, y)
    kernel = Energy(exponent)
    if exponent == 1 and pool.z.shape[1] == 1:
        both = line(pool)
        return float(2 * np.square(both.difference[:-1]) @ both.gaps)
    spanned(pool)
    return 2 * squared_mmd(pool.x, pool.y, kernel)


@options_by_name
def parzen_l2(x: object, y: object, *, bandwidth: float | str = "silverman") -> float:
    r"""The L2 distance between the Parzen window estimates of the two densities, with Gaussian windows.

    .. math:: D_2 = \Big(\int [\hat p(z) - \hat q(z)]^2 dz\Big)^{1/2}, \quad
              \hat p(z) = \frac1m \sum_i (2\pi h^2)^{-d/2} e^{-\|x_i - z\|^2/(2h^2)}

    By Section 7.1 of the paper it is MMD_b with the window convolved with itself, a Gaussian kernel of bandwidth
    :math:`\sqrt2 h` times :math:`(4\pi h^2)^{-d/2}`; that is how it is computed.

    Parameters
    ----------
    x, y
        Samples of m and n rows with the same columns.
    bandwidth
        The width h of the windows in the units of the data, or 'silverman': the rule of Silverman (1986).

    Returns
    -------
    float
        D_2, in units of one over (data unit)^(d/2). A metric when h is given; the rule makes h depend on both samples.

    Notes
    -----
    O(N² d) time, in tiles. Not for many columns, where density estimates mean nothing: use MMD.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> round(metrics.parzen_l2([0.0, 0.0], [9.0, 9.0], bandwidth=0.5), 6)  # two peaks that do not overlap
    1.062252
    """
    pool = pooled(x, y)
    h = window_width(pool.z, pool.m, bandwidth)
    square = squared_mmd(pool.x, pool.y, Gaussian(sqrt(2) * h))
    return window_scale(h, pool.z.shape[1]) * sqrt(square)


def window_width(z: Floats, m: int, bandwidth: float | str) -> float:
    r"""The width h of the Parzen windows: a number, or 'silverman'.

    That is the normal reference rule, :math:`h = \bar s\,(4/((d+2)k))^{1/(d+4)}`, optimal for a normal density
    (Silverman 1986): :math:`\bar s^2` is the mean of the columns' variances in the pooled sample and k the
    harmonic mean of m and n. It sees the pool only, follows the unit of the data, and shrinks as the samples grow,
    which consistent density estimates require.
    """
    if isinstance(bandwidth, str) and bandwidth == "silverman":
        n, d = len(z) - m, z.shape[1]
        largest = float(np.abs(z - z[0]).max())
        if largest == 0:
            return 1.0
        deviation = largest * sqrt(float(np.var((z - z[0]) / largest, axis=0, ddof=1).mean()))
        return float(deviation * (4 / ((d + 2) * (2 * m * n / (m + n)))) ** (1 / (d + 4)))
    if isinstance(bandwidth, str):
        raise OptionError(f"bandwidth={bandwidth!r} must be 'silverman' or a positive number, the windows' width.")
    return positive_number("bandwidth", bandwidth)


def window_scale(h: float, d: int) -> float:
    """(4 pi h²)^(-d/4), the root of the window's convolution with itself at 0: D_2 is this times MMD_b."""
    logarithm = -d / 4 * (log(4 * pi) + 2 * log(h))
    if abs(logarithm) > 690:
        raise OptionError(
            f"Parzen windows of width {h:.3g} in {d} columns have heights beyond the range of numbers: density "
            "estimates mean nothing here. Use mmd_test, which needs no densities."
        )
    return exp(logarithm)
