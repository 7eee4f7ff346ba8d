"""Databases that Ibis connects to by URL: MySQL and MariaDB, ClickHouse, Snowflake, BigQuery, Databricks, Trino."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from .databases import Tables, Target
    from .guard import Guard
    from .remote import RemoteRows

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

_ONLY_READ = {"mysql": "SET SESSION TRANSACTION READ ONLY"}


def check_driver(scheme: str) -> None:
    """Raise unless Ibis and the driver are there, with the line that installs them."""
    backend, driver = WAREHOUSES[scheme]
    if not all(_installed(name) for name in ("ibis", "sqlglot", driver)):
        raise MissingExtraError(
            f'{scheme}:// needs Ibis and its driver ({driver}): pip install "ibis-framework[{backend}]"'
        )


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
