"""However the rows come, and whatever the first ones look like, the comparison is that of the rows in memory."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import local

RNG = np.random.default_rng(4)


def table(shift):
    size = 12_000
    x = RNG.normal(shift, 1, size)
    return pl.DataFrame(
        {
            "x": x,
            "ladder": np.sort(RNG.lognormal(0, 3, size)),
            "late": np.where(np.arange(size) < 4000, 0.0, x),
            "city": np.where(np.arange(size) < 4000, "Oslo", RNG.choice(["Rome", "Lima", "Oslo"], size)),
            "code": [f"{j % 3}" if j < 9000 else f"{j % 40} b" for j in range(size)],
        }
    )


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_first_rows_may_mislead(tmp_path, monkeypatch, shuffled):
    a, b = table(0.0), table(0.3)
    if shuffled:
        a, b = (part.sample(fraction=1, shuffle=True, seed=1) for part in (a, b))
    wanted = ts.compare(a, b, sample=5000)
    for name, part in (("a", a), ("b", b)):
        part.write_parquet(tmp_path / f"{name}.parquet", row_group_size=1000)
    monkeypatch.setattr(local, "_ROWS", 1024)
    found = ts.compare(tmp_path / "a.parquet", tmp_path / "b.parquet", sample=5000)
    assert found.verdict == wanted.verdict == "different"
    for one, two in zip(found.columns, wanted.columns, strict=True):
        assert (one.name, one.kind, one.verdict) == (two.name, two.kind, two.verdict)
        assert one.statistic == pytest.approx(two.statistic, rel=1e-6, abs=1e-12)
        assert one.pvalue == pytest.approx(two.pvalue, rel=1e-5, abs=1e-12)


def test_rows_in_any_order_are_read_once(tmp_path, monkeypatch):
    """A file whose first rows are like the others takes one pass."""
    for name in "ab":
        table(0.0).drop("ladder", "late", "code").sample(fraction=1, shuffle=True, seed=2).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    passes = []
    real = local.LocalRows.batches
    monkeypatch.setattr(
        local.LocalRows, "batches", lambda self, names=None: passes.append(self.guard.name) or real(self, names)
    )
    ts.compare(tmp_path / "a.parquet", tmp_path / "b.parquet", sample=5000)
    files = [name for name in passes if name.endswith("parquet")]
    assert len(files) == 2


def test_rows_in_bins_are_not_relabelled():
    """Few rows and a smaller sample: the ends of bins share rows, and parts of rows have no label."""
    rows = {"a": np.arange(400.0) * 3600 + 1.6e9, "b": RNG.normal(size=400)}
    c = ts.compare(rows, rows, sample=100, kinds={"a": "numeric"})
    assert c["a"].statistic < 0
    assert c["a"].pvalue > 0.5
    assert c.verdict == "no difference found"


@pytest.mark.parametrize("both", [True, False])
def test_text_that_is_said_to_be_dates_is_read_as_dates_in_summaries(both):
    """Few dates among many zeros: as numbers, the zeros of one table would be compared with the dates of the other."""

    def visits(seed):
        rng = np.random.default_rng(seed)
        day = np.datetime64("2024-01-01") + rng.integers(0, 200, 25_000).astype("timedelta64[D]")
        return {"seen": np.where(rng.random(25_000) < 0.008, day.astype(str), "0"), "y": rng.normal(size=25_000)}

    a, b = visits(1), visits(2)
    wanted = ts.compare(a, b, kinds={"seen": "datetime"})["seen"]
    found = ts.compare(ts.summarize(a), ts.summarize(b) if both else b, kinds={"seen": "datetime"})["seen"]
    assert (found.kind, found.rows_a, found.rows_b) == ("datetime", wanted.rows_a, wanted.rows_b)
    assert found.verdict != "different"
