"""The terms of the linear-time statistic, piece by piece, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce
from math import isfinite
from threading import Event
from typing import NamedTuple

import numpy as np

from .. import _door as door
from ..core.threads import available_cores, run, single_threaded_blas
from ..core.types import Floats
from ..errors import InputError
from ..kernels import Kernel, RadialKernel
from ..statistics.averages import h_terms

_TASK = 1 << 20  # numbers of one sample that one thread works on at a time
_PIECE = 81_920  # numbers of one sample that are worked on together: they and their differences stay in the cache
_LARGE = 1 << 19  # numbers of one sample that are worth threads
_SMALL = 9_000  # numbers for which BLAS does not wake its own threads
_DOT = 10_000  # numbers whose squares BLAS sums without them
_FEW = 36_000  # numbers of one sample for which telling BLAS not to do so costs more than smaller products
_ENOUGH = 72_000  # numbers of one sample that are worth the calls it takes to work on them


@dataclass(frozen=True)
class TermMoments:
    """Count, mean, sum of squared deviations and largest size of some terms."""

    count: int
    mean: float
    squares: float
    largest: float

    @classmethod
    def of(cls, h: Floats) -> TermMoments:
        """Overwrites the terms."""
        count, mean = len(h), float(np.add.reduce(h)) / len(h)
        largest = max(float(np.maximum.reduce(h)), -float(np.minimum.reduce(h)))
        h -= mean
        np.square(h, out=h)  # np.dot would wake the threads of BLAS
        return cls(count, mean, float(np.add.reduce(h)), largest)

    def plus(self, other: TermMoments) -> TermMoments:
        """Of all terms together (Chan, Golub and LeVeque 1983)."""
        if not (self.count and other.count):
            return self if self.count else other
        count = self.count + other.count
        step = other.mean - self.mean
        share = other.count / count
        squares = self.squares + other.squares + step * step * self.count * share
        return TermMoments(count, self.mean + step * share, squares, max(self.largest, other.largest))


NOTHING = TermMoments(0, 0.0, 0.0, 0.0)


def rows_of(batch: object, name: str) -> Floats:
    """A batch as rows; arrays of doubles are taken as they are, and looked at for NaN while they are used."""
    if type(batch) is np.ndarray and batch.dtype == np.float64 and batch.flags.c_contiguous and batch.ndim in (1, 2):
        rows = batch[:, None] if batch.ndim == 1 else batch
        if rows.shape[1]:
            return rows
    return door.points(batch, name, least=0)


Pair = tuple[Floats, Floats]


class Waiting(NamedTuple):
    """Rows in the order of their arrival, in an array with room to spare. Who shares the array must not add to it."""

    room: Floats = np.empty((0, 1))
    start: int = 0
    stop: int = 0

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.stop - self.start

    @property
    def rows(self) -> Floats:
        """The rows, as a view."""
        return self.room[self.start : self.stop]

    def plus(self, rows: Floats) -> Waiting:
        """With copies of some more."""
        if not len(rows):
            return self
        stop = self.stop + len(rows)
        if stop <= len(self.room):
            self.room[self.stop : stop] = rows
            return Waiting(self.room, self.start, stop)
        count = self.size + len(rows)
        room = np.empty((max(2 * count, _ENOUGH // rows.shape[1] + len(rows)), rows.shape[1]))
        np.concatenate([self.rows.reshape(-1, rows.shape[1]), rows], out=room[:count])
        return Waiting(room, 0, count)

    def minus(self, count: int) -> Waiting:
        """Without so many of the first; gives back memory that has become much too large."""
        left = Waiting(self.room, self.start + count, self.stop)
        if self.room.size > 4 * _ENOUGH and 4 * left.size < len(self.room):
            return Waiting().plus(left.rows)
        return left if left.size else Waiting(self.room)


def consume(
    kernel: Kernel, waiting: tuple[Waiting, Waiting], batch: Pair, at_once: bool = False
) -> tuple[TermMoments, tuple[Waiting, Waiting]]:
    """The moments of terms that can be completed, and the rows that are left over.

    Small batches wait until there are enough rows, unless it has to be `at_once`: a batch of a few rows costs a look
    and a copy. Only kernels that are finite for all finite rows can wait; others may refuse a batch.
    """
    x, y = waiting
    rest_x, rest_y = batch
    if isinstance(kernel, RadialKernel) and max(rest_x.size, rest_y.size) < _ENOUGH:
        _check(batch, batch)
        x, y = x.plus(rest_x), y.plus(rest_y)
        if not at_once and min(x.size * x.room.shape[1], y.size * y.room.shape[1]) < _ENOUGH:
            return NOTHING, (x, y)
        rest_x, rest_y = batch = rest_x[:0], rest_y[:0]
    moments = NOTHING
    while True:
        x, rest_x = _even(x, rest_x)
        y, rest_y = _even(y, rest_y)
        front_x, front_y = (one.rows if one.size else rest for one, rest in ((x, rest_x), (y, rest_y)))
        size = min(len(front_x), len(front_y)) // 2 * 2
        if not size:
            break
        moments = moments.plus(_terms(kernel, (front_x[:size], front_y[:size]), batch))
        x, rest_x = (x.minus(size), rest_x) if x.size else (x, rest_x[size:])
        y, rest_y = (y.minus(size), rest_y) if y.size else (y, rest_y[size:])
    if len(batch[0]) or len(batch[1]):
        _check((x.rows[-2:], y.rows[-2:], rest_x, rest_y), batch)
    return moments, (x.plus(rest_x), y.plus(rest_y))


def _even(waiting: Waiting, batch: Floats) -> tuple[Waiting, Floats]:
    """With an even number of rows before those of the batch, if there is one to take."""
    take = waiting.size % 2
    return waiting.plus(batch[:take]), batch[take:]


def _check(pieces: Iterable[Floats], batch: Pair) -> None:
    """Refuse a batch if some rows are not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        finite = all(map(_finite, pieces))
    if not finite:
        _refuse(batch)


