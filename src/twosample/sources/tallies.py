"""What is added up over the batches of a table: profiles, bins, counts and the keys of a random sample.

Batches come in the order of the rows, so that no answer depends on threads; their sizes change roundings only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .facts import BinGrid, BinMoments, CategoryCounts, ColumnInfo, ColumnProfile
from .values import present, strings

if TYPE_CHECKING:
    import polars as pl

Hashes = NDArray[np.uint64]
KEPT = 4096
"""Distinct values are counted exactly below this number, and estimated from this many hashes beyond."""
_CHUNK = 1 << 15
_TEXT = 200
_ODD = np.uint64(0x9E3779B97F4A7C15)
NUMERIC = ("integer", "number", "boolean", "date", "time", "duration")


@dataclass(eq=False)
class DistinctTally:
    """Distinct values by the smallest hashes: the k-th smallest of D uniform numbers lies near k / D."""

    pool: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    limit: int = 1 << 64

    def add(self, series: pl.Series) -> None:
        """Take in a column without missing values."""
        if self.limit == 1 << 64:  # few values so far: they are soon told apart, and then hashed once each
            series = series.unique()
        hashes = _hashes(series)
        if self.limit < 1 << 64:
            hashes = hashes[hashes < np.uint64(self.limit)]
        if len(hashes):
            self.pool = np.unique(np.concatenate([self.pool, hashes]))[:KEPT]
            if len(self.pool) == KEPT:
                self.limit = int(self.pool[-1])

    @property
    def exact(self) -> bool:
        """Whether all values were kept."""
        return len(self.pool) < KEPT

    @property
    def count(self) -> int:
        """How many there are, or the estimate."""
        return len(self.pool) if self.exact else round((KEPT - 1) / (max(self.limit, 1) / 2.0**64))


def _hashes(series: pl.Series) -> Hashes:
    """64 bits for each value, the same for equal values; numbers by one multiplication of their bits."""
    import polars as pl

    if not series.dtype.is_numeric() or series.dtype.is_decimal():
        return series.hash(seed=0).to_numpy()
    if series.dtype.is_float():
        bits = (series.cast(pl.Float64).to_numpy() + 0.0).view(np.uint64)  # -0 is 0
    else:
        bits = series.cast(pl.Int64, strict=False, wrap_numerical=True).to_numpy().view(np.uint64)
    return np.asarray((bits ^ (bits >> np.uint64(29))) * _ODD)


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

    def add(self, series: pl.Series, values: Floats | None) -> None:
        """Take in a batch; `values` are its numbers without missing ones."""
        self.rows += len(series)
        if values is not None:
            self.missing += len(series) - len(values)
            self._add_numbers(values)
        else:
            self.missing += series.null_count()
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
            self.distinct.add(series)

    def _add_numbers(self, values: Floats) -> None:
        if not len(values):
            return
        low, high = float(values.min()), float(values.max())
        if np.isinf(low) or np.isinf(high):
            finite = values[np.isfinite(values)]
            self.infinite += len(values) - len(finite)
            self._add_numbers(finite)
            return
        self._widen(low, high)
        size, before = len(values), self.rows - self.missing - self.infinite
        before = max(before - size, 0)
        mean = float(values[0] + (values - values[0]).mean())
        centred = values - mean
        step = mean - self.mean
        self.squares += float(centred @ centred) + step * step * before * size / (before + size)
        self.mean += step * size / (before + size)

    def _widen(self, low: float | str | None, high: float | str | None) -> None:
        if low is None or high is None:
            return
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def result(self) -> ColumnProfile:
        """The profile."""
        number = self.info.family in NUMERIC
        size = self.rows - self.missing - self.infinite
        known = self.info.family not in ("other", "empty")
        return ColumnProfile(
            self.info.name,
            self.rows,
            self.missing,
            self.infinite,
            self.low,
            self.high,
            self.mean if number and size else None,
            float(np.sqrt(self.squares / (size - 1))) if number and size > 1 else None,
            self.distinct.count if known else None,
            self.distinct.exact,
        )


def _cut(value: object) -> str | None:
    return None if value is None else str(value)[:_TEXT]


@dataclass(eq=False)
class BinTally:
    """The moments of one column in bins; the first and last of the array take what lies beyond."""

    grid: BinGrid
    moments: Floats = field(init=False)
    missing: int = 0

    def __post_init__(self) -> None:
        self.moments = np.zeros((3, self.grid.size + 2))

    def add(self, values: Floats, missing: int) -> None:
        """Take in numbers."""
        self.missing += missing
        size, scale, moments = self.grid.size + 2, 2.0**-self.grid.unit, self.moments
        for at in range(0, len(values), _CHUNK):
            with np.errstate(over="ignore"):
                place = values[at : at + _CHUNK] * scale  # exact
            place -= self.grid.start - 1
            np.clip(place, 0.5, size - 0.5, out=place)
            whole = place.astype(np.intp)
            place -= whole
            place -= 0.5
            moments[0] += np.bincount(whole, minlength=size)
            moments[1] += np.bincount(whole, place, minlength=size)
            np.square(place, out=place)
            moments[2] += np.bincount(whole, place, minlength=size)

    def result(self) -> BinMoments:
        """The moments."""
        low, high = int(self.moments[0, 0]), int(self.moments[0, -1])
        return BinMoments(self.grid, self.moments[:, 1:-1].copy(), low, high, self.missing)


@dataclass(eq=False)
class CountTally:
    """The values of one column, counted. Memory grows with the number of different values."""

    name: str
    limit: int
    parts: list[pl.DataFrame] = field(default_factory=list)
    missing: int = 0

    def add(self, series: pl.Series) -> None:
        """Take in a batch."""
        import polars as pl

        text = strings(series)
        self.missing += text.null_count()
        self.parts.append(pl.DataFrame({"v": text.drop_nulls()}).group_by("v").len("n"))
        if len(self.parts) > 1 and sum(map(len, self.parts[1:])) > max(len(self.parts[0]), 100_000):
            self.parts = [self._merged()]

    def _merged(self) -> pl.DataFrame:
        import polars as pl

        return pl.concat(self.parts).group_by("v").agg(pl.col("n").cast(pl.Int64).sum())

    def result(self) -> CategoryCounts:
        """The most frequent values."""
        if not self.parts:
            return CategoryCounts(self.name, (), 0, self.missing)
        merged = self._merged().sort(["n", "v"], descending=[True, False])
        top = merged.head(self.limit)
        rest = int(merged["n"].sum()) - int(top["n"].sum())
        values = tuple((str(v), int(n)) for v, n in top.iter_rows())
        return CategoryCounts(self.name, values, rest, self.missing)


@dataclass(eq=False)
class BatchTally:
    """All of it for one batch after another."""

    profiles: list[ProfileTally]
    bins: dict[str, BinTally]
    counts: dict[str, CountTally]

    def add(self, batch: pl.DataFrame) -> None:
        """Take in a batch; numbers are made once for profile and bins."""
        for tally in self.profiles:
            name = tally.info.name
            series = batch[name]
            numeric = tally.info.family in NUMERIC
            values = present(series) if numeric or name in self.bins else None
            tally.add(series, values if numeric else None)
            if name in self.bins and values is not None:
                self.bins[name].add(values, len(series) - len(values))
            if name in self.counts:
                self.counts[name].add(series)


@dataclass(eq=False)
class SampleKeys:
    """A uniform random sample without replacement: each row in turn gets a random key, and the smallest keys win.

    Which rows that are depends on the seed and on the number of rows, not on how they come.
    """

    size: int
    seed: int
    rows: int = 0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._keys = np.empty(0)
        self._limit = 1.0

    def offer(self, count: int) -> NDArray[np.intp]:
        """Which of the next rows, counted from 0, may be in the sample."""
        keys = self._rng.random(count)
        chosen = np.flatnonzero(keys < self._limit)
        self._keys = np.concatenate([self._keys, keys[chosen]])
        self.rows += count
        return chosen

    def crowded(self) -> bool:
        """Whether so many candidates have come that it is time for :meth:`keep`."""
        return len(self._keys) > 2 * self.size + 1000

    def keep(self) -> NDArray[np.intp]:
        """Which of the candidates so far, in their order, have the smallest keys; the others are forgotten."""
        order = np.argsort(self._keys, kind="stable")[: self.size]
        if len(order) == self.size and self.size:
            self._limit = float(self._keys[order[-1]])
        kept = np.sort(order)
        self._keys = self._keys[kept]
        return kept


def chosen_rows(rows: int, size: int, seed: int) -> NDArray[np.intp]:
    """The row numbers, in order, of the sample of a table of known length."""
    keys, found = SampleKeys(size, seed), np.empty(0, dtype=np.intp)
    for at in range(0, rows, 1 << 17):
        found = np.concatenate([found, at + keys.offer(min(1 << 17, rows - at))])
        if keys.crowded():
            found = found[keys.keep()]
    return found[keys.keep()]
