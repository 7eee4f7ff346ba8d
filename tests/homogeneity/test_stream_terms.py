"""How a stream is cut: rows of small batches wait, large batches are taken as they are, and the answer is the same."""

from __future__ import annotations

import copy
import itertools
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest

import twosample as ts
from tests import naive
from tests.homogeneity.streamed import KERNELS, sample
from twosample.homogeneity import stream_terms
from twosample.homogeneity.stream import LinearTimeMMD
from twosample.homogeneity.stream_terms import NOTHING, Arrived, Waiting, consume


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("d", [1, 3, 10])
@pytest.mark.parametrize("enough", [0, 200, 10**9])
def test_when_rows_are_worked_on_does_not_matter(kernel, d, enough, monkeypatch):
    """Each batch at once, some together, or all when the answer is asked for."""
    monkeypatch.setattr(stream_terms, "_ENOUGH", enough)
    x, y = np.random.default_rng(d).normal(size=(2, 301, d))
    terms = naive.linear_terms(x, y, naive.of(kernel))
    s = LinearTimeMMD(kernel)
    for start in range(0, 301, 43):
        s.update(x[start : start + 43], y[start : start + 43])
        assert s.terms == min(start + 43, 301) // 2
    assert s.pending == (1, 1)
    assert s.statistic == pytest.approx(np.mean(terms), rel=1e-12, abs=1e-16)
    assert (s.terms, s.pending) == (150, (1, 1))


