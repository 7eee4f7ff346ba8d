"""Conditions and queries see the rows that they are about: no file, no other server, and they change nothing."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import twosample as ts
from tests.sources.test_databases import fill_duckdb, fill_postgres, fill_sqlite
from twosample.sources import open_table
from twosample.sources.guard import Guard, foreign

FRAME = pl.DataFrame({"x": [1.0, 2.0, 3.0], "s": ["a", "select", "b"], "select": [1, 2, 3]})


@pytest.fixture
def secret(tmp_path):
    """A file that nobody named, as CSV and as Parquet."""
    (tmp_path / "secret.csv").write_text("hush\n1\n2\n")
    pl.DataFrame({"hush": [1, 2]}).write_parquet(tmp_path / "secret.parquet")
    return tmp_path / "secret.csv"


def refused(url, where=None, match="cannot be read"):
    """Reading it fails as it should, at the latest when rows are asked for; and tells nothing about the file."""
    with pytest.raises(ts.SourceError, match=match) as caught:
        open_table(url, where=where).collect()
    assert "hush" not in str(caught.value).replace(str(url), "").replace(repr(where), "")


# --- DuckDB ---------------------------------------------------------------------------------------------------

READERS = [
    "read_text('{0}')", "read_blob('{0}')", "read_csv('{0}')", "read_csv_auto('{0}')", "read_parquet('{1}')",
    "glob('{2}/*')", "sniff_csv('{0}')", "'{0}'", '"{0}"', "'{1}'", "parquet_metadata('{1}')", "read_json('{0}')",
    "query('SELECT * FROM read_text(''{0}'')')", "read_csv('http://localhost:1/x.csv')",
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_duckdb_reads_nothing_but_its_file(tmp_path, secret, reader):
    source = reader.format(secret, secret.with_suffix(".parquet"), tmp_path)
    url = fill_duckdb(tmp_path / "d.db", FRAME)
    base = url.rpartition("::")[0]
    refused(f"{base}::SELECT * FROM {source}")
    refused(f"{base}::SELECT * FROM t WHERE EXISTS (SELECT 1 FROM {source})")
    refused(url, f"EXISTS (FROM {source})")
    refused(url, f"x IN (SELECT 1 FROM {source})")


def test_duckdb_stays_locked(tmp_path, secret):
    url = fill_duckdb(tmp_path / "d.db", FRAME)
    rows = open_table(url)._rows
    connection = rows.relation.__closure__[0].cell_contents
    for statement in ("SET enable_external_access = true", "SET lock_configuration = false", "RESET lock_configuration",
                      f"ATTACH '{tmp_path}/e.db'", f"COPY t TO '{tmp_path}/out.csv'", "INSTALL httpfs", "LOAD httpfs",
                      "CREATE TABLE u AS SELECT 1"):  # fmt: skip
        with pytest.raises(Exception, match=r"locked|disabled|read-only|configuration"):
            connection.execute(statement)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.db", "secret.csv", "secret.parquet"]


def test_duckdb_does_not_look_at_variables_of_python(tmp_path):
    url = fill_duckdb(tmp_path / "d.db", FRAME)
    hidden = FRAME
    refused(url, "x IN (SELECT x FROM hidden)", "hidden")
    assert len(hidden) == 3


def test_duckdb_subqueries_on_its_own_tables_work_and_large_sorts_use_the_disk(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    url = fill_duckdb(tmp_path / "d.db", FRAME)
    with duckdb.connect(str(tmp_path / "d.db")) as connection:
        connection.execute("CREATE TABLE u AS SELECT range AS i FROM range(3)")
    assert open_table(url, where="x IN (SELECT i FROM u)").row_count() == 2
    query = "SELECT hash(i) AS h, i FROM range(2000000) r(i) ORDER BY h"
    assert open_table(f"{url.rpartition('::')[0]}::{query}").sample(10).height == 10


def test_conditions_on_a_relation_of_the_user_see_one_row(tmp_path, secret):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:  # the session is the user's own: no option of it is ours to set
        connection.execute("CREATE SEQUENCE q")
        relation = connection.sql("SELECT range AS x FROM range(10)")
        for where in (f"x IN (SELECT hush FROM read_csv('{secret}'))", f"EXISTS (FROM '{secret}')",
                      f"x < (SELECT count(*) FROM read_text('{secret}'))", "nextval('q') > 0",
                      "x IN (FROM range(3))"):  # fmt: skip
            with pytest.raises(ts.SourceError, match="only look at the row"):
                open_table(relation, where=where)
        assert connection.execute("SELECT nextval('q')").fetchone() == (1,)
        assert open_table(relation, where="x > 3 AND abs(x) < 8").row_count() == 4


# --- SQLite ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "attack",
    ["load_extension('/tmp/evil.so')", "readfile('{0}')", "writefile('{0}', 'x')", "edit('a')",
     "fts3_tokenizer('simple')"],
)  # fmt: skip
def test_sqlite_functions_stay_inside(tmp_path, secret, attack):
    url = fill_sqlite(tmp_path / "d.db", FRAME)
    attack, before = attack.format(secret), secret.read_bytes()
    refused(url, f"{attack} IS NOT NULL")
    refused(f"{url.rpartition('::')[0]}::SELECT {attack} AS a FROM t")
    assert secret.read_bytes() == before


def test_sqlite_asks_before_anything_but_reading(tmp_path, secret):
    url = fill_sqlite(tmp_path / "d.db", FRAME)
    fill_sqlite(tmp_path / "other.db", FRAME)
    table = open_table(url)
    for statement in (f"ATTACH '{tmp_path}/other.db' AS o", "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON",
                      "DELETE FROM t", "CREATE TEMP TABLE u (a)", "DROP TABLE t", "PRAGMA journal_mode = DELETE",
                      f"VACUUM INTO '{tmp_path}/copy.db'", "CREATE VIRTUAL TABLE v USING fts5(a)"):  # fmt: skip
        with pytest.raises(sqlite3.Error):
            table._rows.connection.execute(statement)
    for target in ("SELECT * FROM pragma_database_list", "SELECT * FROM pragma_table_list"):
        refused(f"{url.rpartition('::')[0]}::{target}")
    assert table.row_count() == 3
    assert not (tmp_path / "copy.db").exists()


def test_sqlite_reads_views_and_tables_with_an_index_of_their_own(tmp_path):
    with closing(sqlite3.connect(tmp_path / "d.db")) as connection:
        names = {row[0] for row in connection.execute("PRAGMA compile_options")}
        connection.execute("CREATE TABLE t (x REAL, s TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i / 2, "abc"[i % 3]) for i in range(60)])
        connection.execute("CREATE VIEW v AS SELECT upper(s) AS u, count(*) AS n, json('{}') AS j FROM t GROUP BY s")
        for name, kind in (("ENABLE_FTS5", "fts5(a)"), ("ENABLE_FTS4", "fts4(a)"), ("ENABLE_RTREE", "rtree(a, b, c)")):
            if name in names:
                connection.execute(f"CREATE VIRTUAL TABLE {name.lower()} USING {kind}")
                values = "(1, 2, 3)" if "rtree" in kind else "('some words'), ('others')"
                connection.execute(f"INSERT INTO {name.lower()} VALUES {values}")
        connection.commit()
    base = f"sqlite:///{tmp_path}/d.db"
    assert open_table(f"{base}::v").collect()["u"].to_list() == ["A", "B", "C"]
    assert open_table(f"{base}::t", where="x > (SELECT avg(x) FROM t) AND s LIKE 'a%'").row_count() == 10
    recursive = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 9) SELECT i FROM r"
    assert open_table(f"{base}::{recursive}").row_count() == 9
    for name in {"ENABLE_FTS5", "ENABLE_FTS4"} & names:
        assert open_table(f"{base}::SELECT a FROM {name} WHERE {name} MATCH 'words'").row_count() == 1
    if "ENABLE_RTREE" in names:
        assert open_table(f"{base}::enable_rtree").collect().rows() == [(1, 2.0, 3.0)]


# --- PostgreSQL -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    ["pg_read_file('PG_VERSION')", "pg_read_binary_file('PG_VERSION')", "pg_stat_file('PG_VERSION')::text",
     'pg_catalog."pg_read_file"(\'PG_VERSION\')', "PG_READ_FILE /* */ ('PG_VERSION')", "lo_import('/etc/hostname')",
     "lo_from_bytea(0, 'x')", "nextval('q')", "setval('q', 50)", "pg_terminate_backend(0)", "pg_sleep(0)",
     "set_config('default_transaction_read_only', 'off', false)", "pg_notify('a', 'b')", "pg_advisory_lock(1)",
     "query_to_xml('SELECT pg_read_file(''PG_VERSION'')', true, true, '')", "sly()", "public.sly()",
     "table_to_xml('pg_authid', true, true, '')", "schema_to_xml('public', true, true, '')",
     "(SELECT max(f) FROM pg_ls_dir('.') AS d(f))", "dblink('host=localhost', 'SELECT 1')", "pg_reload_conf()"],
)  # fmt: skip
def test_postgres_calls_only_what_computes(postgres_server, call):
    postgres_server.execute(
        "CREATE SEQUENCE IF NOT EXISTS q",
        "CREATE OR REPLACE FUNCTION sly() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''q'')'",
        "CREATE OR REPLACE FUNCTION dblink(text, text) RETURNS text LANGUAGE sql AS 'SELECT $1'",
        "SELECT setval('q', 7)",
    )
    url = fill_postgres(postgres_server, FRAME.select("x", "s"), "enclosed")
    base, name = url.rpartition("::")[0], r"may do more than read"
    refused(url, f"({call}) IS NOT NULL", name)
    refused(f"{base}::SELECT {call} AS a", name)
    refused(f"{base}::WITH w AS (SELECT 1 AS b) SELECT b FROM w WHERE EXISTS (SELECT {call})", name)
    assert open_table(f"{base}::SELECT last_value FROM q").collect().item() == 7


@pytest.mark.parametrize("relation", ["pg_file_settings", "pg_hba_file_rules", "pg_authid", "pg_catalog.pg_shadow"])
def test_postgres_keeps_its_files_and_passwords(postgres_server, relation):
    refused(postgres_server.url(f"SELECT * FROM {relation}"), match="may do more than read")


def test_postgres_computes(postgres_server):
    url = fill_postgres(postgres_server, FRAME.select("x", "s"), "enclosed")
    postgres_server.execute(
        "CREATE OR REPLACE FUNCTION half(float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 2'"
    )
    for where, rows in (("half(x) < 1 AND lower(s) IN ('a', 'b')", 1), ("random() < 2", 3), ("left(s, 1) = 's'", 1),
                        ("x = (SELECT max(x) FROM enclosed)", 1), ("s ~ '^[ab]$' AND now() > '2020-01-01'", 2),
                        ("s <> 'pg_read_file(1)'", 3), ("CAST(x AS numeric(10, 2)) BETWEEN 1 AND 2", 2)):  # fmt: skip
        assert open_table(url, where=where).row_count() == rows
    query = "SELECT s, row_number() OVER (ORDER BY x) AS r, date_trunc('day', now()) AS d FROM enclosed"
    assert open_table(postgres_server.url(query)).row_count() == 3


# --- polars ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    ["x IN (SELECT hush FROM read_csv('{0}'))", "x IN (FROM read_csv('{0}'))", "EXISTS (FROM read_parquet('{1}'))",
     "EXISTS (FROM \"read_csv\"('{0}'))", "EXISTS (FROM read_csv/**/('{0}'))",
     "s = $$'$$ OR EXISTS (FROM read_csv('{0}'))",
     "s = E'\\'' OR x IN (SELECT hush FROM read_csv('{0}'))", "x IN (with a as (select 1) select * from a)",
     "x IN (FROM read_csv -- \n ('{0}'))", "EXISTS (FROM READ_IPC ('{0}'))"],
)  # fmt: skip
def test_conditions_on_files_and_frames_open_no_file(tmp_path, secret, where):
    FRAME.write_parquet(tmp_path / "t.parquet")
    for source in (FRAME, tmp_path / "t.parquet"):
        messages = set()
        for name in ("secret", "nothing"):  # the answer does not even tell whether there is such a file
            place = Path(tmp_path, f"{name}.csv")
            asked = where.format(place, place.with_suffix(".parquet"))
            with pytest.raises(ts.SourceError, match="not for conditions") as caught:
                open_table(source, where=asked)
            messages.add(str(caught.value).replace(name, ""))
        assert len(messages) == 1


@pytest.mark.parametrize(
    ("where", "rows"),
    [("s = 'select'", 1), ('"select" > 1', 2), ("s <> 'read_csv(1)'", 3), ("x > 1 -- why", 2), ("s = 'it''s'", 0)],
)
def test_such_words_may_be_values_and_names(where, rows):
    assert open_table(FRAME, where=where).row_count() == rows


@pytest.mark.parametrize("module", ["MySQLdb", "pymysql"])
def test_drivers_of_mysql(module, monkeypatch):
    class Error(Exception):
        pass

    def fail():
        raise Error(2002, "Can't connect to server on 's3cret' (connection refused)")

    monkeypatch.setitem(sys.modules, module, SimpleNamespace(Error=Error))
    with pytest.raises(ts.SourceError, match=r"^shop cannot be read: .*\*\*\*.* Check host and port") as caught:
        Guard("shop", ("s3cret",)).run(fail)
    assert caught.value.__context__ is None


# --- Engines --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown", "hidden"),
    [
        ("cannot reach jdbc:mysql://ada:hunter2@db.example/shop", "db.example/shop", "hunter2"),
        ("s3 said no: fs.s3a.secret.key=hunter2, bucket shop", "bucket shop", "hunter2"),
        ("Access denied; PASSWORD: hunter2", "Access denied", "hunter2"),
        ("no such host: mysql://db.example/shop", "mysql://db.example/shop", "***"),
        (
            "An error occurred while calling o42.collectToPython.\n: org.apache.spark.SparkException: Job aborted",
            "Job aborted",
            "o42",
        ),
        (
            "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
            '  File "worker.py", line 1, in main\n    process()\nValueError: a price is negative\n\n\tat java',
            "ValueError: a price is negative",
            "worker.py",
        ),
    ],
)
def test_messages_of_engines(text, shown, hidden):
    found = Guard("the frame").clean(text)
    assert shown in found
    assert hidden not in found


@pytest.mark.parametrize(
    ("text", "advice_given"),
    [
        ("ModuleNotFoundError: No module named 'twosample'", "Install twosample where the workers run"),
        ("java.lang.OutOfMemoryError: Java heap space", "ran out of memory"),
        ("Cannot call methods on a stopped SparkContext: SparkContext was shut down", "start its session again"),
        ("KilledWorker: attempted to run task on 4 different workers", "Workers were lost"),
    ],
)
def test_what_to_do_about_engines(text, advice_given):
    assert advice_given in str(Guard("the frame").against_all().error(RuntimeError(text)))


def test_exceptions_of_engines_are_known():
    pytest.importorskip("distributed")
    from distributed.scheduler import KilledWorker

    assert issubclass(KilledWorker, foreign())
