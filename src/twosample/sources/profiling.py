"""The profile of a column, added up over batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ..core.scratch import CHUNK, scratch
from ..core.types import Floats
from ..summaries import ColumnInfo, ColumnProfile, Totals
from ..summaries.points import Wholes
from .distinct import DistinctTally, hash_method
from .values import strings

if TYPE_CHECKING:
    import polars as pl

DATES = ("date", "time", "duration")  # families of columns that hold dates, or times, in seconds
NUMERIC = ("integer", "number", "boolean", *DATES)  # families of columns that hold numbers, dates in seconds included

_TEXT = 200


@dataclass(eq=False)
class ProfileTally:
    """The profile of one column."""

    info: ColumnInfo
    rows: int = 0
    missing: int = 0
    infinite: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float | str | None = None
    high: float | str | None = None
    distinct: DistinctTally = field(default_factory=DistinctTally)
    method: str = ""
    binned: bool = False

    def add(
        self,
        series: pl.Series,
        missing: int,
        values: Floats | None = None,
        counts: Wholes | None = None,
        ends: tuple[float, float] | None = None,
    ) -> None:
        """Take in a batch with so many missing values; `values` are its numbers without them, between two ends.

        With `counts`, the series is each value once, and this is how often it is there. Mean and deviation of columns
        that are `binned` follow from their bins: see :meth:`result`.
        """
        self.rows += len(series) if counts is None else int(counts.sum()) + missing
        self.missing += missing
        if values is not None and len(values):
            self._add_numbers(values, counts, ends)
        if self.info.family in ("other", "empty") or self.missing == self.rows:
            return
        series = series.drop_nulls() if series.null_count() else series
        if series.dtype.is_float() and values is not None and len(values) < len(series):
            series = series.drop_nans()
        if values is None:
            text = strings(series)
            self._widen(_cut(text.min()), _cut(text.max()))
            series = text
        if len(series):
            self.method = self.method or hash_method(series)
            self.distinct.add(series)

    def _add_numbers(
        self, values: Floats, counts: Wholes | None = None, ends: tuple[float, float] | None = None
    ) -> None:
        low, high = ends or (float(values.min()), float(values.max()))
        if np.isinf(low) or np.isinf(high):
            finite = values[np.isfinite(values)]
            self.infinite += len(values) - len(finite)
            if len(finite):
                self._add_numbers(finite)
            return
        self._widen(low, high)
        if not self.binned:
            with np.errstate(over="ignore", invalid="ignore"):  # numbers beyond 1e150: result says what became of them
                self._add_moments(values, counts)

    def _add_moments(self, values: Floats, counts: Wholes | None) -> None:
        shift = float(values[: 1 << 10].mean())
        total, squares = _centred_sums(values, shift, counts)
        size, before = len(values) if counts is None else int(counts.sum()), self.rows - self.missing - self.infinite
        before = max(before - size, 0)
        step = shift + total / size - self.mean
        self.squares += max(squares - total * total / size, 0.0) + step * step * before * size / (before + size)
        self.mean += step * size / (before + size)

    def _widen(self, low: float | str | None, high: float | str | None) -> None:
        if low is None or high is None:
            return
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def result(self, totals: Totals | None = None) -> ColumnProfile:
        """The profile, with mean and deviation from the totals of bins if they are given."""
        number = self.info.family in NUMERIC
        size = self.rows - self.missing - self.infinite
        mean = self.mean if number and size and isfinite(self.mean) else None
        std = float(np.sqrt(self.squares / (size - 1))) if number and size > 1 and isfinite(self.squares) else None
        known = self.info.family not in ("other", "empty") and (self.distinct.exact or self.info.family != "number")
        return ColumnProfile(
            self.info.name,
            self.rows,
            self.missing,
            self.infinite,
            self.low,
            self.high,
            *((mean, std) if totals is None else (totals.mean, totals.deviation)),
            self.distinct.count if known else None,
            self.distinct.exact,
        )


def _centred_sums(values: Floats, shift: float, counts: Wholes | None) -> tuple[float, float]:
    """The sums of c and c² for c = value - shift."""
    total = squares = 0.0
    for at in range(0, len(values), CHUNK):
        part = values[at : at + CHUNK]
        centred = np.subtract(part, shift, out=scratch()[0, : len(part)])
        weighted = centred if counts is None else centred * counts[at : at + CHUNK]
        total += float(weighted.sum())
        squares += float(weighted @ centred)
    return total, squares


def _cut(value: object) -> str | None:
    return None if value is None else str(value)[:_TEXT]
