"""Databases in files, read in this process: rows come in batches, which costs no more than asking for sums."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .databases import Target
from .guard import Guard
from .local import BatchRows

if TYPE_CHECKING:
    import polars as pl

Tables = Callable[[], list[tuple[str | None, str]]]
Resolve = Callable[[Tables], Target]
_BATCH = 50_000
_AT_ONCE = 300  # columns of a query about types: SQLite gives at most 2,000 results
_AS_TEXT = ("INTERVAL", "BIT", "TIME WITH TIME ZONE", "TIMETZ", "BIGNUM", "VARINT")


@dataclass(eq=False)
class SqliteRows(BatchRows):
    """Rows of a SQLite file, opened read-only.

    SQLite lets every value have its own type, so the type of a column is the widest of its values: one scan finds it.
    """

    connection: sqlite3.Connection
    target: Target
    guard: Guard
    types: pl.Schema
    rows: int | None = field(default=None)

    engine = "sqlite"

    @classmethod
    def open(cls, path: Path, resolve: Resolve, guard: Guard) -> SqliteRows:
        """Open a file and find the types of the columns."""
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.text_factory = _decoded
            target = resolve(lambda: _sqlite_tables(connection))
            types, rows = _sqlite_types(connection, target)
        except BaseException:
            connection.close()
            raise
        found = cls(connection, target, guard, types, rows)
        weakref.finalize(found, connection.close)
        return found

    def schema(self) -> pl.Schema:
        return self.types

    def count(self) -> int:
        assert self.rows is not None
        return self.rows

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        import polars as pl

        types = dict(self.types) if names is None else {name: self.types[name] for name in names}
        cursor = self.connection.execute(self.target.select([_cast(n, kind) for n, kind in types.items()]))
        while batch := cursor.fetchmany(_BATCH):
            columns = zip(*batch, strict=True)
            parts = zip(types.items(), columns, strict=True)
            yield pl.DataFrame([_series(name, kind, values) for (name, kind), values in parts])


def _series(name: str, kind: pl.DataType, values: Sequence[Any]) -> pl.Series:
    import polars as pl

    if kind == pl.Binary:
        values = [v if v is None or isinstance(v, bytes) else str(v).encode() for v in values]
    return pl.Series(name, values, dtype=kind, strict=False)


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _sqlite_tables(connection: sqlite3.Connection) -> list[tuple[str | None, str]]:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    return [(None, str(row[0])) for row in connection.execute(query)]


def _column(name: str) -> Any:
    from sqlglot import exp

    return exp.column(exp.to_identifier(name, quoted=True))


def _cast(name: str, kind: pl.DataType) -> Any:
    """A column as one type, under its own name."""
    import polars as pl
    from sqlglot import exp

    words = {pl.String: "TEXT", pl.Float64: "REAL"}
    column = _column(name)
    word = next((word for form, word in words.items() if kind == form), None)
    return exp.alias_(exp.cast(column, word, dialect="sqlite") if word else column, name, quoted=True)


def _sqlite_types(connection: sqlite3.Connection, target: Target) -> tuple[pl.Schema, int]:
    import polars as pl
    from sqlglot import exp

    names = [part[0] for part in connection.execute(target.select() + " LIMIT 0").description]
    forms: list[tuple[str, Any]] = [
        ("blob", pl.Binary), ("text", pl.String), ("real", pl.Float64), ("integer", pl.Int64)
    ]  # fmt: skip
    found: dict[str, Any] = {}
    rows = 0
    for at in range(0, len(names), _AT_ONCE):
        part = names[at : at + _AT_ONCE]
        asked: list[Any] = [
            exp.Sum(this=exp.EQ(this=exp.func("typeof", _column(name)), expression=exp.Literal.string(form)))
            for name in part
            for form, _ in forms
        ]
        answer = connection.execute(target.select([exp.Count(this=exp.Star()), *asked])).fetchone()
        rows = int(answer[0])
        for j, name in enumerate(part):
            counts = answer[1 + j * len(forms) : 1 + (j + 1) * len(forms)]
            found[name] = next((kind for (_, kind), n in zip(forms, counts, strict=True) if n), pl.Null)
    return pl.Schema(found), rows


@dataclass(eq=False)
class DuckdbRows(BatchRows):
    """Rows of a DuckDB relation: a file opened read-only, or a relation of the user's own.

    Parameters
    ----------
    relation
        Gives the relation, fresh each time.
    guard
        Names the source in errors.
    """

    relation: Callable[[], Any]
    guard: Guard
    rows: int | None = field(default=None)
    types: pl.Schema | None = field(default=None, init=False)

    engine = "duckdb"

    @classmethod
    def open(cls, path: Path, resolve: Resolve, guard: Guard) -> DuckdbRows:
        """Open a file."""
        import duckdb

        offline: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        connection = duckdb.connect(str(path), read_only=True, config=offline)
        try:
            text = resolve(lambda: _duckdb_tables(connection)).select()
            connection.sql(text)
        except BaseException:
            connection.close()
            raise
        found = cls(lambda: connection.sql(text), guard)
        weakref.finalize(found, connection.close)
        return found

    def filtered(self, where: str) -> DuckdbRows:
        """The rows for which a condition in SQL holds."""
        from .databases import condition

        guard, relation = Guard(f"where={where!r} on {self.guard.name}", self.guard.secrets), self.relation
        text = guard.run(lambda: condition(where, "duckdb"))
        guard.run(lambda: relation().filter(text))
        return DuckdbRows(lambda: relation().filter(text), self.guard)

    def _readable(self, wanted: Sequence[str] | None = None) -> Any:
        """The relation or some of its columns, with types that Arrow does not know as text."""
        relation = self.relation()
        types = {name: str(kind).upper() for name, kind in zip(relation.columns, relation.types, strict=True)}
        if wanted is None and not any(kind.startswith(_AS_TEXT) for kind in types.values()):
            return relation
        from sqlglot import exp

        parts = []
        for name in types if wanted is None else wanted:
            column, kind = _column(name), types[name]
            value = exp.cast(column, "VARCHAR") if kind.startswith(_AS_TEXT) else column
            parts.append(exp.alias_(value, name, quoted=True).sql(dialect="duckdb"))
        return relation.project(", ".join(parts))

    def schema(self) -> pl.Schema:
        import polars as pl

        if self.types is None:
            frame = pl.from_arrow(self._readable().limit(0).to_arrow_table())
            assert isinstance(frame, pl.DataFrame)
            self.types = frame.schema
        return self.types

    def count(self) -> int:
        if self.rows is None:
            answer = self.guard.run(lambda: self.relation().aggregate("count(*)").fetchall())
            self.rows = int(answer[0][0])
        return self.rows

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        import polars as pl

        for batch in self._readable(names).to_arrow_reader(_BATCH * 2):
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            if len(frame):
                yield frame


def _duckdb_tables(connection: Any) -> list[tuple[str | None, str]]:
    query = (
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database() "
        "ORDER BY table_schema <> 'main', table_schema, table_name"
    )
    return [(str(schema), str(name)) for schema, name in connection.execute(query).fetchall()]
