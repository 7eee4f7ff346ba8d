"""Tables as columns that can be matched: a bounded random sample, and what each column means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError, checked_names
from ..sources import ColumnInfo, ColumnKind, Kind, Table, convert, infer_kinds, open_table, unsupported
from ..sources.values import as_truths, column_of, columns_of, truths
from .points import Places, Points

if TYPE_CHECKING:
    import polars as pl

Family = Literal["number", "date", "time", "duration", "category", "text", "none"]
"""What is compared with what: numbers with numbers, categories with categories and with text, and so on."""

ON_A_LINE: tuple[Family, ...] = ("number", "date", "time", "duration")
"""Families whose values are numbers."""
_STORED: dict[str, tuple[Family, Kind]] = {
    "integer": ("number", "integer"),
    "number": ("number", "numeric"),
    "boolean": ("number", "boolean"),
    "date": ("date", "datetime"),
    "time": ("time", "datetime"),
    "duration": ("duration", "duration"),
}
_MEANT: dict[str, Family] = {
    "numeric": "number", "integer": "number", "boolean": "number", "datetime": "date", "duration": "duration",
    "categorical": "category", "text": "text",
}  # fmt: skip
_TRUTHS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_MOST_LABELS = 100  # whole numbers with no more different values can also be categories
_RANKED = (
    2000  # evenly spaced rows whose ranks are looked at; of many columns so few that there are as many ranks in all:
)
_RANKS = 500_000
_LEAST_RANKED = 500


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a sample of rows: its different values in order, and which of them each row has."""

    name: str
    kind: str  # what it means
    family: Family  # what it can be compared with
    codes: NDArray[np.int32] = field(repr=False)
    """``(rows,)`` the place of each row's value among the different ones; -1 where there is none."""
    numbers: Floats = field(default_factory=lambda: np.empty(0), repr=False)  # (L,) the different numbers, ascending,
    words: tuple[str, ...] = field(default=(), repr=False)  # or categories, by the alphabet, or texts, in any order
    reason: str = ""  # why it cannot be matched; empty if it can

    @classmethod
    def of_numbers(cls, name: str, kind: str, family: Family, values: Floats) -> Column:
        """Numbers in the order of the rows; missing where they are not finite."""
        there = np.isfinite(values)
        codes = np.full(len(values), -1, dtype=np.int32)
        numbers, codes[there] = np.unique(values[there], return_inverse=True)
        return cls(name, kind, family, codes, numbers)._checked()

    @classmethod
    def of_words(cls, name: str, kind: str, family: Family, values: Sequence[str | None]) -> Column:
        """Categories or texts in the order of the rows."""
        different = dict.fromkeys(value for value in values if value is not None)
        words = tuple(different if family == "text" else sorted(different))
        place = {word: k for k, word in enumerate(words)}
        codes = np.array([-1 if value is None else place[value] for value in values], dtype=np.int32)
        return cls(name, kind, family, codes, words=words)._checked()

    @classmethod
    def unusable(cls, name: str, kind: str, rows: int, reason: str) -> Column:
        """A column that cannot be matched, and why."""
        return cls(name, kind, "none", np.full(rows, -1, dtype=np.int32), reason=reason)

    def _checked(self) -> Column:
        if self.present >= 2:
            return self
        reason = "all values are missing" if not self.present else "only one value is there"
        return self.unusable(self.name, self.kind, self.rows, reason)

    @property
    def rows(self) -> int:
        """Rows of the sample."""
        return len(self.codes)

    @property
    def known(self) -> NDArray[np.int32]:
        """``(present,)`` places of the values that are there, in the order of the rows."""
        return self.codes[self.codes >= 0]

    @cached_property
    def counts(self) -> Places:
        """``(L,)`` rows that have each value."""
        return np.bincount(self.known, minlength=max(len(self.numbers), len(self.words)))

    @cached_property
    def present(self) -> int:
        """Rows with a value."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return self.rows - self.present

    @property
    def on_a_line(self) -> bool:
        """Whether its values are numbers."""
        return self.family in ON_A_LINE

    @property
    def coarse_kind(self) -> str:
        """The kind, where 0 and 1 are whole numbers like others."""
        return "integer" if self.kind == "boolean" else self.kind

    @property
    def values(self) -> Floats:
        """``(present,)`` the numbers that are there, in the order of the rows."""
        return self.numbers[self.known]

    @property
    def ascending(self) -> Floats:
        """``(present,)`` the same in ascending order."""
        return np.repeat(self.numbers, self.counts)

    @cached_property
    def points(self) -> Points:
        """Its numbers as weighted points."""
        return Points.of(self.ascending)

    @property
    def texts(self) -> list[str]:
        """``(present,)`` the categories or texts that are there, in the order of the rows."""
        return [self.words[k] for k in self.known.tolist()]

    @property
    def flag(self) -> bool:
        """Whether it holds nothing but 0 and 1."""
        return self.family == "number" and bool(np.isin(self.numbers, (0.0, 1.0)).all())

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """``(L,)`` its values as categories: words, and whole numbers of which there are few; empty if not."""
        if self.words or self.family != "number" or not 0 < len(self.numbers) <= _MOST_LABELS:
            return self.words
        if bool((self.numbers != np.floor(self.numbers)).any()):
            return ()
        if self.kind == "boolean":
            return tuple(str(bool(value)).lower() for value in self.numbers)
        return tuple(str(int(value)) for value in self.numbers)

    @property
    def label_counts(self) -> dict[str, int]:
        """How many rows have each label."""
        return dict(zip(self.labels, self.counts.tolist(), strict=True)) if self.labels else {}

    def seen(self, rows: int) -> Places:
        """Which of its different values occur in so many evenly spaced rows, or nearly so many."""
        step = -(-self.present // rows)
        return np.flatnonzero(np.bincount(self.known[::step]) if step > 1 else self.counts)

    def ranks(self, at: Places) -> Floats:
        """Ranks of some rows among them, less their mean; 0 where there is no value, NaN for text."""
        if self.family in ("text", "none"):
            return np.full(len(at), np.nan)
        codes = self.codes[at]
        there = codes >= 0
        counts = np.bincount(codes[there], minlength=len(self.counts))
        ends = np.cumsum(counts)
        below = (2 * ends - counts)[codes]
        return np.where(there, below - below[there].mean() if there.any() else 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class TableSample:
    """One of the two tables."""

    name: str  # what it is called
    columns: tuple[Column, ...]
    rows: int  # rows that were looked at
    sampled: bool  # whether there were more

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def by_name(self) -> TableSample:
        """With the columns in alphabetical order, so that ties are not broken by where a column stands."""
        return replace(self, columns=tuple(sorted(self.columns, key=lambda column: column.name)))

    def of(self, *families: Family) -> Places:
        """Places of the columns of some families."""
        return np.array([i for i, column in enumerate(self.columns) if column.family in families], dtype=np.intp)

    @cached_property
    def measured(self) -> Places:
        """Places of the columns of numbers, dates, times and durations."""
        return self.of(*ON_A_LINE)

    @cached_property
    def ranked(self) -> Places:
        """The rows whose ranks are looked at."""
        rows = min(self.rows, _RANKED, max(_RANKS // max(len(self.columns), 1), _LEAST_RANKED))
        return np.unique(np.linspace(0, self.rows - 1, rows).astype(np.intp))

    @cached_property
    def correlations(self) -> Floats:
        """``(c, c)`` Spearman's correlations, NaN for text; categories in the order of the alphabet.

        A missing value counts as the middle rank.
        """
        ranks = np.array([column.ranks(self.ranked) for column in self.columns])
        length = np.sqrt(np.square(ranks).sum(axis=1, keepdims=True))
        ranks /= np.where(length > 0, length, 1.0)
        return np.asarray(ranks @ ranks.T)


def open_side(source: object, name: str, where: str | None) -> Table:
    """A table from whatever came; a list of columns is a table too."""
    if source is None:
        raise InputError(f"{name} is None; give a table: a path, a frame, an array.")
    if isinstance(source, list | tuple) and len(source) and _is_column(source[0]):
        wrong = [i for i, column in enumerate(source) if not _is_column(column)]
        if wrong:
            raise InputError(f"{name}: column {wrong[0]} of the list is {type(source[wrong[0]]).__name__}, no column.")
        longest = max(len(column) for column in source)
        source = {f"c{i}": _padded(column, longest) for i, column in enumerate(source)}
    return open_table(source, where=where)


def _is_column(value: object) -> bool:
    """Whether it is a sequence of single values."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return False
    return not any(isinstance(one, list | tuple | np.ndarray) for one in value)


