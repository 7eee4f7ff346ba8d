"""What a view is, and those that are sums of features of single rows.

A view computes features from the pool alone. Its statistic for a labelling v (1 for x, 0 for y) is made of the squared
sums :math:`(f'v)^2` of its centred features, that is, of squared differences of their means between x and y.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..core.labellings import Labellings, observed
from ..core.types import Floats
from .pooled import PooledSample, midranks
from .words import of_missing, of_pair, of_spread, side

_ROWS, _ENTRIES = 1 << 16, 1 << 22  # rows at a time; features times labellings at a time
_TOGETHER = 256  # features whose sums are found together
_HIGHEST = 600.0  # of an exponent
_FEW_ROWS = 60  # up to so many, little but location can be estimated
_SINGLE = 30_000  # rows from which on sums of features are in single precision within blocks of rows


FEW_COLUMNS = 3
"""Up to so many columns a density has waves of a middle scale that neither moments nor nearest neighbours show."""


@dataclass(frozen=True, eq=False)
class View(ABC):
    """One way to look at two samples."""

    pool: PooledSample  # the pooled sample
    name: ClassVar[str]
    """What results call it."""

    vague: ClassVar[int] = 1
    """How little its words say: 0 if it names single columns; of views that see as much, the least vague is named."""

    @property
    @abstractmethod
    def weight(self) -> float:
        """Its share of the level, up to a factor."""

    @abstractmethod
    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        """``(R,)`` values, large ones against H0, the truth first; and their rounding error."""

    @abstractmethod
    def sees(self) -> str:
        """Where it sees the largest difference between x and y, in words."""

    @abstractmethod
    def projection(self, weights: Floats) -> Floats:
        r"""``(N,)`` :math:`\sum_j w_j k(z, z_j)` at every pooled row for the kernel of the view; weights sum to 0."""

    def witness(self) -> Floats:
        """``(N,)`` at every pooled row: large where rows look like x, small where they look like y."""
        m, n = self.pool.m, self.pool.n
        return self.projection(np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)]))


class ViewByFeatures(View):
    """A view by F features, which come in blocks so that thousands of columns fit into memory. O(N F R)."""

    @abstractmethod
    def blocks(self) -> Iterator[slice]:
        """The coordinates of each block."""

    @abstractmethod
    def features(self, block: slice, rows: slice) -> Floats:
        """``(rows, F)`` the features of one block."""

    @abstractmethod
    def words(self, block: slice, feature: int, z: float) -> str:
        """A feature in words; z is the difference of its means, x less y, in standard errors."""

    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        return statistics_of([self], labels)[0]

    def joined(self, block: slice, squares: Floats) -> Floats:
        """``(R, P)`` what a block adds to the P parts of the statistic."""
        del block
        return np.asarray(squares.sum(axis=1, keepdims=True))

    def finished(self, total: Floats) -> Floats:
        """``(R,)`` the statistic: the sum of its parts, each in its standard deviations over all labellings alike."""
        deviation = total.std(axis=0)
        scale = np.where(deviation > 1e-9 * np.abs(total).mean(axis=0), deviation, np.inf)
        return np.asarray(((total - total.mean(axis=0)) / scale).sum(axis=1))

    def standard_scores(self, block: slice) -> Floats:
        """``(F,)`` the difference of the means of each feature, x less y, in its standard errors under relabelling."""
        size, m = self.pool.size, self.pool.m
        sums = _sums([(self, block)], observed(m, size - m))[0][0]
        total, squares = np.zeros((2, len(sums)))
        for start in range(0, size, _ROWS):
            features = self.features(block, slice(start, min(start + _ROWS, size)))
            total += features.sum(axis=0)
            squares += (features**2).sum(axis=0)
        spread = np.maximum(squares - total**2 / size, 1e-12 * squares)
        error = np.sqrt(m * (size - m) / (size * (size - 1.0)) * spread)
        return np.asarray(sums / np.where(error > 0, error, np.inf))

    def sees(self) -> str:
        best: tuple[float, str] = (-1.0, "nothing")
        for block in self.blocks():
            scores = self.standard_scores(block)
            i = int(np.argmax(np.abs(scores)))
            if abs(scores[i]) > best[0]:
                best = abs(float(scores[i])), self.words(block, i, float(scores[i]))
        return best[1]

    def projection(self, weights: Floats) -> Floats:
        size = self.pool.size
        values = np.zeros(size)
        parts = [slice(start, min(start + _ROWS, size)) for start in range(0, size, _ROWS)]
        for block in self.blocks():
            difference = np.sum([weights[rows] @ self.features(block, rows) for rows in parts], axis=0)
            for rows in parts:
                values[rows] += self.features(block, rows) @ self.direction(difference)
        return values

    def direction(self, difference: Floats) -> Floats:
        """``(F,)`` weights of the features in a witness, from the differences of their means."""
        return difference

    def _sliced(self, width: int) -> Iterator[slice]:
        """Blocks of coordinates, of which each has `width` features."""
        count = len(self.pool.columns)
        step = max(1, _ENTRIES // (1000 * width))
        return (slice(start, min(start + step, count)) for start in range(0, count, step))


def statistics_of(views: Sequence[ViewByFeatures], labels: Labellings) -> list[tuple[Floats, float]]:
    """The statistic of each view with its rounding error; views of few features share the relabelled rows."""
    totals: list[Floats] = [np.zeros(1)] * len(views)
    parts = [(i, view, block) for i, view in enumerate(views) for block in view.blocks()]
    widths = [view.features(block, slice(0, 1)).shape[1] for _, view, block in parts]
    while parts:
        count = max(1, int(np.searchsorted(np.cumsum(widths), _TOGETHER, side="right")))
        found = _sums([(view, block) for _, view, block in parts[:count]], labels)
        for (i, view, block), sums in zip(parts[:count], found, strict=True):
            totals[i] = totals[i] + view.joined(block, sums**2)
        del parts[:count], widths[:count]
    values = [view.finished(total) for view, total in zip(views, totals, strict=True)]
    return [
        (value, (1e-9 if view.pool.size <= _SINGLE else 1e-5) * float(np.abs(value).mean()))
        for view, value in zip(views, values, strict=True)
    ]


def _sums(parts: Sequence[tuple[ViewByFeatures, slice]], labels: Labellings) -> list[Floats]:
    """``(R, F)`` sums over sample x of the centred features of each block; 0 where these differ by rounding alone."""
    pool = parts[0][0].pool
    size, sums, means, squares = pool.size, np.zeros(1), np.zeros(1), np.zeros(1)
    for start in range(0, size, _ROWS):
        rows = slice(start, min(start + _ROWS, size))
        each = [view.features(block, rows) for view, block in parts]
        features = np.concatenate(each, axis=1) if len(each) > 1 else each[0]
        sums = sums + labels.sums(rows, features if size <= _SINGLE else features.astype(np.float32))
        means = means + features.sum(axis=0) / size
        squares = squares + np.einsum("ij,ij->j", features, features)
    sums = sums - pool.m * means
    noise = (1e-14 if size <= _SINGLE else 1e-7) * len(sums) * squares
    sums = np.where(np.einsum("ij,ij->j", sums, sums) > noise, sums, 0.0)
    return np.split(sums, np.cumsum([part.shape[1] for part in each])[:-1], axis=1)


def is_small(pool: PooledSample) -> bool:
    """Whether there are so few rows of several columns that views of location have more of the level, others less."""
    return pool.size <= _FEW_ROWS and len(pool.columns) > 1


class Mean(ViewByFeatures):
    r"""Means of all columns: :math:`|Q'v|^2` and :math:`|S'v|^2` for normal scores Q and standardised values S.

    Scores are safe against outliers, values keep magnitudes.
    """

    name = "mean"

    @property
    def weight(self) -> float:
        """More where there are few directions, or none, beside it."""
        columns = len(self.pool.columns)
        return 8.0 if columns == 1 else 4.0 if columns <= FEW_COLUMNS else 3.0

    def blocks(self) -> Iterator[slice]:
        return self._sliced(2)

    def features(self, block: slice, rows: slice) -> Floats:
        return np.concatenate([self.pool.scores[rows, block], self.pool.values[rows, block]], axis=1)

    def joined(self, block: slice, squares: Floats) -> Floats:
        width = block.stop - block.start
        return np.column_stack([squares[:, :width].sum(axis=1), squares[:, width:].sum(axis=1)])

    def words(self, block: slice, feature: int, z: float) -> str:
        i = block.start + feature % (block.stop - block.start)
        column, size, m = self.pool.columns[i], self.pool.size, self.pool.m
        if not self.pool.ordered[i]:
            return f"{column}: more often in {side(z)}"
        return f"{column}: {side(z)} is higher, by {abs(z) * np.sqrt(size / (m * (size - m))):.2g} sd"


class Directions(ViewByFeatures):
    r"""Means of all columns together, also in directions in which rows vary little.

    :math:`v'XC^{-1}X'v` for the correlation matrix C of the columns: Hotelling's statistic. C gets a ridge of (D/N)²,
    nearly none if there are many rows; with at most 60 rows, or as many columns as rows, it is shrunk towards the
    identity by the rule of Ledoit and Wolf (2004). Of the scores and of the values.
    """

    name = "directions"
    vague = 2

    @property
    def weight(self) -> float:
        """More where there are few rows, so that little else can be estimated, most with as many columns as rows."""
        columns = len(self.pool.columns)
        if is_small(self.pool):
            return 30.0 if columns >= self.pool.size else 14.0
        return 4.0 if columns <= FEW_COLUMNS else 7.0

    @cached_property
    def _axes(self) -> list[tuple[Floats, Floats]]:
        return [principal(X) for X in (self.pool.scores, self.pool.values)]

    def blocks(self) -> Iterator[slice]:
        yield slice(0, 1)

    def features(self, block: slice, rows: slice) -> Floats:
        del block
        return np.concatenate([axes[rows] for axes, _ in self._axes], axis=1)

    def joined(self, block: slice, squares: Floats) -> Floats:
        width = self._axes[0][0].shape[1]
        parts = (squares[:, :width], squares[:, width:])
        return np.column_stack([part @ weights for part, (_, weights) in zip(parts, self._axes, strict=True)])

    def direction(self, difference: Floats) -> Floats:
        return np.asarray(difference * np.concatenate([weights for _, weights in self._axes]))

    def words(self, block: slice, feature: int, z: float) -> str:
        """The columns that the direction of the difference is made of."""
        del block, feature, z
        X, m = self.pool.values, self.pool.m
        difference = X[:m].mean(axis=0) - X[m:].mean(axis=0)
        top = np.argsort(-np.abs(difference))[:2]
        return (
            "means of " + " and ".join(self.pool.columns[i] for i in top) + ", together with what they correlate with"
        )


def principal(X: Floats) -> tuple[Floats, Floats]:
    """``(N, r)`` principal components of the columns, and ``(r,)`` the inverses of their variances, shrunk."""
    size, width = X.shape
    if width <= size:
        spectrum, axes = np.linalg.eigh(X.T @ X / size)
        left = X @ axes  # columns of squared length N times the spectrum
    else:
        spectrum, left = np.linalg.eigh(X @ X.T / size)
        left = left * np.sqrt(size * np.maximum(spectrum, 0.0))
    spectrum = np.maximum(spectrum, 0.0)
    level = spectrum.sum() / width  # the mean variance, 1 for columns of numbers
    if width < size and size > _FEW_ROWS:
        shrunk = spectrum + level * (width / size) ** 2
    else:
        spread = (spectrum**2).sum() - width * level**2
        noise = ((np.einsum("ij,ij->i", X, X) ** 2).mean() - (spectrum**2).sum()) / size
        shrink = float(np.clip(noise / spread, 0.0, 1.0)) if spread > 1e-12 * width else 1.0
        shrunk = (1 - shrink) * spectrum + shrink * level
    return left, 1 / np.maximum(shrunk, 1e-8 * spectrum.max())


class Covariance(ViewByFeatures):
    """Spread of every column and correlation of every pair: means of products of two scores. O(N D² R)."""

    name = "covariance"

    @property
    def weight(self) -> float:
        """Less where there are few rows."""
        return 0.3 if is_small(self.pool) else 1.0

    def blocks(self) -> Iterator[slice]:
        return self._sliced(len(self.pool.columns))

    def features(self, block: slice, rows: slice) -> Floats:
        Q, (first, second) = self.pool.scores[rows], self._pairs(block)
        return np.asarray(Q[:, first] * Q[:, second] * np.where(first == second, 1.0, np.sqrt(2.0)))

    def words(self, block: slice, feature: int, z: float) -> str:
        first, second = (int(pair[feature]) for pair in self._pairs(block))
        return of_spread(self.pool, first, z) if first == second else of_pair(self.pool, first, second, z)

    def _pairs(self, block: slice) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], ...]:
        """The coordinates i <= j of all pairs with i in the block."""
        first, second = np.triu_indices(len(self.pool.columns))
        inside = (first >= block.start) & (first < block.stop)
        return first[inside], second[inside]


class Radius(ViewByFeatures):
    r"""How far rows lie from the middle of the pool: the Cramér-von Mises statistic of :math:`|S_i|^2`.

    By its expansion in cosines of the rank, :math:`\sum_k (c_k'v)^2/k^2` (Durbin and Knott 1972), the first ten terms.
    """

    name = "radius"
    vague = 3
    weight = 2.0

    @cached_property
    def _ranks(self) -> Floats:
        return midranks(np.einsum("ij,ij->i", self.pool.values, self.pool.values)[:, None])[:, 0]

    def blocks(self) -> Iterator[slice]:
        yield slice(0, 10)

    def features(self, block: slice, rows: slice) -> Floats:
        k = np.arange(1, block.stop + 1)
        return np.asarray(np.cos(np.pi * self._ranks[rows, None] * k) / k)

    def words(self, block: slice, feature: int, z: float) -> str:
        del block
        if feature:
            return "rows at some distances from the middle of both together are more frequent in one sample"
        return f"rows of {side(-z)} lie farther from the middle of both together"


class Columns(ViewByFeatures):
    r"""The largest difference in single columns, of a kind that moves them: scores and odd cosines of the ranks.

    Features are joined by the mean of 1/p over all of them, p from the chi-square law with one degree of freedom: near
    the maximum if few columns differ, and more if several do (the harmonic mean of p-values, Good 1958). Every column
    has the same share in it, also one of many levels.
    """

    name = "column"
    vague = 0
    waves: ClassVar[tuple[int, int]] = (1, 3)
    says: ClassVar[tuple[str, str, str]] = ("is higher", "is higher", "has another shape")

    @property
    def weight(self) -> float:
        """Less where there are few rows."""
        return 0.4 if is_small(self.pool) else 1.2

    def blocks(self) -> Iterator[slice]:
        return self._sliced(3)

    def features(self, block: slice, rows: slice) -> Floats:
        U, ordered = self.pool.ranks[rows, block], self.pool.ordered[block]
        waves = [np.where(ordered, np.cos(np.pi * k * U), 0.0) for k in self.waves]
        return np.concatenate([self.first(block, rows), *waves], axis=1)

    def first(self, block: slice, rows: slice) -> Floats:
        """The leading feature of every column."""
        return self.pool.scores[rows, block]

    def joined(self, block: slice, squares: Floats) -> Floats:
        mean = squares.mean(axis=0)
        half = np.minimum(0.5 * squares / np.where(mean > 0, mean, 1.0), _HIGHEST)  # z²/2
        inverse = np.exp(half) * (1 + 2.5066 * np.sqrt(half / 2))  # about 1/p
        return np.asarray(inverse @ np.tile(self.pool.shares[block], 3))[:, None]

    def finished(self, total: Floats) -> Floats:
        return np.log(total[:, 0])

    def direction(self, difference: Floats) -> Floats:
        """The features that speak most alone."""
        return np.where(np.abs(difference) >= 0.9 * np.abs(difference).max(), difference, 0.0)

    def words(self, block: slice, feature: int, z: float) -> str:
        kind, i = feature // (block.stop - block.start), block.start + feature % (block.stop - block.start)
        if not self.pool.ordered[i]:
            return f"{self.pool.columns[i]}: more often in {side(z)}"
        toward = side(z if kind == 0 else -z)
        return f"{self.pool.columns[i]}: {toward} {self.says[kind]}"


class Shapes(Columns):
    """The same for spread and shape: squared scores and even cosines of the ranks."""

    name = "shape"
    waves = (2, 4)
    says = ("spreads wider", "has more rows near the middle of both together", "has another shape")

    def first(self, block: slice, rows: slice) -> Floats:
        return np.where(self.pool.ordered[block], self.pool.scores[rows, block] ** 2, 0.0)

    def words(self, block: slice, feature: int, z: float) -> str:
        kind, i = feature // (block.stop - block.start), block.start + feature % (block.stop - block.start)
        if not self.pool.ordered[i]:
            return super().words(block, feature, z)
        if kind == 0:
            return of_spread(self.pool, i, z)
        wave = np.cos(np.pi * self.waves[kind - 1] * self.pool.ranks[:, i])
        return of_missing(self.pool, i, wave, 1.0 if z > 0 else -1.0) or super().words(block, feature, z)
