"""Sums by group, against NumPy's own."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse

from twosample.core.scatter import Scatter, scatter
from twosample.core.scratch import CHUNK


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 1 << 13])
@pytest.mark.parametrize("count", [0, 1, 77, CHUNK])
def test_sums_and_counts(size, count):
    check(scatter(), size, count)


def check(tally, size, count):
    rng = np.random.default_rng(count)
    groups, values = rng.integers(0, size, count), rng.integers(-1000, 1000, count).astype(float)
    tally.groups[:count], tally.values[:count] = groups, values
    tally.place(count, size)
    counts, sums = np.bincount(groups, minlength=size), np.zeros(size)
    np.add.at(sums, groups, values)
    assert np.array_equal(tally.counts(), counts)
    assert tally.counts().dtype == np.int32
    assert np.array_equal(tally.sums(), sums)


@pytest.mark.parametrize("bad", [-1, 8, np.iinfo(np.int32).min])
def test_groups_that_are_not_there(bad):
    tally = scatter()
    tally.groups[:3] = 0, bad, 1
    with pytest.raises(IndexError, match="between 0 and 7"):
        tally.place(3, 8)


def test_threads_have_their_own():
    found = []
    thread = threading.Thread(target=lambda: found.append(scatter()))
    thread.start()
    thread.join()
    assert found[0] is not scatter()
    assert scatter() is scatter()


@pytest.mark.parametrize("copied", [0, 1, 2])
def test_a_scipy_that_copies_its_arrays(monkeypatch, copied):
    """Data, indices or ends: what is filled in later would not be in its matrices."""
    real = scipy.sparse.csc_array

    def copying(arrays, shape):
        return real(tuple(part.copy() if k == copied else part for k, part in enumerate(arrays)), shape=shape)

    monkeypatch.setattr(scipy.sparse, "csc_array", copying)
    tally = Scatter()
    for count in (CHUNK, 5, 0, 77):
        check(tally, 10, count)
    assert tally._known == {10: None}


def test_this_scipy_keeps_its_arrays():
    tally = Scatter()
    check(tally, 10, 77)
    assert tally._known[10] is not None
