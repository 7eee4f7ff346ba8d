"""The L2 test between Parzen window estimates of Anderson, Hall and Titterington: an MMD test with a narrow kernel."""

from __future__ import annotations

from math import sqrt

from .. import _door as door
from ..engines import Engine
from ..errors import options_by_name
from ..homogeneity import mmd_test
from ..kernels import Gaussian
from ..metrics.kernel import window_scale, window_width
from ..nulls import Null
from ..results import TestResult
from ._restated import Name, multiplied, noted

NAME = Name(
    "Parzen window L2 test",
    "D_2",
    "Anderson, Hall and Titterington (1994): Two-sample test statistics for measuring discrepancies between two "
    "multivariate probability density functions using kernel-based density estimates",
)


@options_by_name
def parzen_l2_test(
    x: object,
    y: object,
    *,
    bandwidth: float | str = "silverman",
    null: Null | str = "permutation",
    level: float = 0.05,
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same density, by the L2 distance of their Parzen window estimates.

    H0: p = q. H1: p ≠ q. With Gaussian windows of width h the statistic is

    .. math:: D_2 = \Big(\int [\hat p(z) - \hat q(z)]^2 dz\Big)^{1/2},

    which by Section 7.1 of the paper is MMD_b with the window convolved with itself as kernel: a Gaussian kernel of
    bandwidth :math:`\sqrt2 h`, times :math:`(4\pi h^2)^{-d/2}`. The result shows that kernel without its constant.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    bandwidth
        The width h of the windows in the units of the data, or 'silverman': the normal reference rule on the pooled
        sample, :math:`h = \bar s\,(4/((d+2)k))^{1/(d+4)}` with the root mean variance :math:`\bar s` of the columns and
        the harmonic mean k of m and n.
    null
        'permutation', 'bootstrap', 'pearson', 'spectrum', 'gamma' or 'mcdiarmid', or one with its parameters.
    level
        The level of the test.
    engine
        As for :func:`twosample.mmd_test`.
    rng
        Seed or generator. The same seed gives the same answer.

    Returns
    -------
    TestResult
        With D_2 as its statistic; the notes give h.

    Notes
    -----
    Time and memory of :func:`twosample.mmd_test`. Windows that shrink with the sample, as density estimation requires,
    cost power: the error of the second kind falls as :math:`m^{-1/2}h^{-d/2}` instead of :math:`m^{-1/2}`. Use it to
    compare with the literature; use :func:`twosample.mmd_test` to find differences, above all with many columns.

    References
    ----------
    N. Anderson, P. Hall and D. Titterington (1994): Two-sample test statistics for measuring discrepancies between two
    multivariate probability density functions using kernel-based density estimates. J. Multivariate Analysis 50, 41-54.

    Examples
    --------
    >>> import numpy as np
    >>> from twosample.rivals.parzen import parzen_l2_test
    >>> rng = np.random.default_rng(0)
    >>> r = parzen_l2_test(rng.normal(size=200), rng.normal(1.0, size=150), rng=1)
    >>> r.rejected, r.statistic > r.threshold
    (True, True)
    """
    pool = door.rows(x, y, centred=True)
    h = window_width(pool.z, pool.m, bandwidth)
    scale = window_scale(h, pool.z.shape[1])
    kernel = Gaussian(sqrt(2) * h)
    null = door.resolve_null(null)
    result = mmd_test(x, y, kernel=kernel, statistic="biased", null=null, level=level, engine=engine, rng=rng)
    return noted(multiplied(result, scale, NAME), f"Parzen windows of width h = {h:.6g}.")