def _finite(piece: Floats) -> bool:
    """Whether all numbers are finite. Sums of squares are looked at first: BLAS takes a fifth of the time of a sum."""
    flat = piece.reshape(-1)
    total = 0.0
    for at in range(0, flat.size, _DOT):
        part = flat[at : at + _DOT]
        total += float(part.dot(part))
    return isfinite(total) or bool(np.isfinite(piece).all())


def _terms(kernel: Kernel, pair: Pair, batch: Pair) -> TermMoments:
    """Moments of h over an even number of rows, task by task; large batches on all cores."""
    x, y = pair
    count = len(x) // 2
    step = max(1, _TASK // (2 * x.shape[1]))
    starts = range(0, count, step)

    def task(start: int, stop: Event) -> TermMoments:
        rows = slice(2 * start, 2 * min(start + step, count))
        found = None
        if isinstance(kernel, RadialKernel) and not stop.is_set():
            found = _radial_moments(kernel, x[rows], y[rows])
        return TermMoments.of(_plain_terms(kernel, x[rows], y[rows], batch)) if found is None else found

    if x.size >= _LARGE:
        parts = run(starts, task, available_cores())
    else:
        with single_threaded_blas() if x.size > _FEW else nullcontext():
            parts = [task(start, Event()) for start in starts]
    return reduce(TermMoments.plus, parts, NOTHING)


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


def _radial_moments(kernel: RadialKernel, x: Floats, y: Floats) -> TermMoments | None:
    """Moments of h from distances, or None when one is not finite."""
    count, d, unit = len(x) // 2, x.shape[1], kernel.scale
    if not 1e-100 < unit < 1e100:  # squares could leave the range of doubles where distances do not
        return None
    absolute = kernel.metric == "cityblock"
    weight = 1 / unit if absolute else 1 / (unit * unit)
    step = min(count, max(1, _PIECE // (2 * d)))
    values, scratch, moments = np.empty(4 * step), np.empty(step * 2 * d), NOTHING
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, step):
            size = min(step, count - start)
            rows = slice(2 * start, 2 * (start + size))
            distances = values[: 4 * size].reshape(4, size)
            _four_sums(x[rows], y[rows], weight, absolute, distances, scratch)
            if not isfinite(np.add.reduce(distances, axis=None)):
                return None
            if kernel.metric == "euclidean":
                np.sqrt(distances, out=distances)
            k = kernel.of_distances(distances, x, y)
            h = np.add(k[0], k[1], out=distances[0])
            h -= k[2]
            h -= k[3]
            moments = moments.plus(TermMoments.of(h))
    return moments


def _four_sums(x: Floats, y: Floats, weight: float, absolute: bool, values: Floats, scratch: Floats) -> None:
    """Fill ``(4, terms)`` values with weighted sums of absolute or squared differences: x1-x2, y1-y2, x1-y2, x2-y1.

    Differences of all neighbouring rows are taken, in flat arrays. Half of them belong to no term and get no weight,
    but loops over short rows would cost more than these.
    """
    d, size = x.shape[1], np.abs if absolute else np.square
    weights = np.zeros(2 * d)
    weights[:d] = weight
    x, y = x.reshape(-1), y.reshape(-1)
    flat = scratch[: x.size]
    table = flat.reshape(-1, 2 * d)
    chunk = len(table) if x.size > _FEW else max(1, _SMALL // (2 * d))
    x1, x2, y1, y2 = x[:-d], x[d:], y[:-d], y[d:]
    for value, left, right in zip(values, (x1, y1, x1, x2), (x2, y2, y2, y1), strict=True):
        flat[-d:] = 0
        np.subtract(left, right, out=flat[:-d])
        size(flat, out=flat)
        for at in range(0, len(table), chunk):
            table[at : at + chunk].dot(weights, out=value[at : at + chunk])
