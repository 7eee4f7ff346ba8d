"""The terms of the linear-time statistic, piece by piece, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, reduce
from math import isfinite
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.blas import single_threaded_blas
from ..core.threads import available_cores, run
from ..core.types import Floats
from ..errors import InputError
from ..kernels import Kernel, RadialKernel
from ..statistics.averages import h_terms

_TASK = 1 << 20  # numbers of one sample that one thread works on at a time
_PIECE = 81_920  # numbers of one sample that are worked on together: they and their differences stay in the cache
_LARGE = 1 << 19  # numbers of one sample that are worth threads
_SMALL = 9_000  # numbers for which BLAS does not wake its own threads
_DOT = 10_000  # numbers whose squares BLAS sums without them
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
        return cls(count, mean, _squares(h), largest)

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
    return np.ascontiguousarray(door.points(batch, name, least=0))


Pair = tuple[Floats, Floats]


Rows = NDArray[np.void]
"""Whole rows as things to copy: differences of rows that lie in one long array cost half of those that lie apart."""


@cache
def _row_type(columns: int) -> np.dtype[np.void]:
    return np.dtype((np.void, 8 * columns))


class Waiting(NamedTuple):
    """Rows in the order of their arrival, with room to spare. Who shares the room must not add to it."""

    room: Rows = np.empty((2, 0), dtype=_row_type(1))  # (2, pairs): the first and the second rows of pairs
    start: int = 0  # pairs that are gone
    size: int = 0  # rows that are there

    @property
    def rows(self) -> Floats:
        """Copies of the rows."""
        pairs = self.room[:, self.start : self.start + -(-self.size // 2)]
        return pairs.T.flatten()[: self.size].view(np.float64).reshape(self.size, pairs.itemsize // 8)

    def plus(self, rows: Floats) -> Waiting:
        """With copies of some more."""
        if not len(rows):
            return self
        room, start, size = self.room, self.start, self.size + len(rows)
        if 2 * start + size > 2 * room.shape[1]:
            pairs = max(size, (_ENOUGH // rows.shape[1] + len(rows)) // 2)
            room, start = np.empty((2, pairs), dtype=_row_type(rows.shape[1])), 0
            if self.size:
                _deal(self.rows, room)
        _deal(rows, room, 2 * start + self.size)
        return Waiting(room, start, size)

    def minus(self, pairs: int) -> Waiting:
        """Without so many of the first; gives back memory that has become much too large."""
        left = Waiting(self.room, self.start + pairs, max(self.size - 2 * pairs, 0))
        if self.room.nbytes > 32 * _ENOUGH and 2 * left.size < self.room.shape[1]:
            return Waiting().plus(left.rows)
        return left if left.size else Waiting(self.room)


class Arrived(NamedTuple):
    """Rows of one sample that wait, and those of a batch behind them."""

    waiting: Waiting
    batch: Floats

    def __len__(self) -> int:
        return self.waiting.size + len(self.batch)

    def pairs(self, start: int, stop: int, room: Rows) -> Floats:
        """``(2, pairs, columns)`` the first and the second rows of some pairs, where they wait or copied to a room."""
        held = self.waiting.size
        if 2 * stop <= held:
            rows = self.waiting.room[:, self.waiting.start + start : self.waiting.start + stop]
        else:
            rows = room[:, : stop - start]
            if held > 2 * start:
                _deal(self.waiting.rows[2 * start :], rows)
            _deal(self.batch[max(2 * start - held, 0) : 2 * stop - held], rows, max(held - 2 * start, 0))
        return rows.view(np.float64).reshape(2, stop - start, rows.itemsize // 8)

    def without(self, pairs: int) -> Arrived:
        """What is left after so many pairs."""
        return Arrived(self.waiting.minus(pairs), self.batch[max(2 * pairs - self.waiting.size, 0) :])


def _deal(rows: Floats, room: Rows, at: int = 0) -> None:
    """Copy rows of which the first is number `at`: into the first and the second half of the room in turn."""
    new = rows.view(room.dtype)
    if at % 2 and len(new):
        room[1, at // 2] = new[0, 0]
        new, at = new[1:], at + 1
    if len(new) % 2:
        room[0, (at + len(new)) // 2] = new[-1, 0]
        new = new[:-1]
    pairs = new.reshape(-1, 2).T
    room[:, at // 2 : at // 2 + pairs.shape[1]] = pairs


def consume(
    kernel: Kernel, waiting: tuple[Waiting, Waiting], batch: Pair, at_once: bool = False
) -> tuple[TermMoments, tuple[Waiting, Waiting]]:
    """The moments of terms that can be completed, and the rows that are left over.

    Small batches wait until there are enough rows, unless it has to be `at_once`: a batch of a few rows costs a look
    and a copy. Only kernels that are finite for all finite rows can wait; others may refuse a batch.
    """
    if isinstance(kernel, RadialKernel) and max(batch[0].size, batch[1].size) < _ENOUGH:
        _check(batch, batch)
        waiting, batch = (waiting[0].plus(batch[0]), waiting[1].plus(batch[1])), (batch[0][:0], batch[1][:0])
        if not at_once and min(waiting[0].size, waiting[1].size) * batch[0].shape[1] < _ENOUGH:
            return NOTHING, waiting
    x, y = Arrived(waiting[0], batch[0]), Arrived(waiting[1], batch[1])
    count = min(len(x), len(y)) // 2
    moments = _terms(kernel, (x, y), count, batch)
    x, y = x.without(count), y.without(count)
    _check((x.batch, y.batch), batch)
    return moments, (x.waiting.plus(x.batch), y.waiting.plus(y.batch))


def _check(pieces: Iterable[Floats], batch: Pair) -> None:
    """Refuse a batch if some rows are not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        finite = all(map(_finite, pieces))
    if not finite:
        _refuse(batch)


