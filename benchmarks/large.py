"""Tables of ten million rows, in files and in PostgreSQL: time, its parts and peak memory, in processes of their own.

The table is compared with another one like it; the other side computes minimum, maximum, mean and standard deviation of
all columns of both (polars), or mean and standard deviation (PostgreSQL, with the same settings of the session).
The least that any comparison of all rows must do, written plainly in NumPy in one thread, runs beside that of files:
decode every number, find its bin, add to its count and two moments, hash it and count it by its hash.
Columns of text stand beside counts of their values.
Processor time counts the server's as well: wall time on few cores says little while others use them.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.fresh import python
from benchmarks.table import Row

ROWS = int(os.environ.get("TWOSAMPLE_LARGE", "10000000"))
ROUNDS = 5

WRITE = """
import sys
import numpy as np, polars as pl
for name in sys.argv[2:]:
    rng, n = np.random.default_rng(len(name) + ord(name[-9])), int(sys.argv[1])
    columns = {f"x{j}": rng.normal(j, 1 + j, n) for j in range(7)}
    columns |= {"x7": rng.lognormal(3, 1, n), "n8": rng.poisson(40, n), "n9": rng.integers(0, 1_000_000, n)}
    pl.DataFrame(columns).write_parquet(name)
"""

COMMON = """
import glob, json, os, sys, time, resource
def used():
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + servers()
def servers():
    total = 0
    for place in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(place) as stat:
                text = stat.read()
        except OSError:
            continue
        if "(postgres)" in text:
            total += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return total / os.sysconf("SC_CLK_TCK")
def timed(work):
    start, before = time.perf_counter(), used()
    work()
    return time.perf_counter() - start, used() - before
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1e6 for line in status if line.startswith("VmHWM"))
"""

FILES = """
import numpy as np
import polars as pl
import twosample as ts
one, two, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
def theirs():
    every = pl.all()
    for file in (one, two):
        parts = (every.min(), every.max(), every.mean(), every.std())
        query = [part.name.suffix(f"_{j}") for j, part in enumerate(parts)]
        pl.scan_parquet(file).select(query).collect(engine="streaming")
def least():
    size = 1 << 15
    place, bits, index = np.empty(size), np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.intp)
    for file in (one, two):
        grids, sums, hashes = {}, {}, {}
        for batch in pl.scan_parquet(file).collect_batches(chunk_size=100_000, maintain_order=True, engine="streaming"):
            for column in batch:
                values = column.cast(pl.Float64).to_numpy()
                if column.name not in grids:
                    grids[column.name] = 4096 / (values.max() - values.min()), values.min()
                    sums[column.name], hashes[column.name] = np.zeros((3, 4096)), np.zeros(8192, dtype=np.int64)
                for at in range(0, len(values), size):
                    part = values[at : at + size]
                    room = place[: len(part)], bits[: len(part)], index[: len(part)]
                    add(part, *grids[column.name], sums[column.name], hashes[column.name], *room)
def add(part, scale, start, sums, hashes, u, code, group):
    part.min(), part.max()
    np.subtract(part, start, out=u)
    u *= scale
    np.clip(u, 0.0, 4095.5, out=u)
    np.copyto(group, u, casting="unsafe")
    u -= group
    np.add.at(sums[0], group, 1.0)
    np.add.at(sums[1], group, u)
    np.square(u, out=u)
    np.add.at(sums[2], group, u)
    np.multiply(part.view(np.uint64), np.uint64(0x9E3779B97F4A7C15), out=code)
    code >>= np.uint64(51)
    np.add.at(hashes, code.view(np.int64), 1)
steps = []
def ours():
    steps.clear()
    ts.compare(one, two, progress=lambda done, total, what: steps.append((what, time.perf_counter())))
first = timed(ours)[1]
both = [(timed(theirs), timed(ours), timed(least)) for _ in range(rounds)]
parts = {what: later - at for (what, at), (_, later) in zip(steps, steps[1:])}
best = [min(each[j][k] for each in both) for j in (0, 1) for k in (0, 1)]
found = {"best": best, "least": min(each[2][1] for each in both), "first": first}
print(json.dumps({**found, "parts": parts, "peak": peak()}))
"""

TEXTS = """
import numpy as np
import polars as pl
import twosample as ts
rows, rounds = int(sys.argv[1]), int(sys.argv[2])
def table(seed):
    rng = np.random.default_rng(seed)
    days = pl.Series(rng.integers(0, 20_000, rows)).cast(pl.Date).cast(pl.String)
    codes, ids = rng.integers(0, 1000, rows).astype(str), [f"id {k}" for k in rng.permutation(rows)]
    return pl.DataFrame({"city": rng.choice(["Oslo", "Rome", "Lima"], rows), "day": days, "code": codes, "id": ids})
