"""PostgreSQL: sums by the server (Ibis through narwhals), rows by ADBC, both in read-only transactions."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import SourceError
from .blocks import PageBlocks
from .databases import Target
from .guard import Guard
from .remote import RemoteRows

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

_READ_ONLY = "-c default_transaction_read_only=on"
_IN_ORDER = f"{_READ_ONLY} -c synchronize_seqscans=off -c max_parallel_workers_per_gather=0"
_SECONDS = 15  # to wait for a server
_PLAIN = ("bool", "int2", "int4", "int8", "float4", "float8", "text", "date", "timestamp", "timestamptz", "time")
_TABLES = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY n.nspname <> current_schema(), n.nspname, c.relname
"""
_VOLATILE = """
SELECT DISTINCT p.proname FROM pg_catalog.pg_proc p
WHERE (p.provolatile = 'v' OR p.proname ~ '_to_xml') AND p.proname = ANY (%s)
AND NOT (p.proname = ANY (%s) AND p.pronamespace = 'pg_catalog'::regnamespace) ORDER BY p.proname
"""
_HARMLESS = ("random", "gen_random_uuid", "clock_timestamp", "timeofday", "bernoulli", "system")
_PRIVATE = {
    "pg_file_settings", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_authid", "pg_shadow", "pg_user_mapping",
    "pg_user_mappings", "pg_largeobject",
}  # fmt: skip
"""Views and tables of the server that show its files and passwords."""


def open_postgres(
    url: str, resolve: Callable[[Callable[[], list[tuple[str | None, str]]]], Target], guard: Guard
) -> RemoteRows:
    """Connect, find the target and the types of its columns."""
    import ibis
    import narwhals as nw
    import psycopg
    from psycopg.conninfo import make_conninfo

    address = url.replace("postgres+", "postgresql+", 1)
    scheme, _, rest = address.partition("://")
    address = f"{scheme.partition('+')[0]}://{rest}"
    asked = make_conninfo(address, options=_READ_ONLY, connect_timeout=_SECONDS)
    connection = psycopg.connect(asked, autocommit=True)
    try:
        target = resolve(lambda: [(str(a), str(b)) for a, b in connection.execute(_TABLES).fetchall()])
        _check_harmless(connection, target)
        columns, types, opaque = _columns(connection, target)
        backend = ibis.postgres.from_connection(connection)
        schema = ibis.schema({name: _IBIS[kind] for name, kind in types.items()})
        table = backend.sql(target.select(columns), schema=schema)
        pulled = make_conninfo(address, options=_IN_ORDER, connect_timeout=_SECONDS)
        puller = PostgresPuller(connection, pulled, target, columns, types)
        rows = RemoteRows(nw.from_native(table), guard, puller, frozenset(opaque))
    except BaseException:
        connection.close()
        raise
    weakref.finalize(rows, connection.close)
    return rows


def _check_harmless(connection: Any, target: Target) -> None:
    """Refuse what a read-only transaction allows and nobody needs for reading: files of the server, other servers.

    PostgreSQL itself says which functions do more than compute: they are volatile, or write whole tables, whose names
    may be any text, as XML. Whatever stands before a parenthesis is looked up, so that no way of writing a call is
    overlooked.
    """
    import sqlglot
    from sqlglot import TokenType

    if target.query is None and target.where is None:
        return
    tokens = sqlglot.tokenize(target.select(), read="postgres")
    called = {token.text for token, after in pairwise(tokens) if after.token_type == TokenType.L_PAREN}
    names = [*called, *map(str.lower, called)]
    found = [row[0] for row in connection.execute(_VOLATILE, (names, list(_HARMLESS))).fetchall()]
    found += sorted({token.text.lower() for token in tokens if token.token_type != TokenType.STRING} & _PRIVATE)
    if found:
        raise SourceError(
            f"{', '.join(found)} may do more than read the rows of a table, and is not called for a source. "
            "Make a view that uses it, and name the view."
        )


