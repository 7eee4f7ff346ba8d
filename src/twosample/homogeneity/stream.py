"""The linear-time statistic of Section 6 on a stream: one look at every row, constant memory."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import reduce
from math import isfinite, sqrt
from threading import Event

import numpy as np

from .. import _door as door
from ..core.distributions import Distribution, NormalLaw, PointLaw
from ..core.evidence import Evidence
from ..core.laws import ContinuousLaw, Law
from ..core.types import Floats
from ..engines.threads import available_cores, run
from ..errors import InputError, OptionError
from ..kernels import Kernel, RadialKernel
from ..nulls import Normal, Null
from ..results import TestResult
from ..statistics import LinearTime
from ..statistics.averages import h_terms

_TASK = 1 << 15  # terms that one thread works on at a time
_BLOCK = 1 << 13  # terms whose kernel values are taken together
_CACHED = 40_000  # numbers of one sample in a piece of a block: they and their differences stay in the second cache
_UNTHREADED = 9_000  # the same for small batches: below the size at which BLAS wakes its threads


class LinearTimeMMD:
    r"""MMD²_l of two streams, with its p-value at any time.

    H0: p = q. The statistic is the mean of
    :math:`h = k(x_1,x_2) + k(y_1,y_2) - k(x_1,y_2) - k(x_2,y_1)` over consecutive pairs of rows, and only the count,
    mean and spread of h are kept. Batches of any sizes give the answer of one pass over all rows:
    ``ts.mmd_test(x, y, statistic="linear")``.

    Parameters
    ----------
    kernel
        As in :func:`mmd_test`, but with its bandwidth: a stream cannot look at all rows first. See :meth:`from_pilot`.

    Notes
    -----
    O(d) time a row. Memory is constant as long as x and y arrive at the same rate: rows of one sample that have no
    partner yet are kept, see :attr:`pending`. Rows must be independent and in random order. The price of constant
    memory is power: a :class:`Sketch` keeps nearly all of it.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> s = ts.LinearTimeMMD(ts.Gaussian(bandwidth=1.0))
    >>> for _ in range(20):
    ...     s = s.update(rng.normal(size=(500, 2)), rng.laplace(size=(490, 2)))
    >>> s.result().rejected, s.terms, s.pending
    (True, 4900, (200, 0))
    """

    def __init__(self, kernel: door.KernelLike) -> None:
        self._kernel = door.resolve_kernel(kernel)
        if self._kernel.domain != "vectors":
            raise OptionError(f"kernel={self._kernel!r} is not a kernel on rows of numbers; a stream needs one.")
        if self._kernel.needs_bandwidth:
            raise OptionError(
                f"kernel={kernel!r} leaves its bandwidth open, and a stream cannot look at all rows first. Give one, "
                "such as ts.Gaussian(bandwidth=0.5), or take it from a first batch: LinearTimeMMD.from_pilot(x0, y0)."
            )
        self._moments = _NOTHING
        self._waiting: tuple[Queue, Queue] = ((), ())
        self._rows = (0, 0)
        self._columns = 0

    @classmethod
    def from_pilot(
        cls,
        x: object,
        y: object,
        kernel: door.KernelLike = "gaussian",
        bandwidth: door.BandwidthLike = "median",
        rng: door.Seed = None,
    ) -> LinearTimeMMD:
        """A stream whose bandwidth comes from a first batch of both samples.

        The batch is not counted. It may be given to :meth:`update` afterwards: the rule sees the pooled rows only.

        Parameters
        ----------
        x, y
            The first rows of both samples.
        kernel, bandwidth, rng
            As in :func:`mmd_test`.

        Examples
        --------
        >>> import twosample as ts
        >>> ts.LinearTimeMMD.from_pilot([1.0, 2.0, 4.0], [2.0, 3.0]).kernel
        Gaussian(bandwidth=1.0)
        """
        formula = door.resolve_kernel(kernel)
        rule = door.resolve_bandwidth(bandwidth, formula)
        return cls(door.fill_bandwidth(formula, rule, door.pool(x, y, formula).z, door.generator(rng)))

    def update(self, x: object, y: object) -> LinearTimeMMD:
        """Take in a batch of each sample, of any sizes; returns itself.

        Parameters
        ----------
        x, y
            Rows of both samples; either may be empty. A batch that cannot be used changes nothing.
        """
        batches = (_rows(x, "x"), _rows(y, "y"))
        columns = self._check_columns(*batches)
        whole = (batches[0].reshape(-1, max(columns, 1)), batches[1].reshape(-1, max(columns, 1)))
        moments, self._waiting = _consume(self._kernel, self._waiting, whole)
        self._moments = self._moments.plus(moments)
        self._rows = (self._rows[0] + len(whole[0]), self._rows[1] + len(whole[1]))
        self._columns = columns
        return self

    def merge(self, other: LinearTimeMMD) -> LinearTimeMMD:
        """Both streams as one: the terms of both; rows that wait for a partner find one in the other stream.

        Parameters
        ----------
        other
            A stream with the same kernel and columns. Neither is changed.

        Examples
        --------
        >>> import twosample as ts
        >>> a = ts.LinearTimeMMD(ts.Gaussian(1.0)).update([0.0, 1.0, 2.0], [0.5, 1.5])
        >>> b = ts.LinearTimeMMD(ts.Gaussian(1.0)).update([0.0], [0.5, 1.5])
        >>> a.merge(b).terms
        2
        """
        if self._kernel != other._kernel:
            raise OptionError(f"The streams have different kernels, {self._kernel!r} and {other._kernel!r}.")
        merged = LinearTimeMMD(self._kernel)
        merged._moments, merged._waiting, merged._columns = self._moments, self._waiting, self._columns
        if other._columns:
            none = np.empty((0, other._columns))
            merged.update(np.concatenate([none, *other._waiting[0]]), np.concatenate([none, *other._waiting[1]]))
        merged._moments = merged._moments.plus(other._moments)
        merged._rows = (self._rows[0] + other._rows[0], self._rows[1] + other._rows[1])
        return merged

    def result(self, null: Null | str = "normal", level: float = 0.05) -> TestResult:
        """The test on all rows so far.

        Parameters
        ----------
        null
            'normal' (Corollary 'linearstat') or 'hoeffding' (Theorem 'asy-linear'; bounded kernels only).
        level
            The level of the test.
        """
        null, level = door.resolve_null(null), door.check_level(level)
        if null.name not in ("normal", "hoeffding"):
            raise OptionError(f"null={null.name!r} needs the rows again; with a stream use 'normal' or 'hoeffding'.")
        if not self.terms:
            raise InputError(f"Two rows of each sample are needed; so far: {self._rows}.")
        evidence = self._evidence()
        law = self._normal_law(evidence) if isinstance(null, Normal) else null.law(evidence)
        return TestResult(
            test="MMD two-sample test on streams",
            symbol=LinearTime.symbol,
            statistic=self.statistic,
            pvalue=law.pvalue(self.statistic),
            threshold=law.threshold(level),
            level=level,
            m=self._rows[0],
            n=self._rows[1],
            columns=self.columns,
            null=null,
            law=law,
            kernel=self._kernel,
            notes=null.notes(evidence),
        )

    @property
    def kernel(self) -> Kernel:
        """The kernel, bandwidth included."""
        return self._kernel

    @property
    def statistic(self) -> float:
        """MMD²_l so far; NaN before the first pair of rows."""
        return self._moments.mean if self.terms else float("nan")

    @property
    def terms(self) -> int:
        """How many values of h there are: half the rows of the sample that has fewer."""
        return self._moments.count

    @property
    def rows(self) -> tuple[int, int]:
        """Rows of x and of y so far."""
        return self._rows

    @property
    def pending(self) -> tuple[int, int]:
        """Rows of x and of y that wait for a partner: the only memory that can grow, with the lead of one sample."""
        return sum(map(len, self._waiting[0])), sum(map(len, self._waiting[1]))

    @property
    def columns(self) -> int:
        """Columns of the rows; 0 before the first."""
        return self._columns

    def __repr__(self) -> str:
        return f"LinearTimeMMD({self._kernel!r}: {self._rows[0]} and {self._rows[1]} rows, {self.terms} terms)"

    def _check_columns(self, x: Floats, y: Floats) -> int:
        """The columns of both batches; an empty one may have any."""
        known = {name: int(rows.shape[1]) for name, rows in (("x", x), ("y", y)) if rows.size}
        if self._columns:
            known["the stream"] = self._columns
        if len(set(known.values())) > 1:
            raise InputError("Different columns: " + ", ".join(f"{name} has {d}" for name, d in known.items()) + ".")
        return next(iter(known.values()), 0)

    def _evidence(self) -> Evidence:
        return Evidence(
            values=np.array([self.statistic]),
            tolerance=1e-12 * self._moments.largest,
            exhaustive=False,
            m=self._rows[0],
            n=self._rows[1],
            kernel=repr(self._kernel),
            bounds=self._kernel.bounds,
            term_count=self.terms,
        )

    def _normal_law(self, evidence: Evidence) -> Law:
        """The law of :class:`Normal`, from the moments of the terms instead of the terms."""
        count, spread = self.terms, self._moments.squares
        error = sqrt(spread / (count - 1) / count) if count > 1 else 0.0
        flat = error <= 1e-12 * self._moments.largest
        law: Distribution = PointLaw(evidence.tolerance) if flat else NormalLaw(0.0, error)
        return ContinuousLaw(law, evidence.m, evidence.n)


@dataclass(frozen=True)
class _Moments:
    """Count, mean, sum of squared deviations and largest size of some terms."""

    count: int
    mean: float
    squares: float
    largest: float

    @classmethod
    def of(cls, h: Floats) -> _Moments:
        mean = float(h.mean())
        deviation = h - mean
        return cls(len(h), mean, float(deviation @ deviation), max(float(h.max()), -float(h.min())))

    def plus(self, other: _Moments) -> _Moments:
        """Of all terms together (Chan, Golub and LeVeque 1983)."""
        if not (self.count and other.count):
            return self if self.count else other
        count = self.count + other.count
        step = other.mean - self.mean
        share = other.count / count
        squares = self.squares + other.squares + step * step * self.count * share
        return _Moments(count, self.mean + step * share, squares, max(self.largest, other.largest))


_NOTHING = _Moments(0, 0.0, 0.0, 0.0)


def _rows(batch: object, name: str) -> Floats:
    """A batch as rows; arrays of doubles are taken as they are, and looked at for NaN while they are used."""
    if type(batch) is np.ndarray and batch.dtype == np.float64 and batch.flags.c_contiguous and batch.ndim in (1, 2):
        return batch[:, None] if batch.ndim == 1 else batch
    return door.points(batch, name, least=0)


Pair = tuple[Floats, Floats]
Queue = tuple[Floats, ...]
"""Rows in the order of their arrival, cut anywhere."""


def _consume(kernel: Kernel, waiting: tuple[Queue, Queue], batch: Pair) -> tuple[_Moments, tuple[Queue, Queue]]:
    """The moments of all terms that can be completed, and the rows that are left over."""
    x, y = deque((*waiting[0], batch[0])), deque((*waiting[1], batch[1]))
    moments = _NOTHING
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


def _terms(kernel: Kernel, pair: Pair, batch: Pair) -> _Moments:
    """Moments of h over an even number of rows, block by block; large batches on all cores."""
    x, y = pair
    count = len(x) // 2
    large = x.size >= 1 << 19

    def task(start: int, stop: Event) -> _Moments:
        of_block = _RadialTerms(kernel, x.shape[1], large) if isinstance(kernel, RadialKernel) else None
        total = _NOTHING
        for first in range(start, min(start + _TASK, count), _BLOCK):
            rows = slice(2 * first, 2 * min(first + _BLOCK, count))
            h = None if of_block is None else of_block(x[rows], y[rows])
            total = total.plus(_Moments.of(_plain_terms(kernel, x[rows], y[rows], batch) if h is None else h))
            if stop.is_set():
                break
        return total

    starts = range(0, count, _TASK)
    parts = run(starts, task, available_cores()) if large else [task(start, Event()) for start in starts]
    return reduce(_Moments.plus, parts, _NOTHING)


def _plain_terms(kernel: Kernel, x: Floats, y: Floats, batch: Pair) -> Floats:
    """By the definition, near the origin where the kernel allows; refuses rows that are not finite."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        _refuse(batch)
    if kernel.translation_free:
        x, y = x - x[0], y - x[0]
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