def _padded(column: Sequence[Any] | NDArray[Any], rows: int) -> list[Any] | NDArray[Any]:
    """A column with missing values at its end."""
    if len(column) == rows:
        return column if isinstance(column, np.ndarray) else list(column)
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        return np.concatenate([column.astype(np.float64), np.full(rows - len(column), np.nan)])
    return [*list(column), *[None] * (rows - len(column))]


def chosen_columns(
    tables: Sequence[Table],
    select: Iterable[str] | None,
    exclude: Iterable[str] | None,
    kinds: Mapping[str, str],
) -> list[list[ColumnInfo]]:
    """The columns to look at in each table; a name that no table has is refused."""
    infos = [table.columns for table in tables]
    names = [[info.name for info in side] for side in infos]
    wanted = checked_names("select", select)
    dropped = checked_names("exclude", exclude) or ()
    known = {name for side in names for name in side}
    for option, given in (("select", wanted or ()), ("exclude", dropped), ("kinds", kinds)):
        for name in given:
            if name not in known:
                raise InputError(f"{option}: neither table has a column {name!r}.")
    chosen = [[i for i in side if (wanted is None or i.name in wanted) and i.name not in dropped] for side in infos]
    for table, side, label in zip(tables, chosen, ("a", "b"), strict=True):
        if not side:
            raise InputError(f"No column of {label} ({table.name}) is left to look at.")
    return chosen


