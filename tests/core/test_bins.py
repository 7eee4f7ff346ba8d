"""Numbers in bins, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from twosample.core import bins
from twosample.core.bins import add_to_bins


def by_the_definition(values, scale, offset, size, width):
    moments = np.zeros((size, width))
    for value in values:
        place = min(max(value * scale - offset, 0.5), size - 0.5)
        u = place - np.floor(place) - 0.5
        moments[int(place)] += [1, u, u * u][:width]
    return moments


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("count", [0, 1, 500])
@pytest.mark.parametrize("buffer", [7, 1 << 15])
def test_bins(width, count, buffer, monkeypatch):
    monkeypatch.setattr(bins, "CHUNK", buffer)
    values = np.random.default_rng(count).normal(size=count) * 3
    values[: count // 50] = np.inf
    values[count // 50 : count // 25] = -1e300
    values[count // 25 : count // 10] = 0.25  # on an edge
    moments = np.zeros((18, width))
    for part in (values[: count // 3], values[count // 3 :]):
        add_to_bins(part, 4.0, -9.0, moments)
    # each u and u² is rounded to 2**-31 at most
    np.testing.assert_allclose(moments, by_the_definition(values, 4.0, -9.0, 18, width), atol=count * 2.0**-31)
    assert moments[:, 0].sum() == count


def test_bins_of_every_second_number():
    values = np.random.default_rng(0).normal(size=100)
    strided, plain = np.zeros((2, 10, 2))
    add_to_bins(values[::2], 1.0, -5.0, strided)
    add_to_bins(values[::2].copy(), 1.0, -5.0, plain)
    assert (strided == plain).all()


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)
    one, two = np.zeros((2, 40, 3))
    add_to_bins(values, 7.0, -20.0, one)
    for part in np.array_split(rng.permutation(values), 13):
        add_to_bins(part, 7.0, -20.0, two)
    assert (one == two).all()
    assert (one * 2.0**30 == np.rint(one * 2.0**30)).all()


def test_counts_stand_for_rows():
    rng = np.random.default_rng(1)
    values, counts = rng.normal(size=300), rng.integers(1, 70_000, 300)
    one, two = np.zeros((2, 40, 3))
    add_to_bins(np.repeat(values, counts), 5.0, -20.0, one)
    add_to_bins(values, 5.0, -20.0, two, counts)
    assert (one == two).all()
