"""The Kullback-Leibler divergence by a convex problem in an RKHS (Nguyen, Wainwright and Jordan 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..errors import OptionError, options_by_name, positive_number

MODELS = ("log", "ratio")
_STEPS = 500
_ENOUGH = 1e-12  # of the objective, that one more step could gain
_RANK = 1e-12  # of the largest kernel value, from which on directions count
_DEFINITE = 1e-6  # of the same, that may be left when no direction is


@options_by_name
def kl_divergence(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    penalty: float | None = None,
    model: str = "log",
    rng: door.Seed = None,
) -> float:
    r"""The Kullback-Leibler divergence of q from p, without density estimates.

    :math:`\mathrm{KL}(p\|q) = \int p\log(p/q) = \sup_{g>0} \{E_p\log g - E_q g + 1\}`, and the supremum is at the ratio
    :math:`g = p/q`. Nguyen, Wainwright and Jordan (2008), whom the conclusion of the paper cites, look for the ratio or
    its logarithm in an RKHS: with means over the samples,

    .. math:: \hat f = \arg\min_f \frac1n\sum_j e^{f(y_j)} - \frac1m\sum_i f(x_i) + \frac\lambda2\|f\|^2, \qquad
              \widehat{\mathrm{KL}} = \frac1m\sum_i \hat f(x_i) - \frac1n\sum_j e^{\hat f(y_j)} + 1.

    Parameters
    ----------
    x, y
        Samples of p and q, as for :func:`twosample.mmd_test`; objects with a kernel for them, too.
    kernel, bandwidth
        As for :func:`twosample.mmd_test`.
    penalty
        :math:`\lambda`; None for 0.1 over the root of the smaller sample size.
    model
        What the RKHS holds: 'log', the logarithm of the ratio, as above; or 'ratio', the ratio g itself (with
        :math:`\frac1n\sum_j g(y_j) - \frac1m\sum_i \log g(x_i)` for the first two terms), which needs a kernel without
        negative values. 'log' is never negative, and shrinks towards "no difference" (0); 'ratio' shrinks g to 0.
    rng
        Seed or generator, for the bandwidth of large samples only.

    Returns
    -------
    float
        The estimate, in nats. Not symmetric in x and y.

    Notes
    -----
    O(N² r) time and O(N²) memory with r the rank of the Gram matrix to rounding (some dozens for smooth kernels on few
    columns, N at worst), then O(N r²) for each of about ten steps of Newton's method. Functions are fitted and
    evaluated on the same rows, so that the estimate is too large where there is little to find: for two samples of 200
    rows of one normal law about 0.04 instead of 0, of 800 rows 0.01. Where q has no mass and p has, the divergence is
    infinite and the estimate says how far the penalty lets f go. A measure, not a test: for that there is
    :func:`twosample.mmd_test`.

    References
    ----------
    X. Nguyen, M. J. Wainwright and M. I. Jordan (2008): Estimating divergence functionals and the likelihood ratio by
    penalized convex risk minimization. NIPS 20.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=500), rng.normal(1.0, size=500)  # the divergence is 1/2
    >>> 0.4 < ts.metrics.kl_divergence(x, y) < 0.6
    True
    """
    if not isinstance(model, str) or model not in MODELS:
        raise OptionError(f"model={model!r} must be 'log' or 'ratio'.")
    request = door.request(x, y, kernel, bandwidth, rng=rng)
    pool, formula = request.pool, request.kernel
    weight = 0.1 / np.sqrt(min(pool.m, pool.n)) if penalty is None else positive_number("penalty", penalty)
    K = formula.block(pool.z, pool.z)
    door.check_values(formula, float(np.abs(K).max()), len(K), powers=False)
    features = _features(K)
    problem = (_Log if model == "log" else _Ratio)(features[: pool.m], features[pool.m :], float(weight))
    return problem.gain(_minimise(problem))


@dataclass(frozen=True, eq=False)
class _Log:
    """The function is f = log g; coefficients b of its features."""

    x: Floats
    y: Floats
    penalty: float

    def start(self) -> Floats:
        return np.zeros(self.x.shape[1])

    def gain(self, b: Floats) -> float:
        """The estimate that belongs to these coefficients; -inf where there is none."""
        with np.errstate(over="ignore"):
            return float((self.x @ b).mean() - np.exp(self.y @ b).mean() + 1)

    def slopes(self, b: Floats) -> tuple[Floats, Floats]:
        """The gradient and the matrix of second derivatives of what is minimised, without the penalty."""
        weight = np.exp(self.y @ b) / len(self.y)
        return self.y.T @ weight - self.x.mean(axis=0), (self.y * weight[:, None]).T @ self.y


@dataclass(frozen=True, eq=False)
class _Ratio:
    """The function is g itself."""

    x: Floats
    y: Floats
    penalty: float

    def start(self) -> Floats:
        mean = self.x.mean(axis=0)
        values = self.x @ mean
        if not (values > 0).all():
            raise OptionError("model='ratio' needs a kernel with positive values on x, as 'gaussian'; use model='log'.")
        return np.asarray(mean / values.mean())

    def gain(self, b: Floats) -> float:
        """See :class:`_Log`."""
        g = self.x @ b
        if not (g > 0).all():
            return -np.inf
        return float(np.log(g).mean() - (self.y @ b).mean() + 1)

    def slopes(self, b: Floats) -> tuple[Floats, Floats]:
        """See :class:`_Log`."""
        inverse = 1 / (self.x @ b)
        weight = inverse**2 / len(self.x)
        return self.y.mean(axis=0) - self.x.T @ inverse / len(self.x), (self.x * weight[:, None]).T @ self.x


def _minimise(problem: _Log | _Ratio) -> Floats:
    """The coefficients of least penalised risk, by Newton's method with shortened steps: the problem is convex."""
    from scipy.linalg import solve

    def risk(b: Floats) -> float:
        return 1 - problem.gain(b) + problem.penalty / 2 * float(b @ b)

    b = problem.start()
    least = risk(b)
    for _ in range(_STEPS):
        gradient, bend = problem.slopes(b)
        gradient = gradient + problem.penalty * b
        bend[np.diag_indices(len(b))] += problem.penalty
        direction = solve(bend, gradient, assume_a="pos")
        promised = float(gradient @ direction)
        if promised <= _ENOUGH * (1 + abs(least)):
            break
        share = 1.0
        while (value := risk(b - share * direction)) > least - 0.25 * share * promised and share > 1e-12:
            share /= 2
        if share <= 1e-12:  # no digit of the risk is left to gain
            break
        b, least = b - share * direction, value
    return b


def _features(K: Floats) -> Floats:
    """``(N, r)`` features whose inner products are K, by a Cholesky decomposition with pivots."""
    from scipy.linalg.lapack import dpstrf

    largest = float(np.abs(K).max())
    if largest == 0:
        return np.zeros((len(K), 1))
    factor, pivots, rank, _ = dpstrf(K / largest, lower=1, tol=_RANK)
    features = np.empty((len(K), rank))
    features[pivots - 1] = np.tril(factor)[:, :rank]
    left = float(np.abs(np.square(features).sum(axis=1) - np.diagonal(K) / largest).max())
    if left > _DEFINITE or np.diagonal(K).max() < (1 - _DEFINITE) * largest:
        raise OptionError("kl_divergence needs a positive definite kernel: its functions must form a space.")
    return np.asarray(np.sqrt(largest) * features)
