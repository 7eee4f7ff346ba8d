"""What a view is, and how sums of features of single rows become its statistic.

A view computes features from the pool alone. Its statistic for a labelling v (1 for x, 0 for y) is made of the squared
sums :math:`(f'v)^2` of its centred features, that is, of squared differences of their means between x and y.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.labellings import Labellings, observed
from ..core.types import Floats
from .pooled import PooledSample

_ROWS, _ENTRIES = 1 << 16, 1 << 22  # rows at a time; features times labellings at a time
_TOGETHER = 256  # features whose sums are found together
_SINGLE = 30_000  # rows from which on sums of features are in single precision within blocks of rows


@dataclass(eq=False)
class PooledView(ABC):
    """One way to look at two samples."""

    pool: PooledSample  # the pooled sample
    name: ClassVar[str]
    """What results call it."""

    local: ClassVar[bool] = False
    """Whether it looks at neighbours, and so has more of the level where the pool shows clusters."""

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


class ViewByFeatures(PooledView):
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
            i = int(np.argmax(np.round(np.abs(scores), 6)))  # the first of those that are equal up to rounding
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
