"""Kernels whose width follows the data: narrow where rows lie close together, wide where they are few.

And how much closer together rows lie than they would without clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.types import Floats, Reals
from ..kernels import Blocks, Kernel
from ..kernels.objects import rows_of
from ..kernels.radial import paired_distances, quick_distances
from .pooled import PooledSample

_FLOOR = 1e-3  # the least width, of the distance to the farthest row: where many rows are equal
_DIRECT = 3  # columns up to which differences are quicker than products, and keep more digits
_SINGLE_RADIUS = 1e4  # largest |row|²/width² for products in single precision: an error of 1e-3 in a squared distance
_CLOSE, _MOST, _SAMPLED = 3, 4.0, 200  # of concentration: the neighbour, its largest value, rows that it is found from
_TINY = 1e-12  # distances of standardised rows below this are rounding
_ROWS = 4096  # at a time
_MANY = 7000  # rows from which on distances in many columns are in single precision


@dataclass(frozen=True, eq=False, repr=False)
class Local(Kernel):
    r"""On row numbers: :math:`a\,e^{-r^2} + b\,e^{-r}` with :math:`r = \|z_i-z_j\| / \sqrt{h_ih_j}`.

    Every row has its own width h (the self-tuning scale of Zelnik-Manor and Perona 2004), so that one kernel is fine
    in every part of the space. It need not be positive definite; a test by relabelling does not ask for that.
    """

    rows: Floats  # (N, d) numbers
    widths: Floats  # (N,) the width h of every row
    smooth_factor: float = 1.0  # a
    kinked_factor: float = 0.0  # b

    domain = "indices"

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def smooth(self) -> bool:
        return False

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, self.smooth_factor + self.kinked_factor

    def block(self, a: Floats, b: Floats) -> Floats:
        i, j = rows_of(a), rows_of(b)
        D = quick_distances(self.rows[i], self.rows[j], "sqeuclidean")
        D /= self.widths[i, None]
        D /= self.widths[j]
        return np.asarray(self._of(D))

    def pairs(self, a: Floats, b: Floats) -> Floats:
        i, j = rows_of(a), rows_of(b)
        squares = paired_distances(self.rows[i], self.rows[j], "sqeuclidean")
        return np.asarray(self._of(squares / (self.widths[i] * self.widths[j])))

    def diagonal(self, a: Floats) -> Floats:
        return np.full(len(a), self.smooth_factor + self.kinked_factor)

    def blocks(self, a: Floats, b: Floats, elementary: Callable[[Kernel, Floats, Floats], Blocks]) -> Blocks:
        """Tiles in single precision: which kernel it is, to the last digit, sees no label."""
        del elementary
        i, j = rows_of(a), rows_of(b)
        squares = self._differences(i, j) if self.rows.shape[1] <= _DIRECT else self._products(i, j)
        return lambda here, there: self._of(squares(here, there))

    def _differences(self, i: np.ndarray, j: np.ndarray) -> Blocks:
        left, right = (np.ascontiguousarray(self.rows[k].T, dtype=np.float32) for k in (i, j))
        one, other = ((1 / self.widths[k]).astype(np.float32) for k in (i, j))

        def squares(here: slice, there: slice) -> Reals:
            D: Reals = np.zeros((here.stop - here.start, there.stop - there.start), np.float32)
            for column, against in zip(left, right, strict=True):
                step = column[here, None] - against[there]
                step *= step
                D += step
            D *= one[here, None]
            D *= other[there]
            return D

        return squares

    def _products(self, i: np.ndarray, j: np.ndarray) -> Blocks:
        """By one product: |a - b|² / (h h') = (|a|²/h)(1/h') + (1/h)(|b|²/h') - 2 (a/h)'(b/h')."""
        centre = self.rows[j].mean(axis=0)
        scaled, lengths, inverse = self._augmented(i, centre)
        other, others, against = self._augmented(j, centre)
        radius = max(float((lengths * inverse).max()), float((others * against).max()))
        dtype = np.float32 if radius <= _SINGLE_RADIUS else np.float64
        left: Reals = np.concatenate([-2 * scaled, lengths, inverse], axis=1).astype(dtype)
        right: Reals = np.ascontiguousarray(np.concatenate([other, against, others], axis=1).T.astype(dtype))

        def squares(here: slice, there: slice) -> Reals:
            D: Reals = left[here] @ right[:, there]
            return np.maximum(D, 0, out=D)

        return squares

    def _augmented(self, i: np.ndarray, centre: Floats) -> tuple[Floats, Floats, Floats]:
        """Of some rows: each over its width, its squared length over its width, and one over its width."""
        centred, inverse = self.rows[i] - centre, 1 / self.widths[i, None]
        return centred * inverse, np.einsum("ij,ij->i", centred, centred)[:, None] * inverse, inverse

    def _of(self, squares: Reals) -> Reals:
        """Kernel values; may reuse the squared distances."""
        total: Reals = np.zeros(1, squares.dtype)
        if self.kinked_factor:
            total = np.sqrt(squares)
            np.negative(total, out=total)
            np.exp(total, out=total)
            total *= squares.dtype.type(self.kinked_factor)
        if self.smooth_factor:
            np.negative(squares, out=squares)
            np.exp(squares, out=squares)
            squares *= squares.dtype.type(self.smooth_factor)
            squares += total
            return squares
        return total


def widths(rows: Floats, part: np.ndarray, neighbour: int) -> Floats:
    """``(N,)`` the distance from every row to its k-th neighbour among the rows of a part of the pool.

    A row is no neighbour of itself. Where so many rows are equal that it would be 0, a thousandth of the typical
    distance to the farthest row of the part. About O(N k log P) in up to three columns, and O(N P d) in more, beyond
    7,000 rows in single precision.
    """
    others, columns = rows[part], rows.shape[1]
    nearest = _by_tree if columns <= _DIRECT else _by_distances
    near = nearest(rows, others, min(neighbour, len(part) - 2))
    found = near[:, 0].copy()
    found[part] = near[part, 1]  # the first neighbour of a row of the part is the row itself
    floor = _FLOOR * float(np.median(quick_distances(others, others, "euclidean").max(axis=1)))
    return np.asarray(np.maximum(found, floor if floor > 0 else 1.0))


def concentration(pool: PooledSample, rng: np.random.Generator) -> float:
    """How many times closer rows lie to their neighbours than normal rows would: from 1 to 4.

    That is the geometric mean of distances to the third neighbour over the median distance, of normal rows with the
    same correlations and the same ties over that of the pool's: about 1 for a single hump, more where rows fall into
    clusters or lie along curves. Of at most 200 rows, equal ones once, in the columns that are ordered.
    """
    part = rng.choice(pool.size, min(pool.size, _SAMPLED), replace=False)
    values, scores = pool.values[part][:, pool.ordered], pool.scores[part][:, pool.ordered]
    normal = rng.normal(size=(len(part), len(part))) @ scores
    usual, close = _closeness(_with_ties(normal, scores)), _closeness(values)
    return float(np.clip(usual / close, 1.0, _MOST)) if close > 0 else 1.0


def _with_ties(rows: Floats, like: Floats) -> Floats:
    """``(N, D)`` rows, equal to their mean in each column where the rows `like` them of the same ranks are equal."""
    order, ordered = rows.argsort(axis=0), np.sort(like, axis=0)
    starts = np.ones(rows.shape, dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    run = starts.ravel(order="F").cumsum() - 1  # the runs of ties of one column after the other
    means = np.bincount(run, np.take_along_axis(rows, order, axis=0).ravel(order="F")) / np.bincount(run)
    tied = np.empty(rows.shape)
    np.put_along_axis(tied, order, means[run].reshape(rows.shape, order="F"), axis=0)
    return tied


def _closeness(rows: Floats) -> float:
    """The geometric mean of distances to the third neighbour over the median distance; 0 if there are hardly any."""
    rows = np.unique(rows, axis=0)
    if len(rows) <= _CLOSE:
        return 0.0
    D = quick_distances(rows, rows, "euclidean")
    near = np.maximum(np.partition(D, _CLOSE, axis=1)[:, _CLOSE], _TINY)
    return float(np.exp(np.log(near).mean()) / np.median(D))


def _by_tree(rows: Floats, others: Floats, k: int) -> Floats:
    """``(N, 2)`` distances to the k-th nearest of the others and to the one after it."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(others).query(rows, k=[k, k + 1])[0])


def _by_distances(rows: Floats, others: Floats, k: int) -> Floats:
    """``(N, 2)`` the same, from all distances."""
    found = []
    for start in range(0, len(rows), _ROWS):
        here = rows[start : start + _ROWS]
        D: Reals = _squares(here, others) if len(rows) > _MANY else quick_distances(here, others, "sqeuclidean")
        near = np.partition(D, (k - 1, k), axis=1)[:, k - 1 : k + 1]
        found.append(np.sqrt(np.maximum(near, 0.0)).astype(np.float64))
    return np.concatenate(found)


def _squares(first: Floats, second: Floats) -> Reals:
    """Squared distances by one product in single precision, to 1e-7 of squared lengths; may be a little below 0."""
    a, b = first.astype(np.float32), second.astype(np.float32)
    D: Reals = a @ (-2 * b.T)
    D += np.einsum("ij,ij->i", a, a)[:, None]
    D += np.einsum("ij,ij->i", b, b)
    return D
