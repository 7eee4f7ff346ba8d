"""Numbers of PostgreSQL by ranges of pages: the same rows as one by one; and rows that are read once for two passes."""

import errno
import os
import sys
import time
from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.sources.test_databases import HOSTILE, fill_postgres, literal
from twosample import _files
from twosample.sources import blocks, open_table, remote
from twosample.tables import every_row

pytest.importorskip("sqlglot")
pytest.importorskip("ibis")
KINDS = {
    "bool": "i % 3 = 0", "int2": "i % 30000", "int4": "-i * 70000", "int8": "i * 10000000000", "float4": "i / 7.0",
    "float8": "CASE i % 5 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN '-Infinity' WHEN 2 THEN -0.0 ELSE i / 7.0 END",
    "date": "date '1999-12-30' + i", "timestamp": "timestamp '1969-12-31 23:59:59.5' + i * interval '1.25 hours'",
    "timestamptz": "timestamptz '2024-06-01 00:00:00+02' - i * interval '1 minute'", "numeric": "i * 0.01",
    "interval": "i * interval '90 seconds'",
}  # fmt: skip
"""Every type that has a fixed width, or is made one that has."""


def both_ways(server, table):
    """The rows by pages (None if they do not come that way), and by ADBC."""
    puller = open_table(server.url(table))._rows.puller
    types = [puller.types[part.alias] for part in puller.columns]
    found = blocks.PageBlocks.of(puller.address, puller.target, puller.columns, types)
    with nullcontext() if found is None else found.frames() as frames:
        by_pages = None if frames is None else list(frames)
    parts = list(puller._frames(puller.target.select(puller.columns)))
    return by_pages, pl.concat([puller.empty(), *parts])


def made(server, table, share):
    """500 rows, a share of each column missing in the second half; some rows are deleted again."""
    gone = f"i > 250 AND hashint4(i * 31 + {{place}}) % 100 >= {100 - share}"
    columns = ", ".join(
        f"CASE WHEN NOT ({gone.format(place=place)}) THEN ({value})::{kind} END AS {literal(HOSTILE[place])}"
        for place, (kind, value) in enumerate(KINDS.items())
    )
    server.execute(
        f"CREATE TABLE {table} AS SELECT {columns}, i::float8 AS row FROM generate_series(1, 500) i",
        f"DELETE FROM {table} WHERE row::int % 7 = 0",
    )


@pytest.mark.parametrize("share", [0, 40, 100])
def test_the_same_rows_as_one_by_one(postgres_server, monkeypatch, share):
    monkeypatch.setattr(blocks, "_PAGES", 2)
    monkeypatch.setattr(blocks, "_MANY", 1)
    asked, room = [], blocks._make_room
    monkeypatch.setattr(blocks, "_make_room", lambda connection: asked.append(room(connection)))
    made(postgres_server, f"fixed{share}", share)
    parts, wanted = both_ways(postgres_server, f"fixed{share}")
    assert len(parts) > 3  # several ranges
    assert len(asked) == 1
    found = pl.concat(parts)
    assert found.schema == wanted.schema
    assert found.equals(wanted)
    assert len(found) == 500 - 71
    assert found.null_count().sum_horizontal().item() > 0 or share == 0


@pytest.mark.parametrize("doubles", range(1, 10))
@pytest.mark.parametrize("gaps", [False, True])
def test_doubles_come_by_fours(postgres_server, monkeypatch, doubles, gaps):
    """As segments, circles and points, among other columns, whatever they are; one by one where some are missing."""
    values = ["NaN", "Infinity", "-Infinity", "-0.0", "-1e300", "5e-324", "7.25"]
    listed = ", ".join(f"'{value}'::float8" for value in values)
    columns = [f"(ARRAY[{listed}])[1 + (i + {place}) % 7] AS x{place}" for place in range(doubles)]
    columns.insert(1, "CASE WHEN i <> 300 THEN i END AS n" if gaps else "i AS n")
    name = f"doubles{doubles}{int(gaps)}"
    postgres_server.execute(f"CREATE TABLE {name} AS SELECT {', '.join(columns)} FROM generate_series(1, 500) i")
    monkeypatch.setattr(blocks, "_PAGES", 1)
    parts, wanted = both_ways(postgres_server, name)
    found = pl.concat(parts)
    assert found.equals(wanted)
    assert found.schema == wanted.schema
    for place in range(doubles):  # equals does not tell -0.0 from 0.0
        bits = [frame[f"x{place}"].to_numpy().view(np.int64) for frame in (found, wanted)]
        assert np.array_equal(*bits)


@pytest.mark.parametrize("kinds", [["int2"], ["float4", "int4"], ["int4", "float8", "bool", "int2", "float4", "int8"]])
def test_small_numbers_come_as_doubles(postgres_server, kinds):
    """And are what they were: the least, the largest, and what is no number."""
    ends = {
        "int2": "{-32768,32767,0,-1}", "int4": "{-2147483648,2147483647,0,-1}", "bool": "{t,f,t,f}",
        "int8": "{-9223372036854775808,9223372036854775807,9007199254740993,-1}",
        "float4": "{NaN,-Infinity,-0.0,1e-45}", "float8": "{NaN,Infinity,-0.0,5e-324}",
    }  # fmt: skip
    columns = ", ".join(f"('{ends[kind]}'::{kind}[])[i] AS \"%s{place}\"" for place, kind in enumerate(kinds))
    postgres_server.execute(f"CREATE TABLE small{len(kinds)} AS SELECT {columns} FROM generate_series(1, 4) i")
    parts, wanted = both_ways(postgres_server, f"small{len(kinds)}")
    (found,) = parts
    assert found.schema == wanted.schema
    assert found.equals(wanted)
    for name in found.select(pl.selectors.float()).columns:  # equals does not tell -0.0 from 0.0
        assert np.array_equal(*(np.signbit(frame[name].to_numpy()) for frame in (found, wanted)))


