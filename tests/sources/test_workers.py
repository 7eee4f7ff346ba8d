"""Dask: two worker processes make the summaries. Spark: test_spark.py."""

import os
import signal
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import twosample as ts
from tests.sources.test_partial import table
from twosample.sources import open_table, partitioned, workers

dask = pytest.importorskip("dask")
frames = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask, about ports and events that came late
NAMES = ["x", "i", "day", "at", "flag", "city", "word", "digits", "date", "kind"]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def sides():
    pytest.importorskip("pyarrow")
    return [table(26_000, seed).select(NAMES).to_pandas() for seed in (1, 2)]


def columns(found):
    """All that is said of columns, texts apart, which are compared in the rows that were kept."""
    known = [part for part in found.columns if part.kind != "text"]
    return {
        part.name: (
            part.pvalue, part.kernel_pvalue, part.effect, part.effect_low, part.effect_high, part.missing_a, part.rows_a
        )
        for part in known
    }  # fmt: skip


@pytest.fixture(scope="module")
def wanted(client, sides):
    return ts.compare(*(frames.from_pandas(side, npartitions=1) for side in sides), sample=3000)


@pytest.mark.parametrize("count", [7, 64])
def test_partitions_do_not_matter(client, sides, wanted, count):
    found = ts.compare(*(frames.from_pandas(side, npartitions=count) for side in sides), sample=3000)
    assert columns(found) == columns(wanted)
    assert found.a.rows == 26_000
    assert "on all rows" in found.notes[0]
    assert any("partitions" in note for note in found.notes)


def test_the_same_as_the_table_in_memory(sides, wanted):
    direct = ts.compare(*sides, sample=3000)
    assert wanted.verdict == direct.verdict
    for part in direct.columns:
        assert wanted[part.name].kind == part.kind
        assert wanted[part.name].kernel_pvalue == pytest.approx(part.kernel_pvalue, abs=0.02)


def test_empty_and_skewed_partitions(client, sides, wanted):
    skewed = []
    for side in sides:
        cuts = [0, 0, 1, 25_000, 25_000, 26_000, 26_000]
        parts = [side.iloc[a:b] for a, b in pairwise(cuts)]
        skewed.append(frames.from_delayed([dask.delayed(part) for part in parts], meta=side.iloc[:0]))
    assert columns(ts.compare(*skewed, sample=3000)) == columns(wanted)


def _slow(part, started):
    """A partition that takes its time, and says who has it."""
    with Path(started).open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.5)
    return part


def test_a_worker_that_is_killed(client, sides, wanted, tmp_path):
    """Dask starts another one, and runs anew what is missing: the same answer."""
    from threading import Thread

    started, slow = tmp_path / "started", []
    for side in sides:
        frame = frames.from_pandas(side, npartitions=6)
        slow.append(frame.map_partitions(_slow, str(started), meta=frame._meta))
    killed = []

    def kill():
        for _ in range(200):
            pids = started.read_text().split() if started.exists() else []
            if len(pids) >= 3:
                killed.append(int(pids[0]))
                os.kill(killed[0], signal.SIGKILL)
                return
            time.sleep(0.05)

    assassin = Thread(target=kill)
    assassin.start()
    found = ts.compare(*slow, sample=3000)
    assassin.join()
    assert killed
    assert columns(found) == columns(wanted)
    assert killed[0] not in {int(pid) for pid in started.read_text().split()[-2:]}


def _fails(part):
    raise RuntimeError("no rows today: https://ada:hunter2@db.example/shop?password=hunter2")


def test_errors_of_workers_are_ours(client, sides):
    broken = frames.from_pandas(sides[0], npartitions=2).map_partitions(_fails, meta=sides[0].iloc[:0])
    with pytest.raises(ts.SourceError, match="no rows today") as caught:
        ts.compare(broken, sides[1])
    assert "hunter2" not in str(caught.value)
    assert caught.value.__context__ is None


def test_workers_without_this_package(sides, monkeypatch):
    """The engine's own queries take over, and a warning says what to install where."""

    def absent(self, work):
        raise ModuleNotFoundError("No module named 'twosample'")

    monkeypatch.setattr(workers.DaskWorkers, "parts", absent)
    monkeypatch.setattr("twosample.sources.remote.HELD_ROWS", 4000)
    frame = frames.from_pandas(sides[0], npartitions=2)
    with pytest.warns(UserWarning, match="install twosample there"):
        found = ts.compare(frame, sides[1], select=["x", "i"], sample=1000)
    assert found["i"].rows_a == 4000


