"""Summaries of tables: merging, files, and what compare and match make of them."""

import json
from itertools import pairwise, permutations

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.summaries import TableSummary


def table(n, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": rng.normal(size=n) + shift,
            "count": rng.poisson(4, n),
            "heavy": rng.lognormal(2, 2, n),
            "city": rng.choice(["Oslo", "Rome", "Lima"], n),
            "digits": [str(v) for v in rng.integers(0, 10**6, n)],
            "day": [f"2024-0{m}-1{m}" for m in rng.integers(1, 9, n)],
            "when": pl.Series(rng.integers(0, 10**9, n)).cast(pl.Datetime("us")),
            "flag": rng.random(n) < 0.2,
            "gap": [None if v < 0.1 else v for v in rng.random(n)],
            "id": np.arange(n),
        }
    )


@pytest.fixture(scope="module")
def rows():
    return table(6000)


@pytest.fixture(scope="module")
def plan(rows):
    return ts.summarize(rows.head(500), rows=1000)


def parts_of(rows, plan, cuts):
    ends = [0, *cuts, len(rows)]
    return [ts.summarize(rows[a:b], like=plan, first_row=a) for a, b in pairwise(ends)]


def test_same_bytes_in_any_order_and_number_of_parts(rows, plan):
    whole = ts.summarize(rows, like=plan, first_row=0).to_bytes()
    for cuts in ([3000], [1, 2, 5999], [0, 100, 100, 4000], list(range(500, 6000, 500))):
        parts = parts_of(rows, plan, cuts)
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(parts))
            assert parts[order[0]].merge(*(parts[i] for i in order[1:])).to_bytes() == whole
        left, right = parts[0].merge(*parts[1:2]), None
        for part in parts[2:]:
            right = part if right is None else part.merge(right)
        assert (left if right is None else right.merge(left)).to_bytes() == whole


def test_parts_with_bins_of_their_own_merge_in_any_order(rows):
    parts = [ts.summarize(part, rows=800) for part in (rows[:500], rows[500:2500], rows[2500:])]
    merged = {a.merge(b, c).to_bytes() for a, b, c in permutations(parts)}
    merged |= {a.merge(b.merge(c)).to_bytes() for a, b, c in permutations(parts)}
    assert len(merged) == 1
    assert TableSummary.from_bytes(merged.pop()).rows == 6000


def test_profile_by_definition(rows, plan):
    found = {part.name: part for part in ts.summarize(rows, like=plan).profile}
    assert found["x"].mean == pytest.approx(rows["x"].mean(), abs=1e-9)
    assert found["x"].std == pytest.approx(rows["x"].std(), rel=1e-9)
    assert found["heavy"].mean == pytest.approx(rows["heavy"].mean(), rel=1e-9)  # most of it beyond the bins
    assert (found["x"].min, found["x"].max) == (rows["x"].min(), rows["x"].max())
    assert found["gap"].missing == rows["gap"].null_count()
    assert found["count"].distinct == rows["count"].n_unique()
    assert found["city"].distinct == 3
    assert found["id"].distinct == pytest.approx(6000, rel=0.15)
    assert not found["id"].exact


def test_counts_and_sample(rows, plan):
    found = ts.summarize(rows, like=plan)
    city = next(column for column in found.columns if column.info.name == "city")
    assert city.counts.values == dict(rows["city"].value_counts().iter_rows())
    kept = found.sample
    assert len(kept.keys) == 1000
    assert kept.frame.equals(rows[kept.numbers])
    assert len(np.unique(kept.numbers)) == 1000
    part = ts.summarize(rows.head(800), like=plan)
    assert part.whole
    assert part.sample.frame.equals(rows.head(800))


def test_samples_of_parts_are_drawn_independently(rows):
    one, two = (ts.summarize(part, rows=300) for part in (rows[:3000], rows[3000:]))
    assert len(np.intersect1d(one.sample.numbers, two.sample.numbers)) < 100


def test_merged_sample_is_uniform():
    share = []
    for seed in range(40):
        rows = pl.DataFrame({"x": np.arange(3000.0)})
        parts = [ts.summarize(rows[a:b], rows=200, rng=seed) for a, b in ((0, 300), (300, 3000))]
        share.append((parts[0].merge(parts[1]).sample.frame["x"] < 300).mean())
    assert np.mean(share) == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 200 / 40))


def test_too_many_categories_are_not_counted_whatever_the_parts():
    names = pl.DataFrame({"name": [f"n{i}" for i in range(12_000)] * 2})
    plan = ts.summarize(names.head(100), rows=50)
    whole = ts.summarize(names, like=plan, first_row=0)
    assert whole.columns[0].counts.values is None
    parts = parts_of(names, plan, [9000, 15_000])
    assert parts[0].columns[0].counts.values is not None
    assert parts[2].merge(parts[0], parts[1]).to_bytes() == whole.to_bytes()
    assert whole.profile[0].distinct == pytest.approx(12_000, rel=0.15)


def test_file_round_trip(tmp_path, rows, plan):
    found = ts.summarize(rows, like=plan)
    found.save(tmp_path / "a.tss")
    again = ts.TableSummary.load(tmp_path / "a.tss")
    assert again.to_bytes() == found.to_bytes()
    assert repr(again) == "TableSummary(6000 rows, 10 columns)"
    empty = ts.summarize(rows.head(0), like=plan)
    assert empty.merge(found).rows == 6000
    assert TableSummary.from_bytes(empty.to_bytes()).rows == 0


