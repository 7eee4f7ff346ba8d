"""Views that are sums of features of single rows: means, directions, covariances, distances, single columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..core.ranks import cosines, midranks, top_frequency, wave_weights
from ..core.types import Floats
from ..statistics import smallest_pvalue
from .base import ViewByFeatures
from .pooled import PooledSample
from .words import of_missing, of_pair, of_spread, side

_SMALLEST = 1e-260  # p-value that is told apart from 0
_ALL = 1 - 1e-12  # of the variance of a feature that labels can explain
_FEW_ROWS = 60  # up to so many, little but location can be estimated


FEW_COLUMNS = 3
"""Up to so many columns a density has waves of a middle scale that neither moments nor nearest neighbours show."""


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
    nearly none if there are many rows; with as many columns as rows it is shrunk towards the identity by the rule of
    Ledoit and Wolf (2004) instead. With at most 60 rows of fewer columns both are used, each over its standard
    deviation: the ridge sees directions in which rows vary little, the rule is surer of the others. Of the scores and
    of the values.
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
        return np.concatenate([part @ weights for part, (_, weights) in zip(parts, self._axes, strict=True)], axis=1)

    def direction(self, difference: Floats) -> Floats:
        return np.asarray(difference * np.concatenate([weights.sum(axis=1) for _, weights in self._axes]))

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
    """``(N, r)`` principal components, and ``(r, P)`` the inverses of their variances, shrunk in one way or in both.

    Inverses have a mean of 1 in each way.
    """
    size, width = X.shape
    if width <= size:
        spectrum, axes = np.linalg.eigh(X.T @ X / size)
        left = X @ axes  # columns of squared length N times the spectrum
    else:
        spectrum, left = np.linalg.eigh(X @ X.T / size)
        left = left * np.sqrt(size * np.maximum(spectrum, 0.0))
    spectrum = np.maximum(spectrum, 0.0)
    level = spectrum.sum() / width  # the mean variance, 1 for columns of numbers
    ways = []
    if width < size:
        ways.append(spectrum + level * (width / size) ** 2)
    if width >= size or size <= _FEW_ROWS:
        spread = (spectrum**2).sum() - width * level**2
        noise = ((np.einsum("ij,ij->i", X, X) ** 2).mean() - (spectrum**2).sum()) / size
        shrink = float(np.clip(noise / spread, 0.0, 1.0)) if spread > 1e-12 * width else 1.0
        ways.append((1 - shrink) * spectrum + shrink * level)
    inverses = 1 / np.maximum(np.column_stack(ways), 1e-8 * spectrum.max())
    return left, inverses / inverses.mean(axis=0)


def inverse_tails(squares: Floats, pool: PooledSample) -> Floats:
    """About 1/p of ``(R, F)`` squared differences of means by the t law, each over its mean over all labellings.

    One p-value cannot be much smaller than one over the number of labellings.
    """
    size, mean = pool.size, squares.mean(axis=0)
    explained = np.minimum(squares / np.where(mean > 0, mean, 1.0) / (size - 1), _ALL)  # r²
    most = -np.log(max(smallest_pvalue(pool.m, pool.n), _SMALLEST))
    half = np.minimum(-0.5 * (size - 2) * np.log1p(-explained), most)  # z²/2 of a normal z that says as much
    return np.asarray(np.exp(half) * (1 + 2.5066 * np.sqrt(half / 2)))


class Covariance(ViewByFeatures):
    """Spread of every column and correlation of every pair: means of products of two scores. O(N D² R).

    Two parts, each over its standard deviation: the sum of squares, which sees many pairs that differ a little, and the
    log of the mean of 1/p over all of them, as :class:`Columns` has it, which sees a few.
    """

    name = "covariance"

    @property
    def weight(self) -> float:
        """Less where there are few rows, more where there are many pairs."""
        if is_small(self.pool):
            return 0.3
        return 1.0 if len(self.pool.columns) <= FEW_COLUMNS else 1.5

    def blocks(self) -> Iterator[slice]:
        return self._sliced(len(self.pool.columns))

    def features(self, block: slice, rows: slice) -> Floats:
        Q, (first, second) = self.pool.scores[rows], self._pairs(block)
        return np.asarray(Q[:, first] * Q[:, second] * np.where(first == second, 1.0, np.sqrt(2.0)))

    def joined(self, block: slice, squares: Floats) -> Floats:
        first, second = self._pairs(block)
        few = inverse_tails(squares, self.pool) @ (self.pool.shares[first] * self.pool.shares[second])
        return np.column_stack([squares.sum(axis=1), few])

    def finished(self, total: Floats) -> Floats:
        return super().finished(np.column_stack([total[:, 0], np.log(total[:, 1])]))

    def direction(self, difference: Floats) -> Floats:
        """The more a feature says, the more weight it has beyond that: most pairs may say nothing."""
        return np.asarray(difference * np.abs(difference))

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

    @property
    def weight(self) -> float:
        """Less where there are few rows."""
        return 0.5 if is_small(self.pool) else 2.0

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
    r"""The largest difference in single columns, of a kind that moves them: scores, values, odd cosines of the ranks.

    Features are joined by the mean of 1/p over all of them, p from the t law with N - 2 degrees of freedom: near
    the maximum if few columns differ, and more if several do (the harmonic mean of p-values, Good 1958). Every column
    has the same share in it, also one of many levels.
    """

    name = "column"
    vague = 0
    waves: ClassVar[tuple[int, int]] = (1, 3)
    says: ClassVar[tuple[str, ...]] = ("is higher", "is higher", "is higher", "has another shape")
    """Of the leading features, then of the waves."""

    @property
    def weight(self) -> float:
        """Less where there are few rows, unless columns are more."""
        if is_small(self.pool):
            return 2.0 if len(self.pool.columns) >= self.pool.size else 0.4
        return 1.2

    def blocks(self) -> Iterator[slice]:
        return self._sliced(len(self.says))

    def features(self, block: slice, rows: slice) -> Floats:
        U, ordered = self.pool.ranks[rows, block], self.pool.ordered[block]
        waves = [np.where(ordered, np.round(np.cos(np.pi * k * U), 12), 0.0) for k in self.waves]  # 0 is 0
        return np.concatenate([*self.leading(block, rows), *waves], axis=1)

    def leading(self, block: slice, rows: slice) -> list[Floats]:
        """The leading features of every column."""
        return [self.pool.scores[rows, block], self.pool.values[rows, block]]

    def joined(self, block: slice, squares: Floats) -> Floats:
        return np.asarray(inverse_tails(squares, self.pool) @ np.tile(self.pool.shares[block], len(self.says)))[:, None]

    def finished(self, total: Floats) -> Floats:
        return np.log(total[:, 0])

    def direction(self, difference: Floats) -> Floats:
        """The features that speak most alone."""
        return np.where(np.abs(difference) >= 0.9 * np.abs(difference).max(), difference, 0.0)

    def words(self, block: slice, feature: int, z: float) -> str:
        kind, i = feature // (block.stop - block.start), block.start + feature % (block.stop - block.start)
        if not self.pool.ordered[i]:
            return f"{self.pool.columns[i]}: more often in {side(z)}"
        toward = side(-z if kind >= len(self.says) - len(self.waves) else z)
        return f"{self.pool.columns[i]}: {toward} {self.says[kind]}"


class Shapes(Columns):
    """The same for spread and shape: squared scores and even cosines of the ranks."""

    name = "shape"
    waves = (2, 4)
    says = ("spreads wider", "has more rows near the middle of both together", "has another shape")

    @property
    def weight(self) -> float:
        """Less where there are few rows."""
        return 0.4 if is_small(self.pool) else 1.2

    def leading(self, block: slice, rows: slice) -> list[Floats]:
        return [np.where(self.pool.ordered[block], self.pool.scores[rows, block] ** 2, 0.0)]

    def words(self, block: slice, feature: int, z: float) -> str:
        kind, i = feature // (block.stop - block.start), block.start + feature % (block.stop - block.start)
        if not self.pool.ordered[i]:
            return super().words(block, feature, z)
        if kind == 0:
            return of_spread(self.pool, i, z)
        wave = np.cos(np.pi * self.waves[kind - 1] * self.pool.ranks[:, i])
        return of_missing(self.pool, i, wave, 1.0 if z > 0 else -1.0) or super().words(block, feature, z)


class FineWaves(ViewByFeatures):
    """A Gaussian kernel on the ranks that sees a few neighbours of each row."""

    name = "fine scale"
    local = True
    vague = 4
    weight = 2.0
    share: ClassVar[tuple[float, float]] = (0.007, 3.5)
    """The width, of all rows; but not fewer rows than that."""

    @cached_property
    def _width(self) -> float:
        share, least = self.share
        return max(share, least / self.pool.size)

    @cached_property
    def _weights(self) -> Floats:
        return wave_weights(np.arange(1.0, top_frequency(self._width) + 1) ** 2, self._width)

    def blocks(self) -> Iterator[slice]:
        yield slice(0, 1)

    def features(self, block: slice, rows: slice) -> Floats:
        return cosines(self.pool.ranks[rows, 0], len(self._weights))[1:].T

    def joined(self, block: slice, squares: Floats) -> Floats:
        return np.asarray(squares @ self._weights)[:, None]

    def direction(self, difference: Floats) -> Floats:
        return np.asarray(difference * self._weights)

    def words(self, block: slice, feature: int, z: float) -> str:
        if not feature:  # half a wave
            return f"{self.pool.columns[0]}: {side(-z)} is higher"
        piece = f"{100 / (feature + 1):.2g} % of all rows"
        return f"{self.pool.columns[0]}: x and y are frequent at other places, which hold about {piece} each"


class MiddleWaves(FineWaves):
    """The same at a wider scale."""

    name = "middle scale"
    weight = 8.0
    share = 0.045, 14.0
