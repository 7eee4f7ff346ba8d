"""Frozen features of rows, and their sums over random groups: in passing, or as a task for those who hold the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ..core.threads import single_threaded_blas
from ..summaries import BinGrid, CodedColumn, ColumnInfo, GroupSums
from ..summaries.sums import FEATURES, GROUPS, moments_of, width_of
from .kinds import NUMBERS, Kind
from .partial import regrouped
from .schemas import convert
from .values import column_of

if TYPE_CHECKING:
    import polars as pl

_MOST = 6  # features of a column
_CELLS = 1 << 20  # features of the rows that are worked on together
_EXACT = 1 << 10  # rows whose products single precision adds up exactly: each is below 2**14
_APART = 1  # in the seed: groups do not go with the random keys of the rows that are kept


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
) -> NDArray[np.int8]:
    """``(1 + K, n)`` one, and the features, of some rows in a certain order."""
    known = convert(rows, {column.name: cast(Kind, column.kind) for column in features})
    found = np.ones((width_of(features), len(rows if order is None else order)), dtype=np.int8)
    place = 1
    for column in features:
        codes = column.codes(column_of(known, column.name))
        codes = codes if order is None else codes[order]
        for feature in np.ascontiguousarray(column.table.T):
            np.take(feature, codes, out=found[place], mode="clip")  # codes are in range: that mode needs no copy
            place += 1
    return found


class GroupTally:
    """Adds up the features of rows that come in batches.

    Parameters
    ----------
    features
        Their codes.
    seed
        One or more whole numbers, which rows draw their groups with.
    first
        The number of the first row.
    """

    def __init__(self, features: tuple[CodedColumn, ...], seed: int | Sequence[int], first: int = 0) -> None:
        self.features, self.width = features, width_of(features)
        self.moments = np.zeros((GROUPS, moments_of(self.width)), dtype=np.int64)
        self.rows = 0
        bits = np.random.PCG64([*([seed] if isinstance(seed, int) else seed), _APART])
        bits.advance(first)
        self._rng = np.random.Generator(bits)

    def add(self, rows: pl.DataFrame) -> None:
        """Take in a batch."""
        self.rows += len(rows)
        group = (self._rng.random(len(rows)) * GROUPS).astype(np.uint8)
        ends = np.bincount(group, minlength=GROUPS).cumsum()
        Z = feature_values(self.features, rows, np.argsort(group, kind="stable")).astype(np.float32)
        upper, paired = np.triu_indices(self.width), self.moments.shape[1] > self.width
        for number, (start, stop) in enumerate(zip(np.append(0, ends[:-1]), ends, strict=True)):
            for at in range(start, stop, _EXACT):
                own = Z[:, at : min(at + _EXACT, stop)]
                found = (own @ own.T)[upper] if paired else own.sum(axis=1)
                self.moments[number] += found.astype(np.int64)

    def result(self) -> GroupSums:
        """The sums."""
        return GroupSums(self.features, self.moments)


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """The task: sums of features over random groups of rows."""

    columns: tuple[ColumnInfo, ...]  # the columns to read
    features: tuple[CodedColumn, ...]  # their features
    seed: int  # what groups are drawn with

    @classmethod
    def of(cls, columns: Sequence[ColumnInfo], features: tuple[CodedColumn, ...], seed: int) -> GroupMoments:
        """Of a table with these columns."""
        names = {column.name for column in features}
        return cls(tuple(info for info in columns if info.name in names), features, seed)

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """``(groups, moments)`` of the rows of one part, as bytes."""
        tally = GroupTally(self.features, [self.seed, place])
        with single_threaded_blas():
            for batch in regrouped(batches, max(1 << 14, _CELLS // tally.width)):
                tally.add(batch)
        return tally.moments.astype("<i8").tobytes() if tally.rows else b""

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The sums of several parts."""
        found = [self.read(part) for part in parts if part]
        return sum(found[1:], found[0]).astype("<i8").tobytes() if found else b""

    def read(self, part: bytes) -> NDArray[np.int64]:
        """The sums of one part."""
        return np.frombuffer(part, "<i8").astype(np.int64).reshape(GROUPS, -1)

    def sums(self, parts: Iterable[bytes]) -> GroupSums:
        """Of all parts, of which some have rows."""
        return GroupSums(self.features, self.read(self.merged(parts)))
