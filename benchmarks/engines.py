"""Spark and Dask: two tables of mixed columns compared, against what the engine takes for its own aggregates of them.

The engine's own: count, minimum, maximum, mean and standard deviation of the columns of numbers, and how often each
value of the others occurs. For Spark also what it takes to bring all rows to Python workers, the floor of what is done
there. Processor time is that of all processes, Spark's Java and the Python workers included; the
engine is warm. Dask runs in threads.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.fresh import python
from benchmarks.table import Row

ROWS = int(os.environ.get("TWOSAMPLE_ENGINES", "10000000"))
ROUNDS = 3

WRITE = """
import sys
from pathlib import Path
import numpy as np, polars as pl
rows, names = int(sys.argv[1]), [f"c{value}" for value in range(2000)]
for folder in map(Path, sys.argv[2:]):
    rng, n = np.random.default_rng(ord(folder.name)), rows // 10
    folder.mkdir()
    for part in range(10):
        pl.DataFrame({
            "x": rng.normal(size=n), "heavy": rng.lognormal(2, 1.5, n), "count": rng.poisson(40, n),
            "at": pl.Series(rng.integers(0, 10**15, n)).cast(pl.Datetime("us")),
            "city": rng.choice(["Oslo", "Rome", "Lima", "Bonn", "Kyiv"], n), "code": rng.choice(names, n),
        }).write_parquet(folder / f"{part}.parquet")
"""

COMMON = """
import glob, json, os, sys, time, warnings
warnings.simplefilter("ignore")
seen = {}  # what processes had used when they were last seen: Spark ends idle workers
def used():
    parents, times = {}, {}
    for place in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(place) as stat:
                text = stat.read()
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        own = int(text.split()[0])
        parents[own], times[own] = int(fields[1]), sum(map(int, fields[11:13]))
    mine, grown = {os.getpid()}, True
    while grown:
        more = {one for one, parent in parents.items() if parent in mine} - mine
        mine, grown = mine | more, bool(more)
    seen.update((one, times[one]) for one in mine if one in times)
    return sum(seen.values()) / os.sysconf("SC_CLK_TCK")
def timed(work):
    start, before = time.perf_counter(), used()
    work()
    return time.perf_counter() - start, used() - before
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1e6 for line in status if line.startswith("VmHWM"))
def report(own, ours, few, smallest, *floor):
    works = own, ours, *floor
    [work() for work in works]
    both = [[timed(work) for work in works] for _ in range(int(sys.argv[3]))]
    tiny = [(timed(smallest)[0], timed(few)[0]) for _ in range(7)][2:]
    best = [min(pair[j][k] for pair in both) for j in range(len(works)) for k in (0, 1)]
    print(json.dumps({"best": best, "tiny": [min(pair[j] for pair in tiny) for j in (0, 1)], "peak": peak()}))
"""

DASK = """
import dask, dask.dataframe as dd
import twosample as ts
dask.config.set(scheduler="threads", num_workers=2)
def own():
    for folder in sys.argv[1:3]:
        frame = dd.read_parquet(folder)
        some = frame[["x", "heavy", "count"]]
        dask.compute(some.count(), some.min(), some.max(), some.mean(), some.std(), frame["at"].min(),
                     frame["at"].max(), frame["city"].value_counts(), frame["code"].value_counts())
small = dd.from_pandas(dd.read_parquet(sys.argv[1]).head(5), npartitions=1)
report(own, lambda: ts.compare(dd.read_parquet(sys.argv[1]), dd.read_parquet(sys.argv[2])),
       lambda: ts.summarize(small), lambda: small.describe().compute())
"""

SPARK = """
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession, functions as F
import twosample as ts
from twosample.sources import workers
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.memory", "2g").config("spark.sql.shuffle.partitions", "4")
session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
session.sparkContext.setLogLevel("OFF")
def own():
    for folder in sys.argv[1:3]:
        frame = session.read.parquet(folder)
        asked = [f(c) for c in ("x", "heavy", "count") for f in (F.count, F.min, F.max, F.mean, F.stddev)]
        frame.agg(*asked, F.min("at"), F.max("at")).collect()
        for name in ("city", "code"):
            frame.groupBy(name).count().collect()
def dropped():
    def none(batches):
        for _ in batches:
            pass
        return iter(())
    with workers._unmeasured(session.conf):
        for folder in sys.argv[1:3]:
            session.read.parquet(folder).mapInArrow(none, "x double").collect()
small = session.createDataFrame(session.read.parquet(sys.argv[1]).limit(5).collect())
report(own, lambda: ts.compare(session.read.parquet(sys.argv[1]), session.read.parquet(sys.argv[2])),
       lambda: ts.summarize(small), lambda: small.agg(F.mean("x"), F.stddev("x")).collect(), dropped)
session.stop()
"""


def rows() -> Iterator[Row]:
    """Ratios of processor time and wall time, memory of the driver, and a table of five rows."""
    with tempfile.TemporaryDirectory() as place:
        folders = [str(Path(place) / name) for name in "ab"]
        python("-c", WRITE, str(ROWS), *folders)
        for name, library, code in (("Dask", "dask", DASK), ("Spark", "pyspark", SPARK)):
            if find_spec(library) is None or (name == "Spark" and shutil.which("java") is None):
                yield Row(f"{name}: skipped, it is not installed", None)
                continue
            found = json.loads(python("-c", COMMON + code, *folders, str(ROUNDS)).splitlines()[-1])
            wall, used, our_wall, our_used, *floor = found["best"]
            few, smallest = found["tiny"][1], found["tiny"][0]
            what = f"{name}: compare two tables of {ROWS:,} x 6 / its aggregates"
            yield Row(what, our_used / used, 3, detail=f"processor time {our_used:.2f} s / {used:.2f} s")
            yield Row("the same, wall time", our_wall / wall, detail=f"{our_wall:.2f} s / {wall:.2f} s")
            yield Row(
                "the same, peak memory of the Python process that asked",
                found["peak"],
                0.6 if name == "Spark" else None,
                "GB",
                "the work is done in it" if name == "Dask" else "",
            )
            if floor:
                yield Row(f"{name}: rows that Python workers get and drop / its aggregates", floor[1] / used,
                          detail=f"processor time {floor[1]:.2f} s / {used:.2f} s, wall {floor[0]:.2f} s")  # fmt: skip
            yield Row(f"{name}: summarize 5 rows / its smallest job", few / smallest, 1.3,
                      detail=f"wall {few:.2f} s / {smallest:.2f} s")  # fmt: skip
