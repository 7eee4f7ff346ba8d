"""A uniform random sample of rows that can be merged: every row has a random key, and the smallest keys win."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of a table with their keys, in the order of their numbers."""

    size: int  # how many rows are kept at most
    frame: pl.DataFrame  # the rows
    keys: Floats  # (n,) their keys, between 0 and 1
    numbers: NDArray[np.int64]  # (n,) their numbers in the table or in the part that they come from

    def merged(self, other: RowSample) -> RowSample:
        """The rows with the smallest keys of both."""
        import polars as pl

        try:
            frame = pl.concat([self.frame, other.frame], how="vertical_relaxed")
        except pl.exceptions.PolarsError as error:
            raise InputError(f"The rows of the two summaries cannot stand in one table: {error}.") from None
        keys = np.concatenate([self.keys, other.keys])
        numbers = np.concatenate([self.numbers, other.numbers])
        size = min(self.size, other.size)
        kept = np.lexsort((numbers, keys))[:size]
        kept = kept[np.lexsort((keys[kept], numbers[kept]))]
        return RowSample(size, frame[kept], keys[kept], numbers[kept])


class RowSampler:
    """Draws a :class:`RowSample` from rows that come in batches.

    Which rows are drawn depends on the seed and on the number of each row, not on how they come.

    Parameters
    ----------
    size
        Rows to keep.
    seed
        One or more whole numbers.
    first
        The number of the first row.
    """

    def __init__(self, size: int, seed: int | Sequence[int], first: int = 0) -> None:
        self.size, self.first, self.rows = size, first, 0
        bits = np.random.PCG64(seed)
        bits.advance(first)
        self._rng = np.random.Generator(bits)
        self._keys: Floats = np.empty(0)
        self._numbers: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._limit = 1.0

    def offer(self, count: int) -> NDArray[np.intp]:
        """Which of the next rows, counted from 0, may be in the sample."""
        keys = self._rng.random(count)
        chosen = np.flatnonzero(keys < self._limit)
        self._keys = np.concatenate([self._keys, keys[chosen]])
        self._numbers = np.concatenate([self._numbers, self.first + self.rows + chosen])
        self.rows += count
        return chosen

    def crowded(self) -> bool:
        """Whether so many candidates have come that it is time for :meth:`keep`."""
        return len(self._keys) > 2 * self.size + 1000

    def keep(self) -> NDArray[np.intp]:
        """Which of the candidates so far, in their order, have the smallest keys; the others are forgotten."""
        kept = np.arange(len(self._keys))
        if 0 < self.size <= len(kept):
            self._limit = float(np.partition(self._keys, self.size - 1)[self.size - 1])
            kept = np.flatnonzero(self._keys <= self._limit)
            if len(kept) > self.size:  # of equal keys, the first
                kept = np.sort(kept[np.argsort(self._keys[kept], kind="stable")[: self.size]])
        kept = kept[: self.size]
        self._keys, self._numbers = self._keys[kept], self._numbers[kept]
        return kept

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the candidates that are left."""
        return self._numbers

    def sample(self, frame: pl.DataFrame) -> RowSample:
        """The sample, given the rows of the candidates that :meth:`keep` left."""
        return RowSample(self.size, frame, self._keys, self._numbers)

    def draw(self, batches: Iterable[pl.DataFrame], empty: pl.DataFrame) -> RowSample:
        """The sample of all rows that come in batches; candidates are kept on the way."""
        import polars as pl

        kept = [empty]
        for batch in batches:
            chosen = self.offer(len(batch))
            if len(kept) == 1 and self.crowded():  # no rows of others: those that stay are enough
                chosen = chosen[self.keep()]
            kept.append(batch[chosen])
            if self.crowded():
                kept = [pl.concat(kept, how="vertical_relaxed")[self.keep()]]
        return self.sample(pl.concat(kept, how="vertical_relaxed")[self.keep()])
