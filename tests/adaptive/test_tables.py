"""Mixed tables: categories, missing values, dates, text."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.adaptive.tables import pooled_table

CITIES = np.array(["Oslo", "Rome", "Lima"])


def table(rng, rows=80, **columns):
    found = {
        "price": rng.lognormal(size=rows),
        "city": CITIES[rng.integers(3, size=rows)],
        "size": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows)),
        "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(300, size=rows)],
        "note": ["".join(rng.choice(list("abcdef "), size=25)) for _ in range(rows)],
    }
    return pl.DataFrame({**found, **columns}).with_columns(pl.col("size").fill_nan(None))


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_categories_missing_dates_and_text_are_seen(rng):
    x = table(rng)
    assert ts.two_sample_test(x, table(rng), n=199, rng=0).pvalue > 0.01
    changes = {
        "city": CITIES[np.minimum(rng.integers(9, size=80), 2)],
        "size": np.full(80, 0.3),
        "day": [datetime.date(2024, 6, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(300, size=80)],
        "note": ["".join(rng.choice(list("uvwxyz "), size=25)) for _ in range(80)],
    }
    for name, values in changes.items():
        r = ts.two_sample_test(x, table(rng, **{name: values}), n=199, rng=0)
        assert r.pvalue <= 0.01, name
        assert name in r.explain()


def test_pairs_of_categories_are_seen(rng):
    first, second = rng.integers(2, size=(2, 200))
    x = pl.DataFrame({"a": np.array(["p", "q"])[first], "b": np.array(["s", "t"])[second]})
    y = pl.DataFrame({"a": np.array(["p", "q"])[first], "b": np.array(["s", "t"])[first]})
    r = ts.two_sample_test(x, y, n=199, rng=0)
    assert r.pvalue <= 0.01
    assert any("×" in view.sees for view in r.views if view.name == "covariance")


def test_units_order_and_names_change_nothing(rng):
    x, y = table(rng), table(rng, price=rng.lognormal(0.3, size=80))
    expected = ts.two_sample_test(x, y, n=199, rng=5)
    other = [
        side.with_columns(pl.col("price") * 1e7).select(["day", "note", "price", "city", "size"]) for side in (x, y)
    ]
    assert ts.two_sample_test(*other, n=199, rng=5).pvalue == expected.pvalue
    renamed = [side.rename({"price": "id", "city": "*"}) for side in (x, y)]
    assert ts.two_sample_test(*renamed, n=199, rng=5).pvalue == expected.pvalue
    shuffled = y.select(["note", "size", "city", "price", "day"])
    assert ts.two_sample_test(x, shuffled, n=199, rng=5).pvalue == expected.pvalue


def test_one_table_in_many_clothes(rng):
    x, y = table(rng), table(rng)
    expected = ts.two_sample_test(x, y, n=99, rng=1).pvalue
    assert ts.two_sample_test(x.to_pandas(), y.to_pandas(), n=99, rng=1).pvalue == expected
    assert ts.two_sample_test(x.to_arrow(), y.to_arrow(), n=99, rng=1).pvalue == expected
    assert ts.two_sample_test(x.to_dict(), y.to_dict(), n=99, rng=1).pvalue == expected
    categorical = [side.with_columns(pl.col("city").cast(pl.Categorical)) for side in (x, y)]
    assert ts.two_sample_test(*categorical, n=99, rng=1).pvalue == expected


def test_a_column_of_numbers_is_the_same_in_a_table(rng):
    x, y = rng.normal(size=(2, 40, 2))
    alone = ts.two_sample_test(x, y, n=99, rng=1).pvalue
    frames = [pl.DataFrame({"a": side[:, 0], "b": side[:, 1], "c": ["same"] * 40}) for side in (x, y)]
    r = ts.two_sample_test(*frames, n=99, rng=1)
    assert r.pvalue == alone
    assert "'c' was left out: constant" in r.notes[0]


def test_every_kind_has_the_weight_of_one_column(rng):
    pool, columns, _ = pooled_table(table(rng), table(rng))
    assert columns == 5
    names = np.array([name.removeprefix("some letters of ").split(" ")[0] for name in pool.columns])
    for name in ("price", "city", "day", "note"):
        assert (pool.values[:, names == name] ** 2).sum() / pool.size == pytest.approx(1, rel=0.01)
    assert [name for name in pool.columns if "missing" in name] == ["size is missing"]


def test_a_blank_level_has_a_name():
    r = ts.two_sample_test({"a": ["", "x"] * 20}, {"a": ["x"] * 40}, n=99, rng=0)
    assert "a = '': more often in x" in r.explain()


def test_many_levels(rng):
    levels = np.array([f"level {i}" for i in range(150)])
    x, y = (pl.DataFrame({"a": levels[rng.integers(150, size=1000)]}) for _ in range(2))
    assert ts.two_sample_test(x, y, n=49, rng=0).pvalue > 0.02
    z = pl.DataFrame({"a": levels[np.minimum(rng.integers(150, size=1000), 90)]})
    assert ts.two_sample_test(x, z, n=49, rng=0).pvalue <= 0.02


def test_words_for_texts(rng):
    x = table(rng)
    r = ts.two_sample_test(x, x.with_columns(pl.format("zzz zzz zzz {}", "note").alias("note")), rng=0)
    named = {view.name: view.sees for view in r.views}
    assert named["column"] in ("some letters of note: more often in x", "some letters of note: more often in y")


def test_refusals(rng):
    with pytest.raises(ts.InputError, match="same columns; only one of them has 'city'"):
        ts.two_sample_test(table(rng), table(rng).drop("city"))
    with pytest.raises(ts.InputError, match="y has 1 row"):
        ts.two_sample_test(table(rng), table(rng)[:1])


def test_what_is_no_array_is_told_what_to_do(rng):
    with pytest.raises(ts.InputError, match=r"x is a str, .* give its path to ts\.compare"):
        ts.two_sample_test("a.csv", "b.csv")
    with pytest.raises(ts.InputError, match=r"x is a LazyFrame, .* Give x\.collect\(\)"):
        ts.two_sample_test(pl.LazyFrame({"a": [1.0, 2.0]}), np.ones(5))


def test_infinite_values_are_refused_by_name(rng):
    x = {"a": rng.normal(size=30), "b": ["p", "q"] * 15}
    y = {**x, "a": np.append(x["a"][:-1], np.inf)}
    for side in (y, pl.DataFrame(y), pl.DataFrame(y).to_pandas()):
        with pytest.raises(ts.InputError, match="Column 'a' has 1 infinite value"):
            ts.two_sample_test(x, side)


@pytest.mark.parametrize("values", ["missing", "exact decimals"])
def test_frames_of_numbers_with_gaps_or_decimals(values, rng):
    numbers = pl.Series("a", rng.normal(size=60).round(2))
    told = numbers.cast(pl.Decimal(10, 2)) if values == "exact decimals" else numbers.scatter([3, 5], np.nan)
    x, y = (pl.DataFrame({"a": told, "b": rng.normal(size=60)}) for _ in range(2))
    again = {name: x[name].cast(pl.Float64).fill_nan(None).to_list() for name in x.columns}
    assert ts.two_sample_test(x, y, n=99, rng=0).pvalue == ts.two_sample_test(again, y, n=99, rng=0).pvalue


@pytest.mark.parametrize("clothes", [pl.DataFrame, lambda columns: pl.DataFrame(columns).to_pandas(), dict])
def test_names_tell_which_columns_belong_together(clothes, rng):
    x, y = ({"a": rng.normal(size=50), "b": 9 + rng.normal(size=50)} for _ in range(2))
    expected = ts.two_sample_test(clothes(x), clothes(y), n=99, rng=1).pvalue
    turned = {"b": y["b"], "a": y["a"]}
    assert ts.two_sample_test(clothes(x), clothes(turned), n=99, rng=1).pvalue == expected > 0.05


def test_nothing_to_compare():
    x = pl.DataFrame({"a": ["same"] * 9})
    assert ts.two_sample_test(x, x, n=99).pvalue == 1


def test_nothing_to_compare_in_columns_that_are_left_out():
    x, y = ({"bag": [[number], [number + 1], [5]]} for number in (1, 2))
    r = ts.two_sample_test(x, y, rng=0)
    assert r.notes[0] == "Column 'bag' was left out: unsupported."
    assert r.explain() == r.notes[-1]
    assert "no column that could be compared has more than one value" in r.notes[-1]
    with pytest.raises(ts.InputError, match="no strongest view: There is nothing to compare"):
        _ = r.strongest


def test_a_level_is_not_correlated_with_itself(rng):
    x = {"size": np.where(rng.random(200) < 0.5, np.nan, rng.normal(size=200))}
    y = {"size": np.where(rng.random(200) < 0.02, np.nan, rng.normal(size=200))}
    (covariance,) = (view for view in ts.two_sample_test(x, y, rng=0).views if view.name == "covariance")
    assert covariance.sees == "size is missing: varies more in x"


def test_summaries_are_tested_by_the_rows_that_they_keep():
    rng = np.random.default_rng(0)
    a = pl.DataFrame({"x": rng.normal(size=900), "k": rng.choice(["a", "b"], 900)})
    b = a.with_columns(y=pl.col("x") * 1.6).select(x="y", k="k")
    whole = ts.two_sample_test(ts.summarize(a), ts.summarize(b), n=99, rng=0)
    rows = ts.two_sample_test(a, b, n=99, rng=0)
    assert (whole.pvalue, whole.statistic, whole.notes) == (rows.pvalue, rows.statistic, rows.notes)
    part = ts.summarize(a, rows=300)
    r = ts.two_sample_test(part, b, n=99, rng=0)
    assert (r.m, r.n) == (300, 900)
    assert "summary of 900 rows: this test rests on the 300 of them that it keeps" in r.notes[0]
    assert "ts.compare(x, y) counts all rows" in r.notes[0]
    assert r.pvalue == ts.two_sample_test(part.sample.frame, b, n=99, rng=0).pvalue == 0.01


def test_a_table_of_ibis_is_that_of_its_rows(tmp_path):
    duckdb, ibis = pytest.importorskip("duckdb"), pytest.importorskip("ibis")
    rng = np.random.default_rng(0)
    frames = [pl.DataFrame({"x": rng.normal(size=60), "c": rng.choice(["a", "b"], 60)}) for _ in range(2)]
    with duckdb.connect(str(tmp_path / "d.db")) as connection:
        for name, frame in zip("ab", frames, strict=True):
            connection.register("rows", frame.to_arrow())
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
    backend = ibis.duckdb.connect(tmp_path / "d.db")
    found = ts.two_sample_test(backend.table("a"), backend.table("b"), n=99, rng=1)
    assert found.pvalue == ts.two_sample_test(*frames, n=99, rng=1).pvalue
    backend.disconnect()


def test_what_says_that_it_has_everything_is_not_collected():
    """As frames of Spark Connect, every attribute of which is a column."""

    class Frame:
        __module__ = "pyspark.sql.connect.dataframe"

        def __getattr__(self, name):
            return self

    with pytest.raises(ts.InputError, match="frame of Spark, whose rows are not collected"):
        ts.two_sample_test(Frame(), Frame())
