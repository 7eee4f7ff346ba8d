"""Comparisons at the edges: large whole numbers, kinds that do not fit, options that leave nothing, hostile values."""

import json
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import convert


def rows(low, seed=0, count=300):
    rng = np.random.default_rng(seed)
    return {"a": low + rng.integers(0, 9, count), "b": rng.normal(size=count)}


@pytest.mark.parametrize("form", [lambda v: v, lambda v: v.astype(str)], ids=["integers", "text"])
def test_whole_numbers_that_doubles_cannot_hold_are_left_out(form):
    x, y = ({**part, "a": form(part["a"])} for part in (rows(2**60), rows(2**60 + 20, 1)))
    c = ts.compare(x, y)
    assert [column.name for column in c.columns] == ["b"]
    assert any(finding.column == "a" and "2^53" in finding.detail for finding in c.findings)
    assert ts.compare(x, y, kinds={"a": "categorical"})["a"].verdict == "different"


@pytest.mark.parametrize("form", [lambda v: v, lambda v: v.astype(str)], ids=["integers", "text"])
def test_large_whole_numbers_that_lie_apart_are_compared(form):
    """Nanoseconds since 1970, hashes: rounding to doubles makes next to none of them equal."""
    rng = np.random.default_rng(0)
    a, b = ({"ns": form(1_704_067_200_000_000_000 + rng.integers(0, 10**16, 900) + shift)} for shift in (0, 10**15))
    c = ts.compare(a, b)
    assert (c["ns"].kind, c["ns"].verdict) == ("numeric", "different")
    assert ts.match(a, b).pairs[0].source == "ns"


def test_match_leaves_them_out_too():
    m = ts.match(rows(2**60), rows(2**60 + 20, 1))
    assert [pair.source for pair in m.pairs] == ["b"]
    assert "2^53" in m.unmatched_source[0].reason


def test_huge_doubles_are_numbers():
    rng = np.random.default_rng(0)
    c = ts.compare({"a": rng.normal(size=200) * 1e150}, {"a": (3 + rng.normal(size=200)) * 1e150})
    assert c["a"].kind == "numeric"
    assert c["a"].verdict == "different"


def test_a_kind_that_no_value_fits_is_an_error():
    rng = np.random.default_rng(0)
    x, y = ({"a": rng.choice(["u", "v"], 50), "b": rng.normal(size=50)} for _ in range(2))
    with pytest.raises(ts.InputError, match="no value of column 'a' can be read as numeric"):
        ts.compare(x, y, kinds={"a": "numeric"})


def test_leaving_out_everything_says_so():
    with pytest.raises(ts.InputError, match="select and exclude leave none"):
        ts.compare({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}, exclude=["a"])


@pytest.mark.parametrize("size", [200, 15_000])  # compared as they are, and by bins
@pytest.mark.parametrize("unit", [1e290, 1e299, 1e-150, 1e-299])
def test_units_do_not_matter_however_large(size, unit):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=size), rng.normal(0.5, size=size)
    plain, scaled = ts.compare({"a": x}, {"a": y}), ts.compare({"a": x * unit}, {"a": y * unit})
    assert scaled["a"].verdict == "different"
    assert scaled["a"].statistic == pytest.approx(plain["a"].statistic, rel=1e-2)
    assert "Infinity" not in scaled.to_json()
    assert "NaN" not in scaled.to_json()


def test_numbers_at_the_ends_of_the_doubles():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=300), rng.normal(0.9, size=300)
    for unit in (1.5e307, 5e-324):
        c = ts.compare({"a": x * unit, "b": x}, {"a": y * unit, "b": x})
        assert "Infinity" not in c.to_json()
        assert c.report
    mixed = ts.compare({"a": x * 1e290}, {"a": x * 1e-150})
    assert mixed.verdict == "different"


def test_times_closer_than_doubles_tell_are_left_out():
    rng = np.random.default_rng(0)

    def table(later):
        moments = 1_700_000_000_000_000_000 + later + rng.integers(0, 400, 300)
        return pl.DataFrame({"t": pl.Series(moments).cast(pl.Datetime("ns")), "b": rng.normal(size=300)})

    c = ts.compare(table(0), table(300))
    assert [column.name for column in c.columns] == ["b"]
    assert any(finding.column == "t" and "microsecond" in finding.detail for finding in c.findings)
    wide = pl.DataFrame({"t": pl.Series(rng.integers(0, 10**18, 300)).cast(pl.Datetime("ns"))})
    assert ts.compare(wide, wide)["t"].kind == "datetime"


@pytest.mark.parametrize("wrong", [5, None, "hello", {1, 2}, 2.5, b"x", object()])
def test_columns_that_are_none(wrong):
    with pytest.raises(ts.SourceError, match=r"column 'a' is .*list"):
        ts.compare({"a": wrong}, {"a": [1.0, 2.0]})