def _columns(connection: Any, target: Target) -> tuple[list[Any], dict[str, str], list[str]]:
    """What to select so that every column has a plain type; the types of that; columns without plain values."""
    from sqlglot import exp

    described = connection.execute(target.select() + " LIMIT 0").description
    selected, types, opaque = [], {}, []
    for column in described:
        kind = str(column.type_display).partition("(")[0]
        value: Any = exp.column(exp.to_identifier(column.name, quoted=True))
        if kind == "numeric":
            value, kind = exp.cast(value, "DOUBLE"), "float8"
        elif kind == "interval":
            value = exp.cast(exp.Extract(this=exp.var("EPOCH"), expression=value), "DOUBLE")
            kind = "float8"
        elif kind in ("date", "timestamp", "timestamptz"):  # infinity is no date anywhere else: it counts as missing
            value = exp.Case().when(exp.Anonymous(this="isfinite", expressions=[value]), value.copy())
        elif kind not in _PLAIN:
            if kind.endswith("[]") or kind in ("bytea", "json", "jsonb", "xml", "record"):
                opaque.append(column.name)
            value, kind = exp.cast(value, "TEXT"), "text"
        selected.append(exp.alias_(value, column.name, quoted=True))
        types[column.name] = kind
    return selected, types, opaque


_IBIS = {
    "bool": "boolean", "int2": "int16", "int4": "int32", "int8": "int64", "float4": "float32", "float8": "float64",
    "text": "string", "date": "date", "timestamp": "timestamp", "timestamptz": "timestamp('UTC')", "time": "time",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class PostgresPuller:
    """Rows by pages or by ADBC, which are several times faster than a cursor, in the order of the table."""

    connection: Any  # for sums by the server
    address: str  # how to connect for rows; holds the password, and is never shown
    target: Target  # what to read
    columns: list[Any]  # what to select of it
    types: dict[str, str]  # the types of these in PostgreSQL, by name

    def __repr__(self) -> str:
        return "PostgresPuller(...)"

    @property
    def fast(self) -> bool:
        """See docs/sources.md for the figures."""
        return True

    @property
    def streams(self) -> bool:
        """By ADBC."""
        return True

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """All rows of some or all columns."""
        wanted = self.columns if names is None else [part for part in self.columns if part.alias in names]
        blocks = PageBlocks.of(self.address, self.target, wanted, [self.types[part.alias] for part in wanted])
        with nullcontext() if blocks is None else blocks.frames() as frames:
            if frames is not None:
                yield from frames
                return
        yield from self._frames(self.target.select(wanted))

    def sample(self, share: float, seed: int) -> pl.DataFrame | None:
        """Each row with a certain probability, by its place in the table (TABLESAMPLE BERNOULLI, never SYSTEM)."""
        import polars as pl

        if self.target.table is None:
            return None
        clause = f"TABLESAMPLE BERNOULLI ({100 * float(share):.12g}) REPEATABLE ({int(seed)})"
        import adbc_driver_manager

        try:
            parts = list(self._frames(self.target.select(self.columns, sample=clause)))
        except adbc_driver_manager.Error as error:
            if "TABLESAMPLE" in str(error):  # a view has no rows of its own
                return None
            raise
        return pl.concat(parts) if parts else None

    def estimate(self) -> int | None:
        """What the statistics of the server say about a table without a condition."""
        if self.target.table is None or self.target.where is not None:
            return None
        from adbc_driver_postgresql import dbapi

        query = (
            "SELECT c.reltuples::bigint FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
            "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2"
        )
        with dbapi.connect(self.address) as connection, connection.cursor() as cursor:
            cursor.execute(query, (self.target.schema, self.target.table))
            found = cursor.fetchall()
        return int(found[0][0]) if found and found[0][0] > 0 else None

    def empty(self) -> pl.DataFrame:
        """No rows, in the types that rows come in."""
        import polars as pl
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.address) as connection, connection.cursor() as cursor:
            cursor.execute(self.target.select(self.columns) + " LIMIT 0")
            frame = pl.from_arrow(cursor.fetch_arrow_table())
        assert isinstance(frame, pl.DataFrame)
        return frame

    def answer(self, question: nw.LazyFrame[Any]) -> pl.DataFrame:
        """All at once: by a cursor, which Ibis would open, the server takes one core."""
        import narwhals as nw
        import polars as pl

        native: Any = nw.to_native(question)
        cursor = self.connection.execute(native.compile())
        names = [column.name for column in cursor.description]
        return pl.DataFrame(cursor.fetchall(), schema=names, orient="row", infer_schema_length=None)

    def _frames(self, query: str) -> Iterator[pl.DataFrame]:
        import polars as pl
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.address) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            for batch in cursor.fetch_record_batch():
                frame = pl.from_arrow(batch)
                assert isinstance(frame, pl.DataFrame)
                if len(frame):
                    yield frame
