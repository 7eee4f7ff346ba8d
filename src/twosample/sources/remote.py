"""Tables that an engine holds: DuckDB, Ibis (SQLite, PostgreSQL, ...), Dask, Spark. The engine adds up, we ask.

Rows that came from one are kept in temporary files for a second pass: getting them out is what takes long.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .._files import TemporaryCopy, roomy_folder
from ..errors import InputError, OutputError
from ..summaries import BinGrid, ColumnInfo, RowSampler, TableSummary
from ..summaries.facts import family_of
from .conditions import called
from .guard import Guard
from .partial import Task
from .pullers import Puller
from .pushdown import Pushdown
from .sampling import drawn
from .summarize import RowChoice, summarized
from .survey import Plan, Scan, Survey
from .tallies import surveyed, tallied
from .values import columns_of

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

HELD_ROWS = 500_000  # rows of a table in an engine up to which all are read, and that are sampled of larger ones
HELD_CELLS = 40_000_000  # the same for rows times columns
_PART = 1 << 25  # bytes of a file, about
_MOST = 1 << 33  # bytes of all files of all tables
_SPARED = 4  # they may take this part of the room that is left on the disk, and no more
_sizes: WeakKeyDictionary[TemporaryCopy, int] = WeakKeyDictionary()  # bytes of the files that are there
_counting = Lock()  # tables are read at the same time


def held_rows(columns: int) -> int:
    """How many rows of so many columns are held in memory, at most."""
    return max(1, min(HELD_ROWS, HELD_CELLS // max(columns, 1)))


@dataclass(eq=False)
class RemoteRows:
    """Rows behind a lazy narwhals frame."""

    frame: nw.LazyFrame[Any]  # the rows
    guard: Guard  # names the source in errors
    puller: Puller  # gets rows out
    opaque: frozenset[str] = frozenset()  # columns whose text stands for something that cannot be compared
    _rows: int | None = field(default=None, init=False)
    _guess: int | None = field(default=None, init=False)
    _columns: tuple[ColumnInfo, ...] | None = field(default=None, init=False)
    _copy: CopiedRows | None = field(default=None, init=False)  # of rows that were read through, for a second pass

    @property
    def engine(self) -> str:
        """The engine's name."""
        return str(self.frame.implementation.name).lower()

    @property
    def is_slow(self) -> bool:
        """Whether only some of its rows are looked at, unless it is said that all are to be."""
        return self._about() > held_rows(len(self.columns()))

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

        names = list(columns)
        return pl.concat([columns_of(self._empty(), names), *self._batches(names)], how="vertical_relaxed")

    def filtered(self, where: str) -> RemoteRows:
        """Refused: every engine has its own way."""
        raise InputError(f"{called(where)}: {self.guard.name} is held by {self.engine}; filter it before you give it.")

    def survey(self, size: int, seed: int, plan: Plan, every: bool = False) -> Survey:
        """Small tables are read through. Of large ones the engine gives the profiles, and a uniform sample."""
        most = held_rows(len(self.columns()))
        if ((every or size > most) and self.puller.streams) or self._about() <= most:
            draw, copy = (size, seed), CopiedRows()
            batches = copy.keeping(self._batches()) if every else self._batches()
            found = self.guard.run(lambda: surveyed(self.columns(), batches, self._empty(), draw, plan))
            self._rows, self._copy = found.rows, copy if copy.whole else None
            return found
        with ThreadPoolExecutor(1) as other:  # rows of a fast puller come by a connection of their own
            rows = other.submit(self.sample, most, seed) if self.puller.fast else None
            scan = self.scan({}, {}, True)
            held = self.sample(most, seed) if rows is None else rows.result()
        keys = RowSampler(size, seed)
        keys.offer(len(held))
        return Survey.of(scan, held[keys.keep()], held)

    def summary(self, choice: RowChoice, like: TableSummary | None) -> TableSummary:
        """All rows in one pass, as they come from the engine."""
        return self.guard.run(lambda: summarized(self.columns(), iter(self._batches()), self._empty(), choice, like))

    def gathered(self, task: Task) -> list[bytes]:
        """The answer of all rows, as they come from the engine, or came when they were surveyed."""
        names = [info.name for info in task.columns]
        copy, self._copy = self._copy, None
        batches = self._batches(names) if copy is None else copy.batches(names)
        return [self.guard.run(lambda: task.part(batches, 0))]

    def forget(self) -> None:
        """Remove the copy that a survey of every row made for them."""
        self._copy = None

    def _about(self) -> int:
        """Rows, perhaps those of some time ago."""
        if self._rows is None and self._guess is None:
            self._guess = self.guard.run(self.puller.estimate)
        return self.count() if self._rows is not None or self._guess is None else self._guess

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int], profiled: bool) -> Scan:
        """Profiles by one query, bins by one, counts by one for each column; bins by one pass if rows come out fast."""
        if grids and self.puller.fast:
            names = None if profiled else [*dict.fromkeys([*grids, *counted])]
            return self.guard.run(lambda: tallied(self.columns(), self._batches(names), grids, counted, profiled))
        return self.guard.against_all().run(lambda: self._asked(grids, counted))

    def _asked(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int]) -> Scan:
        engine = Pushdown(self.frame, self.columns(), self.guard.name, self._pulled)
        self._rows, profile = engine.profiles()
        facts, rows = {part.name: part for part in profile}, self._rows
        return Scan(
            rows,
            tuple(profile),
            engine.bins(grids, rows),
            {name: engine.counts(name, limit, facts[name]) for name, limit in counted.items()},
        )

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """A uniform random sample; the same for the same seed as long as the engine gives rows in the same order."""
        part = self._thinned(size, seed)
        if part is None:
            return drawn(self._batches(), self._empty(), size, seed)[0].frame
        return drawn([part], part.clear(), size, seed)[0].frame

    def _thinned(self, size: int, seed: int) -> pl.DataFrame | None:
        """A little more than the sample, thinned out by the engine row by row; None if it cannot, or too few came."""
        tried = 0
        for rows in (self._about, self.count):
            known = rows()
            if known <= size or known == tried:
                continue
            tried = known
            share = min(1.0, (size + 6 * size**0.5 + 30) / known)
            part = self.guard.run(lambda share=share: self.puller.sample(share, seed))  # type: ignore[misc]
            if part is not None and len(part) >= size:
                return part
        return None

    def _batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """All rows in order."""
        return self.guard.each(lambda: self.puller.batches(names))

    def _empty(self) -> pl.DataFrame:
        """No rows, in the types that rows come in."""
        return self.guard.run(self.puller.empty)

    def _pulled(self, frame: nw.LazyFrame[Any]) -> pl.DataFrame:
        return self.guard.run(lambda: self.puller.answer(frame))


