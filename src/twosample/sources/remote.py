"""Tables that an engine holds: DuckDB, Ibis (SQLite, PostgreSQL, ...), Dask, Spark. The engine adds up, we ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import InputError
from .facts import BinGrid, BinMoments, CategoryCounts, ColumnInfo, ColumnProfile, Scan, family_of
from .guard import Guard
from .sampling import SampleKeys
from .tallies import NUMERIC

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

COUNTED_ROWS = 1_000_000
"""Distinct values are counted by engines up to this many rows; beyond, kinds look at the sample."""
_AT_ONCE = 100  # columns of one query: PostgreSQL and SQLite allow some 1,600 expressions


class Puller(Protocol):
    """Ways to get rows out of a database that are better than asking narwhals to collect."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """All rows in a fixed order."""

    def sample(self, share: float, seed: int) -> pl.DataFrame | None:
        """Each row with a certain probability, the same ones for the same seed; None if the engine cannot."""


@dataclass(eq=False)
class RemoteRows:
    """Rows behind a lazy narwhals frame.

    Parameters
    ----------
    frame
        The rows.
    guard
        Names the source in errors.
    puller
        Gets rows out; None: collected, which is in order of the engine.
    opaque
        Columns whose text stands for something that cannot be compared.
    """

    frame: nw.LazyFrame[Any]
    guard: Guard
    puller: Puller | None = None
    opaque: frozenset[str] = frozenset()
    _rows: int | None = field(default=None, init=False)
    _columns: tuple[ColumnInfo, ...] | None = field(default=None, init=False)

    @property
    def engine(self) -> str:
        """The engine's name."""
        return str(self.frame.implementation.name).lower()

    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns as they are stored."""
        if self._columns is None:
            schema = self.guard.run(self.frame.collect_schema)
            self._columns = tuple(
                ColumnInfo(name, str(kind), "other" if name in self.opaque else family_of(kind))
                for name, kind in schema.items()
            )
        return self._columns

    def count(self) -> int:
        """Rows."""
        import narwhals as nw

        if self._rows is None:
            self._rows = int(self._asked(self.frame.select(n=nw.len()))[0]["n"])
        return self._rows

    def collect(self, columns: Sequence[str]) -> pl.DataFrame:
        """All rows of some columns."""
        import polars as pl

        if self.puller is not None:
            parts = list(self.guard.each(self.puller.batches))
            return pl.concat(parts).select(pl.col(list(columns))) if parts else pl.DataFrame()
        return self._pulled(self.frame.select(*columns))

    def filtered(self, where: str) -> RemoteRows:
        """Refused: every engine has its own way."""
        raise InputError(f"where={where!r}: {self.guard.name} is held by {self.engine}; filter it before you give it.")

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int]) -> Scan:
        """One query for all profiles, one for each column with bins or counts."""
        rows = self.count()
        profile = tuple(self._profiles(rows))
        missing = {part.name: part.missing for part in profile}
        return Scan(
            rows,
            profile,
            {name: self._bins(name, grid, rows) for name, grid in grids.items()},
            {name: self._counts(name, limit, rows - missing[name], missing[name]) for name, limit in counted.items()},
        )

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """A uniform random sample; the same for the same seed as long as the engine gives rows in the same order."""
        import polars as pl

        rows = self.count()
        keys = SampleKeys(size, seed)
        if self.puller is not None and rows > size:
            part = self._thinned(size, seed, rows)
            if part is not None:
                keys.offer(len(part))
                return part[keys.keep()]
        batches = iter([self._pulled(self.frame)]) if self.puller is None else self.guard.each(self.puller.batches)
        kept: list[pl.DataFrame] = []
        for batch in batches:
            kept.append(batch[keys.offer(len(batch))])
            if keys.crowded():
                kept = [pl.concat(kept)[keys.keep()]]
        chosen = keys.keep()
        return pl.concat(kept)[chosen] if kept else pl.DataFrame()

    def _thinned(self, size: int, seed: int, rows: int) -> pl.DataFrame | None:
        """A little more than the sample, thinned out by the engine row by row; None if it cannot, or too few came."""
        assert self.puller is not None
        share = min(1.0, (size + 6 * size**0.5 + 30) / rows)
        puller = self.puller
        part = self.guard.run(lambda: puller.sample(share, seed))
        return part if part is not None and len(part) >= size else None

    def _asked(self, frame: nw.LazyFrame[Any]) -> list[dict[str, Any]]:
        """A small answer of the engine as rows."""
        return list(self._pulled(frame).iter_rows(named=True))

    def _pulled(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        import polars as pl

        found = self.guard.run(lambda: frame.collect(backend="polars").to_native())
        assert isinstance(found, pl.DataFrame)
        return found

    def _number(self, info: ColumnInfo) -> nw.Expr:
        """A column of numbers or booleans as doubles, null instead of NaN, which engines would take for a number."""
        import narwhals as nw

        value = nw.col(info.name)
        if info.family == "boolean":
            return value.cast(nw.Int32).cast(nw.Float64)  # PostgreSQL makes whole numbers of this size only
        value = value.cast(nw.Float64)
        return nw.when(~value.is_nan()).then(value) if info.storage in ("Float64", "Float32") else value

    def _numbers(self, name: str) -> nw.LazyFrame[Any]:
        """A column as doubles, called x, without missing ones: dates in seconds, whole ones where Ibis counts them."""
        import narwhals as nw

        info = next(info for info in self.columns() if info.name == name)
        if info.family in ("integer", "number", "boolean"):
            frame = self.frame.select(x=self._number(info))
        elif info.family == "date" and self.engine == "ibis":
            table = nw.to_native(self.frame)
            frame = nw.from_native(table.select(x=table[name].cast("timestamp").epoch_seconds().cast("float64")))
        elif info.family == "date":
            frame = self.frame.select(x=nw.col(name).dt.timestamp("us").cast(nw.Float64) / 1e6)
        else:
            raise InputError(
                f"{self.guard.name}: column {name!r} is stored as {info.storage}; {self.engine} bins numbers and dates "
                "only. Use a sample, or cast it in a query."
            )
        return frame.filter(~nw.col("x").is_null())

    def _profiles(self, rows: int) -> Iterator[ColumnProfile]:
        columns = self.columns()
        for at in range(0, len(columns), _AT_ONCE):
            part = columns[at : at + _AT_ONCE]
            asked = [expression for j, info in enumerate(part) for expression in self._facts(j, info)]
            found = self._asked(self.frame.select(*asked))[0]
            if rows <= COUNTED_ROWS:
                found |= self._distinct(part)
            for j, info in enumerate(part):
                yield _profile(info, {key: found.get(f"{key}{j}") for key in "nlhmsd"}, rows, self.engine != "ibis")

    def _distinct(self, part: Sequence[ColumnInfo]) -> dict[str, Any]:
        """Distinct values of some columns; a missing one counts as one more, except where Ibis counts."""
        import narwhals as nw

        names = {f"d{j}": info.name for j, info in enumerate(part) if info.family != "other"}
        if not names:
            return {}
        if self.engine != "ibis":
            counts = [nw.col(name).n_unique().alias(key) for key, name in names.items()]
            return self._asked(self.frame.select(*counts))[0]
        table = nw.to_native(self.frame)  # what narwhals makes of it, PostgreSQL does not take
        counted = table.aggregate(**{key: table[name].nunique() for key, name in names.items()})
        return self._asked(nw.from_native(counted))[0]

    def _facts(self, j: int, info: ColumnInfo) -> Iterator[nw.Expr]:
        """What is asked about a column; names are ours, so that no name of a column meets another."""
        import narwhals as nw

        value = nw.col(info.name)
        if info.family == "other":
            yield value.count().alias(f"n{j}")
            return
        if info.family in ("integer", "number", "boolean"):
            value = self._number(info)
            yield value.mean().alias(f"m{j}")
            yield value.std(ddof=1).alias(f"s{j}")
        yield value.count().alias(f"n{j}")
        yield value.min().alias(f"l{j}")
        yield value.max().alias(f"h{j}")

    def _bins(self, name: str, grid: BinGrid, rows: int) -> BinMoments:
        """Count, Σu and Σu² by one GROUP BY; aggregations are elementary, as all engines want them."""
        import narwhals as nw

        size = grid.size + 2
        place = nw.col("x") * 2.0**-grid.unit - float(grid.start - 1)
        frame = self._numbers(name).select(p=place.clip(0.5, size - 0.5))
        frame = frame.with_columns(b=nw.col("p").floor())
        frame = frame.with_columns(u=nw.col("p") - nw.col("b") - 0.5)
        frame = frame.with_columns(q=nw.col("u") * nw.col("u"))
        found = self._pulled(
            frame.group_by("b").agg(nw.len().alias("n"), nw.col("u").sum().alias("s"), nw.col("q").sum().alias("t"))
        )
        moments, bins = np.zeros((3, size)), found["b"].to_numpy().astype(np.intp)
        for row, key in zip(moments, "nst", strict=True):
            row[bins] = found[key].to_numpy()
        low, high = int(moments[0, 0]), int(moments[0, -1])
        return BinMoments(grid, moments[:, 1:-1].copy(), low, high, rows - int(moments[0].sum()))

    def _counts(self, name: str, limit: int, present: int, missing: int) -> CategoryCounts:
        import narwhals as nw

        value = nw.col(name)
        frame = self.frame.select(v=value).filter(~nw.col("v").is_null())
        counted = frame.group_by("v").agg(nw.len().alias("n")).sort("n", "v", descending=[True, False])
        found = self._pulled(counted.head(limit))
        from .values import strings

        values = tuple((str(v), int(n)) for v, n in zip(strings(found["v"]), found["n"], strict=True))
        return CategoryCounts(name, values, present - sum(n for _, n in values), missing)


def _profile(info: ColumnInfo, found: Mapping[str, Any], rows: int, one_more: bool) -> ColumnProfile:
    present = int(found["n"] or 0)
    distinct = found["d"]
    if distinct is not None:
        distinct = int(distinct) - (one_more and present < rows)
    number = info.family in NUMERIC
    return ColumnProfile(
        info.name,
        rows,
        rows - present,
        0,
        _bound(found["l"], number),
        _bound(found["h"], number),
        None if found["m"] is None else float(found["m"]),
        None if found["s"] is None else float(found["s"]),
        distinct if present else 0,
    )


def _bound(value: Any, number: bool) -> float | str | None:
    if value is None:
        return None
    if not number:
        return str(value)[:200]
    import polars as pl

    from .values import numbers

    found = numbers(pl.Series([value]))[0]
    return None if found is None else float(found)
