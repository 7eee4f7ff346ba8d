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
from ..statistics.averages import h_terms

_TASK = 1 << 15  # terms that one thread works on at a time
_BLOCK = 1 << 13  # terms whose kernel values are taken together
_CACHED = 40_000  # numbers of one sample in a piece of a block: they and their differences stay in the second cache
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
        mean = float(h.mean())
        deviation = h - mean
        return cls(len(h), mean, float(deviation @ deviation), max(float(h.max()), -float(h.min())))

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
    """Moments of h over an even number of rows, block by block; large batches on all cores."""
    x, y = pair
    count = len(x) // 2
    large = x.size >= 1 << 19

    def task(start: int, stop: Event) -> Moments:
        of_block = _RadialTerms(kernel, x.shape[1], large) if isinstance(kernel, RadialKernel) else None
        total = NOTHING
        for first in range(start, min(start + _TASK, count), _BLOCK):
            rows = slice(2 * first, 2 * min(first + _BLOCK, count))
            h = None if of_block is None else of_block(x[rows], y[rows])
            total = total.plus(Moments.of(_plain_terms(kernel, x[rows], y[rows], batch) if h is None else h))
            if stop.is_set():
                break
        return total

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


class _RadialTerms:
    """h of a radial kernel from flat differences of neighbouring rows.

    Half of the differences belong to no term, but loops over short rows would cost more than these do.
    """

    def __init__(self, kernel: RadialKernel, columns: int, large: bool) -> None:
        self._kernel = kernel
        rows = (_CACHED if large else _UNTHREADED) // (2 * columns)
        self._step = min(1 << max(rows.bit_length() - 1, 0), _BLOCK)
        self._differences = np.empty(2 * columns * self._step)
        self._values = np.empty((4, _BLOCK))
        self._weight = np.zeros(2 * columns)
        unit = kernel.scale
        self._safe = 1e-100 < unit < 1e100  # else squares could leave the range of doubles where distances do not
        if self._safe:
            self._weight[:columns] = 1 / unit if kernel.metric == "cityblock" else 1 / (unit * unit)

    def __call__(self, x: Floats, y: Floats) -> Floats | None:
        """``(len(x) / 2,)`` values of h, or None when a distance is not finite."""
        count, step = len(x) // 2, self._step
        values = self._values[:, :count]
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, count, step):
                rows = slice(2 * start, 2 * (start + step))
                self._distances(x[rows].reshape(-1), y[rows].reshape(-1), values[:, start : start + step])
            if not (self._safe and isfinite(np.add.reduce(values, axis=None))):
                return None
        if self._kernel.metric == "euclidean":
            np.sqrt(values, out=values)
        k = self._kernel.of_distances(values, x, y)
        h: Floats = k[0] + k[1]
        h -= k[2]
        h -= k[3]
        return h

    def _distances(self, x: Floats, y: Floats, values: Floats) -> None:
        """The four distances (or their squares) of each term."""
        width = len(self._weight)
        d = width // 2
        flat = self._differences[: len(x)]
        size = np.abs if self._kernel.metric == "cityblock" else np.square
        x1, x2, y1, y2 = x[:-d], x[d:], y[:-d], y[d:]
        for value, (left, right) in zip(values, ((x1, x2), (y1, y2), (x1, y2), (x2, y1)), strict=True):
            flat[-d:] = 0
            np.subtract(left, right, out=flat[:-d])
            size(flat, out=flat)
            np.dot(flat.reshape(-1, width), self._weight, out=value)
