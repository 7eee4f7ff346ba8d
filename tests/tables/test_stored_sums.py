"""Summaries that hold sums of features: all columns together on every row of both."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from itertools import permutations
from zlib import compress, decompress

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.cli.run import run
from twosample.sources import open_table
from twosample.summaries import TableSummary
from twosample.tables import every_row


def table(rows, seed, rho=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    return pl.DataFrame(
        {
            "x": pl.Series(x).set(pl.Series(rng.random(rows) < 0.01), None),
            "y": rho * x + np.sqrt(1 - rho**2) * rng.normal(size=rows),
            "count": rng.poisson(3, rows),
            "at": pl.Series(rng.integers(0, 10**15, rows)).cast(pl.Datetime("us")),
            "city": rng.choice(["Oslo", "Rome", "Lima", "Bonn"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "word": rng.choice([f"w{value} {'no' * (value % 3)}" for value in range(3000)], rows),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A reference, and two tables of the next day: one like it, one with a correlation."""
    folder = tmp_path_factory.mktemp("sums")
    for name, seed, rho in (("reference", 1, 0.0), ("alike", 2, 0.0), ("other", 3, 0.06)):
        table(30_000, seed, rho).write_parquet(folder / f"{name}.parquet")
    return folder


@pytest.fixture(scope="module")
def reference(files):
    return ts.summarize(files / "reference.parquet", rows=2000)


def test_every_row_counts(files, reference, monkeypatch):
    found = ts.compare(reference, files / "other.parquet")
    assert (found.a.sampled, found.b.sampled) == (30_000, 30_000)
    assert found.joint.pvalue < 0.01
    assert [{*part.columns} for part in found.findings if part.what == "together"] == [{"x", "y"}]
    assert "Joint test on all rows: 30,000 and 30,000" in " ".join(found.joint.notes)
    assert "whole rows on the 2,000 rows it kept" in " ".join(found.notes)
    assert ts.compare(reference, files / "alike.parquet").joint.pvalue > 0.01
    monkeypatch.setattr(every_row, "LEAST_ROWS", 40_000)
    sampled = ts.compare(reference, files / "other.parquet")
    assert sampled.joint.pvalue > 10 * found.joint.pvalue
    assert sampled.a.sampled < 2001


def test_a_table_and_its_summary_have_the_same_sums(files, reference, tmp_path, monkeypatch):
    """The same bits of the same views, and so the same effects; the rows that are kept beside them are others."""
    reference.save(tmp_path / "reference.tss")
    kept = ts.summarize(files / "other.parquet", like=reference)
    kept.save(tmp_path / "other.tss")
    tested, seen = every_row.tested, []
    monkeypatch.setattr(every_row, "tested", lambda sums, *rest: seen.append(sums) or tested(sums, *rest))
    places = [tmp_path / "other.tss", kept, files / "other.parquet", pl.scan_parquet(files / "other.parquet")]
    found = [ts.compare(tmp_path / "reference.tss", place) for place in places]
    found.append(ts.compare(files / "other.parquet", reference))
    for sums in (*seen[:4], seen[4][::-1]):
        assert all(np.array_equal(one.moments, two.moments) for one, two in zip(sums, seen[0], strict=True))
    assert {c.joint.m for c in found} == {c.joint.n for c in found} == {30_000}
    assert all(c.joint.pvalue < 0.01 for c in found)


def test_values_far_from_those_of_the_reference_are_found(reference):
    far = table(30_000, 4).with_columns(pl.col("x") * 1e6 + 1e9, pl.lit(None).alias("y"))
    found = ts.compare(reference, far)
    assert found.joint.m == 30_000
    assert found["x"].effect > 0.9


