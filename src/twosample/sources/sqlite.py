"""SQLite files through Python's own sqlite3, opened read-only: rows come in batches, and nothing is to be installed."""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..errors import SourceError
from .conditions import called, sql_condition
from .guard import Guard
from .local import BatchRows

if TYPE_CHECKING:
    import polars as pl

    from .databases import Asked, Resolve

_INSIDE = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
    sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE,
}  # fmt: skip
"""What SQLite may prepare. Full-text and spatial tables prepare writing too, which fails in a file opened to read."""
_OUTSIDE = ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer")
_BATCH = 50_000
_AT_ONCE = 300  # columns of a query about types: SQLite gives at most 2,000 results
_FORMS = ("blob", "text", "real", "integer")  # of values, the widest first
_PIECE = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|(?P<bracket>[()])|(?P<stray>/\*|['"`[;\0])""",
    re.DOTALL,
)
"""Texts, quoted names and comments of SQL, in which nothing counts; parentheses; and what may not stand alone."""


@dataclass(eq=False)
class SqliteRows(BatchRows):
    """Rows of a SQLite file, opened read-only.

    SQLite lets every value have its own type, so the type of a column is the widest of its values: one scan finds it.
    """

    connection: sqlite3.Connection  # to the file
    source: str  # SQL for what stands after FROM: a table or a query, and the user's condition
    guard: Guard  # names the source in errors
    types: pl.Schema  # the columns
    rows: int  # how many rows there are

    engine = "sqlite"

    @classmethod
    def open(cls, path: Path, resolve: Resolve, where: str | None, guard: Guard) -> SqliteRows:
        """Open a file and find the types of the columns."""
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.set_authorizer(_only_reading)
            connection.text_factory = _decoded
            source = _source(resolve(lambda: _tables(connection)))
            connection.execute(f"{_select(['1'], source)} LIMIT 0")
            if where is not None:
                asking = Guard(f"{called(where)} on {guard.name}")
                source = f"{source} WHERE ({asking.run(lambda: _condition(where))}\n)"
                asking.run(lambda: connection.execute(f"{_select(['1'], source)} LIMIT 0"))
            types, rows = _types(connection, source)
        except BaseException:
            connection.close()
            raise
        found = cls(connection, source, guard, types, rows)
        weakref.finalize(found, connection.close)
        return found

    def schema(self) -> pl.Schema:
        return self.types

    def count(self) -> int:
        return self.rows

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        import polars as pl

        types = dict(self.types) if names is None else {name: self.types[name] for name in names}
        cursor = self.connection.execute(_select([_cast(name, kind) for name, kind in types.items()], self.source))
        while batch := cursor.fetchmany(_BATCH):
            columns = zip(*batch, strict=True)
            parts = zip(types.items(), columns, strict=True)
            yield pl.DataFrame([_series(name, kind, values) for (name, kind), values in parts])


def _only_reading(action: int, first: str | None, second: str | None, *where: str | None) -> int:
    """What SQLite asks before it does anything: no other file, no option, no table of its own."""
    del where
    if action == sqlite3.SQLITE_PRAGMA:  # full-text tables look at these
        allowed = first in ("data_version", "page_size") and second is None
    else:
        outside = action == sqlite3.SQLITE_FUNCTION and str(second).lower() in _OUTSIDE
        allowed = action in _INSIDE and not outside
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def quoted(name: str) -> str:
    """A name as SQL reads it, whatever is in it.

    >>> print(quoted('a"b; --'))
    "a""b; --"
    """
    return '"' + name.replace('"', '""') + '"'


def _select(columns: Sequence[str], source: str) -> str:
    """A query for some columns, each of them SQL."""
    return f"SELECT {', '.join(columns)} FROM {source}"


def _source(asked: Asked) -> str:
    """SQL for what stands after FROM. What the user wrote in SQL stands between parentheses that it cannot leave."""
    if isinstance(asked, str):
        query = asked.strip().rstrip(";").rstrip()
        if not _closed(query):
            raise SourceError("The query must be a single SELECT: a source is only read.")
        return f"({query}\n) AS t"
    return quoted(asked[1])


def _condition(where: str) -> str:
    """The user's condition, if it is one."""
    text = sql_condition(where, str)
    if not _closed(text) or re.match(r"\s*(select|with|values)\b", text, re.IGNORECASE):
        raise SourceError(f"{called(where)} is not one condition, such as 'price > 10'.")
    return text


def _closed(text: str) -> bool:
    """Whether all quotes and parentheses of some SQL close within it, and no second statement begins."""
    depth = 0
    for found in _PIECE.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0 or found["stray"]:
            return False
    return depth == 0


def _tables(connection: sqlite3.Connection) -> list[tuple[str | None, str]]:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    return [(None, str(row[0])) for row in connection.execute(query)]


def _types(connection: sqlite3.Connection, source: str) -> tuple[pl.Schema, int]:
    """The type of each column, and the number of rows."""
    import polars as pl

    names = [part[0] for part in connection.execute(f"{_select(['*'], source)} LIMIT 0").description]
    kinds = (pl.Binary(), pl.String(), pl.Float64(), pl.Int64())
    found: dict[str, pl.DataType] = {}
    rows = 0
    for at in range(0, len(names), _AT_ONCE):
        part = names[at : at + _AT_ONCE]
        asked = [f"sum(typeof({quoted(name)}) = '{form}')" for name in part for form in _FORMS]
        rows, *counts = connection.execute(_select(["count(*)", *asked], source)).fetchone()
        for j, name in enumerate(part):
            seen = zip(kinds, counts[j * len(_FORMS) : (j + 1) * len(_FORMS)], strict=True)
            found[name] = next((kind for kind, count in seen if count), pl.Null())
    return pl.Schema(found), rows


def _cast(name: str, kind: pl.DataType) -> str:
    """A column as one type, under its own name."""
    import polars as pl

    word = "TEXT" if kind == pl.String else "REAL" if kind == pl.Float64 else None
    return f"CAST({quoted(name)} AS {word}) AS {quoted(name)}" if word else quoted(name)


def _series(name: str, kind: pl.DataType, values: Sequence[Any]) -> pl.Series:
    import polars as pl

    if kind == pl.Binary:
        values = [v if v is None or isinstance(v, bytes) else str(v).encode() for v in values]
    return pl.Series(name, values, dtype=kind, strict=False)


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")
