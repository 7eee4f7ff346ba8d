"""Tables of mixed columns as coordinates: numbers, dates, categories, text; a missing value is a level of its own.

Kinds of columns, levels and scales come from the pooled table, without its labels and without the names of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.ranks import midranks, scores_of, standardised
from ..core.signs import CODE_BITS, sign_codes
from ..core.types import Floats
from ..errors import InputError
from ..sources.kinds import NUMBERS, TIMES, infer_kinds
from ..sources.table import open_table
from ..sources.values import column_of, columns_of, numbers, stacked, strings
from ..structured import Text
from ..summaries import TableSummary
from .pooled import RANK_DEVIATION, PooledSample

if TYPE_CHECKING:
    import polars as pl

Block = tuple[Floats, Floats, Floats, bool, list[str]]
"""Values, scores, ranks of some coordinates, whether they are ordered, and their names."""


def is_table(value: object) -> bool:
    """Whether this is a summary, or a frame or a dictionary of columns that is more than numbers without gaps."""
    if isinstance(value, Mapping | TableSummary):
        return True
    if not (door.column_names(value) or type(value).__module__.startswith("ibis.")):
        return False
    dtypes = getattr(value, "dtypes", None)
    kinds = [np.dtype(kind).kind for kind in dtypes if isinstance(kind, np.dtype)] if dtypes is not None else []
    if kinds and len(kinds) == len(door.column_names(value)):  # a pandas frame
        return any(kind not in "fiub" for kind in kinds) or bool(value.isna().to_numpy().any())  # type: ignore[attr-defined]
    frame = open_table(value).collect()
    return not all(_is_plain(column) for column in frame.iter_columns())


def _is_plain(column: pl.Series) -> bool:
    """Whether these are numbers without gaps, which numpy has a type for."""
    if column.has_nulls():
        return False
    return column.dtype.is_integer() or (column.dtype.is_float() and not column.is_nan().any())


def in_other_order(x: object, y: object) -> bool:
    """Whether two frames have the same columns in another order: names tell which belong together."""
    first, second = door.column_names(x), door.column_names(y)
    return first != second and sorted(first) == sorted(second)


def pooled_table(x: object, y: object) -> tuple[PooledSample, int, tuple[str, ...]]:
    """The pooled sample of two tables, the number of columns, and notes about what was left out."""
    notes: list[str] = []
    a, b = (_rows(side, name, notes) for name, side in (("x", x), ("y", y)))
    if set(a.columns) != set(b.columns):
        odd = sorted(set(a.columns) ^ set(b.columns))
        raise InputError(f"x and y must have the same columns; only one of them has {', '.join(map(repr, odd[:5]))}.")
    for name, side in (("x", a), ("y", b)):
        if len(side) < 2:
            raise InputError(f"{name} has {len(side)} row(s); a sample needs at least 2.")
    pooled = stacked([a, columns_of(b, a.columns)])
    table = open_table(pooled.rename({name: f"c{i}" for i, name in enumerate(a.columns)}))  # names must not matter
    kinds = infer_kinds(table, table.profile(), table.sample(10_000))
    blocks: list[Block] = []
    for name, kind in zip(a.columns, kinds, strict=True):
        if kind.kind in ("constant", "identifier", "unsupported") or kind.base is None:
            notes.append(f"Column {name!r} was left out: {kind.kind}.")
            continue
        blocks.extend(_coordinates(column_of(pooled, name), name, kind.base))
    if not blocks:
        empty = np.empty((len(pooled), 0))
        return PooledSample(empty, empty, empty, np.empty(0, bool), empty[0], (), len(a)), len(a.columns), tuple(notes)
    return (
        PooledSample(
            values=np.concatenate([block[0] for block in blocks], axis=1),
            scores=np.concatenate([block[1] for block in blocks], axis=1),
            ranks=np.concatenate([block[2] for block in blocks], axis=1),
            ordered=np.repeat([block[3] for block in blocks], [block[0].shape[1] for block in blocks]),
            shares=np.concatenate([np.full(block[0].shape[1], 1 / block[0].shape[1]) for block in blocks]),
            columns=tuple(name for block in blocks for name in block[4]),
            m=len(a),
        ),
        len(a.columns),
        tuple(notes),
    )


def _rows(side: object, name: str, notes: list[str]) -> pl.DataFrame:
    """The rows of a table; of a summary those that it keeps, with a note if they are not all."""
    if isinstance(side, TableSummary) and not side.whole:
        kept = side.sample.frame
        notes.append(
            f"{name} is a summary of {side.rows:,} rows: this test rests on the {len(kept):,} of them that it keeps, a "
            "uniform sample. ts.compare(x, y) counts all rows in each column."
        )
        return kept
    return open_table(side).collect()


def _coordinates(series: pl.Series, name: str, kind: str) -> Iterator[Block]:
    """The coordinates of one column, and one more for what is missing."""
    if kind in NUMBERS:
        found = numbers(series, kind in TIMES).fill_nan(None)
        if found.is_infinite().any():
            raise InputError(
                f"Column {name!r} has {found.is_infinite().sum()} infinite value(s), which have no distance from "
                "others. Drop these rows, or make the values missing: that is a level of its own."
            )
        missing = found.is_null().to_numpy()
        yield from _number(found.fill_null(0.0).to_numpy(), missing, name)
    else:
        found = strings(series)
        missing = found.is_null().to_numpy()
        yield from _levels(found, missing, name) if kind != "text" else _text(found, missing, name)


def _number(values: Floats, missing: NDArray[np.bool_], name: str) -> Iterator[Block]:
    """A missing number lies in the middle; that it is missing is a coordinate of its own."""
    present = ~missing
    if present.any() and (values[present] != values[present][0]).any():
        V, U = np.zeros((len(values), 1)), np.full((len(values), 1), 0.5)
        Q = V.copy()
        V[present] = standardised(values[present, None])
        U[present] = midranks(values[present, None])
        Q[present] = scores_of(U[present])
        yield V, Q, U, True, [name]
    if missing.any() and present.any():
        yield _unordered(missing[:, None].astype(np.float64), [f"{name} is missing"])


def _levels(found: pl.Series, missing: NDArray[np.bool_], name: str) -> Iterator[Block]:
    """One coordinate for each level, missing among them: the delta kernel. Beyond 64 levels by hashed signs."""
    levels, codes = np.unique(found.fill_null("").to_numpy().astype(str), return_inverse=True)
    codes = np.where(missing, len(levels), codes)
    shown = [level if level.strip() else repr(level) for level in levels.tolist()]
    names = [f"{name} = {level}" for level in shown] + [f"{name} is missing"]
    if len(levels) <= CODE_BITS:
        rows = np.eye(len(levels) + 1)[codes]
        kept = (rows != rows[0]).any(axis=0)
        rows, names = rows[:, kept], [level for level, keep in zip(names, kept, strict=True) if keep]
    else:
        rows = np.asarray(sign_codes([*levels.tolist(), None])[codes], dtype=np.float64)
        names = [f"some levels of {name}"] * rows.shape[1]
    if rows.shape[1]:
        yield _unordered(rows, names)


def _text(found: pl.Series, missing: NDArray[np.bool_], name: str) -> Iterator[Block]:
    """The counts of three letters that the kernel of texts compares."""
    rows = Text().rows(found.fill_null("").to_list(), missing)
    rows = rows[:, (rows != rows[0]).any(axis=0)]
    if rows.shape[1]:
        yield _unordered(rows, [f"some letters of {name}"] * rows.shape[1])


def _unordered(rows: Floats, names: list[str]) -> Block:
    """Coordinates without an order, which have together the variance of one column of numbers."""
    values = rows - rows.mean(axis=0)
    values /= np.sqrt((values**2).sum() / len(values))
    return values, values, values * RANK_DEVIATION, False, names
