"""One column as binned moments: how many rows, their sum and their sum of squares in each of a few thousand bins.

Bins are 2^e wide and start at whole multiples of that, so bins of different sketches nest: two sketches can always be
brought to common bins, exactly, and no rounding depends on the offset of the data. Within a bin everything is measured
from its centre in units of its width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, frexp, isfinite, nan, ulp

import numpy as np

from ...core.bins import add_to_bins
from ...core.types import Floats
from ...errors import InputError, OptionError

_SAMPLE = 20_000  # rows that the range is chosen from
_LARGEST = 2.0**1000
_UNKNOWN = 0.1  # share of the rows beyond ranges that lie apart, at most


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
        low, high = self.span or _range(rows[:, 0])
        low, high = max(low, -_LARGEST), min(high, _LARGEST)
        unit = max(frexp((high - low) / self.bins)[1] - 1, frexp(ulp(max(-low, high)))[1] - 1, -1000)
        while _above(high, unit) - _below(low, unit) > self.bins:
            unit += 1
        start, stop = _below(low, unit), _above(high, unit)
        return Bins(self, unit, start, np.zeros((3, stop - start)))


@dataclass(frozen=True, eq=False)
class Bins:
    """The moments themselves: never changed, only replaced.

    Parameters
    ----------
    layout
        What was asked for.
    unit
        Bins are ``2**unit`` wide.
    start
        The first bin begins at ``start * 2**unit``.
    moments
        ``(3, B)`` rows of each bin, sums of u and of u²: u is the distance from the centre of the bin in bin widths.
    low, high
        Rows below and above.
    cut
        ``(low, high)``: the bins, counted from `start`, outside of which rows go to `low` and `high`; None: all bins.
    """

    layout: BinnedMoments
    unit: int
    start: int
    moments: Floats
    low: int = 0
    high: int = 0
    cut: tuple[int, int] | None = None

    columns = 1

    @property
    def size(self) -> int:
        """The number of bins."""
        return int(self.moments.shape[1])

    @property
    def rows(self) -> int:
        """Rows so far."""
        return int(self.moments[0].sum()) + self.low + self.high

    @property
    def stop(self) -> int:
        """The last bin ends at ``stop * 2**unit``."""
        return self.start + self.size

    @property
    def ends(self) -> tuple[int, int]:
        """The bins that take rows, counted from `start`."""
        return self.cut or (0, self.size)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.moments.nbytes

    def added(self, rows: Floats) -> Bins:
        """With more rows, ``(n, 1)``."""
        sums = np.zeros((self.size + 2, 3))  # the first bin takes what is below, the last what is above
        add_to_bins(rows[:, 0], 2.0**-self.unit, float(self.start - 1), sums)
        moments = np.ascontiguousarray(sums.T)
        new = replace(self, moments=moments[:, 1:-1], low=int(moments[0, 0]), high=int(moments[0, -1]))
        return _sum(self, new._cut_to(*self.ends))

    def merged(self, other: Bins) -> Bins:
        """The rows of both."""
        return _sum(*aligned([self, other]))

    def blank(self) -> Bins:
        """The same bins without rows."""
        return replace(self, moments=np.zeros_like(self.moments), low=0, high=0)

    def coarsened(self, steps: int) -> Bins:
        """In bins ``2**steps`` times as wide."""
        if steps == 0:
            return self
        ratio, scale = 1 << steps, 2.0**-steps
        start, stop = self.start >> steps, -(-self.stop >> steps)
        places = range(self.start, self.stop)
        index = np.array([(j >> steps) - start for j in places], dtype=np.intp)
        centre = np.array([(2 * (j % ratio) + 1) / (2 * ratio) - 0.5 for j in places])  # of the old bin, in the new one
        count, first, second = self.moments[0], scale * self.moments[1], scale**2 * self.moments[2]
        second = second + 2 * centre * first + centre**2 * count
        moments = np.zeros((3, stop - start))
        for row, values in zip(moments, (count, first + centre * count, second), strict=True):
            np.add.at(row, index, values)
        low = -(-(self.start + self.ends[0]) >> steps) - start if self.low else 0
        high = (self.start + self.ends[1] >> steps) - start if self.high else stop - start
        return replace(self, unit=self.unit + steps, start=start, moments=moments, cut=None)._cut_to(low, high)

    def placed(self, start: int, stop: int) -> Bins:
        """In the bins from `start` to `stop`, which must hold all that has rows."""
        moments = np.zeros((3, stop - start))
        first, last = max(start, self.start), min(stop, self.stop)
        if first < last:
            moments[:, first - start : last - start] = self.moments[:, first - self.start : last - self.start]
        low = self.start - start + self.ends[0] if self.low else 0
        high = self.start - start + self.ends[1] if self.high else stop - start
        return replace(self, start=start, moments=moments, cut=None)._cut_to(low, high)

    def _cut_to(self, low: int, high: int) -> Bins:
        """With the rows outside of some bins moved to those below and above."""
        low = min(max(low, 0), self.size)
        high = max(low, min(high, self.size))
        if (low, high) == (0, self.size):
            return self
        below, above = self.low + int(self.moments[0, :low].sum()), self.high + int(self.moments[0, high:].sum())
        moments = np.zeros_like(self.moments)
        moments[:, low:high] = self.moments[:, low:high]
        return replace(self, moments=moments, low=below, high=above, cut=(low, high))


def aligned(states: Sequence[Bins]) -> list[Bins]:
    """The same rows in common bins, with rows beyond the range of one of them counted as beyond it in all.

    A range matters only if rows lie beyond it. The common bins are the smallest that are as wide as the widest and
    reach over all ranges; the outcome does not depend on the order of the states or on what was merged before.
    """
    limit = max(state.layout.bins for state in states)
    unit = max(state.unit for state in states)
    while True:
        start = min(state.start >> unit - state.unit for state in states)
        stop = max(-(-state.stop >> unit - state.unit) for state in states)
        if stop - start <= limit:
            break
        unit += 1
    placed = [state.coarsened(unit - state.unit).placed(start, stop) for state in states]
    low = max((state.ends[0] for state in placed if state.low), default=0)
    high = min((state.ends[1] for state in placed if state.high), default=stop - start)
    return [state._cut_to(low, high) for state in placed]


def comparable(one: Bins, two: Bins) -> list[Bins]:
    """As :func:`aligned`, but with bins no wider than the part of the range that is compared asks for.

    If the ranges have no bins in common, rows beyond a range are put where the other state has rows, as far as they may
    be there: that can hide a difference, but makes none.
    """
    states, finest = [one, two], min(one.unit, two.unit)
    ends = [tuple(state.start + end << state.unit - finest for end in state.ends) for state in states]
    low = max((end[0] for end, state in zip(ends, states, strict=True) if state.low), default=None)
    high = min((end[1] for end, state in zip(ends, states, strict=True) if state.high), default=None)
    common = aligned([_trimmed(state, low, high, state.unit - finest) for state in states])
    if common[0].ends[0] < common[0].ends[1] or (low is None and high is None):
        return common
    if max((state.low + state.high) / max(state.rows, 1) for state in states) > _UNKNOWN:
        raise InputError(
            "The sketches have no bins in common, and too many rows lie beyond them to compare what there is. Make the "
            "second like the first, like=sketch_x, or give both a range, BinnedMoments(span=(low, high))."
        )
    flat = aligned([replace(state, low=0, high=0, cut=None) for state in states])
    steps, first = flat[0].unit - finest, flat[0].start
    result = []
    for state, part, other, (bottom, top) in zip(states, flat, flat[::-1], ends, strict=True):
        share = other.moments * (state.rows / max(other.rows, 1))
        lowest, highest = (bottom >> steps) - first, (top - 1 >> steps) - first
        moments = part.moments.copy()
        moments[:, :lowest] += (below := _part(share[:, :lowest], state.low))
        moments[:, highest + 1 :] += (above := _part(share[:, highest + 1 :], state.high))
        moments[0, lowest] += state.low - below[0].sum()
        moments[0, highest] += state.high - above[0].sum()
        result.append(replace(part, moments=moments))
    return result


def _part(moments: Floats, rows: int) -> Floats:
    """So many rows, or as many as there are, that lie like those of some bins; whole rows in each bin."""
    count = moments[0]
    total = float(count.sum())
    if not total or not rows:
        return np.zeros_like(moments)
    whole = np.diff(np.floor(np.cumsum(count) * min(1.0, rows / total) + 1e-9), prepend=0.0)
    return np.asarray(moments * (whole / np.where(count > 0, count, 1.0)))


def _trimmed(state: Bins, low: int | None, high: int | None, steps: int) -> Bins:
    """Without the bins beyond `low` and `high`, which count bins ``2**steps`` times as narrow."""
    least = state.start if low is None else -(-low >> steps)
    most = state.stop if high is None else high >> steps
    start, stop = (min(max(end, least), max(least, most)) for end in (state.start, state.stop))
    return state._cut_to(start - state.start, stop - state.start).placed(start, stop)


def _sum(a: Bins, b: Bins) -> Bins:
    layout = replace(a.layout, bins=max(a.layout.bins, b.layout.bins))
    if a.layout.span != b.layout.span:
        layout = replace(layout, span=None)
    return Bins(layout, a.unit, a.start, a.moments + b.moments, a.low + b.low, a.high + b.high, a.cut)


def _range(column: Floats) -> tuple[float, float]:
    """Wide enough for what will come, by the middle of what has come."""
    if not len(column):
        raise InputError("The range of the bins cannot be chosen from no rows; give BinnedMoments(span=(low, high)).")
    part = column[:: max(1, len(column) // _SAMPLE)]
    part = np.clip(part, -_LARGEST, _LARGEST)
    low, high = (float(q) for q in np.quantile(part, [0.01, 0.99]))
    if low == high:
        low, high = float(part.min()), float(part.max())
    if low == high:
        return low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    margin = 1.25 * (high - low)
    return low - margin, high + margin


def _below(value: float, unit: int) -> int:
    """The last multiple of ``2**unit`` that is not above a value."""
    return floor(value * 2.0**-unit)


def _above(value: float, unit: int) -> int:
    """One more than that."""
    return floor(value * 2.0**-unit) + 1
