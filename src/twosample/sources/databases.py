"""Databases by URL: SQLite and DuckDB files, PostgreSQL, and what Ibis connects to. They are only read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files import at_home
from ..errors import MissingExtraError, SourceError, missing_extra
from .conditions import called, sql_condition
from .guard import Guard, redacted
from .stores import STORES

if TYPE_CHECKING:
    from .remote import RemoteRows
    from .table import Rows

_QUERY = re.compile(r"\s*(select|with)\s", re.IGNORECASE)
_CHANGING = ("nextval", "setseed", "write_log", "sleep_ms")  # of a DuckDB session that is the user's own
_EVERY = "*"  # after '::': all tables
Asked = str | tuple[str | None, str]  # A query, or a table with its schema
Tables = Callable[[], list[tuple[str | None, str]]]
Resolve = Callable[[Tables], Asked]
WAREHOUSES = {
    "mysql": ("mysql", "MySQLdb"),
    "mariadb": ("mysql", "MySQLdb"),
    "clickhouse": ("clickhouse", "clickhouse_connect"),
    "snowflake": ("snowflake", "snowflake.connector"),
    "bigquery": ("bigquery", "google.cloud.bigquery"),
    "databricks": ("databricks", "databricks.sql"),
    "trino": ("trino", "trino"),
}
"""By the scheme of their URLs: what Ibis calls them, and the driver that it needs."""

_POSTGRES = ("ibis", "psycopg", "sqlglot", "adbc_driver_postgresql", "pyarrow")
_ONLY_READ = {"mysql": "SET SESSION TRANSACTION READ ONLY"}


@dataclass(frozen=True)
class Target:
    """What to read: a table or a query, and a condition; its SQL is written by sqlglot, names quoted."""

    dialect: str  # whose SQL
    schema: str | None = None  # the table, or None
    table: str | None = None
    query: str | None = None  # the user's SELECT, or None
    where: str | None = None  # the user's condition, or None

    def select(self, columns: Any = "*", sample: str | None = None) -> str:
        """SELECT columns FROM the target, perhaps thinned out: `sample` is a TABLESAMPLE clause of ours."""
        import sqlglot as sg

        found = sg.select(*(columns if isinstance(columns, list) else [columns])).from_(self.source())
        text = found.sql(dialect=self.dialect)
        if sample is not None:
            text = f"{text} {sample}"
        if self.where is not None:
            text = f"{text} WHERE ({condition(self.where, self.dialect)})"
        return text

    def source(self) -> Any:
        """What stands after FROM, as sqlglot has it."""
        import sqlglot as sg
        from sqlglot import exp

        if self.query is not None:
            return sg.parse_one(self.query, read=self.dialect).subquery("t")  # type: ignore[attr-defined]
        return exp.table_(exp.to_identifier(self.table, quoted=True), db=exp.to_identifier(self.schema, quoted=True))


@lru_cache(maxsize=16)
def condition(where: str, dialect: str) -> str:
    """A condition, parsed and written again, so that it is one and nothing else."""
    return sql_condition(where, lambda part: _condition(part, where, dialect))


def row_condition(where: str, dialect: str) -> str:
    """The same, if it looks at nothing but the row: no other tables or files, and nothing that changes a sequence."""
    from sqlglot import exp

    text = condition(where, dialect)
    for tree in _trees(text, dialect, called(where)):
        asks = tree.find(exp.Query, exp.Table, exp.Exists) is not None
        if asks or any(node.name.lower() in _CHANGING for node in tree.find_all(exp.Anonymous)):
            raise SourceError(f"{called(where)} may only look at the row: filter the relation before you give it.")
    return text


def _condition(part: str, where: str, dialect: str) -> str:
    from sqlglot import exp

    trees = _trees(part, dialect, called(where))
    if len(trees) != 1 or not isinstance(trees[0], exp.Condition) or isinstance(trees[0], exp.Query):
        raise SourceError(f"{called(where)} is not one condition, such as 'price > 10'.")
    _check_reads(trees[0], called(where))
    return str(trees[0].sql(dialect=dialect, comments=False))


def _trees(text: str, dialect: str, what: str) -> list[Any]:
    """What the parser makes of a text, one tree for each statement."""
    from sqlglot import parse

    try:
        return [tree for tree in Guard(what).run(lambda: parse(text, read=dialect)) if tree is not None]
    except RecursionError:
        pass
    raise SourceError(f"{what} is nested too deeply: use fewer parentheses in each other.")


def check_query(query: str, dialect: str) -> str:
    """The user's query, if it is a single SELECT."""
    from sqlglot import exp

    trees = _trees(query, dialect, "The query")
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise SourceError("The query must be a single SELECT: a source is only read.")
    _check_reads(trees[0], "The query")
    return query.strip().rstrip(";").rstrip()


