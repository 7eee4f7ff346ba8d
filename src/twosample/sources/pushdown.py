"""Sums that an engine adds up: what is asked through narwhals, and what is made of the answers.

Names in queries are ours, so that no name of a column meets another. Aggregations are elementary, as all engines want
them. Sums that come out infinite or NaN are asked for again without such rows: most columns have none, and looking for
them doubles the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, SourceError
from ..summaries import BinGrid, BinnedColumn, ColumnInfo, ColumnProfile
from .survey import CategoryCounts
from .values import numbers, strings

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

COUNTED_ROWS = 1_000_000
"""Distinct values are counted by engines up to this many rows; beyond, estimated, or kinds look at the sample."""
_ESTIMATING = ("duckdb", "clickhouse", "snowflake", "bigquery", "databricks", "trino")  # in one cheap pass
_AT_ONCE = 100  # columns of one query: PostgreSQL and SQLite allow some 1,600 expressions
_LARGEST = 1.7976931348623157e308
_NUMBERS = ("integer", "number", "boolean")
_FLOATS = ("Float64", "Float32")


@dataclass(frozen=True, eq=False)
class Pushdown:
    """Questions to the engine behind a lazy frame."""

    frame: nw.LazyFrame[Any]  # the rows
    columns: tuple[ColumnInfo, ...]
    name: str  # what to call it in errors
    pull: Callable[[nw.LazyFrame[Any]], pl.DataFrame]  # gets a small answer

    @property
    def ibis(self) -> bool:
        """Whether the frame is one of Ibis."""
        return bool(self.frame.implementation.is_ibis())

    @property
    def nans(self) -> bool:
        """Whether the engine knows NaN, apart from NULL; MySQL has neither NaN nor a function that asks for it."""
        return self._backend != "mysql"

    @property
    def _backend(self) -> str:
        """What Ibis calls the engine; nothing if it is not one of Ibis."""
        import narwhals as nw

        native: Any = nw.to_native(self.frame)
        return str(native.get_backend().name) if self.ibis else ""

    @property
    def exact(self) -> bool:
        """Whether it counts different values exactly, at a price. Spark would shuffle all rows for each column."""
        return not self.frame.implementation.is_spark_like()

    def profiles(self) -> tuple[int, list[ColumnProfile]]:
        """Rows, and the profile of each column."""
        rows, result = 0, []
        for at in range(0, len(self.columns), _AT_ONCE):
            part = self.columns[at : at + _AT_ONCE]
            found, odd = self._plain_facts(part)
            rows = int(found["rows"])
            if odd:
                again = [fact for j in odd for fact in self._odd_facts(j, part[j])]
                found |= self._answer(self.frame.select(*again))
            about = rows > COUNTED_ROWS
            if not about or self._backend in _ESTIMATING:
                found |= self._distinct(part, about)
            for j, info in enumerate(part):
                facts = {key: found.get(f"{key}{j}") for key in "nflhmsd"}
                fact = _profile(info, facts, rows, self.exact and not self.ibis)
                close = about and fact.distinct is not None and 2 * fact.distinct > fact.present
                distinct = None if close else fact.distinct  # whether all are different, a sample says better
                result.append(replace(fact, distinct=distinct, exact=self.exact and not about))
        return rows, result

    def _plain_facts(self, part: Sequence[ColumnInfo]) -> tuple[dict[str, Any], list[int]]:
        """What most columns need, and the places of those that need another question."""
        import narwhals as nw

        numbers = [j for j, info in enumerate(part) if info.family in _NUMBERS]
        facts = {j: list(self._facts(j, info, _plain(info))) for j, info in enumerate(part)}
        try:
            found = self._answer(self.frame.select(nw.len().alias("rows"), *chain.from_iterable(facts.values())))
        except SourceError:  # DuckDB refuses the deviation of infinite numbers
            others = chain.from_iterable(asked for j, asked in facts.items() if j not in numbers)
            return self._answer(self.frame.select(nw.len().alias("rows"), *others)), numbers
        return found, [j for j in numbers if not _sound(found, j)]

    def bins(self, grids: Mapping[str, BinGrid], rows: int) -> dict[str, BinnedColumn]:
        """Count, Σu and Σu² of columns by one query: a GROUP BY for each, one below the other.

        Unpivoting the columns first (LATERAL, or a CROSS JOIN with their numbers) reads rows once, but was slower on
        DuckDB, PostgreSQL and MariaDB: the time goes into finding the group of each value. See docs/sources.md.
        """
        import narwhals as nw

        found: dict[str, BinnedColumn] = {}
        names = list(grids)
        for at in range(0, len(names), _AT_ONCE):
            part = names[at : at + _AT_ONCE]
            asked = [self._bins(name, grids[name]).with_columns(k=nw.lit(k)) for k, name in enumerate(part)]
            answer = self.pull(nw.concat(asked, how="vertical") if len(asked) > 1 else asked[0])
            for k, name in enumerate(part):
                found[name] = _column_of(answer.filter(answer["k"] == k), grids[name], rows)
        return found

    def _bins(self, name: str, grid: BinGrid) -> nw.LazyFrame[Any]:
        import narwhals as nw

        size = grid.size + 2
        place = nw.col("x") * 2.0**-grid.unit - float(grid.start - 1)
        frame = self._numbers(name).select(p=place.clip(0.5, size - 0.5))
        frame = frame.with_columns(b=nw.col("p").floor())
        frame = frame.with_columns(u=nw.col("p") - nw.col("b") - 0.5)
        frame = frame.with_columns(q=nw.col("u") * nw.col("u"))
        return frame.group_by("b").agg(nw.len().alias("n"), nw.col("u").sum().alias("s"), nw.col("q").sum().alias("t"))

    def counts(self, name: str, limit: int, facts: ColumnProfile) -> CategoryCounts:
        """The most frequent values of a column."""
        import narwhals as nw

        frame = self.frame.select(v=nw.col(name)).filter(~nw.col("v").is_null())
        if self.nans and any(info.name == name and info.storage in _FLOATS for info in self.columns):
            frame = frame.filter(~nw.col("v").is_nan())
        counted = frame.group_by("v").agg(nw.len().alias("n")).sort("n", "v", descending=[True, False])
        found = self.pull(counted.head(limit))
        values = tuple((str(v), int(n)) for v, n in zip(strings(found["v"]), found["n"], strict=True))
        return CategoryCounts(name, values, facts.present - sum(n for _, n in values), facts.missing)

    def _answer(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        return next(iter(self.pull(frame).iter_rows(named=True)))

    def _facts(self, j: int, info: ColumnInfo, value: nw.Expr) -> Iterator[nw.Expr]:
        """What is asked about a column."""
        yield value.count().alias(f"n{j}")
        if info.family in ("other", "category"):  # categories have no order, Dask says
            return
        if info.family in _NUMBERS:
            yield value.mean().alias(f"m{j}")
            yield value.std(ddof=1).alias(f"s{j}")
        yield value.min().alias(f"l{j}")
        yield value.max().alias(f"h{j}")

    def _odd_facts(self, j: int, info: ColumnInfo) -> Iterator[nw.Expr]:
        """The same for a column with NaN or infinity: n counts numbers, f finite ones, on which the rest is about."""
        import narwhals as nw

        value = _plain(info)
        finite = nw.when(value.is_between(-_LARGEST, _LARGEST)).then(value)
        _, *rest = self._facts(j, info, finite)
        yield from rest
        yield finite.count().alias(f"f{j}")
        yield nw.when(~value.is_nan()).then(value).count().alias(f"n{j}")

    def _distinct(self, part: Sequence[ColumnInfo], about: bool) -> dict[str, Any]:
        """Distinct values of some columns, or about how many; a missing one is one more, except where Ibis counts."""
        import narwhals as nw

        names = {f"d{j}": info.name for j, info in enumerate(part) if info.family != "other"}
        if not names:
            return {}
        if not self.exact:
            return self._answer(_about_distinct(self.frame, names))
        if not self.ibis:
            return self._answer(self.frame.select(*(nw.col(name).n_unique().alias(key) for key, name in names.items())))
        table = nw.to_native(self.frame)  # what narwhals makes of it, PostgreSQL does not take
        counted = {k: table[name].approx_nunique() if about else table[name].nunique() for k, name in names.items()}
        return self._answer(nw.from_native(table.aggregate(**counted)))

    def _numbers(self, name: str) -> nw.LazyFrame[Any]:
        """A column as doubles, called x, without missing ones: dates in seconds, whole ones where Ibis counts them."""
        import narwhals as nw

        info = next(info for info in self.columns if info.name == name)
        if info.family in _NUMBERS:
            value = _plain(info)
            wanted = nw.when(~value.is_nan()).then(value) if info.storage in _FLOATS and self.nans else value
            frame = self.frame.select(x=wanted)
        elif info.family == "date" and self.ibis:
            table = nw.to_native(self.frame)
            frame = nw.from_native(table.select(x=table[name].cast("timestamp").epoch_seconds().cast("float64")))
        elif info.family == "date":
            frame = self.frame.select(x=nw.col(name).dt.timestamp("us").cast(nw.Float64) / 1e6)
        else:
            raise InputError(
                f"{self.name}: column {name!r} is stored as {info.storage}; its engine bins numbers and dates only. "
                "Use a sample, or cast it in a query."
            )
        return frame.filter(~nw.col("x").is_null())


def _column_of(found: pl.DataFrame, grid: BinGrid, rows: int) -> BinnedColumn:
    """A column from the rows of its bins; the first and the last of them take what lies beyond."""
    moments, bins = np.zeros((3, grid.size + 2)), found["b"].to_numpy().astype(np.intp)
    for row, key in zip(moments, "nst", strict=True):
        row[bins] = found[key].to_numpy()
    low, high = int(moments[0, 0]), int(moments[0, -1])
    return BinnedColumn.of_floats(grid, moments[:, 1:-1], low, high, rows - int(moments[0].sum()))


def _about_distinct(frame: nw.LazyFrame[Any], names: Mapping[str, str]) -> nw.LazyFrame[Any]:
    """Different values of some columns of Spark without missing ones, with a standard error of 2 %."""
    import narwhals as nw
    from pyspark.sql import functions

    table: Any = nw.to_native(frame)
    columns = list(table.columns)
    plain = table.toDF(*(f"c{place}" for place in range(len(columns))))  # Spark reads more into names than is there
    places = {key: f"c{columns.index(name)}" for key, name in names.items()}
    asked = [functions.approx_count_distinct(place, 0.02).alias(key) for key, place in places.items()]
    found: nw.LazyFrame[Any] = nw.from_native(plain.agg(*asked))
    return found


def _plain(info: ColumnInfo) -> nw.Expr:
    """A column, as doubles if it holds numbers or booleans."""
    import narwhals as nw

    value = nw.col(info.name)
    if info.family == "boolean":
        return value.cast(nw.Int32).cast(nw.Float64)  # PostgreSQL makes whole numbers of this size only
    return value.cast(nw.Float64) if info.family in _NUMBERS else value


def _sound(found: Mapping[str, Any], j: int) -> bool:
    """Whether the sums of a column are finite."""
    return all(found[f"{key}{j}"] is None or isfinite(found[f"{key}{j}"]) for key in "mlh")


def _profile(info: ColumnInfo, found: Mapping[str, Any], rows: int, one_more: bool) -> ColumnProfile:
    present, distinct = int(found["n"] or 0), found["d"]
    if distinct is not None:
        distinct = max(int(distinct) - (one_more and present < rows), 1 + (found["l"] != found["h"]))
    text = info.family in ("text", "category")
    return ColumnProfile(
        info.name,
        rows,
        rows - present,
        0 if found["f"] is None else present - int(found["f"]),
        _bound(found["l"], text),
        _bound(found["h"], text),
        None if found["m"] is None else float(found["m"]),
        None if found["s"] is None else float(found["s"]),
        distinct if present else 0,
    )


def _bound(value: Any, text: bool) -> float | str | None:
    if value is None or text:
        return None if value is None else str(value)[:200]
    import polars as pl

    found = numbers(pl.Series([value]))[0]
    return None if found is None else float(found)
