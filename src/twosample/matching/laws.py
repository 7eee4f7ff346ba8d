"""What MMD² is under H0 for a pair of columns: prices for leaving a column unmatched, and p-values of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from ..core.centred import Centred, CentredGram, CentredSpectrum, unbiased_square, without_diagonal
from ..core.evidence import Evidence
from ..core.line_distances import typical_distance
from ..core.types import Floats
from ..nulls import Gamma, Null, Spectrum
from ..statistics import Unbiased
from .atoms import Atoms
from .lines import inner_products, rounded
from .words import SPECTRUM, prepared, shares

_STEP, _REACH = 0.5, 8
_WIDEST = 400  # nodes, or categories, from which eigenvalues are computed
_GROUPS = 300  # neighbours taken together, where there are more nodes
_QUANTILES = 33
_LARGE = 1000
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
    large = values > 1e-5 * values.max()
    values = without_diagonal(values, diagonal / size, size) if size < _LARGE else values[large]  # else of no account
    values = values * sqrt(square / max(float(values @ values), 1e-300))
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


@dataclass(frozen=True, eq=False)
class _Line:
    """Two columns of numbers as pooled atoms, in order."""

    place: Floats
    spread: Floats
    x: Floats
    y: Floats
    m: int
    n: int

    @classmethod
    def of(cls, x: Atoms, y: Atoms) -> _Line:
        place = np.concatenate([x.place, y.place])
        first, second = np.zeros(len(place)), np.zeros(len(place))
        first[: len(x.mass)], second[len(x.mass) :] = x.mass, y.mass
        order = np.argsort(place, kind="stable")
        spread = np.concatenate([x.spread, y.spread])[order]
        return cls(place[order], spread, first[order], second[order], int(x.rows[0]), int(y.rows[0]))

    def bandwidth(self) -> float:
        """The median distance of the pool, rounded."""
        heap = np.cumsum(self.m * self.x + self.n * self.y)
        at = np.searchsorted(heap, np.linspace(0, 1, _QUANTILES) * heap[-1] * (1 - 1e-12))
        median = typical_distance(self.place[at], _QUANTILES) or typical_distance(self.place, _QUANTILES)
        return float(rounded(np.array([median]))[0])

    def pooled(self, bandwidth: float) -> Pooled:
        """With the features of a Gaussian kernel."""
        step = _STEP * bandwidth
        with np.errstate(over="ignore"):
            gaps = np.minimum(np.diff(self.place, prepend=self.place[0]) / step, 2.0 * _REACH + 1)
            width = np.square(self.spread / step)
        line = np.cumsum(gaps)  # in steps; what is far apart is brought as near as it may be
        if line[-1] > _WIDEST:
            return self._grouped(line)
        nodes = np.arange(-_REACH, np.ceil(line[-1]) + _REACH + 1)
        variance = 2.0 + np.minimum(width, 1e12)  # the features alone have the variance σ²/2
        features = np.exp(-np.square(line[:, None] - nodes) / (2 * variance[:, None]))
        features *= (sqrt(_STEP * sqrt(2 / pi)) * np.sqrt(2.0 / variance))[:, None]
        return Pooled(features, self.x, self.y, self.m, self.n)

    def _grouped(self, line: Floats) -> Pooled:
        """A heavy tail: neighbours are taken together until there are few enough, and their kernel matrix is split."""
        heap = np.cumsum(self.m * self.x + self.n * self.y)
        group = np.minimum((_GROUPS * heap / heap[-1] * (1 - 1e-12)).astype(np.intp), _GROUPS - 1)
        begin = np.flatnonzero(np.diff(group, prepend=-1))
        x, y = np.add.reduceat(self.x, begin), np.add.reduceat(self.y, begin)
        weight = self.m * self.x + self.n * self.y
        place = np.add.reduceat(line * weight, begin) / np.add.reduceat(weight, begin)
        values, vectors = np.linalg.eigh(np.exp(-np.square(_STEP * (place[:, None] - place)) / 2))
        keep = values > 1e-10
        return Pooled(np.asarray(vectors[:, keep] * np.sqrt(values[keep])), x, y, self.m, self.n)


def numbers_pvalue(x: Atoms, y: Atoms) -> tuple[float, float]:
    """MMD²_u of two columns of numbers and its p-value, with the bandwidth of the pool."""
    line = _Line.of(x, y)
    bandwidth = line.bandwidth()
    pool = line.pooled(bandwidth)
    if len(pool.x) == len(line.x):
        statistic = pool.statistic
    else:  # neighbours were taken together, which is good enough for the law only
        statistic = float(inner_products(x, y, np.array([bandwidth])).unbiased(x.rows, y.rows)[0, 0])
    return statistic, pvalue(Spectrum(), statistic, line.m, line.n, pool.centred())


def numbers_price(x: Atoms, bandwidth: float, n: int, level: float) -> float:
    """What the squared MMD of a column of numbers and n more rows of the same exceeds with this probability."""
    pool = _Line(x.place, x.spread, x.mass, x.mass, int(x.rows[0]), n).pooled(bandwidth)
    return price(pool.m, n, pool.centred(eigenvalues=False), level)


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
