"""Which rows are in a random sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..summaries import RowSample, RowSampler

if TYPE_CHECKING:
    import polars as pl


def chosen_rows(rows: int, size: int, seed: int) -> NDArray[np.intp]:
    """The row numbers, in order, of the sample of a table of known length."""
    keys, found = RowSampler(size, seed), np.empty(0, dtype=np.intp)
    for at in range(0, rows, 1 << 17):
        found = np.concatenate([found, at + keys.offer(min(1 << 17, rows - at))])
        if keys.crowded():
            found = found[keys.keep()]
    return found[keys.keep()]


def drawn(batches: Iterable[pl.DataFrame], empty: pl.DataFrame, size: int, seed: int) -> tuple[RowSample, int]:
    """The sample of rows that come in batches, and how many came."""
    sampler = RowSampler(size, seed)
    return sampler.draw(batches, empty), sampler.rows