def test_small_tables_are_those_in_memory(sides):
    few = [side.iloc[:50] for side in sides]
    there = ts.compare(*(frames.from_pandas(side, npartitions=3) for side in few), select=["x", "i", "flag"])
    here = ts.compare(*few, select=["x", "i", "flag"])
    assert columns(there) == columns(here)


def test_no_more_rows_than_memory_has_are_held(sides, monkeypatch):
    monkeypatch.setattr("twosample.sources.remote.HELD_ROWS", 2000)
    frame = frames.from_pandas(sides[0], npartitions=3)
    found = ts.compare(frame, frames.from_pandas(sides[1], npartitions=3), sample=10**9, select=["x", "i"])
    assert 1900 <= found.a.sampled <= 2000  # whole groups of rows
    assert any("no more than 2,000 are held" in note for note in found.notes)
    assert found["i"].rows_a == 26_000


def test_one_pass_answers_everything(sides, monkeypatch):
    passes, real = [], workers.DaskWorkers.parts
    monkeypatch.setattr(workers.DaskWorkers, "parts", lambda self, work: passes.append(work) or real(self, work))
    left, right = (frames.from_pandas(side, npartitions=3) for side in sides)
    ts.compare(left, right, sample=3000)
    assert len(passes) == 2
    table = open_table(left)
    assert table.row_count() == 26_000
    profile, counts = table.profile(), table.category_counts(["city"])
    assert len(table.sample(100, seed=0)) == 100
    assert len(passes) == 3
    assert profile[0].rows == sum(n for _, n in counts["city"].values) + counts["city"].missing
    counted = {str(value): rows for value, rows in sides[0]["i"].value_counts().items()}
    assert dict(table.category_counts(["i"])["i"].values) == counted
    assert len(passes) == 4
    assert passes[-1].counted == ("i",)


def test_summarize(client, sides):
    whole, other = (ts.summarize(frames.from_pandas(sides[0], npartitions=k), rows=1000) for k in (5, 12))
    for one, two in zip(whole.columns, other.columns, strict=True):
        assert one.distinct.count == two.distinct.count
        assert one.counts == two.counts
        assert (one.bins is None) == (two.bins is None) == (one.info.name in ("city", "word", "kind"))
        if one.bins is not None:
            assert one.bins.grid == two.bins.grid
            assert np.array_equal(one.bins.sums, two.bins.sums)
    assert whole.profile == other.profile
    local = {part.name: part for part in ts.summarize(sides[0]).profile}
    for part in whole.profile:
        mean = local[part.name].mean
        assert part.mean is mean is None or part.mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
    like = ts.summarize(sides[1], rows=1000)
    there = ts.summarize(frames.from_pandas(sides[0], npartitions=5), like=like)
    here = ts.summarize(sides[0], like=like)
    for one, two in zip(there.columns, here.columns, strict=True):
        if two.bins is not None:
            assert np.array_equal(one.bins.counts, two.bins.counts)
            np.testing.assert_allclose(one.bins.moments, two.bins.moments, atol=1e-4)
    assert there.merge(here).rows == 52_000
    with pytest.raises(ts.InputError, match="first_row"):
        ts.summarize(frames.from_pandas(sides[0], npartitions=5), first_row=3)


def test_no_rows(sides):
    nothing = frames.from_pandas(sides[0].iloc[:0], npartitions=1)
    assert ts.summarize(nothing).rows == 0
    with pytest.raises(ts.InputError, match="no rows"):
        ts.compare(nothing, sides[1])


def test_a_table_keeps_what_was_found(sides):
    table = open_table(frames.from_pandas(sides[0], npartitions=3))
    assert isinstance(table._rows, partitioned.PartitionedRows)
    assert table.sample(2000, seed=5).equals(table.sample(2000, seed=5))
    assert not table.sample(2000, seed=5).equals(table.sample(2000, seed=6))
    names = ["i", "at", "digits"]
    assert set(table.sample(100, seed=5).select(names).rows()) < set(table.sample(2000, seed=5).select(names).rows())