def test_infinite_columns_of_either_sign_are_not_the_same_value():
    x = {"a": np.full(50, np.inf), "b": np.arange(50.0)}
    y = {"a": np.full(50, -np.inf), "b": np.arange(50.0)}
    c = ts.compare(x, y, kinds={"b": "numeric"})
    assert not any(finding.what == "constant" for finding in c.findings)


def odd_pandas():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    b = rng.normal(size=60)
    return {
        "complex": pd.DataFrame({"z": b + 1j, "b": b}),
        "sparse": pd.DataFrame({"z": pd.arrays.SparseArray(np.round(b)), "b": b}),
        "extended": pd.DataFrame({"z": b.astype(np.longdouble), "b": b}),
        "intervals": pd.DataFrame({"z": pd.cut(b, 5), "b": b}),
        "periods": pd.DataFrame({"z": pd.period_range("2020", periods=60, freq="D"), "b": b}),
        "dictionaries": pd.DataFrame({"z": [{"u": 1}] * 60, "b": b}),
        "objects": pd.DataFrame({"z": [object() for _ in b], "b": b}),
    }


@pytest.mark.parametrize("name", ["complex", "sparse", "extended", "intervals", "periods", "dictionaries", "objects"])
def test_odd_columns_do_not_sink_a_pandas_table(name):
    frame = odd_pandas()[name]
    c = ts.compare(frame, frame.copy())
    kinds = {"sparse": "integer", "extended": "numeric", "intervals": "categorical", "periods": "datetime"}
    if name in kinds:
        assert c["z"].kind == kinds[name]
    else:
        assert [(found.what, found.column) for found in c.findings] == [("left out", "z")]
    assert c["b"].kind == "numeric"


@pytest.mark.parametrize("name", ["decimal", "union", "interval", "runs", "map"])
def test_odd_columns_do_not_sink_an_arrow_table(name):
    pa = pytest.importorskip("pyarrow")
    from decimal import Decimal

    b = np.random.default_rng(0).normal(size=60)
    column = {
        "decimal": lambda: pa.array([Decimal(int(9 * v)) for v in b], pa.decimal256(50, 2)),
        "union": lambda: pa.UnionArray.from_sparse(pa.array([0] * 60, pa.int8()), [pa.array([1] * 60)]),
        "interval": lambda: pa.array([(1, 2, 3)] * 60, pa.month_day_nano_interval()),
        "runs": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([20, 60], pa.int32()), pa.array([1.0, 2.5])),
        "map": lambda: pa.array([[("u", 1)]] * 60, pa.map_(pa.string(), pa.int64())),
    }[name]()
    c = ts.compare(pa.table({"z": column, "b": b}), pa.table({"z": column, "b": b}))
    assert [column.name for column in c.columns if column.name == "z"] == (["z"] if name in ("decimal", "runs") else [])
    assert c["b"].kind == "numeric"


def test_a_type_that_cannot_be_compared_beside_one_that_can():
    rng = np.random.default_rng(0)
    x = pl.DataFrame({"a": [{"u": 1}] * 60, "b": rng.normal(size=60)})
    y = pl.DataFrame({"a": rng.integers(0, 9, 60), "b": rng.normal(size=60)})
    c = ts.compare(x, y)
    assert [(found.what, found.column) for found in c.findings] == [("changed", "a")]
    assert [column.name for column in c.columns] == ["b"]


@pytest.mark.parametrize(
    ("option", "wrong"), [("kinds", 5), ("kinds", ["a"]), ("select", 5), ("exclude", "a"), ("exclude", 2.5)]
)
def test_options_of_the_wrong_type(option, wrong):
    with pytest.raises(ts.OptionError, match=option):
        ts.compare({"a": [1.5, 2.0]}, {"a": [1.5, 3.0]}, **{option: wrong})


