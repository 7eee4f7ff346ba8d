"""How many different values a column has, in one pass and a few kilobytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..summaries.counts import EXACT, Distinct
from ..summaries.singles import mixed
from .values import each_once

if TYPE_CHECKING:
    import polars as pl

Hashes = NDArray[np.uint64]
KEPT = EXACT  # distinct values are counted exactly below this number, and estimated from this many hashes beyond


@dataclass(eq=False)
class DistinctTally:
    """Distinct values by the smallest hashes: the k-th smallest of D uniform numbers lies near k / D."""

    limit: int = 1 << 64
    parts: list[Hashes] = field(default_factory=list)
    held: int = 0

    def add(self, series: pl.Series) -> None:
        """Take in a column without missing values."""
        if self.limit == 1 << 64 and len(series) > 4 * KEPT:  # the first values tell soon if there are many
            self.add(series[: 4 * KEPT])
            series = series[4 * KEPT :]
        if series.dtype.is_float() and self.limit < 1 << 64:
            return  # not counted beyond
        if self.limit == 1 << 64:  # few values so far: they are soon told apart, and then hashed once each
            self._hold(_each_hash(series))
            return
        hashes = _hashes(series)
        self._hold(hashes[hashes < np.uint64(self.limit)])

    def _hold(self, hashes: Hashes) -> None:
        self.parts.append(hashes)
        self.held += len(hashes)
        if self.held > 2 * KEPT:
            self._smallest()

    def _smallest(self) -> Hashes:
        """The smallest hashes so far, each once; the others are forgotten."""
        pool = _sorted_once(np.concatenate([*self.parts, np.empty(0, dtype=np.uint64)]))[:KEPT]
        self.parts, self.held = [pool], len(pool)
        if len(pool) == KEPT:
            self.limit = int(pool[-1])
        return np.asarray(pool)

    def result(self, method: str) -> Distinct:
        """What can be merged with that of other rows; `method` says how values were hashed."""
        pool = self._smallest()
        return Distinct.of(pool, method, len(pool) < KEPT)

    @property
    def exact(self) -> bool:
        """Whether all values were kept."""
        return bool(len(self._smallest()) < KEPT)

    @property
    def count(self) -> int:
        """How many there are, or the estimate."""
        pool = self._smallest()
        return len(pool) if len(pool) < KEPT else round((KEPT - 1) / (max(self.limit, 1) / 2.0**64))


def _sorted_once(hashes: Hashes) -> Hashes:
    """Hashes, sorted in place, each once: faster than NumPy's own function."""
    hashes.sort()
    return np.asarray(hashes[np.concatenate([[True], hashes[1:] != hashes[:-1]])[: len(hashes)]])


def _each_hash(series: pl.Series) -> Hashes:
    """The hashes of different values; whole numbers that lie close together are counted, which is faster."""
    found = each_once(series)
    if found is not None:
        return _hashes(found[0])
    if _mixes(series):  # different numbers have different hashes, and these are sorted faster than numbers are hashed
        return _sorted_once(_hashes(series))
    return _hashes(series.unique())


def _mixes(series: pl.Series) -> bool:
    """Whether hashes are made here, of the digits of numbers, and not by polars."""
    return series.dtype.is_numeric() and not series.dtype.is_decimal()


def _hashes(series: pl.Series) -> Hashes:
    """64 bits for each value, the same for equal values."""
    import polars as pl

    if not _mixes(series):
        return series.hash(seed=0).to_numpy()
    if series.dtype.is_float():
        values = series.cast(pl.Float64).to_numpy() + 0.0  # makes -0.0 0
    else:
        values = series.cast(pl.Int64, strict=False, wrap_numerical=True).to_numpy()
    return mixed(values.view(np.uint64).copy())


def hash_method(series: pl.Series) -> str:
    """How :class:`DistinctTally` hashes a column: what polars hashes is known to be the same in one version only."""
    import polars as pl

    if not _mixes(series):
        return f"polars {pl.__version__}"
    return "float" if series.dtype.is_float() else "integer"
