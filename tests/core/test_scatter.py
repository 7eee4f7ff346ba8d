"""Sums by group, against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import _sparsetools

from twosample.core import scatter
from twosample.core.scatter import add_by_group
from twosample.core.scratch import CHUNK


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 1 << 13])
@pytest.mark.parametrize("count", [0, 1, 77, CHUNK])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_sums_and_counts(size, count, kind):
    check(size, count, kind)


def check(size, count, kind):
    rng = np.random.default_rng(count)
    groups, values = rng.integers(0, size, count, dtype=kind), rng.integers(-(1 << 62), 1 << 62, count)
    for unsigned in (False, True):
        view = np.uint64 if unsigned else np.int64
        for given, parts in ((None, np.ones(count, dtype=np.int64)), (values.view(view), values)):
            sums = rng.integers(-9, 9, size)  # what there is stays
            expected = sums.copy()
            np.add.at(expected, groups, parts)  # modulo 2**64
            add_by_group(sums.view(view), groups, given)
            assert np.array_equal(sums, expected)


def test_counts_of_32_digits():
    groups = np.random.default_rng(0).integers(0, 9, 1000)
    sums = np.zeros(9, dtype=np.int32)
    add_by_group(sums, groups)
    assert np.array_equal(sums, np.bincount(groups))


@pytest.mark.parametrize("bad", [-1, 8, np.iinfo(np.int32).min])
def test_groups_that_are_not_there(bad):
    with pytest.raises(IndexError, match="between 0 and 7"):
        add_by_group(np.zeros(8, dtype=np.int64), np.array([0, bad, 1], dtype=np.int32))


@pytest.mark.parametrize("values", [np.ones(2, dtype=np.int64), np.ones(4, dtype=np.int64), np.ones(3)])
def test_a_number_for_each_group(values):
    with pytest.raises(IndexError, match="a number of type int64 for each of 3 groups"):
        add_by_group(np.zeros(8, dtype=np.int64), np.array([0, 7, 1]), values)


def test_no_more_ones_than_are_kept():
    with pytest.raises(IndexError, match="for each of"):
        add_by_group(np.zeros(1, dtype=np.int64), np.zeros(CHUNK + 1, dtype=np.int32))


@pytest.mark.parametrize(("name", "found"), [("csc_matvec", scatter._product), ("csr_column_index1", scatter._count)])
def test_a_scipy_without_that_function(monkeypatch, name, found):
    assert found() is getattr(_sparsetools, name)  # this one has it
    with monkeypatch.context() as without:
        without.delattr(_sparsetools, name)
        found.cache_clear()
        assert found() is None
        for count in (CHUNK, 5, 0, 77):
            check(10, count, np.int32)
            check(10, count, np.int64)
    found.cache_clear()