def test_sketches_of_all_rows(sides):
    """One column, where its rows are; the p-value is that of a sketch of the rows."""
    there = [ts.Sketch.fit(frames.from_pandas(side, npartitions=k)["i"]) for k, side in zip((3, 5), sides, strict=True)]
    here = [ts.Sketch.fit(side["i"].to_numpy()) for side in sides]
    assert there[0].rows == 26_000
    assert ts.mmd_test(*there).pvalue == pytest.approx(ts.mmd_test(*here).pvalue, abs=1e-6)
    grown = ts.Sketch.fit(sides[0]["i"].to_numpy()[:100]).update(frames.from_pandas(sides[1], npartitions=2)[["i"]])
    assert grown.rows == 26_100
    assert ts.Sketch().update(frames.from_pandas(sides[0].iloc[:0], npartitions=1)[["i"]])._state is None


@pytest.mark.parametrize(
    ("names", "match"),
    [(["x"], "missing, NaN or infinite"), (["x", "i"], "missing, NaN"), (["i", "city"], "'city' holds")],
)
def test_columns_that_cannot_be_sketched(sides, names, match):
    with pytest.raises(ts.InputError, match=match):
        ts.Sketch.fit(frames.from_pandas(sides[0], npartitions=3)[names])


def test_every_row_in_the_joint_test(client, sides, monkeypatch):
    """The same test as here, up to which group a row is in; and the same bits for the same partitions."""
    monkeypatch.setattr(sys.modules["twosample.tables.compare"], "HELD", 3000)
    left, right = (side[["i", "day", "city"]].assign(j=side["i"] + np.arange(26_000) % 7) for side in sides)
    right["j"] = right["j"].sample(frac=1, random_state=1).to_numpy()
    there = [
        ts.compare(*(frames.from_pandas(side, npartitions=5) for side in (left, right)), sample=None) for _ in "ab"
    ]
    here = ts.compare(left, right, sample=None)
    for found in (*there, here):
        assert (found.joint.m, found.joint.n) == (26_000, 26_000)
        assert any({*part.columns} == {"i", "j"} for part in found.findings if part.what == "together")
    assert there[0].joint.statistic == there[1].joint.statistic


def test_summaries_hold_the_same_sums(client, sides):
    """Of all rows, whichever groups they are in; the reference may be made there or here."""
    names = ["x", "i", "day", "city", "digits", "kind"]
    left, right = (side[names] for side in sides)
    here = ts.summarize(left, rows=1000)
    there = ts.summarize(frames.from_pandas(left, npartitions=7), like=here)
    assert np.array_equal(there.sums.moments.sum(axis=0), here.sums.moments.sum(axis=0))
    again = [ts.summarize(frames.from_pandas(right, npartitions=7), like=here) for _ in "ab"]
    assert again[0].to_bytes() == again[1].to_bytes()
    found = ts.compare(there, again[0])
    assert (found.joint.m, found.joint.n) == (26_000, 26_000)
    assert ts.compare(here, frames.from_pandas(right, npartitions=7)).joint.n == 26_000
    first = ts.summarize(frames.from_pandas(left, npartitions=7), rows=1000)
    assert first.sums.moments[:, 0].sum() == 26_000
    assert ts.compare(first, right).joint.n == 26_000


def test_outliers_are_scored_where_rows_are(client, sides):
    """Rows of all partitions in their order; the answer is that for the table in memory."""
    names = ["i", "day", "city"]
    usual, new = sides[0][names].iloc[:2000], sides[1][names].iloc[:3000].copy()
    new.iloc[[5, 1700, 2999], 0] = 10**6
    there, here = ts.outliers(usual, frames.from_pandas(new, npartitions=12)), ts.outliers(usual, new)
    assert [(one.row, one.columns, one.why) for one in there.rows] == [(o.row, o.columns, o.why) for o in here.rows]
    assert {5, 1700, 2999} <= {one.row for one in there.rows}
    np.testing.assert_allclose(there.scores, here.scores, atol=1e-12)
    assert there.pvalue == here.pvalue


def test_other_questions_to_frames_of_workers(sides):
    """They take a sample of the rows, drawn where these are; no more is collected."""
    left, right = (frames.from_pandas(side[["i", "flag", "city"]], npartitions=4) for side in sides)
    found = {(pair.source, pair.target) for pair in ts.match(left, right.rename(columns={"i": "j"})).pairs}
    assert ("i", "j") in found
    assert "1000 of 26000 rows" in str(ts.independence_matrix(left, sample=1000))
    odd = ts.outliers(left, sides[1][["i", "flag", "city"]].iloc[:50], sample=1000)
    assert odd.learnt == 1000
