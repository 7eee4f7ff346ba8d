"""The terms of the linear-time statistic, piece by piece, and what is kept of them."""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce
from math import isfinite
from threading import Event

import numpy as np

from .. import _door as door
from ..core.compiled import Loops, compiled
from ..core.threads import available_cores, run, single_threaded_blas
from ..core.types import Floats
from ..errors import InputError
from ..kernels import Kernel, RadialKernel
from ..statistics.averages import h_terms

_TASK = 1 << 20  # numbers of one sample that one thread works on at a time
_PIECE = 160_000  # numbers of one sample that are worked on together: they and their differences stay in the cache
_TERMS = 1 << 15  # terms that compiled code works on together: their distances stay in the cache
_LARGE = 1 << 19  # numbers of one sample that are worth threads; eight times as many for compiled code
_SMALL = 9_000  # numbers for which BLAS does not wake its own threads
_LONG = 1 << 20  # numbers of a stream that are worth the tenth of a second that compiling takes once a process


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
        np.square(h, out=h)  # np.dot would wake the threads of BLAS
        return cls(count, mean, float(np.add.reduce(h)), largest)

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
        rows = batch[:, None] if batch.ndim == 1 else batch
        if rows.shape[1]:
            return rows
    return door.points(batch, name, least=0)


Pair = tuple[Floats, Floats]
Queue = tuple[Floats, ...]
"""Rows in the order of their arrival, cut anywhere."""


def consume(
    kernel: Kernel, waiting: tuple[Queue, Queue], batch: Pair, past: int
) -> tuple[Moments, tuple[Queue, Queue]]:
    """The moments of all terms that can be completed, after `past` others, and the rows that are left over."""
    numbers = 4 * past * batch[0].shape[1] + batch[0].size + batch[1].size
    loops = compiled() if numbers >= _LONG and isinstance(kernel, RadialKernel) else None
    x, y = deque((*waiting[0], batch[0])), deque((*waiting[1], batch[1]))
    moments = NOTHING
    while (size := min(_front(x), _front(y)) // 2 * 2) > 0:
        moments = moments.plus(_terms(kernel, (x[0][:size], y[0][:size]), batch, loops))
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


def _terms(kernel: Kernel, pair: Pair, batch: Pair, loops: Loops | None) -> Moments:
    """Moments of h over an even number of rows, task by task; large batches on all cores."""
    x, y = pair
    count = len(x) // 2
    step = max(1, _TASK // (2 * x.shape[1]))
    starts = range(0, count, step)

    def task(start: int, stop: Event) -> Moments:
        rows = slice(2 * start, 2 * min(start + step, count))
        found = None
        if isinstance(kernel, RadialKernel) and not stop.is_set():
            found = _radial_moments(kernel, x[rows], y[rows], loops)
        return Moments.of(_plain_terms(kernel, x[rows], y[rows], batch)) if found is None else found

    if x.size >= (8 * _LARGE if loops else _LARGE):
        parts = run(starts, task, available_cores())
    else:
        with single_threaded_blas() if x.size > _SMALL and not loops else nullcontext():
            parts = [task(start, Event()) for start in starts]
    return reduce(Moments.plus, parts, NOTHING)


def _plain_terms(kernel: Kernel, x: Floats, y: Floats, batch: Pair) -> Floats:
    """By the definition, moved to the origin where that helps; refuses rows that are not finite."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        _refuse(batch)
    with np.errstate(over="ignore", invalid="ignore"):  # to a bounded kernel an infinite distance is far enough
        if kernel.translation_free and not isinstance(kernel, RadialKernel):
            centre = np.median(x, axis=0)
            x, y = x - centre, y - centre
        h = h_terms(kernel, x, y)
    if not (np.abs(h) < 1e150).all():
        raise InputError(f"x and y hold values too large for {kernel!r}: its sums overflow. Rescale both samples.")
    return h


def _refuse(batch: Pair) -> None:
    for rows, name in zip(batch, ("x", "y"), strict=True):
        door.points(rows, name, least=0)


def _radial_moments(kernel: RadialKernel, x: Floats, y: Floats, loops: Loops | None) -> Moments | None:
    """Moments of h from distances, or None when one is not finite."""
    count, d, unit = len(x) // 2, x.shape[1], kernel.scale
    if not 1e-100 < unit < 1e100:  # squares could leave the range of doubles where distances do not
        return None
    absolute = kernel.metric == "cityblock"
    four_sums = loops.four_sums if loops else _PlainSums().four_sums
    weight = 1 / unit if absolute else 1 / (unit * unit)
    step = min(count, _TERMS if loops else max(1, _PIECE // (2 * d)))
    values, moments = np.empty(4 * step), NOTHING
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, step):
            size = min(step, count - start)
            rows = slice(2 * start, 2 * (start + size))
            distances = values[: 4 * size].reshape(4, size)
            four_sums(np.ascontiguousarray(x[rows]), np.ascontiguousarray(y[rows]), weight, absolute, distances)
            if not isfinite(np.add.reduce(distances, axis=None)):
                return None
            if kernel.metric == "euclidean":
                np.sqrt(distances, out=distances)
            k = kernel.of_distances(distances, x, y)
            h = np.add(k[0], k[1], out=distances[0])
            h -= k[2]
            h -= k[3]
            moments = moments.plus(Moments.of(h))
    return moments


class _PlainSums:
    """What the compiled loop does, from flat differences of neighbouring rows.

    Half of the differences belong to no term and get no weight, but loops over short rows would cost more than these.
    """

    def __init__(self) -> None:
        self._differences = np.empty(0)

    def four_sums(self, x: Floats, y: Floats, weight: float, absolute: bool, values: Floats) -> None:
        d, size = x.shape[1], np.abs if absolute else np.square
        if len(self._differences) < x.size:
            self._differences = np.empty(x.size)
        flat = self._differences[: x.size]
        weights = np.repeat([weight, 0.0], d)
        x, y = x.reshape(-1), y.reshape(-1)
        x1, x2, y1, y2 = x[:-d], x[d:], y[:-d], y[d:]
        for value, left, right in zip(values, (x1, y1, x1, x2), (x2, y2, y2, y1), strict=True):
            flat[-d:] = 0
            np.subtract(left, right, out=flat[:-d])
            size(flat, out=flat)
            np.dot(flat.reshape(-1, 2 * d), weights, out=value)
