"""One column as binned moments: a :class:`~twosample.summaries.BinnedColumn`, its range chosen from the first rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, nan

import numpy as np

from ...core.types import Floats
from ...errors import InputError, OptionError
from ...summaries import BinGrid, BinnedColumn
from ...summaries.grid import LARGEST

_SAMPLE = 20_000  # rows that the range is chosen from


@dataclass(frozen=True)
class BinnedMoments:
    """How a :class:`Sketch` keeps one column: count, sum and sum of squares in each of many bins.

    The characteristic function at every frequency follows, and from it the statistic for every smooth kernel and
    bandwidth, and its law under H0. Rows beyond the bins are counted, and treated as if they lay at the edge.

    Parameters
    ----------
    bins
        The largest number of bins; at least half of them are used.
    span
        The range ``(low, high)`` of the bins. None: from the first batch, three and a half times as wide as the middle
        98 % of its rows.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Sketch.fit([3.0, 4.0, 5.0], ts.BinnedMoments(span=(0.0, 10.0)))
    Sketch(3 rows, 1 column, BinnedMoments(bins=4096, span=(0.0, 10.0)))
    """

    bins: int = 4096
    span: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.bins, bool) or not isinstance(self.bins, int | np.integer) or not 64 <= self.bins <= 1 << 20:
            raise OptionError(f"BinnedMoments: bins={self.bins!r} must be a whole number between 64 and {1 << 20}.")
        if self.span is None:
            return
        try:
            low, high = (float(end) for end in self.span)
        except (TypeError, ValueError):
            low = high = nan
        if not (isfinite(low) and isfinite(high) and low < high):
            raise OptionError(f"BinnedMoments: span={self.span!r} must be two numbers, the lower one first.")
        object.__setattr__(self, "span", (low, high))

    def state(self, rows: Floats) -> Bins:
        """Empty bins, their range chosen from the first rows if it was not given."""
        if rows.shape[1] != 1:
            raise OptionError(
                f"BinnedMoments keeps one column, and the data have {rows.shape[1]}. Use ts.GroupedFeatures(), or a "
                "sketch for each column."
            )
        return Bins(self, BinnedColumn.empty(BinGrid.over(*(self.span or _range(rows[:, 0])), self.bins)))


@dataclass(frozen=True, eq=False)
class Bins:
    """One column in bins: never changed, only replaced."""

    layout: BinnedMoments  # what was asked for
    column: BinnedColumn  # the rows so far

    columns = 1

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self.column.rows

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return int(self.column.sums.nbytes)

    def added(self, rows: Floats) -> Bins:
        """With more rows, ``(n, 1)``."""
        return replace(self, column=self.column.added(rows[:, 0]))

    def merged(self, other: Bins) -> Bins:
        """The rows of both."""
        bins = max(self.layout.bins, other.layout.bins)
        span = self.layout.span if self.layout.span == other.layout.span else None
        return Bins(replace(self.layout, bins=bins, span=span), self.column.merged(other.column, bins))

    def blank(self) -> Bins:
        """The same bins without rows."""
        return replace(self, column=self.column.blank())


def _range(column: Floats) -> tuple[float, float]:
    """Wide enough for what will come, by the middle of what has come."""
    if not len(column):
        raise InputError("The range of the bins cannot be chosen from no rows; give BinnedMoments(span=(low, high)).")
    part = column[:: max(1, len(column) // _SAMPLE)]
    part = np.clip(part, -LARGEST, LARGEST)
    low, high = (float(q) for q in np.quantile(part, [0.01, 0.99]))
    if low == high:
        low, high = float(part.min()), float(part.max())
    if low == high:
        return low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    margin = 1.25 * (high - low)
    return low - margin, high + margin
