"""`twosample independence`: one test, or all pairs of columns."""

import json

import numpy as np
import polars as pl
import pytest

import twosample as ts


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """`size` follows `shape` without correlation, `colour` follows `size`; `noise` and `word` follow nothing."""
    rng = np.random.default_rng(3)
    rows = 300
    shape = rng.normal(size=rows)
    size = shape**2 + 0.1 * rng.normal(size=rows)
    path = tmp_path_factory.mktemp("independence") / "table.csv"
    pl.DataFrame(
        {
            "shape": shape,
            "size": size,
            "colour": [None if i % 7 == 0 else "red" if v > 1 else "blue" for i, v in enumerate(size)],
            "noise": rng.normal(size=rows),
            "word": rng.choice(["a", "b", "c"], rows),
            "id": np.arange(rows),
            "one": 1,
        }
    ).write_csv(path)
    return path


def test_two_sides(twosample, table):
    done = twosample("independence", table, "--x", "shape", "--y", "size")
    assert done.code == 1
    assert done.out.startswith("≠ Dependent: shape and size")
    done = twosample("independence", table, "--x", "shape,noise", "--y", "word")
    assert done.code == 0
    assert done.out.startswith("? No dependence found: shape, noise and word")


def test_the_side_that_names_no_column_is_named(twosample, table):
    done = twosample("independence", table, "--x", "nosuch", "--y", "size")
    assert done.code == 2
    assert "--x: " in done.err
    assert "no column 'nosuch'" in done.err
    assert "--y: " in twosample("independence", table, "--x", "size", "--y", "nosuch").err


def test_no_dependence_is_found_on_the_screen_as_on_the_page(twosample, table, tmp_path):
    done = twosample("independence", table, "--select", "noise,word,shape", "--report", tmp_path / "r.html")
    assert done.code == 0
    assert done.out.startswith("? No dependence found in 3 pairs")
    assert "No dependence found in 3 pairs" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_two_sides_are_hsic_of_the_columns(twosample, table):
    done = twosample("independence", table, "--x", "shape", "--y", "size", "--json", "-", "--seed", "4")
    found = json.loads(done.out)
    frame = pl.read_csv(table)
    ours = ts.hsic_test(frame["shape"].to_numpy(), frame["size"].to_numpy(), rng=4)
    assert found["test"]["pvalue"] == ours.pvalue
    assert found["test"]["statistic"] == pytest.approx(ours.statistic, rel=1e-9)
    assert (found["x"], found["y"], found["dependent"], found["rows"]) == (["shape"], ["size"], True, 300)


def test_all_pairs(twosample, table, tmp_path):
    done = twosample("independence", table, "--plot", tmp_path / "map.svg", "--json", tmp_path / "r.json")
    assert done.code == 1
    assert done.out.startswith("≠ 3 of 10 pairs")
    assert "id left out: identifier" in done.out
    assert "one left out: constant" in done.out
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert {frozenset((pair["x"], pair["y"])) for pair in found["pairs"] if pair["holm"] <= 0.05} == {
        frozenset(("shape", "size")), frozenset(("size", "colour")), frozenset(("shape", "colour"))}  # fmt: skip
    assert all(pair["pvalue"] <= pair["holm"] for pair in found["pairs"])
    assert b"<svg" in (tmp_path / "map.svg").read_bytes()
    again = tmp_path / "again.svg"
    twosample("independence", table, "--plot", again)
    assert again.read_bytes() == (tmp_path / "map.svg").read_bytes()


def test_strength_and_page(twosample, table, tmp_path):
    done = twosample("independence", table, "--report", tmp_path / "page.html")
    assert done.code == 1
    assert "shape explains 8" in done.out
    assert "strong" in done.out
    assert "Low-rank" not in done.out
    assert "shape explains 8" in (tmp_path / "page.html").read_text(encoding="utf-8")
    done = twosample("independence", table, "--x", "shape", "--y", "size", "--report", tmp_path / "one.html")
    assert "strength  shape explains 8" in done.out
    assert "Dependent" in (tmp_path / "one.html").read_text(encoding="utf-8")
    found = json.loads(twosample("independence", table, "--json", "-").out)
    assert found["schema"] == 2
    assert found["pairs"][0]["of_y"] > 0.5
    assert found["pairs"][0]["words"]


def test_missing_is_a_value(twosample, tmp_path):
    """Whether y is missing depends on x, and nothing else does."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 300))
    pl.DataFrame({"x": x, "y": [None if a > 0.8 else b for a, b in zip(x, y, strict=True)]}).write_parquet(
        tmp_path / "t.parquet"
    )
    assert twosample("independence", tmp_path / "t.parquet", "--x", "x", "--y", "y").code == 1


def test_columns_and_rows_are_chosen(twosample, table):
    read = ("independence", table, "--json", "-")
    found = json.loads(twosample(*read, "--select", "noise,word").out)
    assert [(pair["x"], pair["y"]) for pair in found["pairs"]] == [("noise", "word")]
    assert len(json.loads(twosample(*read, "--exclude", "shape,size,colour").out)["pairs"]) == 1
    assert json.loads(twosample(*read, "--sample", "50").out)["rows"] == 50
    assert json.loads(twosample(*read, "--all").out)["rows"] == 300
    assert json.loads(twosample(*read, "--where", "noise > 0").out)["rows"] < 300
    assert json.loads(twosample(*read, "--select", "noise,id", "--kind", "id=integer").out)["level"] == 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--x", "shape"), "--x and --y"),
        (("--x", "shape", "--y", "shape"), "share 'shape'"),
        (("--x", "shape", "--y", "nope"), "no column 'nope'"),
        (("--x", "shape", "--y", "one"), "constant"),
        (("--x", "shape", "--y", "size", "--select", "noise"), "--select"),
        (("--select", "noise"), "at least two"),
        (("--sample", "10", "--all"), "--all"),
        (("--sample", "2"), "at least 4"),
        (("--alpha", "7"), "--alpha 7"),
        (("--plot", "x.doc"), ".svg"),
    ],
)
def test_bad_options(twosample, table, options, message):
    done = twosample("independence", table, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
