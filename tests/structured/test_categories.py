"""Categories and ordered categories as kernels of their own, against their definitions."""

from itertools import pairwise

import numpy as np
import pytest

import twosample as ts

NAN = float("nan")


def test_mmd_with_categories_is_the_distance_of_the_frequencies():
    x, y = ["a", "a", "b", None], ["a", "c", "c", NAN, "b"]
    expected = sum((x.count(v) / 4 - y.count(v) / 5) ** 2 for v in "abc") + (1 / 4 - 1 / 5) ** 2
    assert ts.mmd(x, y, kernel=ts.Categories(), statistic="biased") ** 2 == pytest.approx(expected)


def test_mmd_with_ordinal_is_the_distance_of_the_distribution_functions():
    order = ["low", "mid", "high", "top"]
    x, y = ["low", "mid", "mid", "top"], ["high", "high", "top", "low", "mid"]
    F, G = ([np.mean([order.index(v) <= r for v in sample]) for r in range(4)] for sample in (x, y))
    expected = 2 / 3 * sum((f - g) ** 2 for f, g in zip(F, G, strict=True))
    assert ts.mmd(x, y, kernel=ts.Ordinal(order), statistic="biased") ** 2 == pytest.approx(expected)


def test_ordinal_values():
    order = [1, 2, 5, 9]
    values = [9, 1, None, 5, 2]
    ranks = [order.index(v) if v in order else None for v in values]
    expected = [[float(a is b) if None in (a, b) else 1 - abs(a - b) / 3 for a in ranks] for b in ranks]
    np.testing.assert_allclose(ts.Ordinal(order).block(values, values), expected, atol=1e-12)
    np.testing.assert_allclose(ts.Ordinal().block(values, values), expected, atol=1e-12)
    np.testing.assert_allclose(ts.Ordinal(["only"]).block(["only"], ["only", None]), [[1, 0]], atol=1e-12)


def test_ordinal_sees_far_moves_more_than_near_ones():
    kernel = ts.Ordinal(range(5))
    start = [0, 0, 0, 0]
    moves = [ts.mmd(start, [0, 0, 0, r], kernel=kernel, statistic="biased") for r in range(5)]
    assert all(a < b for a, b in pairwise(moves))


def test_the_whole_path_on_categories():
    rng = np.random.default_rng(0)
    x, y = rng.choice(["a", "b", "c"], 2000).tolist(), rng.choice(["a", "b", "c"], 1500, p=[0.4, 0.3, 0.3]).tolist()
    result = ts.mmd_test(x, y, kernel=ts.Categories(), rng=0)
    assert result.rejected
    assert result.engine.name == "features"
    assert ts.mmd_test(x, y, kernel=ts.Ordinal(["a", "b", "c"]), rng=0).rejected
