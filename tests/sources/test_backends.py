"""One suite for every engine that holds tables: dates, zones, decimals, NaN, NULL, -0.0, nested types, hostile names.

Spark has the same in test_spark.py, which takes the table from here.
"""

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.sources.test_databases import fill_duckdb, fill_postgres
from twosample.sources import infer_kinds, open_table

ROWS = 400
HOSTILE = 'na"me; DROP TABLE t; --.*`'


def table(seed=0, nested=True):
    rng = np.random.default_rng(seed)
    gaps = rng.random(ROWS) < 0.1
    at = pl.Series(rng.integers(0, 10**15, ROWS)).cast(pl.Datetime("us"))
    found = {
        "number": pl.Series(np.where(rng.random(ROWS) < 0.1, np.nan, rng.normal(size=ROWS))).set(pl.Series(gaps), None),
        "zero": rng.choice([0.0, -0.0, 1.5], ROWS),
        "whole": rng.integers(-50, 50, ROWS),
        "money": pl.Series(rng.integers(0, 10**4, ROWS)).cast(pl.Decimal(10, 2)),
        "day": pl.Series(rng.integers(0, 9999, ROWS)).cast(pl.Date),
        "at": at,
        "zone": at.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Rome"),
        "flag": rng.random(ROWS) < 0.3,
        "city": pl.Series(rng.choice(["Oslo", "Rome", "", "none"], ROWS)).replace({"none": None}),
        HOSTILE: rng.random(ROWS),
    }
    more = {"list": pl.Series([[1, 2], None] * (ROWS // 2)), "record": pl.Series([{"a": 1}, {"a": 2}] * (ROWS // 2))}
    return pl.DataFrame({**found, **(more if nested else {})})


def lazy(frame, tmp_path, request):
    return frame.lazy()


def parquet(frame, tmp_path, request):
    frame.write_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def relation(frame, tmp_path, request):
    return pytest.importorskip("duckdb").from_arrow(frame.to_arrow())


def duckdb_file(frame, tmp_path, request):
    return fill_duckdb(tmp_path / "t.db", frame)


def ibis(frame, tmp_path, request):
    return pytest.importorskip("ibis").memtable(frame.to_arrow())


def dask(frame, tmp_path, request):
    return pytest.importorskip("dask.dataframe").from_pandas(
        frame.to_pandas(use_pyarrow_extension_array=True), npartitions=3
    )


def postgres(frame, tmp_path, request):
    return fill_postgres(request.getfixturevalue("postgres_server"), frame, "backends")


BACKENDS = [lazy, parquet, relation, duckdb_file, ibis, dask, postgres]
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(params=BACKENDS, ids=lambda make: make.__name__)
def held(request, tmp_path):
    frame = table(nested=request.param is not postgres)
    return open_table(request.param(frame, tmp_path, request)), open_table(frame), frame


def check(held, memory, frame):
    """What the engine says of a table is what is said of it in memory."""
    assert [info.name for info in held.columns] == frame.columns
    assert held.row_count() == ROWS
    there, here = ({part.name: part for part in one.profile()} for one in (held, memory))
    gone = frame["number"].is_null() | frame["number"].is_nan()
    assert there["number"].missing == int(gone.sum())
    for name in frame.columns:
        assert there[name].missing == here[name].missing, name
        if isinstance(here[name].min, float):
            assert there[name].min == pytest.approx(here[name].min, abs=1e-6), name
            assert there[name].max == pytest.approx(here[name].max, abs=1e-6), name
            assert there[name].mean is None or there[name].mean == pytest.approx(here[name].mean), name
    assert there["zero"].distinct == 2  # -0.0 is 0
    kinds = [{one.name: one.base for one in infer_kinds(t, t.profile(), t.sample(ROWS))} for t in (held, memory)]
    assert kinds[0] == kinds[1]
    rows = held.collect(["day", "at", "zone"])
    assert (min(rows["day"].to_list()), type(rows["day"][0])) == (frame["day"].min(), date)
    assert isinstance(rows["at"][0], datetime)


def test_what_is_said_of_a_table(held):
    check(*held)


def test_compared_with_itself(held):
    """No column is retyped, lost or left out that is not in memory; and nothing differs."""
    there, memory, _ = held
    found, wanted = ts.compare(there, memory), ts.compare(memory, memory)
    assert {part.name for part in found.columns} == {part.name for part in wanted.columns}
    assert {(part.what, part.column) for part in found.findings} == {
        (part.what, part.column) for part in wanted.findings
    }
    assert all(part.pvalue == 1.0 or part.pvalue > 0.99 for part in found.columns), found
    assert found.verdict in ("same", "no difference found")


DESIGNS = [
    {"by": "by"}, {"weights": "w"}, {"groups": "g"}, {"design_weights": "w"}, {"time": "t"},
    {"by": "by", "weights": "w"},
]  # fmt: skip


def designed(first, rows, share):
    """Rows with a stratum, a weight, a group and a time."""
    rng = np.random.default_rng(first)
    by = rng.random(rows) < share
    return pl.DataFrame({
        "by": np.where(by, "yes", "no"), "w": rng.uniform(0.5, 2, rows).round(3), "t": np.arange(rows),
        "g": [f"g{first + i // 5}" for i in range(rows)], "v": rng.normal(size=rows) + by,
        "k": rng.choice(["A", "B"], rows),
    })  # fmt: skip


def pvalues(a, b, design):
    found = ts.compare(a, b, select=["v", "k"], **design)
    return {column.name: column.pvalue for column in found.columns} | {"together": found.joint.pvalue}


def summarized(frame, tmp_path, request):
    ts.summarize(frame).save(tmp_path / "t.tss")
    return tmp_path / "t.tss"


@pytest.mark.parametrize("make", [*BACKENDS, summarized], ids=lambda make: make.__name__)
def test_designs_are_those_of_the_table_in_memory(make, tmp_path, request):
    """Strata, weights, groups and times, of rows that are elsewhere; an engine may give rows in another order."""
    a, b = designed(0, 200, 0.3), designed(1000, 160, 0.6)
    there = make(a, tmp_path, request)
    for design in DESIGNS:
        assert pvalues(there, b, design) == pytest.approx(pvalues(a, b, design), rel=1e-9), design
    many = ts.compare_many({"a": there, "b": b}, by="by", select=["v", "k"]).together
    assert many.pvalue == ts.compare_many({"a": a, "b": b}, by="by", select=["v", "k"]).together.pvalue
    other = designed(2000, 150, 0.5)
    relative = ts.compare_relative(there, b, other, select=["v", "k"])
    assert relative.pvalue == pytest.approx(ts.compare_relative(a, b, other, select=["v", "k"]).pvalue, rel=1e-9)
