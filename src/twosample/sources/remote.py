"""Tables that an engine holds: DuckDB, Ibis (SQLite, PostgreSQL, ...), Dask, Spark. The engine adds up, we ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import InputError
from .facts import BinGrid, ColumnInfo, Scan, family_of
from .guard import Guard
from .pushdown import Pushdown
from .sampling import SampleKeys
from .tallies import tallied

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl


class Puller(Protocol):
    """Ways to get rows out of a database that are better than asking narwhals to collect."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """All rows in a fixed order."""

    def sample(self, share: float, seed: int) -> pl.DataFrame | None:
        """Each row with a certain probability, the same ones for the same seed; None if the engine cannot."""

    def estimate(self) -> int | None:
        """About how many rows there are, if that is known without counting."""

    def empty(self) -> pl.DataFrame:
        """No rows, in the types that rows come in."""


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
            self._rows = int(self._pulled(self.frame.select(n=nw.len())).item())
        return self._rows

    def collect(self, columns: Sequence[str]) -> pl.DataFrame:
        """All rows of some columns."""
        import polars as pl

        if self.puller is None:
            return self._pulled(self.frame.select(*columns))
        return pl.concat([self._empty(), *self._batches()]).select(pl.col(list(columns)))

    def filtered(self, where: str) -> RemoteRows:
        """Refused: every engine has its own way."""
        raise InputError(f"where={where!r}: {self.guard.name} is held by {self.engine}; filter it before you give it.")

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int]) -> Scan:
        """Profiles by one query, bins and counts by one for each column; bins by one pass if rows come out fast."""
        if grids and self.puller is not None:
            return self.guard.run(lambda: tallied(self.columns(), self._batches(), grids, counted))
        engine = Pushdown(self.frame, self.columns(), self.guard.name, self._pulled)
        self._rows, profile = engine.profiles()
        facts, rows = {part.name: part for part in profile}, self._rows
        return Scan(
            rows,
            tuple(profile),
            {name: engine.bins(name, grid, rows) for name, grid in grids.items()},
            {name: engine.counts(name, limit, facts[name]) for name, limit in counted.items()},
        )

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """A uniform random sample; the same for the same seed as long as the engine gives rows in the same order."""
        import polars as pl

        keys, part = SampleKeys(size, seed), self._thinned(size, seed)
        if part is not None:
            keys.offer(len(part))
            return part[keys.keep()]
        kept = [self._empty()]
        for batch in self._batches():
            kept.append(batch[keys.offer(len(batch))])
            if keys.crowded():
                kept = [pl.concat(kept)[keys.keep()]]
        return pl.concat(kept)[keys.keep()]

    def _thinned(self, size: int, seed: int) -> pl.DataFrame | None:
        """A little more than the sample, thinned out by the engine row by row; None if it cannot, or too few came."""
        puller = self.puller
        if puller is None:
            return None
        guess = self.guard.run(puller.estimate) if self._rows is None else None
        for rows in ([guess] if guess else []) + [None]:
            known = self.count() if rows is None else rows
            if known <= size:
                continue
            share = min(1.0, (size + 6 * size**0.5 + 30) / known)
            part = self.guard.run(lambda share=share: puller.sample(share, seed))  # type: ignore[misc]
            if part is not None and len(part) >= size:
                return part
        return None

    def _batches(self) -> Iterator[pl.DataFrame]:
        """All rows in order."""
        return iter([self._pulled(self.frame)]) if self.puller is None else self.guard.each(self.puller.batches)

    def _empty(self) -> pl.DataFrame:
        """No rows, in the types that rows come in."""
        empty = None if self.puller is None else self.guard.run(self.puller.empty)
        return self._pulled(self.frame.head(0)) if empty is None else empty

    def _pulled(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        import polars as pl

        found = self.guard.run(lambda: frame.collect(backend="polars").to_native())
        assert isinstance(found, pl.DataFrame)
        return found