def _finite(piece: Floats) -> bool:
    """Whether all numbers are finite. Sums of squares are looked at first: BLAS takes a fifth of the time of a sum."""
    return isfinite(_squares(piece.reshape(-1))) or bool(np.isfinite(piece).all())


def _squares(values: Floats) -> float:
    """The sum of squares, by BLAS, but not by its threads."""
    total = 0.0
    for at in range(0, values.size, _DOT):
        part = values[at : at + _DOT]
        total += float(part.dot(part))
    return total


def _refuse(batch: Pair) -> None:
    for rows, name in zip(batch, ("x", "y"), strict=True):
        door.points(rows, name, least=0)


def _terms(kernel: Kernel, samples: tuple[Arrived, Arrived], count: int, batch: Pair) -> TermMoments:
    """Moments of h over so many pairs, task by task; large batches on all cores."""
    d = batch[0].shape[1]
    step = max(1, _TASK // (2 * d))

    def task(start: int, stop: Event) -> TermMoments:
        return _task(kernel, samples, range(start, min(start + step, count)), batch, stop.is_set)

    if 2 * count * d >= _LARGE:
        return reduce(TermMoments.plus, run(range(0, count, step), task, available_cores()), NOTHING)
    with single_threaded_blas() if d > _SMALL else nullcontext():
        return _task(kernel, samples, range(count), batch)


def _task(
    kernel: Kernel,
    samples: tuple[Arrived, Arrived],
    pairs: range,
    batch: Pair,
    stopped: Callable[[], bool] = lambda: False,
) -> TermMoments:
    """Moments of h over some pairs, as many at a time as stay in the cache."""
    d, moments = batch[0].shape[1], NOTHING
    piece = min(len(pairs), max(1, _PIECE // (2 * d)))
    room, workspace = np.empty((2, 2, piece), dtype=_row_type(d)), (np.empty((2 * piece, d)), np.empty(4 * piece))
    for start in range(pairs.start, pairs.stop, piece or 1):
        if stopped():
            break
        stop = min(start + piece, pairs.stop)
        x, y = samples[0].pairs(start, stop, room[0]), samples[1].pairs(start, stop, room[1])
        h = _radial_terms(kernel, x, y, workspace) if isinstance(kernel, RadialKernel) else None
        moments = moments.plus(TermMoments.of(_plain_terms(kernel, x, y, batch) if h is None else h))
    return moments


def _plain_terms(kernel: Kernel, x: Floats, y: Floats, batch: Pair) -> Floats:
    """By the definition, moved to the origin where that helps; refuses rows that are not finite."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        _refuse(batch)
    with np.errstate(over="ignore", invalid="ignore"):  # to a bounded kernel an infinite distance is far enough
        if kernel.translation_free and not isinstance(kernel, RadialKernel):
            centre = np.median(x, axis=(0, 1))
            x, y = x - centre, y - centre
        h = h_terms(kernel, (x[0], x[1]), (y[0], y[1]))
    if not (np.abs(h) < 1e150).all():
        raise InputError(f"x and y hold values too large for {kernel!r}: its sums overflow. Rescale both samples.")
    return h


def _radial_terms(kernel: RadialKernel, x: Floats, y: Floats, workspace: tuple[Floats, Floats]) -> Floats | None:
    """H from distances, or None when one is not finite."""
    unit = kernel.scale
    if not 1e-100 < unit < 1e100:  # squares could leave the range of doubles where distances do not
        return None
    absolute = kernel.metric == "cityblock"
    weight = 1 / unit if absolute else 1 / (unit * unit)
    with np.errstate(over="ignore", invalid="ignore"):
        distances = _four_sums(x, y, weight, absolute, workspace)
        if not isfinite(np.add.reduce(distances, axis=None)):
            return None
        if kernel.metric == "euclidean":
            np.sqrt(distances, out=distances)
        k = kernel.of_distances(distances, x[0], y[0])
        h: Floats = np.add(k[0], k[1], out=distances[0])
        h -= k[2]
        h -= k[3]
    return h


def _four_sums(x: Floats, y: Floats, weight: float, absolute: bool, workspace: tuple[Floats, Floats]) -> Floats:
    """``(4, terms)`` weighted sums of absolute or squared differences: x1-x2, y1-y2, x1-y2, x2-y1."""
    _, count, d = x.shape
    size, weights = np.abs if absolute else np.square, np.full(d, weight)
    table, sums = workspace[0], workspace[1][: 4 * count]
    at = 0
    for left, right in ((x[0], x[1]), (y[0], y[1]), (x, y[::-1])):
        part = table[: left.size // d]
        np.subtract(left, right, out=part.reshape(left.shape))
        size(part, out=part)
        _weighted(part, weights, sums[at : at + len(part)])
        at += len(part)
    return sums.reshape(4, count)


def _weighted(table: Floats, weights: Floats, sums: Floats) -> None:
    """The product of a table and weights, in parts that are too small for BLAS to wake its threads."""
    rows, d = table.shape
    chunk = min(rows, max(1, _SMALL // d))
    even = rows - rows % chunk
    np.matmul(table[:even].reshape(-1, chunk, d), weights, out=sums[:even].reshape(-1, chunk))
    if even < rows:
        np.matmul(table[even:], weights, out=sums[even:])
