"""A column of a table in matching, and a sample of the rows of a table: what all evidence is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .points import ColumnPoints, Places

Family = Literal["number", "date", "time", "duration", "category", "text", "none"]
"""What is compared with what: numbers with numbers, categories with categories and with text, and so on."""

ON_A_LINE: tuple[Family, ...] = ("number", "date", "time", "duration")
"""Families whose values are numbers."""
_MOST_LABELS = 100  # whole numbers with no more different values can also be categories
_RANKED, _RANKS, _LEAST_RANKED = 2000, 500_000, 500
"""Evenly spaced rows whose ranks are looked at; of many columns fewer, for so many ranks in all; the fewest rows."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a sample of rows: its different values, and which of them each row has.

    Counts, ranks, labels and weighted points follow from these; the columns of a table know nothing of each other.
    """

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
    def points(self) -> ColumnPoints:
        """Its numbers as weighted points."""
        return ColumnPoints.of(self.ascending)

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
