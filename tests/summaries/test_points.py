"""Weighted points depend on the rows alone; what they say of a column, against the definition."""

from math import floor, frexp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twosample.summaries import BinGrid, Points, PointTally, bin_values, points


def shapes(n, seed=0):
    rng = np.random.default_rng(seed)
    found = {
        "normal": rng.normal(size=n),
        "long tails": rng.standard_cauchy(n),
        "lognormal": rng.lognormal(2, 2, n),
        "seconds": 1.7e9 + rng.random(n) * 86400,
        "two groups": np.where(rng.random(n) < 0.1, rng.normal(size=n), rng.normal(1e6, 1, n)),
        "whole": rng.integers(-(10**6), 10**6, n).astype(float),
        "few": rng.poisson(3, n).astype(float),
        "odd": rng.choice([np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1e-310, 3.0], n) * rng.random(n)
        + 0.0,
    }
    return {name: values[~np.isnan(values)] for name, values in found.items()}


def same(a, b):
    assert (a.unit, a.bits, a.whole, a.most) == (b.unit, b.bits, b.whole, b.most)
    assert np.array_equal(a.values, b.values)
    assert np.array_equal(a.counts, b.counts)


FEW = 64


@pytest.mark.parametrize("name", shapes(1))
def test_any_split_in_any_order_gives_the_same(name):
    values = shapes(5000)[name]
    whole, rng = Points.of(values, most=FEW), np.random.default_rng(1)
    for count in (2, 7, 64, 3000):
        cuts = np.sort(rng.integers(0, len(values) + 1, count - 1))
        parts = [Points.of(part, most=FEW) for part in np.split(rng.permutation(values), cuts)]
        same(parts[0].merged(*parts[1:]), whole)
        tree = [parts[k] for k in rng.permutation(len(parts))]
        while len(tree) > 1:
            tree = [tree[k].merged(*tree[k + 1 : k + 2]) for k in range(0, len(tree), 2)]
        same(tree[0], whole)


def test_a_tally_is_the_whole(monkeypatch):
    monkeypatch.setattr(points, "_HELD", 5)
    for values in shapes(4000).values():
        tally = PointTally(FEW)
        for part in np.array_split(values[:3000], 17):
            tally.add(part)
        tally.add(*np.unique(values[3000:], return_counts=True))
        same(tally.result(), Points.of(values, most=FEW))


def cut(value, unit, bits):
    """One number without the digits that both cuts take away, by arithmetic."""
    if value == 0 or np.isinf(value):
        return value
    place = max(frexp(value)[1] - 1, -1022)
    kept = max(bits, place - unit)
    step = 2.0 ** max(place - kept, -1074) if kept < 52 else None
    size = abs(value) if step is None else floor(abs(value) / step) * step
    return size if value > 0 else -size


def test_points_by_the_definition():
    """Of all units the smallest, and of all numbers of digits the largest, that leave no more than 64 values."""
    for values in shapes(400).values():
        found = Points.of(values, most=FEW)
        kept = sorted({cut(v, found.unit, found.bits) for v in values})
        assert found.values.tolist() == kept
        if len(set(values.tolist())) <= 64:
            assert found.exact
            continue
        finite = values[np.isfinite(values)]

        def multiples(unit, finite=finite):
            return len({int(v / 2.0**unit) if unit > -1000 else v for v in finite})

        def digits(bits, values=values):
            return len({cut(v, 1100, bits) for v in values})

        odd = len(np.unique(values)) - len(np.unique(finite))
        assert digits(found.bits) <= 64 < digits(found.bits + 1)
        if found.unit > -1000:
            assert multiples(found.unit) + odd <= 64 < multiples(found.unit - 1) + odd


@given(st.lists(st.floats(allow_nan=False), max_size=40), st.lists(st.floats(allow_nan=False), max_size=40))
def test_all_doubles_are_taken(a, b):
    one, two = Points.of(np.array(a)), Points.of(np.array(b))
    both = one.merged(two)
    same(both, two.merged(one))
    same(both, Points.of(np.array([*a, *b])))
    assert both.rows == len(a) + len(b)
    assert both.exact


def test_no_rows():
    nothing = Points.empty()
    same(nothing.merged(Points.empty()), nothing)
    same(nothing.merged(Points.of(np.array([1.5]))), Points.of(np.array([1.5])))
    assert nothing.moments() == (None, None)
    assert Points.of(np.array([np.inf])).moments() == (None, None)
    assert Points.of(np.array([2.0])).moments() == (2.0, None)
    assert len(nothing.evenly(10)) == 0
    assert nothing.binned(BinGrid(0, 0, 4), 3).missing == 3


def test_moments_and_quantiles():
    for name, values in shapes(300_000).items():
        if name == "odd":
            continue
        found = Points.of(values)
        mean, deviation = found.moments()
        assert mean == pytest.approx(values.mean(), abs=1e-6 * values.std(), rel=1e-12)
        assert deviation == pytest.approx(values.std(ddof=1), rel=1e-6)
        spread = np.quantile(values, 0.75) - np.quantile(values, 0.25)
        shares = (np.arange(999) + 0.5) / 999
        wanted = np.quantile(values, shares, method="inverted_cdf")
        assert np.abs(found.evenly(999) - wanted)[50:950].max() < 0.002 * spread
    assert Points.of(np.array([1e308, -1e308, 1e308])).moments()[0] == pytest.approx(1e308 / 3)


def test_bins_are_those_of_the_rows():
    for name, values in shapes(200_000).items():
        if name == "odd":
            continue
        middle, spread = np.median(values), np.subtract(*np.quantile(values, [0.75, 0.25]))
        unit = floor(np.log2(spread / 32))
        grid = BinGrid(unit, floor((middle - 3 * spread) * 2.0**-unit), 192)
        found, wanted = Points.of(values).binned(grid, 5), bin_values(values, grid)
        assert found.missing == 5
        assert found.rows == wanted.rows
        scale = max(wanted.moments[0].max(), 1)
        assert np.abs(found.moments - wanted.moments).max() < 2e-3 * scale
        assert abs(found.below - wanted.below) + abs(found.above - wanted.above) < 2e-3 * len(values)
    exact = shapes(50_000)["normal"]
    grid = BinGrid(-4, -64, 128)
    found, wanted = Points.of(exact).binned(grid, 0), bin_values(exact, grid)
    assert np.array_equal(found.counts, wanted.counts)
    np.testing.assert_allclose(found.moments, wanted.moments, atol=1e-5)
