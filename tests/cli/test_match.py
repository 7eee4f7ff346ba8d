"""`twosample match`: which column is which."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The same four columns with other names and in another order; `inches` has one of them in other units."""
    folder = tmp_path_factory.mktemp("match")
    rng = np.random.default_rng(4)

    def table(rows, unit=1.0):
        return pl.DataFrame(
            {
                "height": rng.normal(170, 9, rows) * unit,
                "age": rng.integers(18, 80, rows),
                "city": rng.choice(["Oslo", "Rome", "Bern"], rows, p=[0.6, 0.3, 0.1]),
                "income": rng.lognormal(8, 0.5, rows),
            }
        )

    names = {"height": "size", "age": "years", "city": "town", "income": "pay"}
    table(400).write_csv(folder / "a.csv")
    table(300).rename(names).select("pay", "town", "size", "years").write_parquet(folder / "b.parquet")
    table(300, 1 / 2.54).rename(names).write_csv(folder / "inches.csv")
    return folder


def test_all_matched(twosample, tables):
    done = twosample("match", tables / "a.csv", tables / "b.parquet", "--json", "-")
    assert done.code == 0
    found = json.loads(done.out)
    assert {(pair["source"], pair["target"]) for pair in found["pairs"]} == {
        ("height", "size"), ("age", "years"), ("city", "town"), ("income", "pay")}  # fmt: skip
    done = twosample("match", tables / "a.csv", tables / "b.parquet")
    assert done.out.startswith("= 4 pairs of columns; every column has a partner")
    assert "height" in done.out
    assert "\x1b" not in done.out


def test_not_all_matched(twosample, tables):
    done = twosample("match", tables / "a.csv", tables / "inches.csv")
    assert done.code == 1
    assert done.out.startswith("≠ 3 pairs of columns; 1 of A and 1 of B have no partner")
    assert "without a partner" in done.out
    assert twosample("match", tables / "a.csv", tables / "inches.csv", "--quiet").out == ""


def test_units_names_and_force(twosample, tables):
    done = twosample("match", tables / "a.csv", tables / "inches.csv", "--rescale")
    assert done.code == 0
    assert "B = " in done.out
    done = twosample("match", tables / "a.csv", tables / "inches.csv", "--force")
    assert (done.code, len(done.out.splitlines()) > 4) == (0, True)
    assert twosample("match", tables / "a.csv", tables / "a.csv", "--use-names", "--quiet").code == 0


