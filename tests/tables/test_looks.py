"""Adjusted p-values of views: the procedure as it is described, and its level for discrete p-values."""

import numpy as np
import pytest

import twosample as ts
from twosample.tables.looks import _Test, _weighted_holm
from twosample.tables.views import RangeView, View, intervals


def by_the_steps(tests, weights):
    """One by one: the smallest p/w first, against all that are left."""
    left, result, largest = list(range(len(tests))), np.empty(len(tests)), 0.0
    while left:
        best = min(left, key=lambda i: tests[i].pvalue / weights[i])
        rate = tests[best].pvalue / weights[best]
        largest = max(largest, min(1.0, sum(tests[i].chance(rate * weights[i]) for i in left)))
        result[best] = largest
        left.remove(best)
    return result


def views(rng, count):
    m, n = 40, 60
    both = rng.integers(1, 60, count)
    first = rng.hypergeometric(m, n, both)
    return [View("value", str(i), int(a), int(k - a), m, n) for i, (a, k) in enumerate(zip(first, both, strict=True))]


def test_adjusted_pvalues_are_those_of_the_steps():
    rng = np.random.default_rng(0)
    for _ in range(100):
        tests = [_Test(view.family, view.pvalue, view.chance) for view in views(rng, 12)]
        tests += [_Test("bulk", float(p), float) for p in rng.random(3) ** 3]
        weights = rng.dirichlet(np.ones(len(tests)))
        ours, plain = _weighted_holm(tests, weights), by_the_steps(tests, weights)
        np.testing.assert_allclose(ours, plain, rtol=1e-9, atol=1e-4)
        scores = np.array([test.pvalue for test in tests]) / weights
        assert ours.min() <= min(1.0, scores.min()) + 1e-12  # never more than Bonferroni's


def test_any_false_finding_is_as_rare_as_promised_and_not_much_rarer():
    rng = np.random.default_rng(1)
    weights = np.full(12, 1 / 12)
    found = [
        min(_weighted_holm([_Test(v.family, v.pvalue, v.chance) for v in views(rng, 12)], weights)) <= 0.2
        for _ in range(600)
    ]
    assert 0.08 < np.mean(found) < 0.25


def test_rows_beyond_the_other_table_count_by_their_ranks():
    rng = np.random.default_rng(2)
    a, b = rng.random(3000), np.concatenate([rng.random(2985), 1 + rng.random(15)])
    c = ts.compare({"x": a}, {"x": b})
    assert c.verdict == "different"
    assert RangeView("range", "at least 1", 0, 15, 3000, 3000).pvalue == pytest.approx(2.0**-14, rel=0.05)


def test_fine_structure_is_seen():
    """Waves on an even density: the kernel of the median distance sees next to nothing of them."""
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 6000)) * 5
    c = ts.compare({"x": a}, {"x": b + 0.12 * np.sin(2 * np.pi * b) * ((b > 1) & (b < 4))})
    assert c["x"].kernel_pvalue > 0.01
    assert c["x"].adjusted_pvalue <= 0.001
    assert c["x"].view == "values in fine detail"


def test_intervals_of_many_views_are_those_of_each():
    found = views(np.random.default_rng(4), 9)
    assert intervals(found, 0.05) == [view.interval(0.05) for view in found]
    assert intervals([], 0.05) == []


def test_a_lone_value_is_said_once_and_not_as_a_tail():
    rng = np.random.default_rng(5)
    a, b = rng.lognormal(2, 1, (2, 3000))
    b[:300] = 0.0
    c = ts.compare({"x": a}, {"x": b})
    assert c["x"].view == "0 in none of A and in 10 % of B"
    assert sum(place.share_a == 0 for place in c["x"].where) == 1


def test_p_values_are_never_zero_however_far_out():
    """All of 150 values are gone in one table, next to none in the other: 1e-79, and was 0."""
    here = {"v": [1.0] * 4 + [None] * 146, "w": list(range(150))}
    there = {"v": [float(k % 9) for k in range(145)] + [None] * 6, "w": list(range(151))}
    column = ts.compare({**here, "v": [None] * 150}, there)["v"]
    assert 1e-90 < column.pvalue <= column.adjusted_pvalue < 1e-70
    assert column.pvalue == column.missing.pvalue
    assert 0 < ts.compare(here, there)["v"].pvalue < 1e-60
