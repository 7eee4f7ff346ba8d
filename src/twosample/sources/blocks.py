"""Numbers of a PostgreSQL table by ranges of its pages, each range as one long value.

Row by row, most of the time goes into the rows: a message for each on the way, a call for each column on either side.
Here the server joins the bytes of a row, and those of the rows of some thousand pages, and NumPy reads them as they
are. Columns of fixed width only; missing values have a bit each, in ranges where there are any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .databases import Target

if TYPE_CHECKING:
    import polars as pl

_SENT = {
    "bool": ("boolsend", ">i1"), "int2": ("int2send", ">i2"), "int4": ("int4send", ">i4"), "int8": ("int8send", ">i8"),
    "float4": ("float4send", ">f4"), "float8": ("float8send", ">f8"), "date": ("date_send", ">i4"),
    "timestamp": ("timestamp_send", ">i8"), "timestamptz": ("timestamptz_send", ">i8"),
}  # fmt: skip
"""What writes the bytes of a type, and how NumPy reads them."""

_DOUBLES = "float8", "float4", "int4", "int2"  # types whose values may come as doubles, which hold them exactly
_PAGES = 1000  # of a range, some megabytes
_MANY = 8 * _PAGES  # from so many on it is worth asking for room
_END = (1 << 32) - 1  # behind the last page that a table may have
_BETWEEN = " WHERE ctid >= %s::tid AND ctid < %s::tid"
_ROOM = "SELECT pg_catalog.octet_length(pg_catalog.repeat(pg_catalog.repeat(' ', 1000), 31000))"
_MASKED = 62  # columns that have a bit each
_RANGES = 140_000  # the first version of the server that finds a range of pages without reading all
_FROM_2000 = {"date": 10_957, "timestamp": 946_684_800_000_000, "timestamptz": 946_684_800_000_000}
_PLACE = """
SELECT pg_catalog.pg_relation_size(c.oid) / current_setting('block_size')::bigint FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_am a ON a.oid = c.relam
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'm') AND NOT c.relhassubclass AND a.amname = 'heap'
"""


@dataclass(frozen=True, eq=False)
class PageBlocks:
    """Some columns of a table, range by range of its pages."""

    address: str  # how to connect; holds the password, and is never shown
    target: Target  # a table without a condition
    columns: Sequence[Any]  # what to select of it, with names
    types: Sequence[str]  # the types of these in PostgreSQL

    @classmethod
    def of(cls, address: str, target: Target, columns: Sequence[Any], types: Sequence[str]) -> PageBlocks | None:
        """None where rows cannot come this way."""
        fixed = 0 < len(columns) <= _MASKED and all(kind in _SENT for kind in types)
        plain = target.table is not None and target.where is None
        return cls(address, target, columns, types) if fixed and plain else None

    def __repr__(self) -> str:
        return "PageBlocks(...)"

    @contextmanager
    def frames(self) -> Iterator[Iterator[pl.DataFrame] | None]:
        """All rows in the order of the table, as they are at one moment; None if it has no pages of its own."""
        import psycopg

        with psycopg.connect(self.address) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.prepare_threshold = None  # poolers of connections may not have prepared queries
            place = (self.target.schema, self.target.table)
            found = connection.execute(_PLACE, place).fetchone() if connection.info.server_version >= _RANGES else None
            yield None if found is None else self._each(connection, int(found[0]))

    def _each(self, connection: Any, pages: int) -> Iterator[pl.DataFrame]:
        """The next range comes while one is worked on."""
        masked = False
        if pages >= _MANY:
            _make_room(connection)

        def fetch(first: int) -> tuple[bytes, bool]:
            nonlocal masked
            last = first + _PAGES if first + _PAGES < pages else _END
            rows, content = self._asked(connection, first, last, masked)
            if len(content) < rows * self._layout(masked).itemsize:
                masked = True
                rows, content = self._asked(connection, first, last, masked)
            return content, masked

        with ThreadPoolExecutor(1) as other:
            coming = other.submit(fetch, 0)
            for following in range(_PAGES, pages + _PAGES, _PAGES):
                content, known = coming.result()
                if following < pages:
                    coming = other.submit(fetch, following)
                if content:
                    yield self._frame(np.frombuffer(content, self._layout(known)))

    def _asked(self, connection: Any, first: int, last: int, masked: bool) -> tuple[int, bytes]:
        """Rows of a range, and the bytes of those without missing values, or of all."""
        pages = [f"({page},0)" for page in (first, last)]
        found = connection.execute(self._queries[masked], pages, binary=True).fetchone()
        return int(found[0]), found[1] or b""

    @cached_property
    def _queries(self) -> tuple[str, str]:
        """With room for the pages between which rows are: without and with missing values."""
        return self._query(False), self._query(True)

    @property
    def _order(self) -> list[int]:
        """The columns in the order of their bytes: what may come as doubles first."""
        return sorted(range(len(self.types)), key=lambda place: self.types[place] not in _DOUBLES)

    def _layout(self, masked: bool) -> np.dtype[Any]:
        """Of the bytes of a row."""
        fields = [(f"c{place}", _SENT[self._sent_as(place, masked)][1]) for place in self._order]
        return np.dtype([*fields, ("missing", ">i8")] if masked else fields)

    def _sent_as(self, place: int, masked: bool) -> str:
        kind = self.types[place]
        return kind if masked or kind not in _DOUBLES else "float8"

    @property
    def _values(self) -> list[Any]:
        """What is selected, without names."""
        return [column.this for column in self.columns]

    def _query(self, masked: bool) -> str:
        import sqlglot as sg
        from sqlglot import exp

        values, types = [self._values[place] for place in self._order], [self.types[place] for place in self._order]
        doubles = 0 if masked else sum(kind in _DOUBLES for kind in types)
        sent = _of_doubles([exp.cast(value.copy(), "DOUBLE") for value in values[:doubles]])
        sent += [
            _called(_SENT[kind][0], value.copy()) for value, kind in zip(values[doubles:], types[doubles:], strict=True)
        ]
        if masked:
            widths = [np.dtype(_SENT[kind][1]).itemsize for kind in types]
            zeros = [exp.cast(exp.Literal.string("\\x" + "00" * width), "BYTEA") for width in widths]
            sent = [exp.Coalesce(this=part, expressions=[zero]) for part, zero in zip(sent, zeros, strict=True)]
            sent.append(_called("int8send", _mask(self._values)))
        row = reduce(lambda one, two: exp.DPipe(this=one, expression=two), sent)
        joined = _called("string_agg", row, exp.cast(exp.Literal.string(""), "BYTEA"))
        found = sg.select(exp.Count(this=exp.Star()), joined).from_(self.target.source())
        return str(found.sql(dialect="postgres")).replace("%", "%%") + _BETWEEN

    def _frame(self, rows: NDArray[np.void]) -> pl.DataFrame:
        import polars as pl

        found = []
        for place, (column, kind) in enumerate(zip(self.columns, self.types, strict=True)):
            stored = rows[f"c{place}"]
            values = stored.astype(stored.dtype.newbyteorder("="))
            if kind in _FROM_2000:
                values += _FROM_2000[kind]
            series = pl.Series(column.alias, values).cast(_stored_as(kind))
            if "missing" in (rows.dtype.names or ()):
                gone = (rows["missing"] >> place & 1).astype(bool)
                series = series.set(pl.Series(gone), None) if gone.any() else series
            found.append(series)
        return pl.DataFrame(found)


def _make_room(connection: Any) -> None:
    """Let the server keep memory from range to range: to get it anew for each takes a quarter of its time.

    glibc gives memory at its end back to the system if more is free than twice the largest piece that it gave back by
    itself, of up to 32 MB; other libraries take no notice. It takes 8 ms.
    """
    connection.execute(_ROOM)


def _of_doubles(values: Sequence[Any]) -> list[Any]:
    """Bytes of doubles by fours, as those of a line segment, and the rest as a circle or point: a call for several.

    The server spends most of its time on calls and on joining what they give.
    """
    found = []
    for at in range(0, len(values), 4):
        parts = [value.copy() for value in values[at : at + 4]]
        if len(parts) == 1:
            found.append(_called("float8send", *parts))
            continue
        point = _called("point", *parts[:2])
        shape = {2: "point", 3: "circle", 4: "lseg"}[len(parts)]
        if shape == "circle":
            point = _called("circle", point, parts[2])
        elif shape == "lseg":
            point = _called("lseg", point, _called("point", *parts[2:]))
        found.append(_called(f"{shape}_send", point))
    return found


def _called(name: str, *values: Any) -> Any:
    """A call of a function of the server."""
    from sqlglot import exp

    return exp.Anonymous(this=name, expressions=list(values))


def _mask(values: Sequence[Any]) -> Any:
    """A whole number with a bit for every column that is missing."""
    from sqlglot import exp

    zero, bits = exp.Literal.number(0), [exp.Literal.number(1 << place) for place in range(len(values))]
    parts: list[Any] = [
        exp.Case().when(exp.Is(this=exp.paren(value.copy()), expression=exp.Null()), bit).else_(zero)
        for value, bit in zip(values, bits, strict=True)
    ]
    return exp.cast(reduce(lambda one, two: exp.Add(this=one, expression=two), parts), "BIGINT")


def _stored_as(kind: str) -> Any:
    """The type of polars."""
    import polars as pl

    return {
        "bool": pl.Boolean, "int2": pl.Int16, "int4": pl.Int32, "int8": pl.Int64, "float4": pl.Float32,
        "float8": pl.Float64, "date": pl.Date, "timestamp": pl.Datetime("us"),
        "timestamptz": pl.Datetime("us", "UTC"),
    }[kind]  # fmt: skip
