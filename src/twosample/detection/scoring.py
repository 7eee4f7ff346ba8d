"""Scores of all rows of a table, made where they are; of the rows themselves only outliers come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..sources import ColumnKind, Table
from ..sources.partial import regrouped
from ..sources.values import column_of, strings
from ..structured.coordinates import coordinates_against, unread
from ..summaries import ColumnInfo
from .conformal import ConformalRanks

if TYPE_CHECKING:
    import polars as pl

_ROWS = 1 << 15  # that are scored together
_HEAD = np.dtype([("place", "<i8"), ("rows", "<i8"), ("lost", "<i8"), ("frame", "<i8")])


@dataclass(frozen=True, eq=False)
class Scored:
    """What was found in a table."""

    scores: Floats  # (n,) the score of every row, in the order of parts and of rows in them
    outliers: pl.DataFrame  # the rows with a score below the threshold, in the same order
    unread: Mapping[str, int]
    """How many values of a column cannot be read as the reference says; only columns that have such."""


@dataclass(frozen=True, eq=False)
class Scoring:
    """The task: score rows against a reference."""

    columns: tuple[ColumnInfo, ...]  # the columns of the table
    reference: pl.DataFrame  # rows of the reference
    kinds: Mapping[str, ColumnKind]  # the columns to look at, and what they mean
    scaling: NDArray[np.int64]  # rows of the reference that give units
    ranks: ConformalRanks  # what new rows are ranked among
    threshold: float  # the score below which a row is an outlier

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """One segment: its head, scores, counts of unread values, and the outliers as Arrow."""
        import polars as pl

        scores, outliers, lost = [], [], np.zeros(len(self.kinds), dtype=np.int64)
        for batch in regrouped(batches, _ROWS):
            if len(batch):
                scores.append(self._scores(batch))
                outliers.append(_plain(batch.filter(scores[-1] < self.threshold)))
                gone = unread(batch, self.kinds)
                lost += [gone.get(name, 0) for name in self.kinds]
        if not scores:
            return b""
        stream = BytesIO()
        pl.concat(outliers, how="vertical_relaxed").write_ipc(stream)
        found = np.concatenate(scores).astype("<f8")
        head = np.array([(place, len(found), len(lost), stream.tell())], dtype=_HEAD)
        return head.tobytes() + found.tobytes() + lost.astype("<i8").tobytes() + stream.getvalue()

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The segments one after another."""
        return b"".join(parts)

    def _scores(self, rows: pl.DataFrame) -> Floats:
        asked = coordinates_against(self.reference, rows, self.kinds, self.scaling)[1]
        return self.ranks.scores(np.concatenate(list(asked.values()), axis=1))

    def of(self, table: Table) -> Scored | None:
        """What is found in all rows of a table; None if it has none."""
        import polars as pl

        segments = sorted(_segments(self.merged(table.gathered(self)), len(self.kinds)), key=lambda part: part[0])
        if not segments:
            return None
        lost = np.sum([part[2] for part in segments], axis=0)
        return Scored(
            np.concatenate([part[1] for part in segments]),
            pl.concat([part[3] for part in segments], how="vertical_relaxed"),
            {name: int(count) for name, count in zip(self.kinds, lost, strict=True) if count},
        )


def _segments(content: bytes, columns: int) -> Iterator[tuple[int, Floats, NDArray[np.int64], pl.DataFrame]]:
    """Place, scores, unread values and outliers of each part."""
    import polars as pl

    at = 0
    while at < len(content):
        place, rows, lost, size = (int(value) for value in np.frombuffer(content, _HEAD, 1, at)[0])
        at += _HEAD.itemsize
        scores = np.frombuffer(content, "<f8", rows, at).astype(np.float64)
        at += 8 * rows
        unread_ = np.frombuffer(content, "<i8", columns, at).astype(np.int64)
        at += 8 * lost
        yield place, scores, unread_, pl.read_ipc(BytesIO(content[at : at + size]))
        at += size


def _plain(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in types that those of other parts have, too, and that Arrow knows: categories and objects as text."""
    import polars as pl

    odd = (pl.Categorical, pl.Enum, pl.Object)
    found = [strings(column_of(rows, name)).alias(name) for name, kind in rows.schema.items() if kind in odd]
    return rows.with_columns(found) if found else rows
