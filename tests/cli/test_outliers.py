"""`twosample outliers`: rows that do not come from where the reference comes from."""

import json

import numpy as np
import polars as pl
import pytest

import twosample as ts


def table(rng, rows):
    return pl.DataFrame(
        {"x": rng.normal(size=rows), "y": rng.normal(size=rows), "g": rng.choice(["a", "b"], rows), "one": 5}
    )


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outliers")
    rng = np.random.default_rng(1)
    table(rng, 400).write_csv(folder / "reference.csv")
    usual = table(rng, 3).with_columns(x=pl.lit(0.1), y=pl.lit(-0.1))
    usual.write_csv(folder / "usual.csv")
    strange = pl.DataFrame({"x": [0.0, 30.0, 0.1], "y": [0.1, 0.0, 0.2], "g": ["a", "b", "c"], "one": [5, 5, 6]})
    strange.write_csv(folder / "strange.csv")
    table(rng, 1000).write_csv(folder / "more.csv")
    return folder


def test_exit_codes(twosample, tables):
    done = twosample("outliers", tables / "reference.csv", tables / "usual.csv")
    assert done.code == 0
    assert done.out.startswith("= 0 of 3 rows")
    done = twosample("outliers", tables / "reference.csv", tables / "strange.csv")
    assert done.code == 1
    assert done.out.startswith("≠ 1 of 3 rows are outliers, more than chance explains (p = 0.00")
    assert "x = 30 (usually" in done.out
    assert "the first row of data is row 0" in done.out


def test_chance_is_no_reason_to_fail_unless_any_row_is(twosample, tables):
    """1000 rows like the reference: some are listed, and that is what chance explains."""
    for more, code in (((), 0), (("--any",), 1)):
        done = twosample("outliers", tables / "reference.csv", tables / "more.csv", *more)
        assert done.code == code
        assert "no more than chance explains (p = " in done.out
    assert twosample("outliers", tables / "reference.csv", tables / "usual.csv", "--any").code == 0


def test_page(twosample, tables, tmp_path):
    page = tmp_path / "page.html"
    done = twosample("outliers", tables / "reference.csv", tables / "strange.csv", "--report", page)
    assert done.code == 1
    text = page.read_text(encoding="utf-8")
    assert "More outliers than chance explains" in text
    assert "x = 30 (usually" in text
    done = twosample("outliers", tables / "reference.csv", tables / "strange.csv", "--report", tables / "strange.csv")
    assert done.code == 2


def test_json(twosample, tables):
    done = twosample("outliers", tables / "reference.csv", tables / "strange.csv", "--json", "-")
    found = json.loads(done.out)
    assert [row["row"] for row in found["outliers"]] == [1]
    assert found["columns"] == ["x", "y", "g", "one"]
    assert found["outliers"][0]["values"]["x"] == 30.0
    found = json.loads(
        twosample("outliers", tables / "reference.csv", tables / "strange.csv", "--json", "-", "--select", "g,one").out
    )
    assert [row["row"] for row in found["outliers"]] == [2]  # a new category, and another constant


def test_false_alarms(twosample, tables):
    for level in (0.01, 0.1):
        done = twosample("outliers", tables / "reference.csv", tables / "more.csv", "--json", "-", "--alpha", level)
        share = len(json.loads(done.out)["outliers"]) / 1000
        assert share < level + 3 * np.sqrt(level * (1 / 1000 + 1 / 400))


def outliers(twosample, reference, new, *more):
    done = twosample("outliers", reference, new, "--json", "-", *more)
    return [row["row"] for row in json.loads(done.out)["outliers"]]


def test_gross_outliers_do_not_hide_each_other(twosample, tmp_path):
    rng = np.random.default_rng(0)
    a = np.concatenate([[0.0, 0.1], 1e4 * rng.normal(size=2000)])
    pl.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)}).write_csv(tmp_path / "reference.csv")
    pl.DataFrame({"a": a, "b": np.zeros(2002)}).write_csv(tmp_path / "new.csv")
    found = outliers(twosample, tmp_path / "reference.csv", tmp_path / "new.csv")
    assert set(np.flatnonzero(np.abs(a) > 6)) <= set(found)
    assert not {0, 1} & set(found)


