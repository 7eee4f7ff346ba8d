"""Columns in bins: against the definition, and merging that does not depend on order or on the number of parts."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from twosample.summaries import BinGrid, BinnedColumn, Totals, align, bin_values, bins

DATA = {
    "normal": lambda rng, n: rng.normal(3, 2, n),
    "ties": lambda rng, n: rng.poisson(3, n).astype(float),
    "heavy": lambda rng, n: rng.standard_cauchy(n),
    "offset": lambda rng, n: 1e6 + rng.normal(size=n),
    "tiny": lambda rng, n: 1e-200 * rng.normal(size=n),
}


def grid_of(x):
    return BinGrid.over(*np.quantile(x, [0.02, 0.98]), 500)


def same(one: BinnedColumn, two: BinnedColumn) -> bool:
    rest = ("grid", "quantum", "below", "above", "missing", "cut")
    return bool((one.sums == two.sums).all()) and all(getattr(one, f) == getattr(two, f) for f in rest)


@pytest.mark.parametrize("kind", DATA)
def test_moments_by_definition(kind):
    x = DATA[kind](np.random.default_rng(0), 2000)
    grid = grid_of(x)
    column = bin_values(x, grid)
    width = 2.0**grid.unit
    for j, (count, first, second) in enumerate(column.moments.T):
        here = x[np.floor(x / width) == grid.start + j]
        u = here / width - (grid.start + j + 0.5)
        assert count == len(here)
        assert first == pytest.approx(u.sum(), abs=1e-9 * (1 + count))
        assert second == pytest.approx((u * u).sum(), abs=1e-9 * (1 + count))
    assert column.below == np.count_nonzero(np.floor(x / width) < grid.start)
    assert column.above == np.count_nonzero(np.floor(x / width) >= grid.stop)
    assert column.rows == len(x)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("cuts", [[1], [700, 701, 1500], [0, 2000]])
def test_parts_in_the_same_bins_add_up_to_the_whole(kind, cuts):
    rng = np.random.default_rng(1)
    x = DATA[kind](rng, 2000)
    whole = bin_values(x, grid_of(x))
    parts = [bin_values(part, whole.grid) for part in np.split(rng.permutation(x), cuts)]
    for order in permutations(parts):
        merged = order[0]
        for part in order[1:]:
            merged = part.merged(merged)
        assert same(merged, whole)
    added = BinnedColumn.empty(whole.grid)
    for part in np.split(x, cuts):
        added = added.added(part)
    assert same(added, whole)


@pytest.mark.parametrize("kind", DATA)
def test_parts_in_other_bins_merge_in_any_order(kind):
    x = DATA[kind](np.random.default_rng(2), 3000)
    low, high = np.quantile(x, [0.05, 0.95])
    span = high - low
    grids = [
        BinGrid.over(low, high, 300),
        BinGrid.over(low - span, high, 100),
        BinGrid.over(low, high + 3 * span, 1000),
    ]
    parts = [bin_values(part, grid) for part, grid in zip(np.split(x, [1000, 1800]), grids, strict=True)]
    results = [one.merged(two).merged(three) for one, two, three in permutations(parts)]
    results += [one.merged(two.merged(three)) for one, two, three in permutations(parts)]
    assert all(same(result, results[0]) for result in results)
    assert results[0].rows == len(x)


def test_coarser_bins_hold_the_same_sums():
    x = np.random.default_rng(3).normal(size=1000)
    fine = bin_values(x, BinGrid.over(-10, 10, 1 << 16))
    for steps in (1, 3, 9):
        wide = fine.coarsened(steps)
        assert Totals.of_bins(wide) == Totals.of_bins(fine)
        direct = bin_values(x, wide.grid)
        assert (wide.counts == direct.counts).all()
        assert np.abs(wide.moments - direct.moments).max() < 1e-8
        assert same(fine.coarsened(1).coarsened(steps), fine.coarsened(steps + 1))


def test_whole_numbers_of_64_bits_are_enough_where_they_are_taken(monkeypatch):
    x = np.random.default_rng(3).normal(size=1000)
    fine = bin_values(np.append(x, [1e9, -1e9]), BinGrid.over(-10, 10, 1 << 12))
    short = [fine.coarsened(steps) for steps in (1, 2, 5)]
    monkeypatch.setattr(bins, "_SAFE", 0)
    for steps, known in zip((1, 2, 5), short, strict=True):
        long = fine.coarsened(steps)
        assert (known.sums.dtype, long.sums.dtype) == (np.int64, object)
        assert (known.sums == long.sums).all()
        assert (known.below, known.above, known.grid) == (long.below, long.above, long.grid)


def test_sums_beyond_64_bits_stay_exact():
    x = np.random.default_rng(4).normal(size=5000)
    fine = bin_values(x, BinGrid.over(-8, 8, 1 << 20))
    wide = fine.coarsened(16)
    assert wide.sums.dtype == object
    assert Totals.of_bins(wide) == Totals.of_bins(fine)


def test_regridded():
    x = np.random.default_rng(5).normal(size=4000)
    fine = bin_values(x, BinGrid.over(-12, 12, 2048))
    inner = BinGrid(fine.grid.unit + 2, -100, 200)
    found = fine.regridded(inner)
    assert same(found.coarsened(0), found)
    direct = bin_values(x, inner)
    assert (found.counts == direct.counts).all()
    assert (found.below, found.above) == (direct.below, direct.above)
    assert fine.regridded(BinGrid(fine.grid.unit - 1, 0, 10)) is None  # narrower bins are not known
    short = bin_values(x, BinGrid(fine.grid.unit, 0, 100))
    assert short.regridded(BinGrid(fine.grid.unit, -50, 300)) is None  # nor what lies beyond


def test_align_counts_rows_beyond_one_range_as_beyond_in_both():
    x = np.linspace(-5, 5, 1001)
    one, two = bin_values(x, BinGrid(-3, -16, 32)), bin_values(x, BinGrid(-4, -800, 1600))
    a, b = align([one, two])
    assert a.grid == b.grid
    assert (a.counts == b.counts).all()
    assert (a.below, a.above) == (b.below, b.above) == (one.below, one.above)


def test_totals_are_exact():
    rng = np.random.default_rng(6)
    x = np.concatenate([rng.normal(size=500) * 10.0 ** rng.integers(-300, 150, 500), [5e-324, -5e-324, 0.0, 1e307]])
    found = Totals.of_values(x)
    exact = [Fraction(value) for value in x.tolist()]
    assert found.mean == float(sum(exact) / len(exact))
    shuffled = rng.permutation(x)
    assert Totals.of_values(shuffled[:100]) + Totals.of_values(shuffled[100:]) == found
    y = rng.normal(5, 2, 10_000)
    assert Totals.of_values(y).deviation == pytest.approx(y.std(ddof=1), rel=1e-14)
    assert Totals.of_bins(bin_values(y, BinGrid.over(-20, 30, 4096))).mean == pytest.approx(y.mean(), abs=1e-11)
    assert Totals().mean is None
    assert Totals().deviation is None


def test_points_keep_mean_and_variance():
    x = np.random.default_rng(7).gamma(2, 3, 5000)
    place, mass, deviation = bin_values(x, BinGrid.over(0, 60, 300)).points()
    assert (np.diff(place) > 0).all()
    assert mass @ place / mass.sum() == pytest.approx(x.mean(), rel=1e-9)
    assert mass @ (deviation**2 + place**2) / mass.sum() == pytest.approx((x**2).mean(), rel=1e-8)
