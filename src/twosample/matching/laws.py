"""What MMD² is under H0 for a pair of columns: prices for leaving a column unmatched, and p-values of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from ..core.centred import Centred, CentredGram, CentredSpectrum
from ..core.evidence import Evidence
from ..core.types import Floats
from ..engines.featured import without_diagonal
from ..engines.grid import unbiased_square
from ..nulls import Gamma, Null, Spectrum
from ..statistics import Unbiased
from .atoms import Atoms, median_distance
from .lines import rounded
from .words import SPECTRUM, prepared, shares

_STEP, _REACH = 0.5, 8
_WIDEST = 400  # nodes, or categories, from which eigenvalues are computed
_QUANTILES = 65
_TEXTS = 250  # of each side, for the law


@dataclass(frozen=True, eq=False)
class Pooled:
    """Two samples as weighted points with explicit features, k(z, z) being 1: enough for MMD²_u and its law.

    Parameters
    ----------
    features
        ``(K, D)`` features of the points.
    x, y
        ``(K,)`` shares of the rows of each sample at the points.
    m, n
        Rows.
    """

    features: Floats
    x: Floats
    y: Floats
    m: int
    n: int

    @property
    def statistic(self) -> float:
        """MMD²_u."""
        u, v = self.x @ self.features, self.y @ self.features
        m, n = self.m, self.n
        return float((m * (u @ u) - 1) / (m - 1) - 2 * (u @ v) + (n * (v @ v) - 1) / (n - 1))

    def centred(self, eigenvalues: bool = True) -> Centred:
        """What the laws under H0 need, of the pool of both."""
        f, size = self.features, self.m + self.n
        w = (self.m * self.x + self.n * self.y) / size
        mean = w @ f
        C = (f * w[:, None]).T @ f - np.outer(mean, mean)
        level = float(mean @ mean)
        own = 1 - 2 * (f @ mean) + level  # k~(z, z)
        values = np.linalg.eigvalsh(C).astype(np.float64) if eigenvalues else np.zeros(1)
        return _centred(float((C * C).sum()), 1 - level, float(w @ own**2), values, size)


def _centred(squares: float, diagonal: float, diagonal_square: float, values: Floats, size: int) -> CentredSpectrum:
    """From means over all pairs and over the diagonal of the centred kernel, and its eigenvalues."""
    square = 0.0
    if size > 3:
        square = max(0.0, unbiased_square(squares - diagonal_square / size, diagonal, diagonal_square, size))
    values = without_diagonal(values, diagonal / size, size)
    values *= sqrt(square / max(float(values @ values), 1e-300))
    return CentredSpectrum(square, diagonal * size / max(size - 1, 1), 1.0, values, 0.0, 0.0)


def pvalue(null: Null, statistic: float, m: int, n: int, centred: Centred) -> float:
    """The p-value of MMD²_u."""
    return null.law(_evidence(statistic, m, n, centred)).pvalue(statistic)


def price(m: int, n: int, centred: Centred, level: float) -> float:
    """About the value that MMD²_u exceeds with this probability under H0."""
    return Gamma().law(_evidence(0.0, m, n, centred)).threshold(level)


def _evidence(statistic: float, m: int, n: int, centred: Centred) -> Evidence:
    return Evidence(
        values=np.array([statistic]), tolerance=1e-12, exhaustive=False, m=m, n=n, kernel="", bounds=(0.0, 1.0),
        term_count=min(m, n) // 2, form=Unbiased().form(m, n), centred=lambda: centred,
        least=Unbiased().least_pvalue(m, n),
    )  # fmt: skip


def pooled_numbers(x: Atoms, y: Atoms, bandwidth: float | None = None) -> Pooled | None:
    """Two single columns, with the Gaussian kernel at the median distance of the pool; None if there are many nodes."""
    m, n = int(x.rows[0]), int(y.rows[0])
    place, variance = np.concatenate([x.place, y.place]), np.concatenate([x.variance, y.variance])
    first, second = np.zeros(len(place)), np.zeros(len(place))
    first[: len(x.mass)], second[len(x.mass) :] = x.mass, y.mass
    order = np.argsort(place, kind="stable")
    place, variance, first, second = place[order], variance[order], first[order], second[order]
    if bandwidth is None:
        heap = np.cumsum(m * first + n * second)
        at = np.searchsorted(heap, np.linspace(0, 1, _QUANTILES) * heap[-1] * (1 - 1e-12))
        bandwidth = float(rounded(np.array([median_distance(place[at]) or median_distance(place)]))[0])
    step = _STEP * bandwidth
    gaps = np.minimum(np.diff(place, prepend=place[0]) / step, 2.0 * _REACH + 1)
    line = np.cumsum(gaps)  # in steps; what is far apart is brought as near as it may be
    nodes = np.arange(-_REACH, np.ceil(line[-1]) + _REACH + 1)
    if len(nodes) > _WIDEST:
        return None
    spread = 2.0 + variance / step**2  # the features alone have the variance σ²/2
    features = np.exp(-np.square(line[:, None] - nodes) / (2 * spread[:, None]))
    features *= (sqrt(_STEP * sqrt(2 / pi)) * np.sqrt(2.0 / spread))[:, None]
    return Pooled(features, first, second, m, n)


def numbers_pvalue(x: Atoms, y: Atoms, rows_x: Floats, rows_y: Floats) -> tuple[float, float]:
    """MMD²_u of two columns of numbers and its p-value, with the bandwidth of the pool."""
    pool = pooled_numbers(x, y)
    if pool is None:
        from ..homogeneity import mmd_test

        result = mmd_test(rows_x, rows_y, null=Spectrum(), rng=0)
        return result.statistic, result.pvalue
    return pool.statistic, pvalue(Spectrum(), pool.statistic, pool.m, pool.n, pool.centred())


def numbers_price(x: Atoms, bandwidth: float, n: int, level: float) -> float:
    """What the squared MMD of a column of numbers and n more rows of the same exceeds with this probability."""
    m = int(x.rows[0])
    pool = pooled_numbers(x, x, bandwidth)
    if pool is None:  # a heavy tail: the nodes of the middle half would do; the bound of any kernel does as well
        return price(m, n, CentredSpectrum(0.25, 1.0, 1.0, np.zeros(1), 0.0, 0.0), level)
    return price(m, n, pool.centred(eigenvalues=False), level)


def categories_law(counts: Floats, size: int) -> Centred:
    """The delta kernel on categories with these shares in the pool."""
    p = np.sort(counts[counts > 0])[::-1]
    level = float(p @ p)
    squares = level - 2 * float((p**3).sum()) + level**2
    own = 1 - 2 * p + level
    few = p[:_WIDEST]
    values = np.linalg.eigvalsh(np.diag(few) - np.outer(few, few)).astype(np.float64)
    values = np.concatenate([values, p[_WIDEST:]])  # the eigenvalues lie between the shares
    return _centred(squares, 1 - level, float(p @ own**2), values, size)


def categories_pvalue(x: tuple[str, ...], y: tuple[str, ...]) -> tuple[float, float]:
    """MMD²_u of two columns of categories and its p-value."""
    both = shares([x, y])
    p, q = both[[0]].toarray()[0], both[[1]].toarray()[0]
    m, n = len(x), len(y)
    statistic = float((m * (p @ p) - 1) / (m - 1) - 2 * (p @ q) + (n * (q @ q) - 1) / (n - 1))
    centred = categories_law((m * p + n * q) / (m + n), m + n)
    return statistic, pvalue(Spectrum(), statistic, m, n, centred)


def text_pvalue(x: tuple[str, ...], y: tuple[str, ...]) -> tuple[float, float]:
    """MMD²_u of two columns of text and its p-value, from at most 250 texts of each."""
    first, second = prepared(x, _TEXTS), prepared(y, _TEXTS)
    every = [*first, *second]
    features = SPECTRUM.on(every).features(np.arange(len(every), dtype=np.float64)[:, None])
    K = np.asarray((features @ features.T).toarray(), dtype=np.float64)
    m, n = len(first), len(second)
    own = [(float(part.sum()) - float(np.trace(part))) / (k * (k - 1)) for part, k in ((K[:m, :m], m), (K[m:, m:], n))]
    statistic = own[0] - 2 * float(K[:m, m:].mean()) + own[1]
    if len(K) < 4:
        return statistic, 1.0
    return statistic, pvalue(Spectrum(), statistic, m, n, CentredGram.of(K))


def text_centred(x: tuple[str, ...]) -> Centred | None:
    """What the laws need of one column of text; None if it has hardly any."""
    texts = prepared(x, _TEXTS)
    if len(texts) < 4:
        return None
    features = SPECTRUM.on(texts).features(np.arange(len(texts), dtype=np.float64)[:, None])
    return CentredGram.of(np.asarray((features @ features.T).toarray(), dtype=np.float64))
