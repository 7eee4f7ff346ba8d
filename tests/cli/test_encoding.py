"""`--encoding`: text that is not in UTF-8, in every command that reads files."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200), "s": rng.choice(["ä", "ö"], 200)})
    (tmp_path / "a.csv").write_bytes(frame.write_csv().encode("latin-1"))
    (tmp_path / "b.csv").write_bytes(frame.write_csv().encode("latin-1"))
    frame.write_parquet(tmp_path / "c.parquet")
    return tmp_path


@pytest.mark.parametrize("second", ["b.csv", "c.parquet"])
def test_compare(twosample, tables, second):
    done = twosample("compare", tables / "a.csv", tables / second)
    assert done.code == 2
    assert "name its encoding, such as --encoding latin-1 or 'utf-16'" in done.err
    done = twosample("compare", tables / "a.csv", tables / second, "--encoding", "latin-1", "--where", "x < 1")
    assert done.code == 0
    assert "Identical" in done.out
    done = twosample("compare", tables / "a.csv", tables / second, "--encoding", "klingon")
    assert done.code == 2
    assert "--encoding 'klingon' is not known" in done.err


def test_other_commands(twosample, tables):
    a, b, encoding = tables / "a.csv", tables / "b.csv", ("--encoding", "latin-1")
    assert twosample("match", a, b, *encoding).code == 0
    assert twosample("outliers", a, b, *encoding).code == 0
    done = twosample("independence", a, *encoding, "--json", "-", "--where", "x < 1")
    assert json.loads(done.out)["rows"] < 200
    assert twosample("summarize", a, "-o", tables / "a.tss", *encoding).code == 0
    done = twosample("learn", a, "-o", "-", *encoding)
    assert "ä" in done.out
    assert twosample("compare", tables / "a.tss", b, *encoding).code == 0