@pytest.mark.parametrize("d", [1, 2, 7, 33])
@pytest.mark.parametrize("metric", ["squared", "absolute"])
def test_four_sums(d, metric, monkeypatch):
    monkeypatch.setattr(stream_terms, "_SMALL", 100)  # products in several parts
    x, y = np.random.default_rng(d).normal(size=(2, 2, 20, d))
    x[0, 2, 0], y[1, 4, d // 2], x[0, 7, -1] = np.nan, np.inf, 1e200
    with np.errstate(over="ignore", invalid="ignore"):
        workspace = np.empty((40, d)), np.empty(80)
        found = stream_terms._four_sums(x, y, 0.3, metric == "absolute", workspace)
        size = np.abs if metric == "absolute" else np.square
        pairs = (x[0], x[1]), (y[0], y[1]), (x[0], y[1]), (x[1], y[0])
        plain = np.array([0.3 * size(a - b).sum(axis=1) for a, b in pairs])
    bad = ~np.isfinite(plain)
    assert not np.isfinite(found[bad]).any()
    fine = ~bad & (np.abs(plain) < 1e100)
    np.testing.assert_allclose(found[fine], plain[fine], rtol=1e-13)
    assert fine.sum() >= 80 - 3 * 2  # a row that is not finite spoils two sums of its own term


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "layout",
    [np.asfortranarray, read_only, np.float32, lambda x: x[::-1], lambda x: x.tolist(), pl.DataFrame, pd.DataFrame],
    ids=["fortran", "read-only", "single", "reversed", "lists", "polars", "pandas"],
)
@pytest.mark.parametrize("d", [1, 4])
def test_large_batches_take_what_small_ones_take(layout, d, monkeypatch):
    x, y = np.random.default_rng(d).normal(size=(2, 50, d))
    small = LinearTimeMMD(ts.Gaussian(1.0)).update(layout(x), layout(y))
    monkeypatch.setattr(stream_terms, "_ENOUGH", 1)
    large = LinearTimeMMD(ts.Gaussian(1.0)).update(layout(x), layout(y))
    assert large.statistic == pytest.approx(small.statistic, rel=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_large_batch_refuses_what_a_small_one_does(bad, monkeypatch):
    monkeypatch.setattr(stream_terms, "_ENOUGH", 1)
    x, y = sample()
    y[17, 0] = bad
    s = LinearTimeMMD(ts.Gaussian(1.0))
    with pytest.raises(ts.InputError, match="y"):
        s.update(x, y)
    assert s.terms == 0


def test_sums_that_overflow_are_no_infinite_rows():
    x, y = np.full((4, 2), 1.5e308), np.full((4, 2), -1.5e308)
    assert LinearTimeMMD(ts.Gaussian(1.0)).update(x, y).statistic == 2.0


def test_the_batch_may_be_changed_afterwards():
    """Rows that wait are copies."""
    x, y = sample(30, 30)
    mine = x.copy(), y.copy()
    s = LinearTimeMMD(ts.Gaussian(1.0)).update(*mine)
    mine[0][:], mine[1][:] = 7.0, 9.0
    assert s.statistic == pytest.approx(naive.mmd2_linear(x, y, naive.of(ts.Gaussian(1.0))), rel=1e-12)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_go_their_own_ways(copied):
    x, y = sample(60, 60)
    one = LinearTimeMMD(ts.Gaussian(1.0)).update(x[:11], y[:11])
    two = copied(one)
    one.update(x[11:30], y[11:30])
    two.update(x[30:], y[30:])
    both = [np.concatenate([part[:11], part[30:]]) for part in (x, y)]
    for stream, (a, b) in ((one, (x[:30], y[:30])), (two, both)):
        assert stream.statistic == pytest.approx(naive.mmd2_linear(a, b, naive.of(ts.Gaussian(1.0))), rel=1e-12)
    assert (one.rows, two.rows) == ((30, 30), (41, 41))


def test_waiting_rows_are_those_that_came():
    rng, expected = np.random.default_rng(0), np.empty((0, 3))
    waiting = Waiting()
    for _ in range(300):
        rows = rng.normal(size=(rng.integers(0, 400), 3))
        waiting, expected = waiting.plus(rows), np.concatenate([expected, rows])
        gone = rng.integers(0, len(expected) // 2 + 2) if rng.random() < 0.3 else 0  # pairs
        waiting, expected = waiting.minus(gone), expected[2 * gone :]
        assert waiting.size == len(expected)
        assert np.array_equal(waiting.rows.reshape(-1, 3), expected)


def test_pairs_of_rows_that_wait_and_of_a_batch_behind_them():
    """Wherever the pairs are cut, and however many rows wait."""
    rows = np.random.default_rng(0).normal(size=(23, 2))
    room = np.empty((2, 12), dtype=np.dtype((np.void, 16)))
    for held in range(12):
        arrived = Arrived(Waiting().plus(rows[:held]), rows[held:])
        for start, stop in itertools.combinations(range(12), 2):
            pairs = arrived.pairs(start, stop, room)
            assert np.array_equal(pairs[0], rows[2 * start : 2 * stop : 2])
            assert np.array_equal(pairs[1], rows[2 * start + 1 : 2 * stop : 2])
            left = arrived.without(stop)
            both = np.concatenate([left.waiting.rows.reshape(-1, 2), left.batch])
            assert np.array_equal(both, rows[2 * stop :])


def test_waiting_rows_give_back_memory():
    waiting = Waiting().plus(np.zeros((10**6, 1)))
    assert waiting.minus(499_990).room.size < 10**5
    assert waiting.minus(500_000).room.size < 10**5


def test_memory_does_not_grow():
    rng = np.random.default_rng(0)
    s, kept = LinearTimeMMD(ts.Gaussian(3.0)), []
    tracemalloc.start()
    try:
        for _ in range(3):
            for _ in range(50):
                s.update(rng.normal(size=(1001, 5)), rng.normal(size=(1003, 5)))
                s.update(rng.normal(size=(1003, 5)), rng.normal(size=(1001, 5)))
            kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(kept) < kept[0] + 10_000


def test_only_kernels_that_refuse_no_finite_row_wait():
    x, y = np.array([[1e200], [1.0]]), np.array([[0.0], [1.0]])
    with pytest.raises(ts.InputError, match="overflow"):
        consume(ts.Linear(), (Waiting(), Waiting()), (x, y))
    moments, (left, right) = consume(ts.Gaussian(1.0), (Waiting(), Waiting()), (x, y))
    assert moments is NOTHING
    assert (left.size, right.size) == (2, 2)
