"""The Hilbert-Schmidt independence criterion, a test whether two variables are independent."""

from __future__ import annotations

from .. import _door as door
from ..engines import Engine
from ..errors import options_by_name, unknown_option
from ..nulls import Null
from ..results import TestResult, conclude
from .aggregated import aggregated_hsic, check_options
from .observed import ObservedHSIC, resolve_null
from .results import CITATION, IndependenceResult
from .sides import make_pair, variables

STATISTICS = {"unbiased": "HSIC_u", "biased": "HSIC_b"}  # estimates of HSIC and their symbols


@options_by_name
def hsic_test(  # noqa: PLR0913 - the options of mmd_test and the kernel of y
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    kernel_y: door.KernelLike | None = None,
    bandwidth: door.BandwidthLike = "median",
    statistic: str = "unbiased",
    null: Null | str = "permutation",
    level: float = 0.05,
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two variables are independent, by the Hilbert-Schmidt independence criterion (Section 7.3).

    H0: the law of the pairs (x, y) is the product of its margins. H1: it is not. HSIC is the squared MMD between the
    two with the kernel k(x,x') l(y,y'), which is the squared Hilbert-Schmidt norm of the cross-covariance operator;
    with characteristic kernels (the default) it is 0 only under independence. With Gram matrices K and L of n pairs,

    .. math:: \mathrm{HSIC}_b = \frac{1}{n^2}\mathrm{tr}(KHLH),\qquad \mathrm{HSIC}_u = \frac{1}{n(n-3)}\Big[
        \mathrm{tr}(K_0L_0) + \frac{1'K_0 1\;1'L_0 1}{(n-1)(n-2)} - \frac{2}{n-2}1'K_0L_0 1\Big]

    where H centres and K_0, L_0 have no diagonal (Song et al. 2012). HSIC_u is unbiased and may be negative.

    Parameters
    ----------
    x, y
        Variables of n rows each; row i of x belongs to row i of y. Arrays of any numbers of columns, lists of objects
        for kernels on objects, or row numbers for ``ts.Precomputed``. At least four rows, no missing values.
    kernel
        The kernel of x, as for :func:`mmd_test`. 'adaptive': Gaussian kernels at three scales of x and three of y, all
        nine pairs joined on the same permutations as in ``mmd_test(kernel="adaptive")``; exact, nine times the time.
    kernel_y
        The kernel of y; None for the same, with its own bandwidth.
    bandwidth
        As for :func:`mmd_test`; the rule looks at x for the kernel of x and at y for that of y.
    statistic
        'unbiased' or 'biased'.
    null
        'permutation' (y against x; exact), 'gamma' (two moments; Gretton et al. 2008), 'spectrum' (products of
        eigenvalues), 'mcdiarmid' (a bound for 'biased' that holds at every n; conservative), 'wild' and
        'circular-shift' (time series); or one with its parameters: ``ts.Permutation(n=9999)``.
    level
        The level of the test.
    engine
        'auto', 'dense' and 'tiled' (exact), 'fourier', 'lowrank' and 'features' (factors), or one with its parameters.
    rng
        Seed or generator, for anything random. The same seed gives the same answer.

    Returns
    -------
    TestResult
        ``statistic, pvalue, threshold, rejected, kernel, kernel_y, ...``; ``m`` and ``n`` are both the number of pairs.

    Notes
    -----
    O(n log n) time for one to three columns with smooth kernels and for rows that repeat, such as categories; otherwise
    O(n² (d + log n)) for n - 1 permutations, with memory O(n²) up to 2000 rows and in strips beyond. Permutations come
    in random cyclic groups, the circular shifts of y along a random order of the rows, because a whole group costs one
    fast Fourier transform. A test over a group is exact. Beyond 4000 rows a low-rank kernel is used where it comes near
    (beyond 12,000 in any case): truth and permutations then share one nearby kernel, so that the test is exact at any
    rank.

    The bound of 'mcdiarmid', for kernels whose ranges have the widths D and E, is
    :math:`P(\sqrt{\mathrm{HSIC}_b} > \sqrt{(n-1)DE}/n + \epsilon) \le \exp(-\epsilon^2 n^3 / (3(n-1)^2 DE))` under
    H0: nothing is estimated and nothing is random. For a thousand rows it rejects from HSIC_b = 0.016 on.

    Time series need ``null=ts.WildBootstrap()`` or ``ts.CircularShift()``. Not for grouped rows, nor for conditional
    independence.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = x**2 + rng.normal(size=200)  # dependent, but not correlated
    >>> ts.hsic_test(x, y, rng=1).rejected
    True
    """
    if not isinstance(statistic, str) or statistic not in STATISTICS:
        raise unknown_option("statistic", statistic, STATISTICS, objects=False)
    null = resolve_null(null)
    level = door.check_level(level)
    door.check_resamples(null, level)
    way = door.resolve_engine(engine)
    random = door.generator(rng)
    if door.is_adaptive(kernel):
        check_options(kernel_y, bandwidth, statistic, null, engine)
        return aggregated_hsic(x, y, null, level, random)
    a, b = variables(x, y, (kernel, kernel_y), bandwidth, random)
    pair, used, reason = make_pair(a, b, way, statistic == "unbiased", random)
    outcome = null.judged(ObservedHSIC(pair, random, (a.kernel, b.kernel)))
    return conclude(
        outcome.law,
        statistic=outcome.value,
        level=level,
        m=pair.size,
        n=pair.size,
        kind=IndependenceResult,
        test="HSIC test of independence",
        symbol=STATISTICS[statistic],
        columns=a.columns,
        columns_y=b.columns,
        kernel=a.kernel,
        kernel_y=b.kernel,
        null=outcome.null,
        engine=used,
        reason=reason,
        notes=a.notes + b.notes + pair.notes + outcome.notes,
        details=pair.notes,
        citation=CITATION,
    )
