"""Which rows are in a random sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..summaries import RowSample, RowSampler

if TYPE_CHECKING:
    import polars as pl


def chosen_rows(rows: int, size: int, seed: int) -> NDArray[np.int64]:
    """The row numbers, in order, of the sample of a table of known length."""
    keys = RowSampler(size, seed)
    for at in range(0, rows, 1 << 17):
        keys.offer(min(1 << 17, rows - at))
        if keys.crowded():
            keys.keep()
    keys.keep()
    return keys.numbers


def picked(
    batches: Iterable[pl.DataFrame], empty: pl.DataFrame, numbers: NDArray[np.int64]
) -> tuple[pl.DataFrame, int]:
    """The rows of some numbers, which ascend, of those that come in batches, and how many came."""
    import polars as pl

    kept, rows = [empty], 0
    for batch in batches:
        first, last = np.searchsorted(numbers, [rows, rows + len(batch)])
        kept.append(batch[numbers[first:last] - rows])
        rows += len(batch)
    return pl.concat(kept, how="vertical_relaxed"), rows


def drawn(batches: Iterable[pl.DataFrame], empty: pl.DataFrame, size: int, seed: int) -> tuple[RowSample, int]:
    """The sample of rows that come in batches, and how many came."""
    sampler = RowSampler(size, seed)
    return sampler.draw(batches, empty), sampler.rows
