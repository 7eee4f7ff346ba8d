"""The kernel tests on thousands of pairs of samples: a low-rank factor of the Gram matrix serves all of them.

What ``ts.mmd_test`` does for one pair, without its options and threads, and ten times as fast for many small pairs; the
laws are the library's. ``tests/experiments`` compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

import twosample as ts
from twosample.core.centred import CentredSpectrum, pooled_square
from twosample.core.labellings import random_subsets
from twosample.core.pearson import fit_pearson
from twosample.core.pvalue import resampling_pvalue
from twosample.statistics import Unbiased

LEVEL = 0.05
_TOLERANCE = {1: 1e-7, 2: 1e-4}  # of a kernel value, in one column and in more


def factor(z: np.ndarray, width: float) -> np.ndarray:
    """``(N, r)`` a factor of the Gram matrix of the kernel Gaussian(width), by a pivoted Cholesky decomposition."""
    points, place = np.unique(z, axis=0, return_inverse=True)
    if z.shape[1] > 1:
        K = np.exp(cdist(points, points, "sqeuclidean") / (-2 * width**2))
        lower, pivots, rank, _ = dpstrf(K, lower=1, tol=_TOLERANCE[2])
        columns = np.empty((len(points), rank))
        columns[pivots - 1] = np.tril(lower)[:, :rank]
        return columns[place.ravel()]
    line = points[:, 0] / (np.sqrt(2) * width)
    rest, rows = np.ones(len(line)), np.empty((len(line), len(line)))
    for rank in range(len(line)):
        pivot = int(rest.argmax())
        if rest[pivot] <= _TOLERANCE[1]:
            break
        row = np.exp(-((line - line[pivot]) ** 2)) - rows[:rank, pivot] @ rows[:rank]
        rows[rank] = row / np.sqrt(rest[pivot])
        rest = np.maximum(rest - rows[rank] ** 2, 0)
    else:
        rank = len(line)
    return rows[:rank].T[place.ravel()]


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of features over x and over y: ``(r, R)`` columns for R worlds of m and n points."""

    x: np.ndarray
    y: np.ndarray
    m: int
    n: int

    @property
    def unbiased(self) -> np.ndarray:
        """``(R,)`` MMD²_u with all cross terms; the kernel is 1 on the diagonal."""
        xx, xy, yy = (np.einsum("jr,jr->r", a, b) for a, b in ((self.x, self.x), (self.x, self.y), (self.y, self.y)))
        m, n = self.m, self.n
        return (xx - m) / (m * (m - 1)) + (yy - n) / (n * (n - 1)) - 2 * xy / (m * n)

    @property
    def biased(self) -> float:
        """MMD_b in the first world."""
        return float(np.linalg.norm(self.x[:, 0] / self.m - self.y[:, 0] / self.n))


@lru_cache(maxsize=4)
def worlds(m: int, n: int, count: int, seed: int) -> np.ndarray:
    """``(N, 1 + count)`` zeros and ones: the true labels, and random relabellings that many pairs may share."""
    others = random_subsets(m, n, count, np.random.default_rng([seed, m, n]))
    return np.concatenate([(np.arange(m + n) < m)[:, None], others], axis=1).astype(np.float64)


@cache
def bound(statistic: str, null: str, m: int, n: int) -> float:
    """The threshold of a bound, which depends on the sample sizes alone."""
    x = np.arange(float(m))
    return ts.mmd_test(x, x[:n], kernel=ts.Gaussian(1.0), statistic=statistic, null=null, level=LEVEL).threshold


def accepted(z: np.ndarray, m: int, width: float, labels: np.ndarray, prose: bool = False) -> dict[str, bool]:
    """Whether each kernel test accepts H0 for the pooled points, of which the first m are x.

    "M" has the kurtosis of the authors' published code, "M, prose" (if it is asked for) that of the paper.
    """
    n, phi = len(z) - m, factor(z, width)
    of_x = phi.T @ labels
    sums = Sums(of_x, phi.sum(axis=0)[:, None] - of_x, m, n)
    values = sums.unbiased
    found = {
        "MMD_b": sums.biased <= bound("biased", "mcdiarmid", m, n),
        "MMD²_u H": bool(values[0] <= bound("unbiased", "hoeffding", m, n)),
        "MMD²_u B": resampling_pvalue(values, 1e-12) > LEVEL,
    }
    tails = pearson_pvalues(phi, m, n, float(values[0]))
    found["MMD²_u M"] = tails["published"]() > LEVEL
    if prose:
        found["MMD²_u M, prose"] = tails["bound"]() > LEVEL
    return found


def pearson_pvalues(phi: np.ndarray, m: int, n: int, value: float) -> dict[str, Callable[[], float]]:
    """Of MMD²_u by Pearson curves through the moments of the pooled sample, for two of the library's rules."""
    centred, form = centred_moments(phi), Unbiased().form(m, n)
    if centred.degenerate:
        return dict.fromkeys(("bound", "published"), lambda: 1.0)
    variance = form.variance(centred)
    skewness = form.third_moment(centred) / variance**1.5
    rules = {"bound": skewness**2 + 4, "published": 2 * (skewness**2 + 1)}
    return {
        name: lambda kurtosis=kurtosis: fit_pearson(0.0, variance, skewness, kurtosis).sf(value)  # type: ignore[misc]
        for name, kurtosis in rules.items()
    }


def centred_moments(phi: np.ndarray) -> CentredSpectrum:
    """Moments of the centred kernel from ``(N, r)`` features; the small entrywise cube from at most 300 rows."""
    size, mean = len(phi), phi.mean(axis=0)
    features = phi - mean
    C = features.T @ features / size
    diagonal = np.einsum("ij,ij->i", features, features)
    bent = np.einsum("ij,ij->i", features @ C, features)
    squares = size**2 * float((C * C).sum()) - float(diagonal @ diagonal)
    triangles = size**3 * np.vdot(C @ C, C) - 3 * size * (diagonal @ bent) + 2 * (diagonal**3).sum()
    part = features[:: max(1, size // 300)]
    K = part @ part.T
    np.fill_diagonal(K, 0)
    return CentredSpectrum(
        square=pooled_square(squares, -diagonal),
        spread=float(diagonal.mean()) * size / (size - 1),
        magnitude=1.0,
        values=np.zeros(0),
        triangles=float(triangles) / (size * (size - 1.0) * (size - 2.0)),
        cubes=float((K * K * K).sum()) / (len(K) * (len(K) - 1)),
    )
