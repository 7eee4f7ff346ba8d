"""Bags of points by the overlap of their smoothed densities (Section 7.2 of the paper, after Jebara and Kondor)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log, pi

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import OptionError, positive_number
from ..kernels import Tabulated
from ..kernels.base import Metric
from .sets import BagKernel

_CELLS = 1_000_000  # numbers in a stack of covariances
_SHARE = 0.25  # the smoothing, if none is given, as a share of the bandwidth of a kernel on points


@dataclass(frozen=True)
class Bhattacharyya(BagKernel):
    r"""Bags of points by the overlap of the normal laws that are fitted to them: a probability product kernel.

    .. math:: k(X_i, X_j) = \int p_i(z)^\rho\, p_j(z)^\rho\, dz, \qquad p_i = N(\bar x_i, \Sigma_i),\quad
              \Sigma_i = S_i + h^2 I

    with mean and covariance of the points of bag i, smoothed by a normal window of width h, so that a bag of one point
    has a density too. At :math:`\rho = 1/2` this is Bhattacharyya's coefficient, 1 for bags with the same law and 0 for
    laws that do not overlap (Jebara and Kondor 2003, who extend the paper's set kernel by smoothing). In closed form,
    with :math:`\Sigma = \Sigma_i + \Sigma_j` and d columns,

    .. math:: (2\pi)^{(1-2\rho)d/2}\rho^{-d/2}\,|\Sigma_i|^{(1-\rho)/2}|\Sigma_j|^{(1-\rho)/2}|\Sigma|^{-1/2}
              \exp\big(-\tfrac\rho2 (\bar x_i-\bar x_j)^\top\Sigma^{-1}(\bar x_i-\bar x_j)\big).

    Parameters
    ----------
    power
        :math:`\rho`; 1 is the expected likelihood of one bag under the law of the other.
    smoothing
        h, in the units of the data; None for a quarter of the bandwidth that the rule of the test finds for all points
        of all bags (the median distance).
    normalised
        Divide by :math:`\sqrt{k(X_i,X_i)\,k(X_j,X_j)}`, without which narrow bags drown all others unless the power is
        1/2, where this changes nothing.

    Notes
    -----
    O(N² d³) for N bags of d columns, O(P d²) for all their points. A bag is seen by mean and covariance only: for
    skewed or clustered bags take ``SetKernel(outer=ts.Gaussian())``, which sees all of their distribution. To smooth by
    Parzen windows of width h instead of a normal law, at power 1, take ``SetKernel(ts.Gaussian(2**0.5 * h))``: that is
    the same up to a constant. Columns in different units should be brought to one.

    References
    ----------
    T. Jebara and R. Kondor (2003): Bhattacharyya and expected likelihood kernels. COLT 16.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x = [rng.normal(size=(30, 2)) for _ in range(20)]
    >>> y = [rng.normal(size=(30, 2)) @ [[1, 0.7], [0, 0.7]] for _ in range(20)]  # bags of dependent columns
    >>> ts.mmd_test(x, y, kernel=ts.Bhattacharyya(), rng=0).rejected
    True
    """

    power: float = 0.5
    smoothing: float | None = None
    normalised: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "power", positive_number("power", self.power))
        if self.smoothing is not None:
            object.__setattr__(self, "smoothing", positive_number("smoothing", self.smoothing))

    @property
    def needs_bandwidth(self) -> bool:
        return self.smoothing is None

    @property
    def bounds(self) -> tuple[float, float] | None:
        return (0.0, 1.0) if self.normalised or self.power == 0.5 else None

    def filled(self, bandwidth: Callable[[Metric], float]) -> Bhattacharyya:
        return replace(self, smoothing=_SHARE * bandwidth("euclidean"))

    def table(self, points: Floats, sizes: NDArray[np.intp]) -> Tabulated:
        assert self.smoothing is not None
        h, d = self.smoothing, points.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):
            means, covariances = _fitted((points - points[0]) / h, np.cumsum(sizes)[:-1])
        if not np.isfinite(covariances).all():
            raise OptionError(f"smoothing={h:.3g} is so small beside the points that squares overflow; give more.")
        logs = _log_overlaps(means, covariances, self.power)
        if self.normalised:
            own = np.diagonal(logs) / 2
            logs = np.minimum(logs - own - own[:, None], 0.0)
        else:
            logs = logs + (1 - 2 * self.power) * d * log(h)  # back in the units of the data
        with np.errstate(over="ignore"):
            K = np.exp(logs)
        if not np.isfinite(K).all():
            raise OptionError(f"{self!r}: densities of narrow bags leave the range of numbers; use normalised=True.")
        return Tabulated(self, K)


def _fitted(points: Floats, cuts: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """``(N, d)`` means and ``(N, d, d)`` covariances of the bags, whose points are in units of the smoothing."""
    bags = np.split(points, cuts)
    means = np.array([bag.mean(axis=0) for bag in bags])
    rest = [bag - mean for bag, mean in zip(bags, means, strict=True)]
    return means, np.array([part.T @ part / len(part) + np.eye(points.shape[1]) for part in rest])


def _log_overlaps(means: Floats, covariances: Floats, power: float) -> Floats:
    """``(N, N)`` logarithms of the integrals."""
    count, d = means.shape
    own = _log_determinants(np.asarray(np.linalg.cholesky(covariances), dtype=np.float64))
    result = np.empty((count, count))
    step = max(1, _CELLS // (d * d))
    for i in range(count):
        for start in range(i, count, step):
            rows = slice(start, min(start + step, count))
            L = np.asarray(np.linalg.cholesky(covariances[i] + covariances[rows]), dtype=np.float64)
            scores = np.linalg.solve(L, (means[rows] - means[i])[:, :, None])[:, :, 0]
            logs = (1 - power) / 2 * (own[i] + own[rows]) - _log_determinants(L) / 2
            result[i, rows] = result[rows, i] = logs - power / 2 * np.square(scores).sum(axis=1)
    result += d / 2 * ((1 - 2 * power) * log(2 * pi) - log(power))
    return result


def _log_determinants(L: Floats) -> Floats:
    """``(N,)`` of the matrices whose Cholesky factors these are."""
    return np.asarray(2 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1))
