"""Words among numbers or dates that are stored as text, such as "unknown": values of their own beside the numbers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..sources import Survey
from ..sources.values import column_of, strings
from ..summaries import BinnedColumn
from .reading import Reading
from .views import View

if TYPE_CHECKING:
    import polars as pl

_MOST = 12  # words that are looked at one by one


def word_views(reading: Reading, name: str) -> list[View]:
    """The most frequent words, and all together; shares of the sampled rows that have a value."""
    sides = zip((reading.a, reading.b), reading.samples, strict=True)
    (first, m), (second, n) = (_words(column_of(side.sample, name), column_of(part, name)) for side, part in sides)
    top = [word for word, _ in sorted((first + second).items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]]
    found = [View("value", f"'{word}'", first[word], second[word], m, n, word) for word in top]
    if len(top) > 1:
        found.append(View("odd", "a word", first.total(), second.total(), m, n))
    return found


def missing_rows(side: Survey, name: str, column: BinnedColumn) -> int:
    """Rows without a value; words are values, too, where it is known how many rows have them."""
    known = _is_text(column_of(side.sample, name)) and side.looked_at == side.rows
    return side.profiles[name].missing if known else column.missing


def _words(values: pl.Series, numbers: pl.Series) -> tuple[Counter[str], int]:
    """The values of a column that are no numbers, with their rows, and the rows with any value."""
    rows = len(values) - values.null_count()
    if not _is_text(values):
        return Counter(), rows
    return Counter(strings(values.filter(numbers.is_null())).drop_nulls().to_list()), rows


def _is_text(series: pl.Series) -> bool:
    import polars as pl

    return series.dtype in (pl.String, pl.Categorical, pl.Enum)