def test_in_a_shell(files, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = (str(files / f"{name}.parquet") for name in ("reference", "other"))
    assert run(["summarize", first, "-o", "reference.tss", "--quiet"]) == 0
    assert run(["summarize", second, "--like", "reference.tss", "-o", "other.tss", "--quiet"]) == 0
    for other in ("other.tss", second):
        assert run(["compare", "reference.tss", other, "--json", "c.json", "--quiet"]) in (0, 1)
        found = json.loads((tmp_path / "c.json").read_text())["joint"]
        assert (found["m"], found["n"]) == (30_000, 30_000)
        assert found["pvalue"] < 0.01


def test_parts_in_any_order_are_the_whole(reference):
    rows = table(9000, 5)
    whole = ts.summarize(rows, like=reference, first_row=0).to_bytes()
    parts = [ts.summarize(rows[a:b], like=reference, first_row=a) for a, b in ((0, 10), (10, 5000), (5000, 9000))]
    for one, two, three in permutations(parts):
        assert one.merge(two, three).to_bytes() == whole
    assert TableSummary.from_bytes(whole).to_bytes() == whole
    assert TableSummary.from_bytes(whole).sums.moments[:, 0].sum() == 9000


def test_parts_with_other_features_have_no_sums(reference):
    alone = ts.summarize(table(9000, 5))
    assert alone.sums is not None
    assert reference.merge(alone).sums is None
    found = ts.compare(reference, ts.summarize(table(30_000, 6)))
    assert found.a.sampled < 2001
    assert "one was made like= the other" in " ".join(found.notes)


def test_columns_that_only_one_table_has_do_not_matter(files, reference):
    other = pl.read_parquet(files / "other.parquet").drop("word")
    found = ts.compare(reference, other.select("city", pl.lit(1).alias("new"), pl.exclude("city")), schema="ignore")
    assert (found.joint.m, found.joint.n) == (30_000, 30_000)
    assert found.joint.pvalue < 0.01


def test_columns_that_are_left_out_or_read_otherwise_have_no_part(files, reference):
    found = ts.compare(reference, files / "other.parquet", exclude=["y"])
    assert found.joint.m == 30_000
    assert found.joint.pvalue > 0.01
    assert "features of 5 columns" in " ".join(found.joint.notes)
    found = ts.compare(reference, files / "other.parquet", kinds={"count": "categorical"})
    assert "features of 5 columns" in " ".join(found.joint.notes)


def test_contracts_still_look_at_every_row(files, reference):
    rows = pl.read_parquet(files / "alike.parquet")
    contract = ts.learn(rows)
    broken = rows.with_columns(pl.when(pl.int_range(pl.len()) == 17).then(10**6).otherwise("count").alias("count"))
    found = ts.compare(reference, broken, contract=contract)
    assert any(part.column == "count" and part.rows == 1 for part in found.violations)


def test_what_could_hide_rests_on_the_rows_that_were_kept(files):
    """More rows in the tables would not show it: effects are measured on those that were kept."""
    first = ts.summarize(files / "reference.parquet", rows=300)
    found = ts.compare(first, ts.summarize(files / "alike.parquet", like=first, rows=300))
    assert (found.joint.m, found.joint.n) == (30_000, 30_000)
    assert re.search(
        r"all columns together could hide; a joint sample of about [\d,]+ rows would show it", found.headline
    )


def test_what_could_hide_in_texts_rests_on_the_rows_that_were_kept():
    rng = np.random.default_rng(1)
    texts = [{"note": [f"word{v} {'and so on ' * (v % 4)}end" for v in rng.integers(0, 4000, 22_000)]} for _ in "ab"]
    first = ts.summarize(texts[0], rows=400)
    found = ts.compare(first, ts.summarize(texts[1], like=first, rows=400), margin={"text": 0.05, "*": 0.3})
    assert re.search(r"could hide in so few rows; a sample of about [\d,]+ rows would show it", found.headline)
    gaps = [{"v": np.where(part < 0.02, part, np.nan), "w": part} for part in rng.random((2, 22_000))]
    found = ts.compare(*gaps, kinds={"v": "numeric"}, margin={"v": 0.05, "*": 0.5})
    assert found.headline.endswith("rows in each table would show it.")  # all rows that have a value were looked at


def test_designs_look_at_rows(files, reference):
    found = ts.compare(reference, files / "alike.parquet", by="city", sample=1000)
    assert found.joint.m <= 1000


def test_files_without_sums_are_read(reference):
    """Those of version 3 are as they were, but for the sums."""
    old = replace(reference, sums=None).to_bytes()
    head, _, body = old.partition(b"\n")
    plain = decompress(body)
    size = int.from_bytes(plain[:8], "little")
    record = json.loads(plain[8 : 8 + size])
    assert record.pop("sums") is None
    text = json.dumps(record, separators=(",", ":")).encode()
    packed = compress(len(text).to_bytes(8, "little") + text + plain[8 + size :])
    sizes = {"bytes": len(packed), "plain": len(plain) - size + len(text), "sha256": sha256(packed).hexdigest()}
    found = TableSummary.from_bytes(json.dumps(json.loads(head) | {"version": 3} | sizes).encode() + b"\n" + packed)
    assert found.to_bytes() == old
    later = ts.summarize(table(5000, 7), like=found)
    assert later.sums is None
    assert found.merge(later).rows == 35_000


def test_sums_of_other_features_are_refused(reference):
    short = replace(reference, sums=replace(reference.sums, moments=reference.sums.moments[:, :-1]))
    with pytest.raises(ts.InputError, match="sums of other features"):
        TableSummary.from_bytes(short.to_bytes())


def test_sums_are_a_small_part_of_the_file(reference, files):
    whole = ts.summarize(files / "reference.parquet")
    assert len(whole.to_bytes()) < 1.2 * len(replace(whole, sums=None).to_bytes())


def test_tables_that_are_slow_to_read_are_read_if_that_is_wanted(files, reference):
    slow = open_table(pl.read_parquet(files / "alike.parquet"))
    type(slow._rows).is_slow = property(lambda self: True)
    try:
        assert ts.compare(reference, slow, sample=1000).b.sampled < 1001
        assert ts.compare(reference, slow, sample=None).b.sampled == 30_000
    finally:
        del type(slow._rows).is_slow


def discrete(rng, rows):
    """Ties, a rare level, a heavy tail, and two columns that go together."""
    count = rng.poisson(0.3, rows)
    return pl.DataFrame(
        {
            "count": count,
            "heavy": np.exp(2 * rng.normal(size=rows)) * (1 + count),
            "rare": rng.choice(["a", "b", "c"], rows, p=[0.98, 0.015, 0.005]),
            "many": rng.choice([f"v{i}" for i in range(200)], rows),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3000, 3000), (3000, 30_000), (30_000, 3000)])
def test_level(sizes, monkeypatch):
    """Of the joint test of two summaries; the features come from rows of the first that are among its sums."""
    monkeypatch.setattr(every_row, "LEAST_ROWS", 1000)
    found = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 11])
        first = ts.summarize(discrete(rng, sizes[0]), rows=500)
        found.append(ts.compare(first, ts.summarize(discrete(rng, sizes[1]), like=first)).joint.pvalue)
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(found) <= level) <= level + 3.3 * np.sqrt(level * (1 - level) / 300)


def test_columns_may_come_in_another_order():
    rng = np.random.default_rng(9)
    table = pl.DataFrame({"x": rng.normal(size=900), "day": rng.choice(["Mo", "Tu"], 900), "y": rng.gamma(2, size=900)})
    first = ts.summarize(table)
    second = ts.summarize(table.select("y", "x", "day"), like=first)
    assert [column.info.name for column in second.columns] == ["x", "day", "y"]
    found, expected = ts.compare(first, second), ts.compare(first, ts.summarize(table, like=first))
    assert found.joint.statistic == pytest.approx(expected.joint.statistic, abs=1e-9)
    assert found.verdict != "different"
