"""What is known when p and q may differ: a finite-sample interval, and the normal law of MMD²_u with its variance."""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from ..core.types import Floats


def deviation_interval(mmd_b: float, m: int, n: int, bound: float, level: float) -> tuple[float, float]:
    r"""Interval that holds MMD(p, q) with probability at least `level`, at any sample size and for any p and q.

    Theorem 'mmd-diff': :math:`P\{|\mathrm{MMD}_b - \mathrm{MMD}| > 2(\sqrt{K/m} + \sqrt{K/n}) + \epsilon\} \le
    2\exp(-\epsilon^2 mn / (2K(m+n)))`, solved for epsilon at 1 - level. The lower end is cut off at 0 and the upper
    one at :math:`\sqrt{2K}`, beyond which no MMD of a kernel with values in [0, K] lies.

    Parameters
    ----------
    mmd_b
        The biased estimate.
    m, n
        Sample sizes.
    bound
        K, with 0 <= k(x, y) <= K.
    level
        The probability, in (0, 1).
    """
    epsilon = sqrt(2 * bound * (m + n) / (m * n) * log(2 / (1 - level)))
    width = 2 * (sqrt(bound / m) + sqrt(bound / n)) + epsilon
    return max(0.0, mmd_b - width), min(sqrt(2 * bound), mmd_b + width)


def alternative_variance(row_sums: Floats, diagonal: Floats, m: int, n: int) -> float:
    r"""Variance of MMD²_u when p and q differ, from Theorem 'hoeffdingNormal'.

    :math:`\frac4m \mathrm{Var}_x\{E k(x,x') - E k(x,y)\} + \frac4n \mathrm{Var}_y\{E k(y,y') - E k(x,y)\}`, which is
    :math:`\sigma_u^2/m` when m = n, because :math:`E_{z'} h(z,z')` is the sum of the two braces and x and y are
    independent.

    Parameters
    ----------
    row_sums
        ``(N, 2)``: for every pooled point the sum of its kernel values with all of x and with all of y.
    diagonal
        ``(N,)`` values k(z, z).
    m, n
        Sample sizes.
    """
    x, y = row_sums[:m], row_sums[m:]
    from_x = (x[:, 0] - diagonal[:m]) / (m - 1) - x[:, 1] / n
    from_y = (y[:, 1] - diagonal[m:]) / (n - 1) - y[:, 0] / m
    return float(4 * (np.var(from_x, ddof=1) / m + np.var(from_y, ddof=1) / n))