def test_who_comes_another_way(postgres_server):
    server = postgres_server
    server.execute(
        "CREATE TABLE words AS SELECT i, 'a' || i AS s FROM generate_series(1, 9) i",
        "CREATE VIEW seen AS SELECT i FROM words",
        "CREATE TABLE parted (i int) PARTITION BY RANGE (i)",
        "CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (100)",
        "INSERT INTO parted SELECT i FROM generate_series(1, 9) i",
        "CREATE TABLE parent AS SELECT i FROM generate_series(1, 3) i",
        "CREATE TABLE child () INHERITS (parent)",
        "INSERT INTO child SELECT i FROM generate_series(4, 9) i",
    )
    for table in ("words", "seen", "parted", "parent"):
        parts, wanted = both_ways(server, table)
        assert parts is None
        assert sorted(wanted["i"]) == list(range(1, 10))
    server.execute("CREATE TABLE nobody (x float8)")
    parts, wanted = both_ways(server, "nobody")
    assert parts == []
    assert len(open_table(server.url("nobody")).collect()) == len(wanted) == 0


def test_rows_are_read_once_for_both_passes(postgres_server, monkeypatch):
    """Every row takes part in the joint test, to the same p-value as in memory, and leaves the server once."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 25_000))
    frames = [pl.DataFrame({"a": part, "b": part**2 + rng.normal(size=25_000)}) for part in x]
    tables = [fill_postgres(postgres_server, frame, f"once{k}") for k, frame in enumerate(frames)]
    asked = []
    each = blocks.PageBlocks._each
    monkeypatch.setattr(blocks.PageBlocks, "_each", lambda self, *rest: asked.append(self) or each(self, *rest))
    monkeypatch.setattr(sys.modules["twosample.tables.compare"], "HELD", 5000)
    monkeypatch.setattr(remote, "_PART", 1 << 16)
    found = ts.compare(*tables, sample=None)
    assert len(asked) == 2
    assert found.joint.m + found.joint.n == 50_000
    assert found.joint.pvalue == ts.compare(*frames, sample=None).joint.pvalue
    monkeypatch.setattr(remote, "_MOST", 1000)  # no room: they are read again
    again = ts.compare(*tables, sample=None)
    assert len(asked) == 6
    assert again.joint.pvalue == found.joint.pvalue
    monkeypatch.setattr(remote, "_MOST", 1 << 33)
    monkeypatch.setattr(_files.tempfile, "mkstemp", full)
    again = ts.compare(*tables, sample=None)
    assert len(asked) == 10
    assert again.joint.pvalue == found.joint.pvalue
    assert copies_left() == []


def full(*rest):
    """A disk without room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def copies_left():
    """Temporary files of rows that are there."""
    return [file for file in list(remote._sizes) if file.path.exists()]


def test_copies_go_with_the_comparison(postgres_server, monkeypatch):
    """Also where nobody looks at rows again, or something fails, and the tables live on."""
    rng = np.random.default_rng(6)
    frames = [pl.DataFrame({"a": rng.normal(size=9000)}) for _ in "ab"]
    tables = [open_table(fill_postgres(postgres_server, frame, f"left{k}")) for k, frame in enumerate(frames)]
    monkeypatch.setattr(sys.modules["twosample.tables.compare"], "HELD", 5000)
    written, seen = remote._written, []
    monkeypatch.setattr(remote, "_written", lambda content: seen.append(written(content)) or seen[-1])
    monkeypatch.setattr(every_row, "LEAST_ROWS", 10_000)
    ts.compare(*tables, sample=None)
    assert len(seen) == 2
    seen.clear()
    assert copies_left() == []
    monkeypatch.setattr(every_row, "LEAST_ROWS", 10)
    monkeypatch.setattr(every_row, "_gathered", lambda *rest: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ts.compare(*tables, sample=None)
    assert len(seen) == 2
    seen.clear()
    assert copies_left() == []


def open_connections(server):
    """Of this user, without the one that asks."""
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as connection:
        query = "SELECT pid FROM pg_stat_activity WHERE usename = 'ada' AND pid <> pg_backend_pid()"
        return {row[0] for row in connection.execute(query)}


def test_connections_are_closed(postgres_server, monkeypatch):
    """Whether all rows are read, some or none, or the first question fails."""
    server = postgres_server
    server.execute("CREATE TABLE shut AS SELECT i::float8 AS x FROM generate_series(1, 2000) i")
    monkeypatch.setattr(blocks, "_PAGES", 2)
    puller = open_table(server.url("shut"))._rows.puller
    before = open_connections(server)
    found = blocks.PageBlocks.of(puller.address, puller.target, puller.columns, ["float8"])
    with found.frames() as frames:
        assert frames is not None
    kept = [puller.batches(), puller.batches()]  # one is never started, one is left after its first part
    assert len(next(kept[1])) > 0
    assert len(open_connections(server) - before) == 1
    kept[1].close()
    monkeypatch.setattr(blocks, "_PLACE", "SELECT %s || %s FROM nowhere")
    failing = puller.batches()
    with pytest.raises(Exception, match="nowhere") as caught:
        next(failing)
    for _ in range(100):  # the server takes a moment to see that one is gone
        if not open_connections(server) - before:
            break
        time.sleep(0.02)
    assert open_connections(server) - before == set()
    assert caught.type.__module__.startswith("psycopg")