class CopiedRows:
    """Rows in the order in which they came. None are kept where room is short or nothing can be written."""

    def __init__(self) -> None:
        self.whole = False  # whether all rows are here
        self._files: list[TemporaryCopy] = []
        self._waiting: list[pl.DataFrame] = []
        self._fits = True

    def keeping(self, batches: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The same batches, each of them kept before it is given."""
        for batch in batches:
            self._keep(batch)
            yield batch
        if self._fits and self._waiting:
            self._write()
        self.whole = self._fits

    def _keep(self, batch: pl.DataFrame) -> None:
        if not self._fits:
            return
        self._waiting.append(batch)
        if sum(int(part.estimated_size()) for part in self._waiting) >= _PART:
            self._write()

    def _write(self) -> None:
        import polars as pl

        file = _written(pl.concat(self._waiting, how="vertical_relaxed"))
        self._waiting = []
        self._fits = file is not None
        self._files = [] if file is None else [*self._files, file]

    def batches(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Some columns of all rows."""
        import polars as pl

        for file in self._files:
            yield columns_of(pl.read_ipc(file.path), names)


def _written(rows: pl.DataFrame) -> TemporaryCopy | None:
    """A file that holds these rows; None if all files would take too much room, or it cannot be written."""
    from polars.exceptions import PolarsError

    file = None
    try:
        free = shutil.disk_usage(roomy_folder()).free
        with _counting:
            taken = sum(_sizes.values())
        if taken + int(rows.estimated_size()) > min(_MOST, free // _SPARED):
            return None
        file = TemporaryCopy([], ".arrow")
        rows.write_ipc(file.path, compression="uncompressed")
        size = file.path.stat().st_size
    except (OSError, OutputError, PolarsError):  # a full disk, a quota, no folder to write to: rows can be read again
        if file is not None:
            file.remove()
        return None
    with _counting:
        _sizes[file] = size
    return file