def _check_reads(tree: Any, what: str) -> None:
    from sqlglot import exp

    for node in tree.find_all(exp.DML, exp.DDL, exp.Command, exp.Drop, exp.Into, exp.Alter, exp.Set, exp.Lock):
        if not isinstance(node, exp.Query):
            raise SourceError(f"{what} does more than read ({type(node).__name__.upper()}): give a SELECT.")


class _ListedError(SourceError):
    """Ends the opening of a database at the point where its tables are known."""

    def __init__(self, tables: list[tuple[str | None, str]]) -> None:
        super().__init__("the tables were asked for")
        self.tables = tables


def tables_of(url: str) -> tuple[str, ...]:
    """The tables of a database, each as it may stand after '::' in a URL."""
    head, target = _split(url)
    if target:
        raise SourceError(
            f"{redacted(head)[0]}::{target} is one table: leave out '::{target}' for all of the database."
        )
    try:
        open_database(f"{url}::{_EVERY}", None)
    except _ListedError as listed:
        known = listed.tables
    return tuple(_named(schema, table) for schema, table in known)


def open_database(url: str, where: str | None) -> tuple[str, Rows]:
    """The name that may be shown, and the rows."""
    head, target = _split(url)
    shown, secrets = redacted(head)
    scheme = head.partition("://")[0].lower().partition("+")[0]
    openers: dict[str, Callable[[str, str, str | None, Guard], Rows]] = {
        "sqlite": _sqlite,
        "duckdb": _duckdb,
        "postgresql": _postgres,
        "postgres": _postgres,
        **dict.fromkeys(WAREHOUSES, _warehouse),
    }
    if scheme not in openers:
        raise SourceError(
            f"{shown}: the scheme {scheme!r} is not known. Known are sqlite, duckdb, postgresql, "
            f"{', '.join(WAREHOUSES)}, and for files {', '.join(STORES)}; for other databases give an Ibis table."
        )
    name = f"{shown}::{target}" if target not in ("", _EVERY) else shown
    _check_installed(scheme)
    guard = Guard(name, secrets, everything=scheme in WAREHOUSES)  # of drivers that are not known here
    try:
        return name, guard.run(lambda: openers[scheme](head, target, where, guard))
    except _ListedError:
        raise
    except SourceError as error:
        failure = SourceError(str(error) if name in str(error) else f"{name}: {error}")
    raise failure


def _check_installed(scheme: str) -> None:
    """Raise unless what opens such a database is there, with the line that installs it."""
    if scheme in WAREHOUSES:
        backend, driver = WAREHOUSES[scheme]
        if not all(map(_installed, ("ibis", "sqlglot", driver))):
            raise MissingExtraError(
                f'{scheme}:// needs Ibis and its driver ({driver}): pip install "ibis-framework[{backend}]"'
            )
        return
    needed = {"sqlite": (), "duckdb": ("duckdb", "sqlglot", "pyarrow")}.get(scheme, _POSTGRES)
    missing = [name for name in needed if not _installed(name)]
    if missing:
        raise missing_extra(f"{scheme} needs {', '.join(missing)}", "db")


def _split(url: str) -> tuple[str, str]:
    """The URL and what stands after '::'; colons in a password or an IPv6 address come before the path."""
    scheme, _, rest = url.partition("://")
    for mark in re.finditer("::", rest):
        head = rest[: mark.start()]
        if "/" in head.rpartition("@")[2]:
            return f"{scheme}://{head}", rest[mark.end() :]
    return url, ""


