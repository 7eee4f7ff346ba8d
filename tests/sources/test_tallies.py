"""Columns with very many categories: counts of batches are merged over and over, whatever type and source."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table
from twosample.sources.column_tally import BinTally, CountTally
from twosample.sources.distinct import KEPT, DistinctTally, _hashes
from twosample.sources.summarize import RowChoice, summarized
from twosample.sources.tallies import Tallies, tallied
from twosample.sources.values import WholeCounts, each_once, numbers, strings
from twosample.summaries import BinGrid, Totals

RNG = np.random.default_rng(16)
CODES = pl.Series("c", RNG.integers(0, 300, size=4000))
TEXT = CODES.cast(pl.String)
DTYPES = {
    "text": TEXT,
    "categorical": TEXT.cast(pl.Categorical),
    "enum": TEXT.cast(pl.Enum([str(code) for code in range(300)])),
    "int8": (CODES % 100).cast(pl.Int8),
    "int64": CODES,
    "uint64": CODES.cast(pl.UInt64) + (1 << 63),
    "float64": CODES / 4,
    "float32": (CODES / 4).cast(pl.Float32),
    "boolean": CODES > 100,
    "date": CODES.cast(pl.Int32).cast(pl.Date),
    "datetime": (CODES * 10**9).cast(pl.Datetime("us")),
    "duration": (CODES * 10**9).cast(pl.Duration("us")),
    "time": (CODES * 10**9).cast(pl.Time),
    "decimal": pl.Series([Decimal(code) / 8 for code in CODES]),
    "with gaps": pl.Series([None if code % 7 == 0 else f"v{code}" for code in CODES]),
}


@pytest.fixture
def often(monkeypatch):
    """Small batches, merged again and again."""
    monkeypatch.setattr("twosample.sources.column_tally._MERGED", 50)
    monkeypatch.setattr("twosample.sources.local._CELLS", 1024)
    monkeypatch.setattr("twosample.sources.local._ROWS", 1024)
    monkeypatch.setattr("twosample.sources.embedded._BATCH", 200)


def naive(series):
    """Most frequent first, ties in the order of the values."""
    counts = Counter(strings(series).drop_nulls().to_list())
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


@pytest.mark.parametrize("kind", DTYPES)
def test_counts_of_every_type(kind, often):
    series = DTYPES[kind].alias("c")
    for source in (series.to_frame(), series.to_frame().lazy(), {"c": series}, series.to_frame().to_arrow()):
        found = open_table(source).category_counts(["c"])["c"]
        assert found.values == naive(series)
        assert (found.rest, found.missing) == (0, series.null_count())


@pytest.mark.parametrize("source", ["csv", "parquet", "arrow", "jsonl", "duckdb", "sqlite"])
def test_counts_of_every_source(source, often, tmp_path, monkeypatch):
    monkeypatch.setattr("twosample.sources.files._SMALL", 0)
    series = DTYPES["with gaps"].alias("c")
    frame = series.to_frame()
    name = str(tmp_path / f"t.{source}")
    if source == "duckdb":
        with pytest.importorskip("duckdb").connect(name) as connection:
            connection.register("f", frame.to_arrow())
            connection.execute("CREATE TABLE t AS SELECT * FROM f")
        name = f"duckdb:///{name}"
    elif source == "sqlite":
        import sqlite3

        connection = sqlite3.connect(name)
        connection.execute("CREATE TABLE t (c TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", frame.rows())
        connection.commit()
        connection.close()
        name = f"sqlite:///{name}"
    else:
        {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc,
         "jsonl": frame.write_ndjson}[source](name)  # fmt: skip
    found = open_table(name).category_counts(["c"])["c"]
    assert found.values == naive(series)
    assert found.missing == series.null_count()


def test_merging_more_than_once():
    """With the real threshold: 90,000 values in each of five batches, three of them merged before the last one."""
    tally, values = CountTally(), pl.Series([f"v{j:05}" for j in range(90_000)])
    for more in range(5):
        tally.add(pl.concat([values, values[: 3 - more]] if more < 3 else [values]))
    assert len(tally.parts) < 5
    found = tally.most_frequent("c", 3, 5 * 90_000 + 6)
    assert (found.missing, found.name) == (0, "c")
    assert found.values == (("v00000", 8), ("v00001", 7), ("v00002", 6))
    assert found.rest == 5 * (90_000 - 3)


def test_two_tables_of_many_categories(often):
    """From end to end, also with the rows of one table far beyond the first batch."""
    wide = [{"c": [f"v{code}" for code in RNG.integers(0, 900, size=12_000)]} for _ in range(2)]
    result = ts.compare(*wide, kinds={"c": "categorical"}, sample=100)
    assert result["c"].kind == "categorical"
    assert result["c"].rows_a == 12_000


WHOLES = {
    "int64": CODES - 150,
    "uint8": (CODES % 100).cast(pl.UInt8),
    "boolean": CODES > 100,
    "date": (CODES - 5).cast(pl.Int32).cast(pl.Date),
    "time": CODES.cast(pl.Time),
    "duration": CODES.cast(pl.Duration("ms")),
    "with gaps": pl.Series([None if code % 7 == 0 else code for code in CODES]),
}


@pytest.mark.parametrize("kind", WHOLES)
def test_whole_numbers_that_are_counted_first_give_the_same(kind, monkeypatch):
    """Batches of few rows are taken in number by number, those of many counted."""
    series = pl.concat([WHOLES[kind]] * 3).alias("c")
    once, rows = each_once(series)
    assert once.dtype == series.dtype
    counts = dict(zip(once.to_physical(), rows, strict=True))
    assert counts == Counter(series.drop_nulls().to_physical())
    found = [ts.summarize(series.to_frame())]
    monkeypatch.setattr("twosample.sources.values._FEW", len(series) + 1)
    assert each_once(series) is None
    found.append(ts.summarize(series.to_frame()))
    assert found[0].to_bytes() == found[1].to_bytes()
    monkeypatch.setattr("twosample.sources.values._FEW", 0)
    (counted,) = open_table(series.to_frame()).profile()
    assert counted.rows == len(series)
    assert counted.missing == series.null_count()
    assert counted.mean == pytest.approx(numbers(series).mean())
    assert counted.std == pytest.approx(numbers(series).std())


def test_numbers_that_are_far_apart_or_missing_are_not_counted():
    assert each_once(pl.Series([0, 1 << 40] * 4000)) is None
    assert each_once(pl.Series([None] * 8000, dtype=pl.Int64)) is None
    assert each_once(pl.Series(range(8000))) is None
    assert each_once(pl.Series([1.0, 2.0] * 4000)) is None
    assert each_once(pl.Series([1 << 63] * 8000, dtype=pl.UInt64)) is None


@pytest.mark.parametrize("most", [100, 5000, 1 << 20])
def test_whole_numbers_are_counted_over_all_batches(most, monkeypatch):
    """All of them, some of them until they lie too far apart, or none: the summary is the same."""
    rng = np.random.default_rng(0)
    columns = {
        "near": rng.integers(40, 60, 1200),
        "wide": rng.integers(-3000, 3000, 1200),
        "rising": np.arange(1200) * 7,
        "far": rng.integers(0, 1 << 40, 1200),
        "gaps": [None if code < 99 else code for code in rng.integers(0, 900, 1200).tolist()],
        "days": pl.Series(rng.integers(0, 900, 1200)).cast(pl.Int32).cast(pl.Date),
    }
    frame = pl.DataFrame(columns)
    info = open_table(frame).columns

    def found():
        batches = (frame[at : at + 400] for at in range(0, 1200, 400))
        return summarized(info, batches, frame[:0], RowChoice(10, 0, None), None).to_bytes()

    plain = found()
    monkeypatch.setattr("twosample.sources.values.MANY", 100)
    monkeypatch.setattr("twosample.sources.column_tally.MANY", 100)
    monkeypatch.setattr("twosample.sources.tallies._RANGE", most)
    assert found() == plain


def test_counts_of_whole_numbers_reach_as_far_as_allowed(monkeypatch):
    monkeypatch.setattr("twosample.sources.values.MANY", 2)
    counts = WholeCounts(most=10)
    assert counts.add(pl.Series([5, None, 7, 7]))
    assert counts.add(pl.Series([1, 10]))
    assert not counts.add(pl.Series([0, 5, 5]))
    assert not counts.add(pl.Series([5.0, 5.0]))
    assert not counts.add(pl.Series([True, False]))  # of another type than those before
    assert counts.rows == 5
    once, rows = counts.taken()
    assert dict(zip(once, rows.tolist(), strict=True)) == {1: 1, 5: 1, 7: 2, 10: 1}
    assert counts.rows == 0
    assert counts.add(pl.Series([2, 2]))
    assert counts.taken()[0].to_list() == [2]


@pytest.mark.parametrize("kind", [pl.Int64, pl.UInt32, pl.Int8])
@pytest.mark.parametrize("end", ["least", "largest"])
def test_counts_of_the_least_and_the_largest_whole_numbers(kind, end):
    limit = int(pl.select(kind.min() if end == "least" else kind.max()).item())
    inward = 1 if end == "least" else -1
    batches = [[limit, limit, limit + 3 * inward], [limit + 9 * inward, limit, limit + inward] * 7]
    counts = WholeCounts(most=1 << 20)
    assert all(counts.add(pl.Series(batch * 40, dtype=kind)) for batch in batches)
    once, rows = counts.taken()
    assert dict(zip(once, rows.tolist(), strict=True)) == Counter((batches[0] + batches[1]) * 40)


def test_counts_of_more_rows_than_32_digits_hold(monkeypatch):
    counts, rows = WholeCounts(), pl.Series([3, 4, 4] * 1000)
    assert counts.add(rows)
    monkeypatch.setattr("twosample.sources.values._MOST", 5000)
    assert counts.add(rows)
    counts._counts[counts._counts > 0] += 1 << 40  # as if there had been so many
    once, found = counts.taken()
    assert dict(zip(once, (found - (1 << 40)).tolist(), strict=True)) == {3: 2000, 4: 4000}


def test_counts_of_whole_numbers_far_apart():
    far = pl.Series([-(1 << 63), (1 << 63) - 1] * 1000)
    assert not WholeCounts(1 << 20).add(far)
    counts = WholeCounts(1 << 20)
    assert counts.add(pl.Series([5, 6] * 1000))
    assert not counts.add(far)


def test_mean_and_deviation_follow_from_bins():
    values = np.random.default_rng(0).lognormal(size=9000)
    frame = pl.DataFrame({"many": values, "few": np.round(values).clip(0, 9) / 10, "one": 0.1})
    info = open_table(frame).columns
    grids = {column.name: BinGrid.over(0.0, 5.0, 300) for column in info}  # and some beyond
    for profile in tallied(info, [frame[:5000], frame[5000:]], grids, {}).profile:
        column = frame[profile.name].to_numpy()
        assert profile.mean == pytest.approx(column.mean(), rel=1e-9)
        assert profile.std == pytest.approx(column.std(ddof=1), rel=1e-9, abs=1e-15)


def test_totals_of_numbers_that_are_there_several_times():
    rng = np.random.default_rng(0)
    values, counts = rng.normal(size=50), rng.integers(0, 300, 50)
    assert Totals.of_counted(values, counts) == Totals.of_values(np.repeat(values, counts))
    assert Totals.of_counted(values[:0], counts[:0]) == Totals()


def written(rng, rows):
    """Text of every sort: few values, numbers, amounts, dates, all different, nothing at all, and gaps."""
    money = pl.Series(rng.gamma(2, 20, rows).round(2)).cast(pl.String)
    return pl.DataFrame(
        {
            "city": rng.choice(["Oslo", "Rome", "lima"], rows),
            "gaps": [None if code < 99 else f"v{code}" for code in rng.integers(0, 900, rows).tolist()],
            "numbers": rng.integers(0, 500, rows).astype(str),
            "money": "$" + money,
            "mixed": rng.choice(["1", "2.5", "2024-01-05", "none", "-1e300", "inf"], rows),
            "days": pl.Series(rng.integers(0, 9000, rows)).cast(pl.Int32).cast(pl.Date).cast(pl.String),
            "ids": [f"u{code}" for code in rng.permutation(rows)],
            "levels": pl.Series(rng.choice(["a", "b"], rows)).cast(pl.Categorical),
            "void": pl.Series([None] * rows, dtype=pl.String),
        }
    )


@pytest.mark.parametrize("most", [0, 40, 1000])
def test_text_that_is_counted_first_gives_the_same(most, monkeypatch):
    """Value by value, counted until there are too many values, and counted over all batches: the same facts."""
    monkeypatch.setattr("twosample.sources.column_tally._MERGED", 100)
    frame = written(np.random.default_rng(3), 1200)
    info = open_table(frame).columns
    grids = {column.name: BinGrid.over(-3.0, 90.0, 500) for column in info if column.name != "days"}
    grids["days"] = replace(BinGrid.over(0.0, 8e8, 300), dates=True)
    tallies, plain = Tallies.in_bins(info, grids, frame.columns, most=most), Tallies.in_bins(info, grids, ())
    for at in range(0, 1200, 200):
        tallies.add(frame[at : at + 200])
    plain.add(frame)
    given_up = [column.info.name for column in tallies.columns if column.counts is None]
    assert ("ids" in given_up) == (most < 1000)
    assert all(frame[name].n_unique() > most for name in given_up)
    for one, other in zip(tallies.summaries(), plain.summaries(), strict=True):
        assert facts(one) == facts(other)


def facts(column):
    """All of a column's summary, in values that can be compared."""
    binned = [
        part and (part.sums.tolist(), part.below, part.above, part.missing) for part in (column.bins, column.dates)
    ]
    singles = [
        part and (part.values.tolist(), part.counts.tolist(), part.classes.tolist())
        for part in (column.singles, column.date_singles)
    ]
    ends = column.missing, column.infinite, column.low, column.high
    return column.info, *ends, column.distinct.hashes.tolist(), column.totals, *binned, *singles


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32, pl.Int64, pl.UInt64, pl.String])
@pytest.mark.parametrize("different", [3, 3000, 40_000])
def test_distinct_values_by_their_hashes(kind, different):
    rng = np.random.default_rng(different)
    values = pl.Series("v", rng.integers(-different // 2, different // 2, 50_000) * 1000).abs().cast(kind)
    tally = DistinctTally()
    for at in range(0, len(values), 20_000):
        tally.add(values[at : at + 20_000])
    hashes = sorted({int(value) for value in _hashes(values).tolist()})[:KEPT]
    assert tally.exact == (len(hashes) < KEPT)
    if tally.exact or not values.dtype.is_float():
        assert tally._smallest().tolist() == hashes
    if tally.exact:
        assert tally.count == values.n_unique()


def test_numbers_beyond_the_bins_are_added_up_exactly(monkeypatch):
    monkeypatch.setattr("twosample.sources.column_tally._WAITING", 50)
    rng = np.random.default_rng(3)
    parts = [rng.normal(size=30) * 1e3 for _ in range(10)]
    tally = BinTally(BinGrid(-2, 0, 4))
    for part in parts:
        tally.add(part, None, (part.min(), part.max()))
    values = np.concatenate(parts)
    beyond = values[(values < 0) | (values >= 1)]
    assert len(beyond) > 250
    inside = BinTally(tally.grid)
    inside.add(values[(values >= 0) & (values < 1)])
    assert tally.totals() == inside.totals() + Totals.of_values(beyond) == tally.totals()
