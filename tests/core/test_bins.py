"""Numbers in bins, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from twosample.core import bins
from twosample.core.bins import add_counted_to_bins, add_to_bins
from twosample.core.scratch import CHUNK
from twosample.summaries.bins import UNITS


def by_the_definition(values, scale, offset, size):
    moments = np.zeros((size, 3))
    for value in values:
        place = min(max(value * scale - offset, 0.5), size - 0.5)
        u = place - np.floor(place) - 0.5
        moments[int(place)] += [1, u, u * u]
    return moments


@pytest.mark.parametrize("count", [0, 1, 500])
@pytest.mark.parametrize("buffer", [7, 1 << 15])
def test_bins(count, buffer, monkeypatch):
    monkeypatch.setattr(bins, "CHUNK", buffer)
    values = np.random.default_rng(count).normal(size=count) * 3
    values[: count // 50] = np.inf
    values[count // 50 : count // 25] = -1e300
    values[count // 25 : count // 10] = 0.25  # on an edge
    sums = empty(18)
    for part in (values[: count // 3], values[count // 3 :]):
        add_to_bins(part, 4.0, -9.0, sums)
    # each u and u² is rounded to 2**-31 at most
    expected = by_the_definition(values, 4.0, -9.0, 18).T
    np.testing.assert_allclose(sums / UNITS[:, None], expected, atol=count * 2.0**-31)
    assert sums[0].sum() == count


@pytest.mark.parametrize("high", [4.0, 4.0 - 2.0**-40, 4.0 + 2.0**-40, 1e300, np.inf])
def test_bins_of_numbers_whose_ends_are_known(high):
    """Whether or not they lie within the bins: 0.5 and 4.0 are the middle of the first and of the last one."""
    values = np.append(np.random.default_rng(1).uniform(0.5, 4.0, 100), [high, 0.5])
    known, unknown = empty(5), empty(5)
    add_to_bins(values, 1.0, -0.5, known, (0.5, high))
    add_to_bins(values, 1.0, -0.5, unknown)
    assert (known == unknown).all()
    assert known[0].sum() == len(values)


def empty(size):
    return np.zeros((3, size), dtype=np.int64)


@pytest.mark.parametrize("ends", [None, (2.0, 2.0)])
def test_as_many_rows_of_one_bin_as_are_told_apart_at_a_time_and_more(ends):
    """At the lower end of a bin u² is largest: 2**28 units."""
    count = bins._MOST + 1000
    sums, once = empty(5), empty(5)
    add_to_bins(np.full(count, 2.0), 1.0, 0.0, sums, ends)
    add_counted_to_bins(np.array([2.0]), np.array([count]), 1.0, 0.0, once)
    assert (sums == once).all()
    assert sums[:, 2].tolist() == [count, -count << 29, count << 28]


def test_bins_of_every_second_number():
    values = np.random.default_rng(0).normal(size=100)
    strided, plain = empty(10), empty(10)
    add_to_bins(values[::2], 1.0, -5.0, strided)
    add_to_bins(values[::2].copy(), 1.0, -5.0, plain)
    assert (strided == plain).all()


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    one, two = empty(40), empty(40)
    add_to_bins(values, 7.0, -20.0, one)
    for part in np.array_split(rng.permutation(values), 13):
        add_to_bins(part, 7.0, -20.0, two)
    assert (one == two).all()


@pytest.mark.parametrize("value", [0.0, 1 - 2.0**-40, 0.5, 0.25, 0.7])
@pytest.mark.parametrize("count", [1, CHUNK + 1, bins._MOST - 1, bins._MOST, 2 * bins._MOST + 1])
def test_one_sum_holds_rows_and_distances(value, count):
    """As many rows as a sum can hold, all of them in one bin and as far from its middle as can be."""
    sums = empty(3)
    add_to_bins(np.full(count, value), 1.0, -1.0, sums)
    u = int(np.rint((value - 0.5) * 2.0**30))
    square = int(np.rint((value - 0.5) ** 2 * 2.0**30))
    assert sums[:, 1].tolist() == [count, count * u, count * square]
    assert not sums[:, [0, 2]].any()


def test_sums_are_those_of_rounded_distances():
    """To the last digit, with what SciPy and the digits of doubles have no part in."""
    values = np.random.default_rng(2).normal(size=50_000)
    sums, expected = empty(70), empty(70)
    add_to_bins(values, 7.0, -35.0, sums, (float(values.min()), float(values.max())))
    places = values * 7.0 + 35.0
    u = np.rint((places - np.floor(places) - 0.5) * 2.0**30)
    squares = np.rint(u * u * 2.0**-30)
    for row, units in zip(expected, (np.ones(len(u)), u, squares), strict=True):
        np.add.at(row, np.floor(places).astype(int), units.astype(np.int64))
    assert (sums == expected).all()


def test_counts_stand_for_rows():
    rng = np.random.default_rng(1)
    values, counts = rng.normal(size=300), rng.integers(1, 7_000, 300)
    one, two = empty(40), empty(40)
    add_to_bins(np.repeat(values, counts), 5.0, -20.0, one)
    add_counted_to_bins(values, counts, 5.0, -20.0, two)
    assert (one == two).all()


def test_sums_of_many_rows_are_exact():
    """Of more rows than doubles could add up."""
    sums = empty(4)
    add_counted_to_bins(np.array([0.6, 1.1]), np.array([1 << 32, 3]), 1.0, -1.0, sums)
    u = np.array([int(np.rint((value - 0.5) * 2.0**30)) for value in (0.6, 0.1)])
    assert sums[0].tolist() == [0, 1 << 32, 3, 0]
    assert sums[1].tolist() == [0, int(u[0]) << 32, 3 * int(u[1]), 0]
