"""The terms of the linear-time statistic, piece by piece, and what is kept of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import reduce
from math import isfinite
from threading import Event

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..engines.threads import available_cores, run
from ..kernels import Kernel, RadialKernel
from ..kernels.distances import Metric
from ..statistics.averages import h_terms

_TASK = 1 << 15  # terms that one thread works on at a time
_CACHED = 1 << 16  # numbers that are worked on together: they and their differences stay in the second cache
_UNTHREADED = 9_000  # the same for small batches: below the size at which BLAS wakes its threads


@dataclass(frozen=True)
class Moments:
    """Count, mean, sum of squared deviations and largest size of some terms."""

    count: int
    mean: float
    squares: float
    largest: float

    @classmethod
    def of(cls, h: Floats) -> Moments:
        """Overwrites the terms."""
        count, mean = len(h), float(np.add.reduce(h)) / len(h)
        largest = max(float(np.maximum.reduce(h)), -float(np.minimum.reduce(h)))
        h -= mean
        return cls(count, mean, float(np.dot(h, h)), largest)

    def plus(self, other: Moments) -> Moments:
        """Of all terms together (Chan, Golub and LeVeque 1983)."""
        if not (self.count and other.count):
            return self if self.count else other
        count = self.count + other.count
        step = other.mean - self.mean
        share = other.count / count
        squares = self.squares + other.squares + step * step * self.count * share
        return Moments(count, self.mean + step * share, squares, max(self.largest, other.largest))


NOTHING = Moments(0, 0.0, 0.0, 0.0)


def rows_of(batch: object, name: str) -> Floats:
    """A batch as rows; arrays of doubles are taken as they are, and looked at for NaN while they are used."""
    if type(batch) is np.ndarray and batch.dtype == np.float64 and batch.flags.c_contiguous and batch.ndim in (1, 2):
        return batch[:, None] if batch.ndim == 1 else batch
    return door.points(batch, name, least=0)


Pair = tuple[Floats, Floats]
Queue = tuple[Floats, ...]
"""Rows in the order of their arrival, cut anywhere."""


def consume(kernel: Kernel, waiting: tuple[Queue, Queue], batch: Pair) -> tuple[Moments, tuple[Queue, Queue]]:
    """The moments of all terms that can be completed, and the rows that are left over."""
    x, y = deque((*waiting[0], batch[0])), deque((*waiting[1], batch[1]))
    moments = NOTHING
    while (size := min(_front(x), _front(y)) // 2 * 2) > 0:
        moments = moments.plus(_terms(kernel, (x[0][:size], y[0][:size]), batch))
        x[0], y[0] = x[0][size:], y[0][size:]
    new = [piece for rest in (x, y) for piece in rest if len(piece) <= 2 or piece is rest[-1]]
    if not all(np.isfinite(piece).all() for piece in new):
        _refuse(batch)
    return moments, (_packed(x), _packed(y))


def _front(queue: deque[Floats]) -> int:
    """The rows of the first piece, after making them two if there are as many."""
    while queue and not len(queue[0]):
        queue.popleft()
    while len(queue) > 1 and len(queue[0]) == 1:
        first, second = queue.popleft(), queue.popleft()
        if len(second) > 1:
            queue.appendleft(second[1:])
        queue.appendleft(np.concatenate([first, second[:1]]))
    return len(queue[0]) if queue else 0


def _packed(queue: deque[Floats]) -> Queue:
    """Own copies of the pieces, each more than twice as long as the next: few, and seldom copied."""
    pieces: list[Floats] = []
    for piece in queue:
        owned = piece.base is None or 2 * piece.size > piece.base.size
        pieces.append(piece if owned and piece is not queue[-1] else piece.copy())
        while len(pieces) > 1 and len(pieces[-2]) <= 2 * len(pieces[-1]):
            pieces[-2:] = [np.concatenate(pieces[-2:])]
    return tuple(piece for piece in pieces if len(piece))


def _terms(kernel: Kernel, pair: Pair, batch: Pair) -> Moments:
    """Moments of h over an even number of rows, piece by piece; large batches on all cores."""
    x, y = pair
    count = len(x) // 2
    large = x.size >= 1 << 19

    def task(start: int, stop: Event) -> Moments:
        rows = slice(2 * start, 2 * min(start + _TASK, count))
        h = None
        if isinstance(kernel, RadialKernel) and not stop.is_set():
            h = _radial_terms(kernel, x[rows], y[rows], _CACHED if large else _UNTHREADED)
        return Moments.of(_plain_terms(kernel, x[rows], y[rows], batch) if h is None else h)

    starts = range(0, count, _TASK)
    parts = run(starts, task, available_cores()) if large else [task(start, Event()) for start in starts]
    return reduce(Moments.plus, parts, NOTHING)


def _plain_terms(kernel: Kernel, x: Floats, y: Floats, batch: Pair) -> Floats:
    """By the definition, moved to the origin where that helps; refuses rows that are not finite."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        _refuse(batch)
    if kernel.translation_free and not isinstance(kernel, RadialKernel):
        centre = np.median(x, axis=0)
        x, y = x - centre, y - centre
    with np.errstate(over="ignore"):  # an infinite distance is far enough
        return h_terms(kernel, x, y)