def read(
    table: Table, name: str, infos: Sequence[ColumnInfo], rows: int, seed: int, kinds: Mapping[str, str]
) -> TableSample:
    """A random sample of some columns of the table."""
    frame = table.sample(rows, seed)
    if not len(frame):
        raise InputError(f"{name} ({table.name}) has no rows.")
    stored = {info.name for info in infos if info.family in _STORED and not _rounded(column_of(frame, info.name))}
    asked = [info.name for info in infos if info.name in kinds or info.name not in stored]
    meant: dict[str, ColumnKind] = {}
    if asked:
        part = open_table(columns_of(frame, asked))
        known = {column: kind for column, kind in kinds.items() if column in asked}
        meant = {found.name: found for found in infer_kinds(part, part.profile(), columns_of(frame, asked), known)}
    columns = []
    for info in infos:
        if info.family == "other" and meant[info.name].kind == "unsupported":
            columns.append(_inferred(frame, unsupported(info, column_of(frame, info.name))))
        elif info.name in meant:
            columns.append(_inferred(frame, meant[info.name], said=info.name in kinds))
        else:
            columns.append(_numbers(frame, info.name, *_STORED[info.family]))
    return TableSample(table.name, tuple(columns), len(frame), len(frame) >= rows and table.row_count() > rows)


def _rounded(series: pl.Series) -> bool:
    """Whether it holds whole numbers that doubles cannot."""
    if not series.dtype.is_integer():
        return False
    ends = [end for end in (series.min(), series.max()) if isinstance(end, int)]
    return any(abs(end) > 2**53 for end in ends)


def _inferred(frame: pl.DataFrame, found: ColumnKind, said: bool = False) -> Column:
    kind = found.base if found.base is not None else found.kind
    if kind == "identifier":
        kind = "integer" if found.from_text or frame[found.name].dtype.is_numeric() else "text"
    family = _MEANT.get(kind, "none")
    if family == "none":
        empty = found.kind != "unsupported" and frame[found.name].null_count() == len(frame)
        reason = "all values are missing" if empty else f"{found.kind}: {found.reason}"
        return Column.unusable(found.name, found.kind, len(frame), reason)
    if family in ON_A_LINE:
        return _numbers(frame, found.name, family, kind)
    words = column_of(convert(frame, {found.name: kind}), found.name)
    if not said and truths(words.drop_nulls().unique()):
        return _measured(found.name, "boolean", "number", as_truths(words).eq("true"))
    return Column.of_words(found.name, kind, family, words.replace(_TRUTHS).to_list())


def _numbers(frame: pl.DataFrame, name: str, family: Family, kind: Kind) -> Column:
    series = column_of(frame, name)
    if not series.dtype.is_numeric():
        series = column_of(convert(frame, {name: kind}), name)
    return _measured(name, kind, family, series)


def _measured(name: str, kind: Kind, family: Family, series: pl.Series) -> Column:
    values = np.asarray(series.cast(float).to_numpy(), dtype=np.float64)  # null becomes NaN
    return Column.of_numbers(name, kind, family, values)