def test_files(twosample, tables, tmp_path):
    done = twosample("match", tables / "a.csv", tables / "b.parquet", "--report", tmp_path / "m.html", "--plot",
                     tmp_path / "m.svg", "--select", "height,age,size,years")  # fmt: skip
    assert done.code == 0
    assert done.out.startswith("= 2 pairs")
    assert (tmp_path / "m.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert b"<svg" in (tmp_path / "m.svg").read_bytes()


def test_hostile_names(twosample, tmp_path):
    rng = np.random.default_rng(0)
    names = ["\x1b[31mred", "[bold]x", "a\nb", "<b>", "'; DROP TABLE t"]
    for file, order in (("a", names), ("b", names[::-1])):
        frame = pl.DataFrame({name: rng.normal(10 * names.index(name), 1, 100) for name in order})
        frame.write_parquet(tmp_path / f"{file}.parquet")
    done = twosample("match", tmp_path / "a.parquet", tmp_path / "b.parquet", "--plot", tmp_path / "m.svg")
    assert done.code == 0
    assert all(character.isprintable() or character == "\n" for character in done.out)


def test_bad_input(twosample, tables, tmp_path):
    (tmp_path / "zero.csv").write_text("x,y\n")
    for arguments, message in (
        ((tables / "a.csv", "nope.csv"), "no file"),
        ((tables / "a.csv", tmp_path / "zero.csv"), "no rows"),
        ((tables / "a.csv", tables / "b.parquet", "--select", "nope"), "nope"),
        ((tables / "a.csv", tables / "b.parquet", "--alpha", "2"), "--alpha 2"),
        ((tables / "a.csv", tables / "b.parquet", "--plot", "x.doc"), ".svg"),
        ((tables / "a.csv", tables / "b.parquet", "--json", tables / "a.csv"), "would replace"),
    ):
        done = twosample("match", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert message in done.err


@pytest.mark.parametrize("width", ["70", "80", "120"])
def test_long_names_never_cut_numbers(twosample, tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    rng = np.random.default_rng(0)
    for file, word in (("a", "customer"), ("b", "client")):
        columns = {f"{word}_{'invoice_address_' * 4}{k}": rng.normal(50 * k, 1, 100) for k in range(2)}
        pl.DataFrame(columns).write_csv(tmp_path / f"{file}.csv")
    done = twosample("match", tmp_path / "a.csv", tmp_path / "b.csv")
    lines = [line for line in done.out.splitlines() if line.startswith("  customer")]
    assert len(lines) == 2
    for line in lines:
        assert len(line) <= int(width)
        sure, drifted, mmd, pvalue = line.split()[-4:]
        assert 0.5 < float(sure) <= 1
        assert drifted == "no"
        assert 0 <= float(mmd) < 1
        assert 0 < float(pvalue) <= 1


def test_whole_folders(twosample, tables, tmp_path):
    rng = np.random.default_rng(1)
    for name, seed in (("old", 2), ("new", 3)):
        (tmp_path / name).mkdir()
        rng = np.random.default_rng(seed)
        pl.DataFrame({"v": rng.normal(5, 1, 200), "w": rng.gamma(2, 30, 200)}).write_csv(
            tmp_path / name / f"m{seed}.csv"
        )
        people = {
            "age": rng.integers(18, 80, 200),
            "city": rng.choice(["Oslo", "Rome"], 200),
            "pay": rng.gamma(3, 9, 200),
        }
        pl.DataFrame(people).write_csv(tmp_path / name / f"p{seed}.csv")
    where = (tmp_path / "old", tmp_path / "new", "--tables")
    done = twosample("match", *where, "--report", tmp_path / "r.html", "--markdown", tmp_path / "r.md")
    assert done.code == 0
    assert done.out.startswith("= All matched: 2 table pairs.")
    assert "p2 = p3" in done.out
    assert "city" in (tmp_path / "r.html").read_text()
    assert "`p3`" in (tmp_path / "r.md").read_text()
    found = json.loads(twosample("match", *where, "--json", "-").out)
    assert [(pair["source"], pair["target"]) for pair in found["pairs"]] == [("m2", "m3"), ("p2", "p3")]
    done = twosample("match", *where, "--exclude", "m2")
    assert done.code == 1
    assert "tables of B without a partner" in done.out
    done = twosample("match", *where, "--rescale")
    assert (done.code, "--rescale" in done.err) == (2, True)
    done = twosample("match", tables / "a.csv", tables / "b.parquet", "--tables")
    assert (done.code, "one table" in done.err) == (2, True)


def test_folders_whose_columns_do_not_all_match(twosample, tmp_path):
    for name, seed, more in (("old", 2, "lost"), ("new", 3, "added")):
        (tmp_path / name).mkdir()
        rng = np.random.default_rng(seed)
        people = {
            "age": rng.integers(18, 80, 300),
            "city": rng.choice(["Oslo", "Rome"], 300),
            "pay": rng.gamma(3, 9, 300),
            more: rng.normal(1e6 * seed**9, 1, 300),
        }
        pl.DataFrame(people).write_csv(tmp_path / name / f"people_of_the_year_{seed}.csv")
    (tmp_path / "new" / "readme.md").write_text("not a table")
    done = twosample("match", tmp_path / "old", tmp_path / "new", "--tables", "--markdown", tmp_path / "m.md")
    assert done.code == 1
    assert done.out.startswith("≠ 1 table pair; 2 columns without a partner.")
    assert "  people_of_the_year_2 = people_of_the_year_3: sure 0." in done.out
    assert ", 3 pairs of 4 columns\n" in done.out
    assert "of A, without a partner: lost\n" in done.out
    assert "of B, without a partner: added\n" in done.out
    assert "readme.md left out" in done.out
    assert "of B, without a partner: `added`" in (tmp_path / "m.md").read_text()


def test_folders_without_tables(twosample, tmp_path):
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "readme.txt").write_text("not a table")
    done = twosample("match", tmp_path / "junk", tmp_path / "junk", "--tables")
    assert (done.code, done.out) == (2, "")
    for part in ("junk has no tables", ".parquet", "readme.txt left out"):
        assert part in done.err