def _asked(text: str, tables: Tables) -> Asked:
    """The user's query, or one of the tables: by its name, with its schema, or the only one."""
    if _QUERY.match(text):
        return text
    known = tables()
    if text == _EVERY:
        raise _ListedError(known)
    if not text and len(known) == 1:
        return known[0]
    for schema, table in known:
        if text in (table, f"{schema}.{table}"):
            return schema, table
    names = ", ".join(_named(schema, table) for schema, table in known[:20])
    what = f"There is no table {text!r}." if text else "Say which table, after '::'."
    raise SourceError(f"{what} {'There are: ' + names if known else 'There are none'}.")


def _named(schema: str | None, table: str) -> str:
    """A table with its schema, unless that is the one where tables are by themselves."""
    return table if schema in (None, "public", "main") else f"{schema}.{table}"


def _target(text: str, dialect: str, where: str | None, tables: Tables) -> Target:
    """What to read, by the words of the user."""
    asked = _asked(text, tables)
    if isinstance(asked, str):
        return Target(dialect, query=check_query(asked, dialect), where=where)
    return Target(dialect, *asked, where=where)


def _file(url: str, guard: Guard) -> Path:
    """The file of sqlite:///relative or sqlite:////absolute."""
    scheme, _, rest = url.partition("://")
    if not rest.startswith("/") or len(rest) < 2:
        raise SourceError(f"{guard.name} names no file: write {scheme}:///file.db or {scheme}:////folder/file.db.")
    path = at_home(rest[1:])
    if not path.is_file():
        raise SourceError(f"{guard.name} cannot be read: there is no file {path}. Check the path.")
    return path


def _sqlite(url: str, text: str, where: str | None, guard: Guard) -> Rows:
    from .sqlite import SqliteRows

    return SqliteRows.open(_file(url, guard), lambda tables: _asked(text, tables), where, guard)


def _duckdb(url: str, text: str, where: str | None, guard: Guard) -> Rows:
    from .embedded import DuckdbRows

    return DuckdbRows.open(_file(url, guard), lambda tables: _target(text, "duckdb", where, tables), guard)


def _warehouse(url: str, text: str, where: str | None, guard: Guard) -> Rows:
    scheme = url.partition("://")[0].lower().partition("+")[0]
    database = None if _QUERY.match(text) or "." not in text else text.partition(".")[0]
    dialect = WAREHOUSES[scheme][0]
    return open_warehouse(url, database, lambda tables: _target(text, dialect, where, tables), guard)


def _postgres(url: str, text: str, where: str | None, guard: Guard) -> Rows:
    from .postgres import open_postgres

    return open_postgres(url, lambda tables: _target(text, "postgres", where, tables), guard)


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # of a package within another one
        return False


def open_warehouse(url: str, database: str | None, target: Callable[[Tables], Target], guard: Guard) -> RemoteRows:
    """The rows of a table or a query; nothing but single SELECTs is sent.

    `database` is the schema that the user named before the table, if any; `target` finds out what is meant, given the
    tables that there are; `guard` names the source in errors.
    """
    import ibis
    import narwhals as nw

    from .pullers import FramePuller
    from .remote import RemoteRows

    scheme, _, rest = url.partition("://")
    backend = WAREHOUSES[scheme.lower().partition("+")[0]][0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about time zones of servers, and how drivers are called
        connection: Any = ibis.connect(f"{backend}://{rest}")
        if backend in _ONLY_READ:
            connection.raw_sql(_ONLY_READ[backend]).close()
        meant = target(lambda: _tables(connection, database))
        plain = meant.query is None and meant.where is None
        table = connection.table(meant.table, database=meant.schema) if plain else connection.sql(meant.select())
    frame: Any = nw.from_native(table)
    return RemoteRows(frame, guard, FramePuller(frame))


def _tables(connection: Any, database: str | None) -> list[tuple[str | None, str]]:
    """Those of the database that the URL names, and of another one that was named."""
    own: list[tuple[str | None, str]] = [(None, name) for name in connection.list_tables()]
    if database is None or any(name.startswith(f"{database}.") for _, name in own):
        return own
    return [*own, *((database, name) for name in connection.list_tables(database=database))]
