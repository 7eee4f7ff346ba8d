"""The kernel Fisher discriminant test of Harchaoui, Bach and Moulines: MMD with whitened embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.distributions import Distribution, NormalLaw, PointLaw
from ..core.labellings import Labellings, observed, relabellings
from ..core.laws import ContinuousLaw, Law, ReplicateLaw
from ..core.pvalue import smallest_pvalue
from ..core.sums import sums_of_matrix
from ..core.types import Floats
from ..errors import InputError, OptionError
from ..nulls import Null, Permutation, Spectrum
from ..results import TestResult
from ..statistics import Biased
from ._common import ApproximatelyNormal, Task, columns_at_once, finish, prepare

CITATION = "Harchaoui, Bach and Moulines (2008): Testing for homogeneity with kernel Fisher discriminant analysis"

LARGEST_POOL = 8000
"""More pooled rows than this are refused: the matrices would take more than 2 GB."""


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
        factor of the kernel matters.
    null
        'permutation' (or ``ts.Permutation(n=...)``): exact. 'spectrum': the limit law at fixed :math:`\gamma`, a
        weighted sum of chi-squares. 'normal': the limit law N(0, 1) when :math:`\gamma` goes to 0 slowly; too many
        rejections at small samples (see the notes).
    level
        The level of the test.
    rng
        Seed or generator; for 'permutation' and for the bandwidth of large samples.

    Returns
    -------
    TestResult
        With T as its statistic; the notes give the ratio itself and :math:`\gamma`.

    Notes
    -----
    O(N³) time for one N × N factorisation and O(N² R) for R labellings, 8N² bytes several times over; N = 2000 takes
    some seconds. The covariance within depends on the labelling, the pooled one does not, and they differ by rank one:
    :math:`\Sigma = \Sigma_W + \frac{mn}{N^2}\delta\delta'`. By the formula of Sherman and Morrison the ratio is an
    increasing function of :math:`\delta'(\Sigma+\gamma I)^{-1}\delta`, so one factorisation serves all labellings; they
    are compared by the ratio, with the :math:`d_1` and :math:`d_2` of the observed one.

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
    formula = door.resolve_kernel(kernel)
    rule = door.resolve_bandwidth(bandwidth, formula)
    share = _check_share(regularisation)
    pool = door.pool(x, y, formula)
    task = prepare(pool.x, pool.y, null, ("normal", "permutation", "spectrum"), level, rng)
    if task.total > LARGEST_POOL:
        raise InputError(
            f"kernel_fisher_test factorises an N x N matrix and N = {task.total}; more than {LARGEST_POOL} rows are "
            "refused. Take a random part of the rows, or use mmd_test."
        )
    formula = door.fill_bandwidth(formula, rule, pool.z, task.rng)
    whitening = _whitening(formula.block(pool.z, pool.z), share)
    ratio = None if whitening is None else _Ratio.of(whitening, task)
    law = _law(task, ratio)
    notes = () if ratio is None else (f"Ratio {ratio.observed:.6g} with gamma = {ratio.whitening.gamma:.6g}.",)
    value = 0.0 if ratio is None else ratio.standardised(ratio.observed)
    result = finish(
        task,
        _null(task, law),
        law,
        test="Kernel Fisher discriminant test",
        citation=CITATION,
        symbol="T",
        value=value,
        notes=notes,
    )
    return replace(result, kernel=formula, columns=result.columns if formula.domain == "vectors" else 0)


@dataclass(frozen=True, eq=False)
class _Whitening:
    """The regularised inverse of the pooled covariance, as it acts on the N embedded points.

    Parameters
    ----------
    inverse
        ``(N, N)``: S = (K/N + gamma I)^-1 with the centred Gram matrix K.
    gamma
        The regularisation, in the units of the kernel.
    precision
        Relative rounding error of sums over S.
    """

    inverse: Floats
    gamma: float
    precision: float

    def rest(self, labels: Labellings, m: int, n: int) -> Floats:
        r"""``(R,)`` values r = 1 - (mn/N²) delta' (Sigma + gamma I)^-1 delta, in (0, 1].

        With weights a = 1/m on x and -1/n on y this is (mn/N) gamma a'Sa: the formula of MMD_b² with S as the kernel.
        """
        form, width = Biased().form(m, n), columns_at_once(m + n)
        parts = [Labellings(labels.x[:, start : start + width]) for start in range(0, labels.count, width)]
        squares = [form.value(sums_of_matrix(self.inverse, part, m, n)) for part in parts]
        return np.asarray(m * n / (m + n) * self.gamma * np.concatenate(squares))

    def degrees(self, m: int, n: int) -> tuple[float, float]:
        """d_1 and d_2 of the covariance within: those of the pooled one, and the change by a matrix of rank one."""
        S, gamma = self.inverse, self.gamma
        a = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
        Sa = S @ a
        once, twice = gamma * (Sa @ Sa) / (a @ Sa), gamma**2 * (Sa @ (S @ Sa)) / (a @ Sa)
        trace = len(a) - gamma * np.trace(S)
        square = len(a) - 2 * gamma * np.trace(S) + gamma**2 * np.vdot(S, S)
        first = trace - (1 - once)
        second = square - 2 * (1 - 2 * once + twice) + (1 - once) ** 2
        return float(max(first, 0.0)), sqrt(max(float(second), 1e-300))


@dataclass(frozen=True, eq=False)
class _Ratio:
    """The ratio (mn/N) delta' (Sigma_W + gamma I)^-1 delta, what it is compared with, and its resampled values."""

    whitening: _Whitening
    d1: float
    d2: float
    values: Floats
    tolerance: float
    least: float

    @classmethod
    def of(cls, whitening: _Whitening, task: Task) -> _Ratio:
        m, n = task.m, task.n
        labels = observed(m, n)
        if isinstance(task.null, Permutation):
            labels = relabellings(m, n, task.null.resamples, task.rng)
        rest = whitening.rest(labels, m, n)
        tolerance = whitening.precision * task.total / float(rest[0])
        d1, d2 = whitening.degrees(m, n)
        least = max((1 + (m == n)) * smallest_pvalue(m, n), 1 / labels.count)  # x and y may change places if m = n
        return cls(whitening, d1, d2, task.total * (1 - rest) / rest, tolerance, least)

    @property
    def observed(self) -> float:
        """The ratio of the true labelling."""
        return float(self.values[0])

    def standardised(self, ratio: float) -> float:
        """T."""
        return (ratio - self.d1) / (sqrt(2) * self.d2)

    def replicates(self) -> ReplicateLaw:
        """T in all relabelled worlds, with the d_1 and d_2 of the true one."""
        unit = sqrt(2) * self.d2
        return ReplicateLaw((self.values - self.d1) / unit, self.tolerance / unit, self.least)