one, two = table(1), table(2)
def theirs():
    [part.get_column(name).value_counts() for part in (one, two) for name in part.columns]
def ours():
    ts.compare(one, two)
both = [(timed(theirs), timed(ours)) for _ in range(rounds + 1)][1:]
print(json.dumps({"best": [min(pair[j][k] for pair in both) for j in (0, 1) for k in (0, 1)]}))
"""

SERVER = """
import psycopg
import twosample as ts
url, rounds = sys.argv[1], int(sys.argv[2])
def theirs():
    with psycopg.connect(url) as connection:
        for table in "tu":
            asked = ", ".join(f"avg({name}), stddev({name})" for name in "abcd")
            connection.execute(f"SELECT {asked} FROM {table}").fetchall()
steps = []
def ours():
    steps.clear()
    ts.compare(f"{url}::t", f"{url}::u", **(dict(sample=None) if sys.argv[3] == "all" else {}),
               progress=lambda done, total, what: steps.append((what, time.perf_counter())))
both = [(timed(theirs), timed(ours)) for _ in range(rounds)]
parts = {what: later - at for (what, at), (_, later) in zip(steps, steps[1:])}
best = [min(pair[j][k] for pair in both) for j in (0, 1) for k in (0, 1)]
print(json.dumps({"best": best, "parts": parts, "peak": peak()}))
"""

FILL = """
CREATE TABLE {name} AS SELECT random() AS a, sqrt(-2 * ln(1 - random())) * cos(6.283185307179586 * random()) AS b,
exp(sqrt(-2 * ln(1 - random())) * cos(6.283185307179586 * random())) AS c, (random() * 1000)::int AS d
FROM generate_series(1, {rows})
"""


def rows() -> Iterator[Row]:
    yield from _files()
    yield from _texts()
    yield from _server()


def _files() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, f"{name}.parquet")) for name in "ab"]
        python("-c", WRITE, str(ROWS), *files)
        found = json.loads(python("-c", COMMON + FILES, *files, str(ROUNDS)))
    yield from _rows(f"compare two {ROWS:,} x 10 Parquet files / polars min, max, mean, std", found)
    used, least, first = found["best"][3], found["least"], found["first"]
    yield Row("the first comparison of a process / later ones; processor time", first / used, detail=f"{first:.2f} s")
    what = "the same / the least of it in plain NumPy: decoding, bins with two moments, hashes; processor time"
    yield Row(what, used / least, detail=f"{used:.2f} s / {least:.2f} s")


def _texts() -> Iterator[Row]:
    rows = ROWS // 5
    wall, used, our_wall, our_used = json.loads(python("-c", COMMON + TEXTS, str(rows), str(ROUNDS)))["best"]
    what = f"compare two frames of {rows:,} x 4 texts / polars value_counts; processor time"
    yield Row(what, our_used / used, detail=f"{our_used:.2f} s / {used:.2f} s, wall {our_wall:.2f} s / {wall:.2f} s")


def _rows(what: str, found: dict[str, Any], target: float = 3) -> Iterator[Row]:
    wall, used, our_wall, our_used = found["best"]
    spent = ", ".join(f"{seconds:.2f}" for seconds in found["parts"].values())
    yield Row(what, our_wall / wall, target, detail=f"wall {our_wall:.2f} s / {wall:.2f} s; steps {spent} s")
    yield Row("the same, processor time", our_used / used, target, detail=f"{our_used:.2f} s / {used:.2f} s")
    yield Row("the same, peak memory of ours", found["peak"], 2, "GB")


def _server() -> Iterator[Row]:
    try:
        from tests import postgres
    except ImportError:
        yield Row("PostgreSQL: skipped, the tests are not at hand", None)
        return
    if postgres.binaries() is None:
        yield Row("PostgreSQL: skipped, there is no server", None)
        return
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        server, stop = postgres.start(Path(name))
        try:
            server.execute(*(FILL.format(name=table, rows=ROWS) for table in "tu"), "VACUUM ANALYZE")
            ways = {"sampled": 3, "all": 4}
            found = {way: json.loads(python("-c", COMMON + SERVER, server.url(), str(ROUNDS), way)) for way in ways}
        finally:
            stop()
    for way, target in ways.items():
        what = (
            f"compare two PostgreSQL tables, {ROWS:,} x 4{', every row' if way == 'all' else ''} / SELECT avg, stddev"
        )
        yield from _rows(what, found[way], target)
