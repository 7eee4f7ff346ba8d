"""DuckDB, read in this process: rows come in batches, which costs no more than asking for sums."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .conditions import called
from .databases import Tables, Target
from .guard import Guard
from .local import BatchRows

if TYPE_CHECKING:
    import polars as pl

_BATCH = 50_000
_ENCLOSED: dict[str, Any] = {
    "enable_external_access": "false",  # read_text, read_csv, glob, ATTACH, COPY: nothing but the file that was opened
    "python_enable_replacements": "false",  # names in a query are no variables of Python
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
}
_AS_TEXT = ("INTERVAL", "BIT", "TIME WITH TIME ZONE", "TIMETZ", "BIGNUM", "VARINT")


def _column(name: str) -> Any:
    from sqlglot import exp

    return exp.column(exp.to_identifier(name, quoted=True))


@dataclass(eq=False)
class DuckdbRows(BatchRows):
    """Rows of a DuckDB relation: a file opened read-only, or a relation of the user's own."""

    relation: Callable[[], Any]  # gives the relation, fresh each time
    guard: Guard  # names the source in errors
    rows: int | None = field(default=None)
    types: pl.Schema | None = field(default=None, init=False)

    engine = "duckdb"

    @classmethod
    def open(cls, path: Path, resolve: Callable[[Tables], Target], guard: Guard) -> DuckdbRows:
        """Open a file."""
        import duckdb

        connection = duckdb.connect(str(path), read_only=True, config=_ENCLOSED)
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
        from .databases import row_condition

        guard, relation = Guard(f"{called(where)} on {self.guard.name}", self.guard.secrets), self.relation
        text = guard.run(lambda: row_condition(where, "duckdb"))
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
