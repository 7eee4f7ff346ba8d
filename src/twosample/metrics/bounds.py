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
    if not callable(deviation):
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


def _surprise(delta: float) -> float:
    """The logarithm of 1/delta."""
    return -log(number_between("delta", delta, 0, 1, example=0.05))