def _refuse(batch: Pair) -> None:
    for rows, name in zip(batch, ("x", "y"), strict=True):
        door.points(rows, name, least=0)


def _radial_terms(kernel: RadialKernel, x: Floats, y: Floats, cached: int) -> Floats | None:
    """``(len(x) / 2,)`` values of h from distances, or None when one is not finite.

    Odd and even rows are first put side by side, as single items of 8 d bytes: loops over short rows would cost more.
    """
    count, d, unit = len(x) // 2, x.shape[1], kernel.scale
    if not 1e-100 < unit < 1e100:  # squares could leave the range of doubles where distances do not
        return None
    step = min(count, max(1, cached // (4 * d)))
    rows, difference, values = np.empty((4, step, d)), np.empty((step, d)), np.empty((4, step))
    weight = np.full(d, 1 / unit if kernel.metric == "cityblock" else 1 / (unit * unit))
    result = np.empty(count)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, step):
            size = min(step, count - start)
            if size < step:
                rows, difference, values = np.empty((4, size, d)), difference[:size], values[:, :size]
            here = slice(2 * start, 2 * (start + size))
            _side_by_side(x[here], y[here], rows)
            _distances(kernel.metric, rows, difference, weight, values)
            if not isfinite(np.add.reduce(values, axis=None)):
                return None
            k = kernel.of_distances(values, x, y)
            h = np.add(k[0], k[1], out=result[start : start + size])
            h -= k[2]
            h -= k[3]
    return result


def _side_by_side(x: Floats, y: Floats, rows: Floats) -> None:
    """Copy x1, x2, y1, y2 of each term to four arrays of rows."""
    item = f"V{8 * x.shape[1]}"
    items = rows.view(item)[..., 0]  # (4, terms)
    for k, sample in enumerate((x, y)):
        pairs = sample.view(item).reshape(-1, 2)
        items[2 * k], items[2 * k + 1] = pairs[:, 0], pairs[:, 1]


def _distances(metric: Metric, rows: Floats, difference: Floats, weight: Floats, values: Floats) -> None:
    """The four distances of each term, in bandwidths."""
    x1, x2, y1, y2 = rows
    size = np.abs if metric == "cityblock" else np.square
    for value, left, right in zip(values, (x1, y1, x1, x2), (x2, y2, y2, y1), strict=True):
        np.subtract(left, right, out=difference)
        size(difference, out=difference)
        np.dot(difference, weight, out=value)
    if metric == "euclidean":
        np.sqrt(values, out=values)
