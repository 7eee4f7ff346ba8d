"""The linear-time statistic of Section 6 on a stream: one look at every row, constant memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.observed import Observed
from ..core.pvalue import Law
from ..errors import InputError, OptionError, options_by_name
from ..kernels import Kernel
from ..nulls import Null
from ..nulls.bounds import hoeffding_bound, kernel_limits
from ..results import TestResult, conclude
from ..statistics import LinearTime
from .stream_terms import NOTHING, Waiting, consume, rows_of

_NULLS = ("normal", "hoeffding")


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
    O(d) time a row: some 2.5 times one pass of ``np.exp`` over the kernel values and one look at the data. Rows of
    small batches are collected, and worked on some ten thousand numbers at a time. Memory is constant as long as x and
    y arrive at the same rate: rows of one sample that have no partner yet are kept, see :attr:`pending`. Rows must be
    independent and in random order. The price of constant memory is power: a :class:`Sketch` keeps nearly all of it.

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
        if self._kernel.bounds is not None:
            door.check_values(self._kernel, max(map(abs, self._kernel.bounds)), 2, powers=True)
        self._moments = NOTHING
        self._waiting = (Waiting(), Waiting())
        self._rows = (0, 0)
        self._columns = 0
        self._names: tuple[str, ...] = ()
        self._size = 0.0  # of a kernel value, on the scale of which rounding happens

    @classmethod
    @options_by_name
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
        return cls(door.request(x, y, kernel, bandwidth, rng=rng).kernel)

    def update(self, x: object, y: object) -> LinearTimeMMD:
        """Take in a batch of each sample, of any sizes; returns itself.

        Parameters
        ----------
        x, y
            Rows of both samples; either may be empty. A batch that cannot be used changes nothing. Data frames must
            have their columns in the order of all others that came before.
        """
        batches = (rows_of(x, "x"), rows_of(y, "y"))
        columns = self._check_columns(door.batch_columns(x, batches[0]), door.batch_columns(y, batches[1]))
        names = self._check_names(door.column_names(x), door.column_names(y))
        whole = (batches[0].reshape(-1, max(columns, 1)), batches[1].reshape(-1, max(columns, 1)))
        moments, self._waiting = consume(self._kernel, self._waiting, whole)
        if not self._rows[0] and len(whole[0]):
            with np.errstate(over="ignore", invalid="ignore"):
                first = whole[0][:50] - whole[0][0] if self._kernel.translation_free else whole[0][:50]
            self._size = float(np.abs(self._kernel.diagonal(first)).max())
        self._moments = self._moments.plus(moments)
        self._rows = (self._rows[0] + len(whole[0]), self._rows[1] + len(whole[1]))
        self._columns, self._names = columns, names
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
        if not isinstance(other, LinearTimeMMD):
            raise InputError(f"A stream can be merged with a stream only, not with {type(other).__name__}.")
        if self._kernel != other._kernel:
            raise OptionError(f"The streams have different kernels, {self._kernel!r} and {other._kernel!r}.")
        if self._columns and other._columns and self._columns != other._columns:
            raise InputError(f"Different columns: the streams have {self._columns} and {other._columns}.")
        door.check_names(self._names, other._names, "The streams")
        merged = LinearTimeMMD(self._kernel)
        for stream in (self, other):
            stream._complete()
            if stream._columns:
                merged.update(*(rows.rows.reshape(-1, stream._columns) for rows in stream._waiting))
            merged._moments = merged._moments.plus(stream._moments)
        merged._names, merged._size = self._names or other._names, max(self._size, other._size)
        merged._rows = (self._rows[0] + other._rows[0], self._rows[1] + other._rows[1])
        return merged

    @options_by_name
    def result(self, null: Null | str = "normal", level: float = 0.05) -> TestResult:
        """The test on all rows so far.

        Parameters
        ----------
        null
            'normal' (Corollary 'linearstat') or 'hoeffding' (Theorem 'asy-linear'; bounded kernels only).
        level
            The level of the test.
        """
        null, level = door.resolve_null(null, _NULLS), door.check_level(level)
        if null.name not in _NULLS:
            raise OptionError(f"null={null.name!r} needs the rows again; with a stream use 'normal' or 'hoeffding'.")
        if not self.terms:
            raise InputError(f"Two rows of each sample are needed; so far: {self._rows}.")
        self._complete()
        door.check_values(self._kernel, max(self._moments.largest, self._size), self.terms, powers=True)
        outcome = null.judged(self._observed())
        return conclude(
            outcome.law,
            statistic=outcome.value,
            level=level,
            m=self._rows[0],
            n=self._rows[1],
            test="MMD two-sample test on streams",
            symbol=LinearTime.symbol,
            columns=self.columns,
            null=null,
            kernel=self._kernel,
            notes=outcome.notes,
        )

    @property
    def kernel(self) -> Kernel:
        """The kernel, bandwidth included."""
        return self._kernel

    @property
    def statistic(self) -> float:
        """MMD²_l so far; NaN before the first pair of rows."""
        self._complete()
        return self._moments.mean if self.terms else float("nan")

    @property
    def terms(self) -> int:
        """How many values of h there are: half the rows of the sample that has fewer."""
        return self._moments.count + min(rows.size for rows in self._waiting) // 2

    @property
    def rows(self) -> tuple[int, int]:
        """Rows of x and of y so far."""
        return self._rows

    @property
    def pending(self) -> tuple[int, int]:
        """Rows of x and of y that wait for a partner: the only memory that can grow, with the lead of one sample."""
        x, y = (rows.size for rows in self._waiting)
        return x - min(x, y) // 2 * 2, y - min(x, y) // 2 * 2

    @property
    def columns(self) -> int:
        """Columns of the rows; 0 before they are known."""
        return self._columns

    def __repr__(self) -> str:
        return f"LinearTimeMMD({self._kernel!r}: {self._rows[0]} and {self._rows[1]} rows, {self.terms} terms)"

    def __copy__(self) -> LinearTimeMMD:
        """A stream of its own: rows that wait are not shared."""
        return LinearTimeMMD(self._kernel).merge(self)

    def _complete(self) -> None:
        """Take in what can be completed of the rows that wait."""
        if min(rows.size for rows in self._waiting) > 1:
            none = np.empty((0, self._columns))
            moments, self._waiting = consume(self._kernel, self._waiting, (none, none), at_once=True)
            self._moments = self._moments.plus(moments)

    def _check_columns(self, x: int, y: int) -> int:
        """The columns of both batches, of which 0 is any, and of the stream."""
        if x == y == self._columns:
            return x
        known = {name: d for name, d in (("x", x), ("y", y), ("the stream", self._columns)) if d}
        if len(set(known.values())) > 1:
            raise InputError("Different columns: " + ", ".join(f"{name} has {d}" for name, d in known.items()) + ".")
        return next(iter(known.values()), 0)

    def _check_names(self, x: tuple[str, ...], y: tuple[str, ...]) -> tuple[str, ...]:
        """The names of the columns, if they are known."""
        door.check_names(x, y, "x and y")
        door.check_names(x, self._names, "x and the stream")
        door.check_names(y, self._names, "y and the stream")
        return self._names or x or y

    def _observed(self) -> ObservedStream:
        count = self.terms
        return ObservedStream(
            value=self.statistic,
            tolerance=1e-12 * max(self._moments.largest, self._size),
            m=self._rows[0],
            n=self._rows[1],
            kernel=self._kernel,
            terms=count,
            error=sqrt(self._moments.squares / (count - 1) / count) if count > 1 else None,
            least=LinearTime().least_pvalue(*self._rows),
        )


@dataclass(frozen=True, eq=False)
class ObservedStream(Observed):
    """MMD²_l of rows that are gone: a mean of independent terms and its standard error."""

    value: float
    tolerance: float
    m: int
    n: int
    kernel: Kernel
    terms: int
    error: float | None
    least: float
    rows = False

    def bound(self, null: str) -> Law:
        return hoeffding_bound(self.terms, kernel_limits(self.kernel, null, rows=False))
