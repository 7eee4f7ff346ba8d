"""The distance over random test functions (Section 7.4 of the paper)."""

from __future__ import annotations

import numpy as np

from .. import _door as door
from ..errors import options_by_name, whole_number


@options_by_name
def random_witness_distance(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    functions: int = 1000,
    rng: door.Seed = None,
) -> float:
    r"""How far the means of a random function over x and over y lie apart, on average over functions.

    .. math:: D(p, q) = E_{f \sim r} \left| E_p f(x) - E_q f(y) \right|

    of Shawe-Taylor and Dolia (2007), with functions :math:`f = \sum_i g_i e_i` whose coefficients in an orthonormal
    basis of the span of :math:`k(z_1,\cdot), \dots, k(z_N,\cdot)` are independent and standard normal: r depends on the
    norm of f only. By the lemma of Section 7.4, D is then a constant times MMD whatever p and q; here
    :math:`D = \sqrt{2/\pi}\,\mathrm{MMD}_b \approx 0.798\,\mathrm{MMD}_b`. So nothing is gained over MMD: this function
    shows the lemma by numbers.

    Parameters
    ----------
    x, y
        Samples as for :func:`twosample.mmd_test`.
    kernel, bandwidth
        As for :func:`twosample.mmd_test`.
    functions
        Number of random functions.
    rng
        Seed or generator.

    Returns
    -------
    float
        The mean over the functions drawn; its relative standard error is about 0.76 over the root of their number.

    Notes
    -----
    O(N³) time and O(N²) memory: for some thousand rows.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=100), rng.normal(1.0, size=80)
    >>> d = ts.metrics.random_witness_distance(x, y, functions=20_000, rng=0)
    >>> round(d / ts.mmd(x, y, statistic="biased"), 1), round(float(np.sqrt(2 / np.pi)), 1)
    (0.8, 0.8)
    """
    count = whole_number("functions", functions)
    request = door.request(x, y, kernel, bandwidth, rng=rng)
    pool, formula, random = request.pool, request.kernel, request.rng
    values, vectors = np.linalg.eigh(formula.block(pool.z, pool.z))
    roots = np.sqrt(np.maximum(values, 0.0))  # f(z) = vectors @ (roots * g): a Gaussian process with covariance k
    signs = np.concatenate([np.full(pool.m, 1 / pool.m), np.full(pool.n, -1 / pool.n)])
    weights = (signs @ vectors) * roots
    step = max(1, 10_000_000 // len(weights))
    total = 0.0
    for start in range(0, count, step):
        coefficients = random.normal(size=(min(step, count - start), len(weights)))
        total += float(np.abs(coefficients @ weights).sum())
    return total / count
