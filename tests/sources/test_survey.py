"""One look at a table gives what a sample and a scan give; bins made wider are those of a scan."""

import numpy as np
import polars as pl
import pytest

from twosample.sources import BinGrid, BinnedColumn, local, open_table, remote, tallies
from twosample.sources.guard import Guard
from twosample.sources.local import LocalRows

RNG = np.random.default_rng(12)
ROWS = 5000
FRAME = pl.DataFrame(
    {
        "x": np.where(np.arange(ROWS) % 9 == 0, np.nan, RNG.normal(10, 3, ROWS)),
        "i": RNG.integers(-20, 20, ROWS),
        "s": [f"v{j % 7}" for j in range(ROWS)],
    }
)
GRIDS = {"x": BinGrid(-3, 0, 160), "i": BinGrid(-1, -60, 120)}


def plan(head):
    assert len(head)
    return GRIDS, {"s": 4}


@pytest.fixture(params=["memory", "lazy", "parquet", "sqlite", "duckdb", "ibis"])
def table(request, tmp_path):
    if request.param == "parquet":
        FRAME.write_parquet(tmp_path / "t.parquet", row_group_size=700)
        return open_table(tmp_path / "t.parquet")
    if request.param == "sqlite":
        import sqlite3

        pytest.importorskip("sqlglot")
        with sqlite3.connect(tmp_path / "t.db") as connection:
            connection.execute("CREATE TABLE t (x, i, s)")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", FRAME.fill_nan(None).rows())
        connection.close()
        return open_table(f"sqlite:///{tmp_path}/t.db")
    if request.param == "duckdb":
        connection = pytest.importorskip("duckdb").connect()
        connection.register("f", FRAME.to_arrow())
        return open_table(connection.sql("SELECT * FROM f"))
    if request.param == "ibis":
        pytest.importorskip("duckdb")
        connection = pytest.importorskip("ibis").duckdb.connect()
        connection.con.register("f", FRAME.to_arrow())
        return open_table(connection.table("f"))
    return open_table(FRAME if request.param == "memory" else FRAME.lazy())


def test_a_survey_is_a_sample_and_a_scan(table):
    found = table.survey(300, 5, plan)
    assert found.sample.equals(table.sample(300, 5))
    wanted = table.scan(GRIDS, {"s": 4})
    assert found.rows == wanted.rows == ROWS
    for one, two in zip(found.profile, wanted.profile, strict=True):
        assert (one.name, one.missing, one.min, one.max) == (two.name, two.missing, two.min, two.max)
        assert one.name == "x" or one.distinct == two.distinct  # engines count different doubles, a scan does not
    assert found.counts["s"].values == wanted.counts["s"].values
    for name in GRIDS:
        np.testing.assert_allclose(found.moments[name].moments, wanted.moments[name].moments, atol=1e-8)
    assert found.held is None


def test_small_tables_are_held(table):
    found = table.survey(ROWS, 5, plan)
    assert found.held is not None
    assert len(found.held) == len(found.sample) == ROWS


def test_bins_without_profiles_read_nothing_else(table):
    alone = table.scan({"x": GRIDS["x"]}, {}, profile=False)
    both = table.scan({"x": GRIDS["x"]}, {})
    np.testing.assert_allclose(alone.moments["x"].moments, both.moments["x"].moments, atol=1e-8)
    assert alone.moments["x"].missing == both.moments["x"].missing


@pytest.mark.parametrize("most", [1000, ROWS])
def test_of_large_tables_in_engines_a_part_is_held(monkeypatch, most):
    pytest.importorskip("duckdb")
    connection = pytest.importorskip("ibis").duckdb.connect()
    connection.con.register("f", FRAME.with_row_index("r").to_arrow())
    table = open_table(connection.table("f"))
    monkeypatch.setattr(remote, "HELD_ROWS", most)
    found = table.survey(300, 5, lambda head: ({}, {}))
    assert found.rows == ROWS
    assert found.profile[2].distinct == 40
    assert (found.held is None) == (most == ROWS)
    if found.held is not None:
        assert len(set(found.held["r"])) == 1000
        assert set(found.sample["r"]) < set(found.held["r"])
        assert found.held["r"].mean() == pytest.approx(ROWS / 2, abs=4 * ROWS / np.sqrt(12 * 1000))
    assert found.sample.equals(table.survey(300, 5, lambda head: ({}, {})).sample)


