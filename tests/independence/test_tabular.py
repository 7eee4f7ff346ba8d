"""Tests of independence on tables: any source, mixed kinds, missing values."""

import numpy as np
import polars as pl
import pytest

import twosample as ts


def mixed(rows=300, seed=0):
    """`size` and `colour` follow `shape`, as does whether `late` is missing; `noise` and `word` follow nothing."""
    rng = np.random.default_rng(seed)
    shape, noise = rng.normal(size=(2, rows))
    return pl.DataFrame(
        {
            "shape": shape,
            "size": shape**2 + 0.1 * rng.normal(size=rows),
            "colour": np.where(shape > 0.5, "red", "blue"),
            "late": pl.Series([None if gone else v for gone, v in zip(shape > 1, rng.normal(size=rows), strict=True)]),
            "noise": noise,
            "word": rng.choice(["a", "b", "c"], rows),
            "id": np.arange(rows),
        }
    )


def test_every_source_gives_the_same(tmp_path):
    frame = mixed()
    expected = ts.independence_matrix(frame)
    assert expected.names == ("shape", "size", "colour", "late", "noise", "word")
    assert expected.notes == ("id left out: identifier",)
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (tmp_path / "t.csv", str(tmp_path / "t.parquet"), frame.to_dicts(), frame.to_pandas(), frame.lazy()):
        found = ts.independence_matrix(source)
        assert (found.rows, found.source_rows) == (300, 300)
        assert found.names == expected.names
        np.testing.assert_allclose(found.table("pvalue"), expected.table("pvalue"), rtol=1e-6)
    pairs = {frozenset((pair.x, pair.y)) for pair in expected.dependent}
    assert {frozenset(("shape", other)) for other in ("size", "colour", "late")} <= pairs
    assert not any({"noise", "word"} & pair for pair in pairs)


def test_each_pair_is_hsic_of_its_columns():
    """Numbers as they are, categories as one coordinate for each, missing as a direction of its own."""
    frame = mixed()
    late = frame["late"].to_numpy()
    gone = np.isnan(late)
    seen = late[~gone]
    distances = np.abs(seen[:, None] - seen)[np.triu_indices(len(seen), 1)]
    columns = {
        "shape": frame["shape"].to_numpy(),
        "word": (frame["word"].to_numpy()[:, None] == ["a", "b", "c"]) / np.sqrt(2),
        "late": np.column_stack([np.where(gone, np.median(seen), late), gone * np.median(distances)]),
    }
    m = ts.independence_matrix(frame, select=list(columns))
    assert len(m.pairs) == 3
    for pair in m.pairs:
        r = ts.hsic_test(columns[pair.x], columns[pair.y], null="spectrum")
        assert pair.statistic == pytest.approx(r.statistic, abs=1e-6)
        assert pair.pvalue == pytest.approx(r.pvalue, rel=0.05)


def test_a_fixed_bandwidth_is_in_the_units_of_the_column():
    frame = mixed()[["shape", "size"]]
    array = ts.independence_matrix(frame.to_numpy(), names=["shape", "size"], kernel=ts.Gaussian(0.3))
    table = ts.independence_matrix(frame, kernel=ts.Gaussian(0.3))
    assert table.to_dict() == array.to_dict()


def test_rows_and_columns_are_chosen():
    frame = mixed()
    assert ts.independence_matrix(frame, sample=50, rng=0).rows == 50
    some = ts.independence_matrix(frame, sample=50, rng=0)
    assert some.source_rows == 300
    assert "50 of 300 rows" in some.summary()
    again = [ts.independence_matrix(frame, sample=50, rng=seed).pairs[0].pvalue for seed in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    assert ts.independence_matrix(frame, where="noise > 0", sample=None).rows == (frame["noise"] > 0).sum()
    assert ts.independence_matrix(frame, exclude=["late", "word"]).names == ("shape", "size", "colour", "noise")
    assert "id" in ts.independence_matrix(frame, kinds={"id": "integer"}).names


def test_progress_tells_the_number_of_pairs():
    calls = []
    ts.independence_matrix(mixed(), progress=lambda *call: calls.append(call))
    assert calls == [(0, 15, "testing 15 pairs of columns")]


def test_false_findings_on_mixed_columns():
    """Four unrelated columns of every kind: a false finding in no more than 5 % of the tables."""
    rejected = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 7])
        table = {
            "a": rng.normal(size=80),
            "b": rng.choice(list("xyz"), 80),
            "c": [None if gone else v for gone, v in zip(rng.random(80) < 0.2, rng.gamma(1, size=80), strict=True)],
            "d": rng.integers(0, 2, 80),
        }
        rejected += bool(ts.independence_matrix(table).dependent)
    assert rejected <= 11  # P(more | 5 %) = 0.004


def test_two_sides_of_mixed_columns():
    frame = mixed()
    r = ts.independence_test(frame, x=["shape", "noise"], y=["colour", "word"], rng=0)
    assert (r.rejected, r.x, r.y, r.m, r.source_rows) == (True, ("shape", "noise"), ("colour", "word"), 300, 300)
    assert not ts.independence_test(frame, x=["noise"], y=["word", "colour"], rng=0).rejected
    one = ts.independence_test(frame, x=["shape"], y=["size"], rng=4)
    assert one.pvalue == ts.hsic_test(frame["shape"].to_numpy(), frame["size"].to_numpy(), rng=4).pvalue


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": ["shape"], "y": ["shape"]}, "share 'shape'"),
        ({"x": ["shape"], "y": []}, "y: no column is named"),
        ({"x": "shape", "y": ["size"]}, "x='shape' must be a list"),
        ({"x": ["shape"], "y": ["nope"]}, "no column 'nope'"),
        ({"x": ["shape"], "y": ["id"]}, "'id' cannot be used: it is identifier"),
        ({"x": ["shape"], "y": ["size"], "sample": 2}, "at least 4"),
    ],
)
def test_sides_that_are_refused(options, message):
    with pytest.raises(ts.TwosampleError, match=message):
        ts.independence_test(mixed(50), **options)


def test_options_that_do_not_fit_the_table_are_refused():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    for option in ({"select": ["0"]}, {"exclude": ["0"]}, {"kinds": {"0": "text"}}, {"where": "a > 0"}):
        with pytest.raises(ts.OptionError, match="are for tables with names"):
            ts.independence_matrix(rows, **option)
    with pytest.raises(ts.OptionError, match="names are for the columns of an array"):
        ts.independence_matrix({"a": rows[:, 0], "b": rows[:, 1]}, names=["x", "y"])
    with pytest.raises(ts.InputError, match=r"has 1 column\(s\) to test \(id left out: identifier\)"):
        ts.independence_matrix({"a": rows[:, 0], "id": range(20)})


def test_several_scales_of_a_table():
    """Waves that the median distance does not see; the same test as that of the columns as they are in the table."""
    rng = np.random.default_rng(5)
    x = rng.random(150)
    table = {"x": x, "y": np.sin(8 * np.pi * x) + 0.5 * rng.normal(size=150)}
    one, several = (
        ts.independence_test(table, x=["x"], y=["y"], kernel=kernel, rng=1) for kernel in ("gaussian", "adaptive")
    )
    assert one.pvalue > 0.05 >= 5 * several.pvalue
    assert several.x == ("x",)
    assert any("9 pairs of kernels" in note for note in several.notes)
    with pytest.raises(ts.OptionError, match="kernel='laplace' is not for tables"):
        ts.independence_test(table, x=["x"], y=["y"], kernel="laplace")
