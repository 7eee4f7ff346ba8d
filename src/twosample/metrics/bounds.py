"""How far an estimate may lie from the truth, for any function class with a uniform convergence bound."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

from ..errors import OptionError, number_between, options_by_name, positive_number, whole_number

Deviation = Callable[[float, int], float]
"""epsilon(delta, m): exceeded by sup_f |E f - mean f| over m rows with probability at most delta."""


@options_by_name
def uniform_bound(deviation: Deviation, m: int, n: int | None = None, *, delta: float = 0.05) -> float:
    r"""The bound of Theorem 'general' of the paper on the error of a biased estimate of a discrepancy.

    If :math:`\Pr\{\sup_{f} |E_p f - \frac1m\sum_i f(x_i)| > \epsilon(\delta, m)\} \le \delta` for every distribution,
    then :math:`|\mathrm{MMD}[F,p,q] - \mathrm{MMD}_b[F,X,Y]| \le 2\epsilon(\delta/2, m)` with probability at least
    :math:`1-\delta`. For samples of different sizes the same proof gives
    :math:`\epsilon(\delta/2,m) + \epsilon(\delta/2,n)`.

    Parameters
    ----------
    deviation
        The function :math:`\epsilon(\delta, m)` of the class: :func:`kolmogorov_deviation`,
        :func:`kernel_deviation`, or one of your own.
    m, n
        Sample sizes; n is m if not given.
    delta
        The probability that the bound may fail.

    Returns
    -------
    float
        The half-width of an interval around the estimate that holds the true discrepancy.

    Notes
    -----
    Valid for all p and q and at any sample size, and therefore wide: a test that rejects when the estimate exceeds it
    holds its level and has little power.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> round(metrics.uniform_bound(metrics.kolmogorov_deviation, 1000, 2000), 4)
    0.0799
    """
    if not callable(deviation) or isinstance(deviation, type):
        raise OptionError(f"deviation={deviation!r} must be a function of delta and the rows, as kolmogorov_deviation.")
    half = number_between("delta", delta, 0, 1, example=0.05) / 2
    rows = whole_number("m", m)
    return deviation(half, rows) + deviation(half, rows if n is None else whole_number("n", n))


@options_by_name
def kolmogorov_deviation(delta: float, size: int) -> float:
    r"""Uniform deviation of the class of the Kolmogorov metric, :math:`\sqrt{\log(2/\delta)/(2m)}`.

    The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant.

    Parameters
    ----------
    delta
        Probability of a larger deviation.
    size
        Rows m of the sample.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> round(metrics.kolmogorov_deviation(0.05, 100), 4)
    0.1358
    """
    return sqrt((log(2) + _surprise(delta)) / 2 / whole_number("size", size))


@options_by_name
def kernel_deviation(delta: float, size: int, *, bound: float = 1.0) -> float:
    r"""Uniform deviation of the unit ball of an RKHS, :math:`\sqrt{K/m}\,(1 + \sqrt{2\log(1/\delta)})`.

    The norm of the difference between the empirical and the true mean embedding: its mean is at most
    :math:`\sqrt{K/m}`, and one row changes it by at most :math:`2\sqrt K/m`, so McDiarmid's inequality applies. The
    bounds that ``null="mcdiarmid"`` uses are sharper, because they look at both samples together.

    Parameters
    ----------
    delta
        Probability of a larger deviation.
    size
        Rows m of the sample.
    bound
        K, with k(x, x) <= K everywhere.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> round(metrics.kernel_deviation(0.05, 100), 4)
    0.3448
    """
    return sqrt(positive_number("bound", bound) / whole_number("size", size)) * (1 + sqrt(2 * _surprise(delta)))


@options_by_name
def hsic_deviation(delta: float, size: int, *, bound: float = 1.0, bound_y: float = 1.0) -> float:
    r"""How far the root of HSIC_b may lie from the root of HSIC, for any law of the pairs (x, y).

    With probability at least :math:`1-\delta`, for n pairs and kernels with :math:`0\le k\le K`, :math:`0\le l\le L`,

    .. math:: \big|\sqrt{\mathrm{HSIC}_b} - \sqrt{\mathrm{HSIC}}\big| \le \sqrt{KL}\Big(\sqrt{\tfrac2n} + \tfrac1n
              + \tfrac{n-1}{n}\sqrt{\tfrac{3\log(1/\delta)}{n}}\Big).

    The paper's Section 7.3 says that the deviation is :math:`O(n^{-1/2})` and refers to Gretton et al. (2005) for
    constants of HSIC itself; these are of its root, by the steps of the paper's Appendix A. The difference is at most
    :math:`\|\hat C - C\|`, whose mean is at most the first two terms (that of an average of products with second
    moment 2KL, and the error of both means); one pair moves it by at most :math:`\sqrt{6KL}\,(n-1)/n^2`, so
    McDiarmid's inequality gives the third.

    Parameters
    ----------
    delta
        Probability of a larger deviation.
    size
        Pairs n.
    bound, bound_y
        K and L, the widths of the ranges of the two kernels.

    Returns
    -------
    float
        The half-width of an interval around :math:`\sqrt{\mathrm{HSIC}_b}` that holds the true value.

    Notes
    -----
    Valid at every n and wide: 0.14 for a thousand pairs. To test independence without any approximation use
    ``hsic_test(..., statistic="biased", null="mcdiarmid")``, which has the smaller bound under independence, or rather
    ``null="permutation"``, which is exact and finds far more.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> root = ts.hsic_test(x, x, statistic="biased", null="gamma").statistic ** 0.5
    >>> half = ts.metrics.hsic_deviation(0.05, 2000)
    >>> round(half, 3), root > half  # so x and x are not independent, beyond doubt
    (0.099, True)
    """
    rows = whole_number("size", size, least=2)
    product = positive_number("bound", bound) * positive_number("bound_y", bound_y)
    return sqrt(product) * (sqrt(2 / rows) + 1 / rows) + sqrt(_surprise(delta) / hsic_rate(rows, product))


def hsic_rate(size: int, product: float) -> float:
    """The r of McDiarmid's bound exp(-r e²) on an excess e of a root of HSIC_b; `product` of the kernels' ranges."""
    return size / (3 * product) * (size / (size - 1)) ** 2


def _surprise(delta: float) -> float:
    """The logarithm of 1/delta."""
    return -log(number_between("delta", delta, 0, 1, example=0.05))
