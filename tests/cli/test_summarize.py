"""``twosample summarize``."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.cli.run import run


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, shift in (("a", 0.0), ("b", 0.5), ("c", 0.0)):
        rows = {"x": rng.normal(shift, 1, 3000), "city": rng.choice(["Oslo", "Rome"], 3000)}
        pl.DataFrame(rows).write_parquet(f"{name}.parquet")


@pytest.mark.usefixtures("tables")
def test_a_summary_takes_the_place_of_its_table(capsys):
    assert run(["summarize", "a.parquet", "-o", "a.tss", "--rows", "500"]) == 0
    assert "3,000 rows, 2 columns" in capsys.readouterr().out
    assert run(["compare", "a.tss", "b.parquet", "--quiet"]) == 1
    assert run(["match", "a.tss", "c.parquet", "--quiet"]) == 0


@pytest.mark.usefixtures("tables")
def test_parts_are_merged(capsys):
    assert run(["summarize", "a.parquet", "-o", "a.tss", "--rows", "500", "--quiet"]) == 0
    assert run(["summarize", "a.tss", "c.parquet", "-o", "ac.tss", "--like", "a.tss", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    found = ts.TableSummary.load("ac.tss")
    assert found.rows == 6000
    assert found.columns[0].bins.grid == ts.TableSummary.load("a.tss").columns[0].bins.grid


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.parquet", "-o", "a.parquet"], "ending"),
        (["a.tss", "-o", "a.tss"], "would replace"),
        (["a.parquet", "-o", "b.tss", "--like", "a.parquet"], "first line"),
        (["b.csv", "-o", "b.tss", "--like", "a.tss"], "--like: b.csv must have the columns of the summary"),
        (["none.parquet", "-o", "b.tss"], "none.parquet"),
    ],
)
def test_errors(capsys, arguments, message):
    run(["summarize", "a.parquet", "-o", "a.tss", "--quiet"])
    Path("b.csv").write_text("other\n1\n2\n", encoding="utf-8")
    assert run(["summarize", *arguments]) == 2
    assert message in capsys.readouterr().err
