"""Sums by group, against NumPy's own."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy.sparse import _sparsetools

from twosample.core.scatter import Scatter, scatter
from twosample.core.scratch import CHUNK


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 1 << 13])
@pytest.mark.parametrize("count", [0, 1, 77, CHUNK])
def test_sums_and_counts(size, count):
    check(scatter(), size, count)


def check(tally, size, count):
    rng = np.random.default_rng(count)
    groups, values = rng.integers(0, size, count), rng.integers(-(1 << 47), 1 << 47, count)
    tally.groups[:count], tally.values[:count] = groups, values
    tally.place(count, size)
    for add, parts in ((tally.count, 1), (tally.add, values)):
        sums = rng.integers(-9, 9, size)  # what there is stays
        expected = sums.copy()
        np.add.at(expected, groups, parts)
        add(sums)
        assert np.array_equal(sums, expected)


@pytest.mark.parametrize("bad", [-1, 8, np.iinfo(np.int32).min])
def test_groups_that_are_not_there(bad):
    tally = scatter()
    tally.groups[:3] = 0, bad, 1
    with pytest.raises(IndexError, match="between 0 and 7"):
        tally.place(3, 8)


def test_as_many_sums_as_groups():
    tally = scatter()
    tally.groups[:3] = 0, 7, 1
    tally.place(3, 8)
    with pytest.raises(IndexError, match="8 sums, one of each group; 7 came"):
        tally.count(np.zeros(7, dtype=np.int64))


def test_threads_have_their_own():
    found = []
    thread = threading.Thread(target=lambda: found.append(scatter()))
    thread.start()
    thread.join()
    assert found[0] is not scatter()
    assert scatter() is scatter()


def test_a_scipy_without_that_function(monkeypatch):
    assert Scatter()._product is _sparsetools.csc_matvec  # this one has it
    monkeypatch.delattr(_sparsetools, "csc_matvec")
    tally = Scatter()
    assert tally._product is None
    for count in (CHUNK, 5, 0, 77):
        check(tally, 10, count)