def _whitening(K: Floats, share: float) -> _Whitening | None:
    """Centre K and invert; None when all points look the same to the kernel."""
    from scipy.linalg import cho_factor, cho_solve

    size = len(K)
    magnitude = float(np.abs(np.diagonal(K)).mean())
    rows = K.mean(axis=1)
    K = K - rows[:, None] - rows[None, :] + rows.mean()
    trace = float(np.trace(K)) / size
    if trace <= 1e-12 * magnitude:
        return None
    gamma = share * trace
    K /= size
    K[np.diag_indices(size)] += gamma
    factor = cho_factor(K, lower=True, overwrite_a=True, check_finite=False)
    inverse: Floats = cho_solve(factor, np.eye(size), overwrite_b=True, check_finite=False)
    return _Whitening(inverse, gamma, max(1e-10, 1e-14 / share))


def _law(task: Task, ratio: _Ratio | None) -> Law:
    if ratio is None:
        return ContinuousLaw(PointLaw(0.0), task.m, task.n)
    if isinstance(task.null, Permutation):
        return ratio.replicates()
    distribution: Distribution = NormalLaw(0.0, 1.0)
    if task.null == "spectrum":
        from scipy.linalg import eigvalsh

        from ..core.chisquare import WeightedChiSquare

        whitening = ratio.whitening
        shares = np.clip(1 - whitening.gamma * eigvalsh(whitening.inverse), 0.0, 1.0)  # λ / (λ + γ)
        weights = shares / np.sqrt(2 * np.square(shares).sum())
        distribution = WeightedChiSquare(weights, shift=-float(weights.sum()))
    return ContinuousLaw(distribution, task.m, task.n)


def _null(task: Task, law: Law) -> Null:
    if isinstance(task.null, Permutation):
        return task.null
    return Spectrum() if task.null == "spectrum" else ApproximatelyNormal(law)


def _check_share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < float(value) < np.inf:
        raise OptionError(f"regularisation={value!r} must be a positive number, such as 0.03.")
    return float(value)