def test_a_verdict_does_not_depend_on_the_other_rows(tables):
    rng = np.random.default_rng(2)
    names = [f"g{i}" for i in range(300)]
    strange = {"x": 1e3 * rng.normal(size=300), "y": [None] * 300, "g": names, "one": range(300)}
    rows = pl.concat([table(rng, 20), pl.DataFrame(strange)], how="vertical_relaxed")
    rows.head(20).write_csv(tables / "alone.csv")
    rows.write_csv(tables / "together.csv")
    known, alone, together = (tables / f"{name}.csv" for name in ("reference", "alone", "together"))
    one, both = (ts.outliers(known, new, level=0.05).scores for new in (alone, together))
    np.testing.assert_allclose(both[:20], one, rtol=1e-9)
    assert (both[20:] < 0.05).all()


def test_any_other_value_of_a_constant_is_unusual(twosample, tmp_path):
    """Whatever its unit; and a missing value where none was."""
    pl.DataFrame({"g": ["a", "b"] * 100, "one": [5.0] * 200}).write_csv(tmp_path / "reference.csv")
    (tmp_path / "new.csv").write_text("g,one\na,5\nb,5.000001\na,5000\nb,\n")
    assert sorted(outliers(twosample, tmp_path / "reference.csv", tmp_path / "new.csv")) == [1, 2, 3]


def test_too_few_rows_to_tell(twosample, tables, tmp_path):
    """With fewer than 1/alpha - 1 rows nothing can be an outlier, and "none" would be a promise."""
    strange = tables / "strange.csv"
    for rows, alpha, needed in (
        (122, 0.01, 123),
        (123, 0.01, None),
        (11, 0.1, None),
        (10, 0.1, 11),
        (16, 0.07, 17),
        (17, 0.07, None),
    ):
        table(np.random.default_rng(0), rows).select("x", "y").write_csv(tmp_path / "reference.csv")
        arguments = ("outliers", tmp_path / "reference.csv", strange, "--alpha", alpha)
        done, found = twosample(*arguments), json.loads(twosample(*arguments, "--json", "-").out)
        if needed is None:
            assert (done.code, found["verdict"], found["notes"]) == (0, "same", [])
            assert [row["row"] for row in found["outliers"]] == [1]  # one of three: chance alone gives that so often
        else:
            assert (done.code, found["verdict"], found["outliers"]) == (3, "undecided", [])
            assert done.out.startswith("? too few reference rows")
            assert f"at least {needed} are needed" in " ".join(done.out.split())
            assert f"at least {needed} are needed. Collect more" in found["notes"][0]
    done = twosample("outliers", tables / "reference.csv", strange, "--sample", 50, "--json", "-")
    assert done.code == 3
    assert "400 rows (sample)" in json.loads(done.out)["notes"][0]


def test_values_that_cannot_be_read_are_told(twosample, tables, tmp_path):
    (tmp_path / "new.csv").write_text("x,y,g,one\nhello,0,a,5\n,0,b,5\n0.5,0,a,5\nworld,0.1,a,5\n0.1,,7,5\n")
    arguments = ("outliers", tables / "reference.csv", tmp_path / "new.csv")
    (note,) = json.loads(twosample(*arguments, "--json", "-").out)["notes"]
    assert note.startswith("2 values of column 'x' in ")
    assert "cannot be read as numeric" in note
    assert "2 values of column 'x'" in " ".join(twosample(*arguments).out.split())


def test_bad_input(twosample, tables, files, tmp_path):
    reference = tables / "reference.csv"
    (tmp_path / "one.csv").write_text("x,y,g,one\n1,2,a,5\n")
    (tmp_path / "zero.csv").write_text("x,y,g,one\n")
    for arguments, message in (
        ((reference, files.few), "no column in common"),
        ((reference, tables / "usual.csv", "--select", "nope"), "no column 'nope'"),
        ((tmp_path / "one.csv", reference), "needs at least 4"),
        ((tmp_path / "zero.csv", reference), "no rows"),
        ((reference, tmp_path / "zero.csv"), "no rows"),
        ((reference, tables / "usual.csv", "--alpha", "2"), "--alpha 2"),
        ((reference, tables / "usual.csv", "--sample", "0"), "--sample 0"),
        ((reference, "nope.csv"), "no file"),
    ):
        done = twosample("outliers", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert message in done.err


def test_durations_that_python_does_not_know_are_shown_in_seconds(twosample, tmp_path):
    steps = np.append(np.random.default_rng(0).integers(0, 9, 200), 2**62)
    table = pl.DataFrame({"t": pl.Series(steps).cast(pl.Duration("ms"))})
    table.write_parquet(tmp_path / "a.parquet")
    table[:200].write_parquet(tmp_path / "b.parquet")
    done = twosample("outliers", tmp_path / "b.parquet", tmp_path / "a.parquet")
    assert "t = 4611686018427388" in done.out