def test_rows_of_different_lengths():
    with pytest.raises(ts.SourceError, match="different lengths"):
        ts.compare([[1], [2, 3]], [[1], [2]])


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_decimals_of_more_digits_than_polars_reads_are_left_out_of_files(tmp_path, suffix):
    from decimal import Decimal

    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    for name, values in (("a", np.arange(300)), ("b", np.arange(300) ** 2)):
        wide = pa.array([Decimal(int(v)) for v in values], pa.decimal256(50, 2))
        table = pa.table({"x": np.random.default_rng(len(name)).normal(size=300), "d": wide})
        if suffix == "parquet":
            pq.write_table(table, tmp_path / "file")
        else:
            with pa.OSFile(str(tmp_path / "file"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write(table)
        (tmp_path / "file").rename(tmp_path / f"{name}.{suffix}")
    a, b = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    said = "unsupported: Decimal256(50, 2) is not a type that can be compared"
    for options in ({}, {"where": "x < 1"}, {"kinds": {"d": "numeric"}}):
        c = ts.compare(a, b, **options)
        assert [column.name for column in c.columns] == ["x"]
        assert [(found.what, found.column, found.detail) for found in c.findings] == [("left out", "d", said)]
    assert [one.reason for one in ts.match(a, b).unmatched_source] == [said]
    assert len(ts.compare(tmp_path / f"*.{suffix}", b).findings) == 1
    c.report(tmp_path / "r.html")


@pytest.mark.parametrize("kind", [None, "categorical", "text", "numeric"])
@pytest.mark.parametrize("unit", ["ns", "us", "ms"])
@pytest.mark.parametrize("form", [pl.Datetime, pl.Duration, lambda unit: pl.Datetime(unit, "Europe/Berlin")])
def test_times_beyond_all_years_are_compared_as_any_kind(tmp_path, form, unit, kind):
    rng = np.random.default_rng(1)
    far, near = rng.integers(-(2**63) + 1, 2**63 - 1, 200), rng.integers(-9, 9, 200)
    tables = [
        pl.DataFrame({"t": pl.Series([*steps.tolist(), None]).cast(form(unit)), "x": rng.normal(size=201)})
        for steps in (far, near)
    ]
    for other in tables:
        c = ts.compare(tables[0], other, kinds={"t": kind} if kind else None)
        assert {column.name for column in c.columns} == {"t", "x"}
        c.to_json()
        c.report(tmp_path / "r.html")
    assert c["t"].verdict == "different"


def test_a_year_that_polars_cannot_write_leaves_the_other_years_as_they_are():
    steps = pl.Series([0, 2**62, None]).cast(pl.Datetime("ms"))
    texts = convert(pl.DataFrame({"t": steps}), {"t": "categorical"})["t"].to_list()
    assert texts == ["1970-01-01 00:00:00.000", "4611686018427388", None]


@pytest.mark.parametrize("value", [5, 2.5, "x", True, None])
@pytest.mark.parametrize(
    ("count", "verdict"), [(2000, "same"), (50, "no difference found"), (1, "no difference found")]
)
def test_tables_of_nothing_but_equal_constants_get_a_verdict(tmp_path, value, count, verdict):
    table = {"k": [value] * count, "m": ["always"] * count}
    assert ts.compare(table, table).verdict == "same"  # identical
    c = ts.compare(table, {name: [*values, values[0]] for name, values in table.items()})
    assert c.verdict == verdict
    assert {column.name for column in c.columns} == ({"m"} if value is None else {"k", "m"})
    assert {found.column for found in c.findings if found.what == "constant"} == {column.name for column in c.columns}
    c.report(tmp_path / "r.html")
    assert ts.compare(table, {**table, "m": ["never"] * count}).verdict == (
        "no difference found" if count == 1 else "different"
    )


@pytest.mark.parametrize(
    ("one", "two"), [(0.0, -0.0), (0, -0.0), (1, 1.0), (True, 1), (date(2020, 1, 1), datetime(2020, 1, 1))]
)
def test_constants_that_are_written_in_two_ways_are_one_value(one, two):
    x = np.random.default_rng(0).normal(size=90)
    c = ts.compare({"x": x, "k": [one] * 90}, {"x": x, "k": [two] * 90})
    assert [column.name for column in c.columns] == ["x"]
    assert c.findings[-1].detail == f"the same value in all rows of both tables: {one}"


def test_shares_that_differ_are_not_written_alike():
    a, b = ({"flag": [True] * count + [False] * (10_000 - count)} for count in (10_000, 9_952))
    assert "'true' in all of A and in 99.5 % of B" in [place.text for place in ts.compare(a, b)["flag"].where]


def test_hostile_names_and_values_do_no_harm():
    name = "<script>\x1b[31m\n'; DROP TABLE x; --"
    a, b = {name: ["=cmd|'/c calc'!A1", "\x1b[2J"] * 300}, {name: ["<img onerror=1>", "\u202e\x00"] * 300}
    c = ts.compare(a, b)
    assert c.verdict == "different"
    for text in (c.summary(), c.headline, c._repr_html_()):
        assert "\x1b" not in text
        assert "\x00" not in text
    assert "<script>" not in c._repr_html_()
    assert "<img" not in c._repr_html_()
    assert json.loads(c.to_json())["columns"][0]["name"] == name
    assert c.headline.count("\n") == 0


def test_values_without_end_or_beyond_all_bounds():
    a, b = {"x": [1.0, np.inf, 3.0, -np.inf, 5.5] * 100}, {"x": [1.0, np.inf, 3.0, -np.inf, 5.5] * 100}
    assert ts.compare(a, b)["x"].effect == 0
    b["x"] = [np.inf, np.inf, 3.0, -np.inf, 5.5] * 100
    assert ts.compare(a, b).verdict == "different"
    wide = np.random.default_rng(0).normal(size=(2, 500)) * 1e140
    assert ts.compare({"x": wide[0]}, {"x": wide[1]}).verdict == "no difference found"
    assert ts.compare({"x": wide[0] * 1e-280}, {"x": wide[1] * 1e-280}).verdict == "no difference found"


@pytest.mark.parametrize("start", [17_000_000, 2_900_000, -719_000, -900_000])
def test_dates_of_years_that_python_does_not_know(start, tmp_path):
    days = start + np.random.default_rng(0).integers(0, 4000, size=300)
    a, b = (pl.DataFrame({"d": pl.Series(part).cast(pl.Int32).cast(pl.Date)}) for part in (days, days + 3000))
    c = ts.compare(a, b)
    assert c.verdict == "different"
    assert isinstance(c.rows(1)[0].values["d"], str)
    c.report(tmp_path / "out.html")
    json.dumps(c.to_dict())


def test_values_that_occur_twice_are_no_identifiers():
    rng = np.random.default_rng(0)
    mails = [[f"u{k}@{place}.com" for k in rng.integers(0, 10**5, 2000)] for place in ("corp", "gmail")]
    assert ts.compare({"mail": mails[0]}, {"mail": mails[1]}).verdict == "different"


def test_subnormal_numbers():
    rng = np.random.default_rng(0)
    assert ts.compare({"x": rng.normal(size=500) * 1e-310}, {"x": rng.normal(size=500) * 1e-310}).verdict != "different"


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_levels_without_intervals(level):
    with pytest.raises(ts.OptionError, match=r"below 0\.5"):
        ts.compare({"x": [1.0, 2.0]}, {"x": [1.0, 2.0]}, level=level)


def test_many_columns():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(2, 100, 130))
    z[1, :, 7] += 2
    c = ts.compare(z[0], z[1])
    assert [column.name for column in c.columns if column.rejected] == ["c7"]
    assert c.columns[0].method.endswith("spectrum")


def test_more_categories_than_are_counted_one_by_one():
    rng = np.random.default_rng(0)
    names = np.array([f"k{v:05d}" for v in range(20_000)])
    pool = pl.Series(names[rng.integers(0, 20_000, 66_000)]).cast(pl.Categorical)
    c = ts.compare({"c": pool[:60_000]}, {"c": pool[60_000:]})
    assert c.verdict != "different"
    assert 0.001 < c["c"].pvalue < 0.999
    assert "random samples" in c["c"].method
    other = names[np.where(rng.random(6_000) < 0.3, 7, rng.integers(0, 20_000, 6_000))]
    assert ts.compare({"c": pool[:60_000]}, {"c": other}, kinds={"c": "categorical"}).verdict == "different"


def test_a_column_of_nan_is_missing():
    x = np.random.default_rng(0).normal(size=2000)
    c = ts.compare({"m": np.full(2000, np.nan), "x": x}, {"m": x, "x": x})
    assert c.verdict == "different"
    assert (c["m"].missing.missing_a, c["m"].missing.missing_b) == (2000, 0)


@pytest.mark.parametrize("count", [900, 20_000])  # compared as they are, and by bins
def test_the_order_of_rows_changes_no_bit_of_a_column(count):
    """As that of partitions, of which an engine promises nothing."""
    rng = np.random.default_rng(5)
    x, y = (
        pl.DataFrame(
            {
                "amount": rng.lognormal(shift, 1, count),
                "zero": rng.choice([0.0, -0.0, 1.5], count),
                "when": rng.integers(0, 10**7, count).astype("M8[s]").astype("M8[us]"),
                "few": rng.integers(0, 9, count),
            }
        )
        for shift in (0, 0.1)
    )
    c, other = ts.compare(x, y), ts.compare(x.sample(fraction=1, shuffle=True, seed=1), y.reverse())
    for column in c.columns:
        again = other[column.name]
        assert (column.pvalue, column.effect, column.effect_low) == (again.pvalue, again.effect, again.effect_low)
        assert repr((column.a, column.b)) == repr((again.a, again.b))


@pytest.mark.parametrize("scale", [1e155, 1e300])
@pytest.mark.parametrize("count", [300, 50_000], ids=["values", "bins"])
def test_numbers_whose_squares_no_double_holds_are_compared(scale, count):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, count))
    c = ts.compare({"a": x * scale}, {"a": 1.5 * y * scale})
    assert c["a"].verdict == "different"
    assert c["a"].a.sd == pytest.approx(x.std(ddof=1) * scale, rel=0.02)
