"""Frozen features of rows, and their sums over random groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..summaries import BinGrid, CodedColumn, GroupSums
from ..summaries.sums import FEATURES, GROUPS, moments_of, width_of
from .kinds import NUMBERS, TIMES, Kind
from .values import column_of, fingerprint, numbers, spelled, strings

if TYPE_CHECKING:
    import polars as pl

_MOST = 6  # features of a column
_EXACT = 1 << 10  # rows whose products single precision adds up exactly: each is below 2**14
_APART = 0x67726F757073  # the seed: groups do not go with the random keys of the rows that are kept


def frozen(rows: pl.DataFrame, kinds: Mapping[str, Kind], grids: Mapping[str, BinGrid]) -> tuple[CodedColumn, ...]:
    """Features of columns that vary, from rows as doubles and text, those of a column next to each other."""
    most = int(np.clip(FEATURES // max(len(kinds), 1), 1, _MOST))
    return tuple(
        part
        for name, kind in kinds.items()
        for part in CodedColumn.frozen(
            column_of(rows, name).alias(name), kind, grids[name] if kind in NUMBERS else None, most
        )
    )


def feature_values(
    features: Sequence[CodedColumn], rows: pl.DataFrame, order: NDArray[np.intp] | None = None
) -> NDArray[np.float32]:
    """``(1 + K, n)`` one, and the features, of some rows in a certain order."""
    kinds = {column.name: column.kind for column in features}
    known = {name: _converted(column_of(rows, name), kind) for name, kind in kinds.items()}
    found = np.ones((width_of(features), len(rows)), dtype=np.float32)
    place = 1
    for column in features:
        for feature in column.features(known[column.name], order):
            found[place] = feature
            place += 1
    return found


def _converted(series: pl.Series, kind: str) -> pl.Series:
    """As doubles, in which NaN is missing too, or as text; value by value, so that batches do not matter."""
    import polars as pl

    if kind in ("categorical", "text"):
        return strings(series)
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        return spelled(series)[kind in TIMES]
    return numbers(series)


class GroupTally:
    """Adds up the features of rows that come in batches.

    Parameters
    ----------
    features
        Their codes.
    place
        The number of the part of a table that the rows are.
    first
        The number of the first row in a larger table: groups are drawn by the numbers of rows there. None: by
        the place in this part, and independently of other parts, which are told apart by their first rows.
    """

    def __init__(self, features: tuple[CodedColumn, ...], place: int = 0, first: int | None = None) -> None:
        self.features, self.width, self.rows = features, width_of(features), 0
        self._place, self._first = place, first
        self._paired = moments_of(self.width) > self.width
        self._sums = np.zeros((GROUPS, self.width, self.width) if self._paired else (GROUPS, self.width))
        self._rng: np.random.Generator | None = None

    def _drawn(self, rows: pl.DataFrame) -> NDArray[np.uint8]:
        """``(n,)`` the group of each row."""
        if self._rng is None:
            names = dict.fromkeys(column.name for column in self.features)
            known = [] if self._first is not None else [self._place, fingerprint(rows, names)]
            bits = np.random.PCG64([_APART, *known])
            bits.advance(self._first or 0)
            self._rng = np.random.Generator(bits)
        return (self._rng.random(len(rows)) * GROUPS).astype(np.uint8)

    def add(self, rows: pl.DataFrame) -> None:
        """Take in a batch."""
        if not len(rows):
            return
        self.rows += len(rows)
        group = self._drawn(rows)
        ends = np.bincount(group, minlength=GROUPS).cumsum()
        Z = feature_values(self.features, rows, np.argsort(group, kind="stable"))
        for number, (start, stop) in enumerate(zip(np.append(0, ends[:-1]), ends, strict=True)):
            for at in range(start, stop, _EXACT):
                own = Z[:, at : min(at + _EXACT, stop)]
                self._sums[number] += own @ own.T if self._paired else own.sum(axis=1)

    def result(self) -> GroupSums:
        """The sums: whole numbers below 2**53, and so exact."""
        first, second = np.triu_indices(self.width)
        found = self._sums[:, first, second] if self._paired else self._sums
        return GroupSums(self.features, found.astype(np.int64))