def test_too_many_values_are_given_up(monkeypatch):
    monkeypatch.setattr(tallies, "VALUES", 5)
    found = open_table(FRAME.lazy()).survey(300, 5, plan)
    assert not found.counts
    assert set(found.moments) == set(GRIDS)


# --- Wider bins -----------------------------------------------------------------------------------------------


def binned(grid):
    return open_table(FRAME).binned_moments({"x": grid})["x"]


@pytest.mark.parametrize(
    "grid", [BinGrid(-5, 0, 640), BinGrid(-3, 8, 100), BinGrid(0, 2, 7), BinGrid(1, -1, 12), BinGrid(5, 0, 1)]
)
@pytest.mark.parametrize("fine", [BinGrid(-5, -1000, 3000), BinGrid(-5, -32, 800)])
def test_wider_bins_are_those_of_a_scan(grid, fine):
    found, wanted = binned(fine).regridded(grid), binned(grid)
    assert isinstance(found, BinnedColumn)
    np.testing.assert_allclose(found.moments, wanted.moments, atol=1e-6)
    assert (found.below, found.above, found.missing) == (wanted.below, wanted.above, wanted.missing)


def test_bins_that_do_not_tell():
    fine = binned(BinGrid(-2, 30, 20))  # many rows lie outside
    assert fine.below
    assert fine.above
    assert fine.regridded(BinGrid(-3, 60, 10)) is None  # narrower
    assert fine.regridded(BinGrid(-2, 29, 10)) is None  # from further below
    assert fine.regridded(BinGrid(-2, 40, 11)) is None  # to further above
    assert fine.regridded(BinGrid(-2, 30, 20)) is not None
    assert binned(BinGrid(-2, -100, 300)).regridded(BinGrid(-2, -500, 900)) is not None  # nothing lies outside


@pytest.mark.parametrize("rows", [900, 2 * ROWS])
def test_rows_that_were_counted_before_they_changed(rows):
    """The sample is one of the rows that are there when they are read."""
    known = LocalRows(FRAME.lazy(), Guard("t"))
    known.rows = rows
    found, wanted = known.survey(300, 5, plan), open_table(FRAME.lazy()).survey(300, 5, plan)
    assert found.sample.equals(wanted.sample)
    assert np.array_equal(found.numbers, wanted.numbers)
    assert found.rows == known.count() == ROWS


@pytest.mark.parametrize("groups", [100, 7_000, 9_000, 17_000, 60_000])
def test_batches_of_a_file_keep_its_rows_together(tmp_path, groups, monkeypatch):
    """The first batch, which says how the others are looked at, does not depend on how the file was written."""
    monkeypatch.setattr(local, "_ROWS", 10_000)
    frame = pl.DataFrame({"a": np.arange(60_000), "b": np.arange(60_000) / 7})
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=groups)
    batches = list(open_table(tmp_path / "t.parquet").batches(["a", "b"]))
    assert len(batches[0]) == 10_000
    assert pl.concat(batches).equals(frame)
    assert max(map(len, batches)) <= 2 * 10_000
    assert min(map(len, batches[1:-1])) > 7_000
    if groups == 9_000:
        assert sum(batch["a"].n_chunks() > 1 for batch in batches) <= 2
    one = open_table(frame).scan({"b": BinGrid.over(0, 8000, 500)})
    other = open_table(tmp_path / "t.parquet").scan({"b": BinGrid.over(0, 8000, 500)})
    assert (one.moments["b"].sums == other.moments["b"].sums).all()
    assert [part.distinct for part in one.profile] == [part.distinct for part in other.profile]
