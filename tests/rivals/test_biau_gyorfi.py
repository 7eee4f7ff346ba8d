"""The L1 partition test: statistic, the authors' threshold, the bound, and when it refuses."""

from itertools import combinations
from math import log, pi, sqrt

import numpy as np
import pytest
from scipy.stats import norm

import twosample as ts
from tests import naive
from twosample.rivals import biau_gyorfi_test
from twosample.rivals.biau_gyorfi import CUTS, UnionBound, cells_of


def cells_by_hand(z, parts):
    cells = []
    for row in z:
        cuts = [[np.sort(z[:, k])[(b * len(z)) // parts] for b in range(1, parts)] for k in range(z.shape[1])]
        cells.append(tuple(sum(row[k] >= cut for cut in cuts[k]) for k in range(z.shape[1])))
    return cells


def by_hand(in_x, in_y):
    return sum(abs(in_x.count(cell) / len(in_x) - in_y.count(cell) / len(in_y)) for cell in {*in_x, *in_y})


@pytest.mark.parametrize(("m", "n", "d"), [(30, 30, 1), (20, 45, 2), (60, 20, 3)])
def test_statistic_and_thresholds(m, n, d):
    rng = np.random.default_rng([m, n])
    z = rng.normal(size=(m + n, d)).round(1)
    cells = cells_by_hand(z, 3)
    expected = by_hand(cells[:m], cells[m:])
    occupied = len(set(cells))
    spread = 1 / m + 1 / n
    mean, deviation = sqrt(2 / pi * occupied * spread) + 0.7655 * occupied / min(m, n), sqrt((1 - 2 / pi) * spread)
    r = biau_gyorfi_test(z[:m], z[m:], cells=3)
    assert r.statistic == pytest.approx(expected)
    assert r.pvalue == pytest.approx(norm.sf(expected, mean, deviation))
    assert r.threshold == pytest.approx(mean + deviation * norm.isf(0.05))
    if m == n:  # the constants of the paper
        c = 2 / sqrt(pi) * sqrt(occupied / n) + 0.7655 * occupied / n + sqrt(2 * (1 - 2 / pi) / n) * norm.isf(0.05)
        assert r.threshold == pytest.approx(c)


def test_all_labellings_by_hand():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(8, 1))
    cells = cells_by_hand(z, 2)
    r = biau_gyorfi_test(z[:4], z[4:], null="permutation")
    assert r.pvalue == pytest.approx(float(naive.permutation_pvalue(cells[:4], cells[4:], by_hand)))


@pytest.mark.parametrize(("m", "n", "K"), [(6, 6, 2), (4, 8, 3), (7, 5, 4)])
def test_the_bound_holds_for_every_partition_of_a_pool(m, n, K):
    """Exactly: over all labellings, the tail of T never exceeds the bound."""
    rng = np.random.default_rng(K)
    cells = rng.integers(0, K, size=m + n).tolist()
    values = np.array(
        [
            by_hand([cells[i] for i in chosen], [cells[i] for i in range(m + n) if i not in chosen])
            for chosen in combinations(range(m + n), m)
        ]
    )
    law = UnionBound(K, m, n)
    for t in np.unique(values):
        assert np.mean(values >= t) <= law.pvalue(t) + 1e-12


def test_bound_read_both_ways():
    law = UnionBound(9, 100, 80)
    assert law.pvalue(law.threshold(0.03)) == pytest.approx(0.03)
    large = UnionBound(20, 10**6, 10**6)  # 2 sqrt(ln 2) sqrt(K/n), the strongly consistent threshold, but for the level
    assert large.threshold(0.999) == pytest.approx(2 * sqrt(log(2) * 20 / 10**6), rel=1e-3)


def test_grid_sees_only_the_pool_and_its_order():
    z = np.random.default_rng(2).normal(size=(50, 2))
    order, starts = cells_of(z, 3, CUTS["quantile"])
    again, same = cells_of(np.exp(3 * z), 3, CUTS["quantile"])
    np.testing.assert_array_equal(order, again)
    np.testing.assert_array_equal(starts, same)


@pytest.mark.parametrize(("m", "n", "d"), [(30, 30, 1), (20, 45, 2), (60, 20, 3)])
def test_cells_of_equal_width_are_all_counted(m, n, d):
    """By the definition: the cell of a value from its place in the range, and K = parts^d, empty cells included."""
    rng = np.random.default_rng([m, n, 1])
    z = np.exp(rng.normal(size=(m + n, d))).round(1)  # skewed, so that cells stay empty
    low, high, parts = z.min(axis=0), z.max(axis=0), 4
    cells = [tuple(min(parts - 1, int(v)) for v in parts * (row - low) / (high - low)) for row in z]
    K, spread = parts**d, 1 / m + 1 / n
    assert len(set(cells)) < K or d == 1
    mean, deviation = sqrt(2 / pi * K * spread) + 0.7655 * K / min(m, n), sqrt((1 - 2 / pi) * spread)
    r = biau_gyorfi_test(z[:m], z[m:], cells=parts, grid="equal-width")
    assert r.statistic == pytest.approx(by_hand(cells[:m], cells[m:]))
    assert r.threshold == pytest.approx(mean + deviation * norm.isf(0.05))
    assert f"of equal width, {K} cells in all; {len(set(cells))} cells hold points" in r.notes[0]
    bound = biau_gyorfi_test(z[:m], z[m:], cells=parts, grid="equal-width", null="bound")
    assert bound.threshold == pytest.approx(UnionBound(K, m, n).threshold(0.05))


def test_empty_cells_make_ten_columns_hopeless():
    """As on the paper's FOREST10D: 2^10 cells for 1000 points put the threshold at 1.97 of 2."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(1000, 10)), rng.normal(0.5, size=(1000, 10))
    r = biau_gyorfi_test(x, y, grid="equal-width")
    assert r.threshold == pytest.approx(1.97, abs=0.005)
    assert not r.rejected


def test_the_grid_is_one_of_two_words():
    x = np.arange(20.0)
    assert biau_gyorfi_test(x, x + 1).notes == biau_gyorfi_test(x, x + 1, grid="quantile").notes
    for wrong in ("even", None, 3, ["quantile"]):
        with pytest.raises(ts.OptionError, match=r"grid=.*'quantile' or 'equal-width'"):
            biau_gyorfi_test(x, x, grid=wrong)


def test_rule_for_the_number_of_parts():
    rng = np.random.default_rng(3)
    for n, d, parts in ((1000, 1, 10), (250, 1, 6), (256, 2, 4), (250, 4, 2)):
        r = biau_gyorfi_test(rng.normal(size=(n, d)), rng.normal(size=(n, d)))
        assert r.notes[0].startswith(f"Grid of {parts} parts per column")


def test_refuses_high_dimension_politely():
    x = np.random.default_rng(4).normal(size=(50, 10))
    with pytest.raises(ts.InputError, match=r"10 columns.*2\^10 cells for only 100 points.*mmd_test"):
        biau_gyorfi_test(x, x + 1)
    with pytest.raises(ts.InputError, match="give fewer cells"):
        biau_gyorfi_test(x[:, :2], x[:, :2], cells=50)


@pytest.mark.parametrize("cells", [1, 0, 2.5, True, "two"])
def test_wrong_cells(cells):
    with pytest.raises(ts.OptionError, match="cells"):
        biau_gyorfi_test(np.arange(20.0), np.arange(20.0), cells=cells)


def test_one_cell_says_nothing():
    for null in ("normal", "bound", "permutation"):
        r = biau_gyorfi_test(np.ones(20), np.ones(20), null=null, rng=0)
        assert r.statistic == 0
        assert r.pvalue > 0.5
