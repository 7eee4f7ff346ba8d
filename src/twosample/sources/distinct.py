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
            self._hold(_hashes(_unique(series)))
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
        pool = np.concatenate([*self.parts, np.empty(0, dtype=np.uint64)])
        pool.sort()
        pool = pool[np.concatenate([[True], pool[1:] != pool[:-1]])[: len(pool)]][:KEPT]
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


def _unique(series: pl.Series) -> pl.Series:
    """Each value once; whole numbers that lie close together by counting, which is faster than hashing."""
    found = each_once(series)
    return series.unique() if found is None else found[0]


def _hashes(series: pl.Series) -> Hashes:
    """64 bits for each value, the same for equal values."""
    import polars as pl

    if not series.dtype.is_numeric() or series.dtype.is_decimal():
        return series.hash(seed=0).to_numpy()
    if series.dtype.is_float():
        values = series.cast(pl.Float64).to_numpy() + 0.0  # makes -0.0 0
    else:
        values = series.cast(pl.Int64, strict=False, wrap_numerical=True).to_numpy()
    return mixed(values.view(np.uint64).copy())


def hash_method(series: pl.Series) -> str:
    """How :class:`DistinctTally` hashes a column: what polars hashes is known to be the same in one version only."""
    import polars as pl

    if not series.dtype.is_numeric() or series.dtype.is_decimal():
        return f"polars {pl.__version__}"
    return "float" if series.dtype.is_float() else "integer"
