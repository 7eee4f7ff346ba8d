"""The kernel Fisher discriminant test of Harchaoui, Bach and Moulines: MMD with whitened embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.laws import ContinuousLaw, Distribution, NormalLaw, PointLaw
from ..core.pvalue import Law, ReplicateLaw
from ..core.types import Floats
from ..errors import InputError, OptionError, options_by_name, positive_number
from ..homogeneity import mmd, mmd_test
from ..kernels import Precomputed
from ..nulls import Null
from ..results import TestResult
from ..statistics import smallest_pvalue
from ._common import ApproximatelyNormal, finish, prepare

TEST = "Kernel Fisher discriminant test"
CITATION = "Harchaoui, Bach and Moulines (2008): Testing for homogeneity with kernel Fisher discriminant analysis"

LARGEST_POOL = 8000  # more pooled rows than this are refused: the matrices would take more than 2 GB


@options_by_name
def kernel_fisher_test(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    regularisation: float = 0.03,
    null: Null | str = "permutation",
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same distribution, by the kernel Fisher discriminant ratio.

    H0: p = q. H1: p ≠ q. The difference :math:`\delta` of the mean embeddings, whose norm is MMD_b, is measured against
    the covariance within the samples, :math:`\Sigma_W = \frac mN\Sigma_x + \frac nN\Sigma_y`:

    .. math:: T = \frac{\frac{mn}{N}\|(\Sigma_W + \gamma I)^{-1/2}\delta\|^2 - d_1}{\sqrt2\, d_2}, \qquad
              d_1 = \mathrm{tr}\,(\Sigma_W+\gamma I)^{-1}\Sigma_W, \quad
              d_2^2 = \mathrm{tr}\,\{(\Sigma_W+\gamma I)^{-1}\Sigma_W\}^2.

    Directions in which both samples vary little count for more than in MMD, which finds differences in fine structure
    at a larger bandwidth; :math:`\gamma` sets how much more. As :math:`\gamma\to\infty` the test becomes that of MMD_b.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    kernel, bandwidth
        As for :func:`twosample.mmd_test`.
    regularisation
        :math:`\gamma` as a share of the trace of the pooled covariance, so that neither the unit of the data nor a
        factor of the kernel matters. At least 1e-7; below, rounding errors would be whitened too.
    null
        'permutation' (exact), 'spectrum', 'gamma', 'pearson' or 'bootstrap' as for :func:`twosample.mmd_test`, or
        'normal': N(0, 1) for T, the limit when :math:`\gamma` goes to 0 slowly, which rejects too often (see below).
    level
        The level of the test.
    rng
        Seed or generator. The same seed gives the same answer.

    Returns
    -------
    TestResult
        With T as its statistic; the notes give the ratio itself and :math:`\gamma`.

    Notes
    -----
    O(N³) time for one N × N factorisation and O(N² R) for R labellings, 8N² bytes several times over; N = 2000 takes
    some seconds. The covariance within depends on the labelling, the pooled one does not, and they differ by rank one:
    :math:`\Sigma = \Sigma_W + \frac{mn}{N^2}\delta\delta'`. By the formula of Sherman and Morrison the ratio is
    :math:`Ns/(1-s)` with :math:`s = \frac{mn}{N^2}\delta'(\Sigma+\gamma I)^{-1}\delta`, and s is MMD_b² with the
    whitened kernel :math:`K(K + N\gamma I)^{-1}` of the pool, times mn/N. So one factorisation serves all labellings,
    and every null of MMD_b applies; T is given with the :math:`d_1` and :math:`d_2` of the observed labelling. The
    normal law needs :math:`d_1 \ll N`: at level 0.05 it rejects 10 % under H0 in 2 columns with 50 + 50 rows, and
    always in 200 columns with 25 + 25 rows. Prefer the others.

    References
    ----------
    Z. Harchaoui, F. Bach and E. Moulines (2008): Testing for homogeneity with kernel Fisher discriminant analysis. NIPS
    20, arXiv:0804.1026.

    Examples
    --------
    >>> import numpy as np
    >>> from twosample.rivals.fisher import kernel_fisher_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 2))
    >>> y = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=80)
    >>> kernel_fisher_test(x, y, rng=1).rejected
    True
    """
    share, level = _check_share(regularisation), door.check_level(level)
    request = door.request(x, y, kernel, bandwidth, rng=rng)
    pool, formula, random = request.pool, request.kernel, request.rng
    _check_size(len(pool.z))
    whitened, gamma = _whitened(formula.block(pool.z, pool.z), share)
    scale = _WhitenedScale.of(whitened, pool.m, pool.n)
    rows = np.arange(pool.m), np.arange(pool.m, pool.m + pool.n)
    kernel = Precomputed(whitened)
    null = door.resolve_null(null)
    if null.name == "normal":
        limit: Distribution = NormalLaw(0.0, 1.0) if gamma else PointLaw(0.0)
        law = ContinuousLaw(limit, smallest_pvalue(pool.m, pool.n))
        task = prepare(*rows, "normal", ("normal",), level, random)
        value = scale.of_mmd(mmd(*rows, kernel=kernel, statistic="biased"))
        result = finish(task, ApproximatelyNormal(law), law, test=TEST, citation=CITATION, symbol="T", value=value)
    else:
        result = mmd_test(*rows, kernel=kernel, statistic="biased", null=null, level=level, rng=random)
        result = scale.restate(result)
    notes = (f"Ratio {scale.ratio(result.statistic):.6g} with gamma = {gamma:.6g}.",)
    if gamma == 0:
        notes = ("All rows look the same to the kernel: there is nothing to compare, T is 0 and p is 1.",)
    columns = pool.z.shape[1] if formula.domain == "vectors" else 0
    return replace(result, kernel=formula.source, columns=columns, notes=notes + result.notes)