def test_files_that_are_no_summaries(tmp_path, rows, plan):
    content = ts.summarize(rows, like=plan).to_bytes()
    head, _, body = content.partition(b"\n")
    header = json.loads(head)
    for bad, why in [
        (b"", "first line"),
        (b"PAR1....", "first line"),
        (content[:-1], "cut off"),
        (content + b"x", "cut off"),
        (content[:-5] + b"aaaaa", "checksum"),
        (json.dumps(header | {"version": 5}).encode() + b"\n" + body, "version 5"),
        (json.dumps(header | {"plain": 10**15}).encode() + b"\n" + body, "size"),
        (json.dumps(header | {"plain": 100}).encode() + b"\n" + body, "sense"),
    ]:
        with pytest.raises(ts.InputError, match=why):
            TableSummary.from_bytes(bad)
        (tmp_path / "bad.tss").write_bytes(bad)
        with pytest.raises(ts.InputError, match=r"bad\.tss"):
            ts.compare(tmp_path / "bad.tss", rows)
    with pytest.raises(ts.InputError, match="cannot be read"):
        TableSummary.load(tmp_path / "none.tss")
    with pytest.raises(ts.InputError, match="bytes"):
        TableSummary.from_bytes("text")


def test_damaged_bodies_with_a_right_checksum_are_refused_too(rows, plan):
    from hashlib import sha256
    from zlib import compress, decompress

    content = ts.summarize(rows, like=plan).to_bytes()
    head, _, body = content.partition(b"\n")
    plain = bytearray(decompress(body))
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        damaged = plain.copy()
        damaged[int(rng.integers(3000))] = int(rng.integers(256))
        packed = compress(bytes(damaged))
        header = json.loads(head) | {"bytes": len(packed), "sha256": sha256(packed).hexdigest()}
        try:
            TableSummary.from_bytes(json.dumps(header).encode() + b"\n" + packed)
        except ts.InputError:
            refused += 1
    assert refused > 50


def test_compare_with_a_summary_is_compare_with_the_table(rows, plan):
    other = table(5000, seed=1, shift=0.2)
    frames = ts.compare(rows, other, sample=1000)
    summaries = ts.compare(ts.summarize(rows, like=plan), ts.summarize(other, like=plan), sample=1000)
    assert frames.verdict == summaries.verdict == "different"
    for column in frames.columns:
        found = summaries[column.name]
        assert found.kind == column.kind
        assert found.effect == pytest.approx(column.effect, abs=0.01)
    assert summaries["x"].adjusted_pvalue < 0.05
    assert summaries["city"].pvalue == frames["city"].pvalue
    assert any("summary of 6,000 rows" in note for note in summaries.notes)


def test_a_summary_that_holds_all_rows_is_the_table(rows):
    a, b = rows.head(900), table(900, seed=3)
    direct = ts.compare(a, b).to_dict()
    held = ts.compare(ts.summarize(a), ts.summarize(b)).to_dict()
    for column, other in zip(direct["columns"], held["columns"], strict=True):
        assert column["pvalue"] == other["pvalue"]
    assert direct["joint"]["pvalue"] == held["joint"]["pvalue"]


def test_merged_parts_compare_to_the_same_json(rows, plan):
    other = ts.summarize(table(4000, seed=4), like=plan)
    results = set()
    for cuts in ([], [2000], [100, 4000, 5000]):
        parts = parts_of(rows, plan, cuts)
        merged = parts[-1].merge(*parts[:-1])
        results.add(ts.compare(merged, other).to_json())
    assert len(results) == 1


def test_match_takes_summaries(rows, plan):
    one = ts.summarize(rows.select("x", "heavy", "city"), rows=2000)
    two = table(5000, seed=7).select(pl.col("city").alias("b"), pl.col("x").alias("c"), pl.col("heavy").alias("a"))
    found = {(pair.source, pair.target) for pair in ts.match(one, two).pairs}
    assert found == {("x", "c"), ("heavy", "a"), ("city", "b")}


def test_what_a_summary_cannot_answer_is_an_error(rows, plan):
    found = ts.summarize(rows, like=plan)
    with pytest.raises(ts.InputError, match="filter when you make it"):
        ts.compare(found, rows, where="x > 0")
    with pytest.raises(ts.SourceError, match="rows are gone"):
        _open(found).collect()


def test_a_summary_that_keeps_all_rows_takes_conditions(rows):
    few = rows[:500]
    found, plain = (ts.compare(a, rows, where="x > 0", rng=0) for a in (ts.summarize(few), few))
    kept = len(few.filter(pl.col("x") > 0))
    assert found.columns[0].a.rows == plain.columns[0].a.rows == kept < 500
    assert [column.pvalue for column in found.columns] == [column.pvalue for column in plain.columns]


def _open(summary):
    from twosample.sources import open_table

    return open_table(summary)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, p: ts.summarize(r.select("x"), like=p), "columns of the summary"),
        (lambda r, p: p.merge(ts.summarize(r.select(reversed(r.columns)))), "different orders"),
        (lambda r, p: ts.summarize(ts.summarize(r.select(reversed(r.columns)), rows=10), like=p), "in its order"),
        (lambda r, p: p.merge(ts.summarize(r.select("x"))), "different columns"),
        (lambda r, p: p.merge(3), "takes summaries"),
        (lambda r, p: ts.summarize(r, like=3), "must be a summary"),
        (lambda r, p: ts.summarize(r, rows=0), "rows"),
        (lambda r, p: ts.summarize(r, first_row=-1), "first_row"),
        (lambda r, p: p.merge(ts.summarize(r.with_columns(x=pl.lit("a")))), "cannot stand in one table"),
    ],
)
def test_messages(rows, plan, call, message):
    with pytest.raises(ts.TwosampleError, match=message):
        call(rows, plan)
