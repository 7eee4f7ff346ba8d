"""Summaries of parts: the same whatever the parts and their order; against the rows themselves."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import column_tally, open_table, partial, tallies
from twosample.sources.partial import PART, Work, part_of, united

ROWS = 4000


def table(n=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n)),
            "inf": np.where(rng.random(n) < 0.01, -np.inf, rng.standard_cauchy(n)),
            "i": rng.integers(-50, 50, n),
            "day": pl.Series(rng.integers(0, 9999, n)).cast(pl.Date),
            "at": pl.Series(rng.integers(0, 10**15, n)).cast(pl.Datetime("us", "UTC")),
            "flag": rng.random(n) < 0.3,
            "city": pl.Series(rng.choice(["Oslo", "Rome", ""], n)).replace({"": None}),
            "word": [f"w{v}" for v in rng.integers(0, 3000, n)],
            "digits": [str(v) for v in rng.integers(0, 10**6, n)],
            "date": [f"2024-0{m}-1{m}" for m in rng.integers(1, 9, n)],
            "kind": pl.Series(rng.choice(["a", "b"], n), dtype=pl.Categorical),
            "money": pl.Series(rng.integers(0, 10**4, n)).cast(pl.Decimal(10, 2)),
            "list": pl.Series([[1, 2], None] * (n // 2)),
            "none": pl.Series([None] * n),
            "pa`th.*\"'<b>": rng.random(n),
        }
    )


FRAME = table()
COLUMNS = open_table(FRAME).columns
WORK = Work(COLUMNS, 500, 3, ("i", "day"))


def pieces(frame, cuts, seed):
    order = np.random.default_rng(seed).permutation(len(frame))
    return [frame[order[a:b].tolist()] for a, b in zip([0, *cuts], [*cuts, len(frame)], strict=True)]


def without_sample(summary):
    """All but the rows that were kept, as bytes."""
    from dataclasses import replace

    kept = replace(summary.sample, frame=summary.sample.frame.clear(), keys=np.empty(0),
                   numbers=np.empty(0, dtype=np.int64))  # fmt: skip
    return replace(summary, sample=kept).to_bytes()


@pytest.mark.parametrize("few", [False, True])
def test_any_split_in_any_order_gives_the_same(few, monkeypatch):
    if few:  # cut digits and forget counts in small tables, too
        monkeypatch.setattr(tallies, "MOST", 100)
        monkeypatch.setattr(column_tally, "_MERGED", 500)
    whole = without_sample(part_of([FRAME], WORK))
    for seed, cuts in enumerate([[2000], [0, 1, 1, 3999], range(571, 4000, 571), range(63, 4000, 63)]):
        parts = [WORK.part([part], place) for place, part in enumerate(pieces(FRAME, cuts, seed))]
        order = np.random.default_rng(seed).permutation(len(parts))
        assert without_sample(united(parts[k] for k in order)) == whole
        groups = [WORK.merged(parts[k] for k in order[group::5]) for group in range(5)]
        assert without_sample(united(reversed(groups))) == whole


def test_batches_do_not_matter(monkeypatch):
    once = part_of([FRAME], WORK, 4)
    some = part_of([FRAME[at : at + 170] for at in range(0, ROWS, 170)], WORK, 4)
    monkeypatch.setattr(partial, "_BATCH", 100)
    many = part_of([FRAME[:1], FRAME[1:1], FRAME[1:]], WORK, 4)
    for found in (some, many):
        assert without_sample(found) == without_sample(once)
        assert found.sample.frame.equals(once.sample.frame)
        assert np.array_equal(found.sample.keys, once.sample.keys)
        assert np.array_equal(found.sample.numbers, once.sample.numbers)


def test_what_is_found():
    found = {column.info.name: column for column in part_of([FRAME], WORK).columns}
    profile = {part.name: part for part in part_of([FRAME], WORK).profile}
    local = {part.name: part for part in open_table(FRAME).profile()}
    for name, wanted in local.items():
        same = profile[name]
        assert (same.rows, same.missing, same.infinite) == (wanted.rows, wanted.missing, wanted.infinite)
        assert (same.min, same.max, same.distinct) == (wanted.min, wanted.max, wanted.distinct)
        if wanted.mean is not None:
            assert same.mean == pytest.approx(wanted.mean, rel=1e-9, abs=1e-12)
            assert same.std == pytest.approx(wanted.std, rel=1e-9)
    assert found["city"].counts.values == dict(FRAME["city"].drop_nulls().value_counts().iter_rows())
    assert found["i"].counts.values == {str(v): n for v, n in FRAME["i"].value_counts().iter_rows()}
    assert set(found["day"].counts.values) == set(FRAME["day"].cast(pl.String))
    assert found["digits"].points.rows == ROWS
    assert found["date"].date_points.rows == ROWS
    assert found["city"].points.rows == found["city"].date_points.rows == 0
    assert found["x"].counts is None


def test_no_rows_and_one():
    assert WORK.part([], 0) == WORK.part([FRAME.head(0)], 0) == WORK.merged([]) == b""
    assert united([b"", b""]) is None
    one = united([b"", WORK.part([FRAME.head(1)], 0), b""])
    assert one.rows == 1
    assert one.whole
    nothing = part_of([FRAME.head(0)], WORK)
    assert nothing.rows == 0
    assert nothing.merge(one).rows == 1
    assert [column.info.name for column in part_of([], WORK).columns] == FRAME.columns


def test_the_same_again():
    assert WORK.part([FRAME], 4) == WORK.part([FRAME], 4)
    assert WORK.part([FRAME], 4) != WORK.part([FRAME], 5)


def test_sample_by_row_identity():
    """Rows are numbered by part and place; equal rows, and equal parts, are drawn independently of each other."""
    same = pl.DataFrame({"x": np.zeros(1000), "r": np.arange(1000)})
    work = Work(open_table(same).columns, 300, 0)
    parts = [part_of([same], work, place) for place in range(4)]
    whole = parts[2].merge(parts[0], parts[3], parts[1])
    part, row = np.divmod(whole.sample.numbers, 1 << PART)
    assert len(whole.sample.numbers) == len(np.unique(whole.sample.numbers)) == 300
    assert np.array_equal(whole.sample.frame["r"].to_numpy(), row)
    assert set(part) == {0, 1, 2, 3}
    assert len(np.unique(row)) > 240  # of 300 draws from 1000 numbers, not four times the same


def test_merged_sample_is_uniform():
    frame = pl.DataFrame({"r": np.arange(3000)})
    share, columns = [], open_table(frame).columns
    for seed in range(60):
        parts = [part_of([frame[a:b]], Work(columns, 200, seed), k) for k, (a, b) in enumerate([(0, 300), (300, 3000)])]
        share.append((parts[0].merge(parts[1]).sample.frame["r"] < 300).mean())
    assert np.mean(share) == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 200 / 60))


def test_parts_of_other_types_meet():
    """Objects of pandas may be text in one part and numbers in another, or nothing at all."""
    columns = open_table({"s": ["a", "b"]}).columns
    parts = [
        Work(columns, 10, 0).part([pl.DataFrame({"s": values})], place)
        for place, values in enumerate([["a", None], [1, 2], [None, None], pl.Series(["c"], dtype=pl.Categorical)])
    ]
    found = united(parts)
    assert found.columns[0].counts.values == {"a": 1, "1": 1, "2": 1, "c": 1}
    assert found.columns[0].missing == 3
    assert sorted(found.sample.frame["s"].drop_nulls()) == ["1", "2", "a", "c"]


def test_a_summary_of_points_is_compared_saved_and_merged(tmp_path):
    a, b = table(6000, 1), table(5000, 2).with_columns(pl.col("i") + 9)
    left, right = (part_of([part], Work(COLUMNS, 2000, 3)) for part in (a, b))
    direct, held = ts.compare(a, b, sample=2000), ts.compare(left, right, sample=2000)
    assert held.verdict == direct.verdict == "different"
    for column in direct.columns:
        assert held[column.name].kind == column.kind
        assert held[column.name].effect == pytest.approx(column.effect, abs=0.02)
    left.save(tmp_path / "a.tss")
    again = ts.TableSummary.load(tmp_path / "a.tss")
    assert again.to_bytes() == left.to_bytes()
    assert ts.compare(again, right, sample=2000).to_dict()["columns"] == held.to_dict()["columns"]
    total = {part.name: part for part in left.binned().profile}["x"]
    assert total.mean == pytest.approx(a["x"].drop_nans().mean())
    assert total.std == pytest.approx(a["x"].drop_nans().std())
    assert ts.compare(left.binned(), right.binned(), sample=2000).verdict == "different"
    bins = ts.summarize(a, rows=2000)
    for mixed in (bins.merge(right), right.merge(bins)):  # points go into the bins of the other
        assert mixed.rows == 11_000
        total = {part.name: part for part in mixed.profile}["i"]
        assert total.mean == pytest.approx(pl.concat([a["i"], b["i"]]).mean())
        assert total.std == pytest.approx(pl.concat([a["i"], b["i"]]).std())


def test_kinds_that_the_user_says():
    a, b = table(6000, 1), table(5000, 2)
    left, right = (part_of([part], Work(COLUMNS, 2000, 3)) for part in (a, b))
    said = {"date": "datetime", "digits": "numeric", "city": "categorical"}
    direct, held = (ts.compare(*pair, sample=2000, kinds=said) for pair in ((a, b), (left, right)))
    for name in said:
        assert held[name].kind == direct[name].kind
        assert held[name].kernel_pvalue == pytest.approx(direct[name].kernel_pvalue, abs=0.02)


@pytest.mark.parametrize("most", [0, 5, 700])
def test_text_is_taken_in_once_or_value_by_value(most, monkeypatch):
    """Counted to the end, until there are too many values, or not at all: the points, ends and hashes are the same."""
    frame = pl.DataFrame(
        {
            "n": [f"{code % 800 / 4}" for code in range(3000)],
            "d": [f"2024-{1 + code % 12:02}-{1 + code % 28:02}" for code in range(3000)],
            "w": [None if code % 7 == 0 else f"word {code % 600}" for code in range(3000)],
        }
    )

    def found():
        work = Work(open_table(frame).columns, 10, 0)
        return part_of([frame[at : at + 500] for at in range(0, 3000, 500)], work).columns

    monkeypatch.setattr(partial, "_BATCH", 500)
    whole = found()
    monkeypatch.setattr(column_tally, "_MERGED", 0)
    monkeypatch.setattr(tallies, "MOST_CATEGORIES", most)
    for one, other in zip(found(), whole, strict=True):
        assert other.counts.values
        assert (one.missing, one.low, one.high) == (other.missing, other.low, other.high)
        assert np.array_equal(one.distinct.hashes, other.distinct.hashes)
        for points in ("points", "date_points", "singles", "date_singles"):
            for part in ("values", "counts"):
                assert np.array_equal(getattr(getattr(one, points), part), getattr(getattr(other, points), part))