@dataclass(frozen=True)
class _WhitenedScale:
    """The way from MMD_b of the whitened kernel to T and back; increasing."""

    m: int  # sample sizes
    n: int
    d1: float  # of the covariance within the observed samples
    d2: float

    @classmethod
    def of(cls, whitened: Floats, m: int, n: int) -> _WhitenedScale:
        """d_1 and d_2 of the covariance within: those of the pooled one, and the change by a matrix of rank one."""
        a = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
        once = a - whitened @ a  # gamma (Sigma + gamma I)^-1 applied to the weights of delta
        twice = once - whitened @ once
        first, second = float(once @ once / (a @ once)), float(once @ twice / (a @ once))
        d1 = float(np.trace(whitened)) - (1 - first)
        square = float(np.vdot(whitened, whitened)) - 2 * (1 - 2 * first + second) + (1 - first) ** 2
        return cls(m, n, max(d1, 0.0), sqrt(max(square, 1e-300)))

    def of_mmd(self, value: float) -> float:
        """T from MMD_b."""
        total = self.m + self.n
        share = min(self.m * self.n / total * value**2, 1 - 1e-15)
        return (total * share / (1 - share) - self.d1) / (sqrt(2) * self.d2)

    def ratio(self, t: float) -> float:
        """The ratio from T."""
        return self.d1 + sqrt(2) * self.d2 * t

    def to_mmd(self, t: float) -> float:
        """MMD_b from T."""
        total, ratio = self.m + self.n, max(self.ratio(t), 0.0)
        return sqrt(total / (self.m * self.n) * ratio / (total + ratio))

    def restate(self, result: TestResult) -> TestResult:
        """The result of the MMD test in terms of T."""
        law: Law = WhitenedLaw(result.law, self)
        if isinstance(result.law, ReplicateLaw):
            values = np.array([self.of_mmd(float(value)) for value in result.law.values])
            below = self.of_mmd(max(0.0, float(result.law.values[0]) - result.law.tolerance))
            law = replace(result.law, values=values, tolerance=float(values[0]) - below)
        value, threshold = self.of_mmd(result.statistic), law.threshold(result.level)
        return replace(result, test=TEST, citation=CITATION, symbol="T", law=law, statistic=value, threshold=threshold)


@dataclass(frozen=True)
class WhitenedLaw:
    """The law of T, from that of MMD_b of the whitened kernel."""

    inner: Law  # the law of MMD_b
    scale: _WhitenedScale  # the way between both

    @property
    def least(self) -> float:
        """The smallest p-value that can occur."""
        return self.inner.least

    def pvalue(self, t: float) -> float:
        """Probability under H0 of at least t."""
        return self.inner.pvalue(self.scale.to_mmd(t))

    def threshold(self, level: float) -> float:
        """The T above which the test rejects at this level."""
        inner = self.inner.threshold(level)
        return self.scale.of_mmd(inner) if np.isfinite(inner) else inner


def _whitened(K: Floats, share: float) -> tuple[Floats, float]:
    """K (K + N gamma I)^-1 of the centred K, and gamma; zeros when all points look the same to the kernel."""
    from scipy.linalg import cho_factor, cho_solve

    size = len(K)
    magnitude = float(np.abs(np.diagonal(K)).mean())
    rows = K.mean(axis=1)
    K = K - rows[:, None] - rows[None, :] + rows.mean()
    trace = float(np.trace(K)) / size
    if trace <= 1e-12 * magnitude:
        return np.zeros((size, size)), 0.0
    gamma = share * trace
    K /= gamma * size
    K[np.diag_indices(size)] += 1
    factor = cho_factor(K, lower=True, overwrite_a=True, check_finite=False)
    inverse: Floats = cho_solve(factor, np.eye(size), overwrite_b=True, check_finite=False)
    return np.eye(size) - (inverse + inverse.T) / 2, gamma


def _check_size(size: int) -> None:
    if size > LARGEST_POOL:
        raise InputError(
            f"kernel_fisher_test factorises an N x N matrix and N = {size}; more than {LARGEST_POOL} rows are refused. "
            "Take a random part of the rows, or use mmd_test."
        )


def _check_share(value: object) -> float:
    share = positive_number("regularisation", value)
    if share < 1e-7:
        raise OptionError(f"regularisation={value!r} must be a number of at least 1e-7, such as 0.03.")
    return share
