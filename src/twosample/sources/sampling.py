"""Which rows are in a random sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


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


def drawn(batches: Iterable[pl.DataFrame], empty: pl.DataFrame, size: int, seed: int) -> tuple[pl.DataFrame, int]:
    """The sample of rows that come in batches, and how many came; candidates are kept on the way."""
    import polars as pl

    keys, kept = SampleKeys(size, seed), [empty]
    for batch in batches:
        kept.append(batch[keys.offer(len(batch))])
        if keys.crowded():
            kept = [pl.concat(kept, how="vertical_relaxed")[keys.keep()]]
    return pl.concat(kept, how="vertical_relaxed")[keys.keep()], keys.rows
