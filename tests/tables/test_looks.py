"""Adjusted p-values of views: the procedure as it is described, and its level for discrete p-values."""

import re

import numpy as np
import pytest

import twosample as ts
from twosample.embedding.judge import NARROW
from twosample.tables.looks import _Test, _weighted_holm
from twosample.tables.subjects import FINER
from twosample.tables.views import WEIGHTS, GapView, RangeView, View, intervals


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


def test_fine_structure_is_seen_among_other_columns_too():
    """A narrow kernel has a small part of the level: 999 relabellings are too few for it in ten columns."""
    rng = np.random.default_rng(3)
    a, b = ({f"c{j}": rng.normal(size=500) for j in range(10)} for _ in range(2))
    values = rng.random(500) * 4
    a["c0"], b["c0"] = rng.random(500) * 4, values + 0.12 * np.sin(2 * np.pi * values)
    c = ts.compare(a, b)
    assert c["c0"].view == "values in fine detail"
    assert c["c0"].adjusted_pvalue <= 0.05
    assert pytest.approx(WEIGHTS["bulk"] / (WEIGHTS["finer"] / len(FINER))) == NARROW


@pytest.mark.parametrize("dates", [False, True])
def test_dropped_days_are_seen_and_said(dates):
    rng = np.random.default_rng(6)
    a, b = (np.sort(rng.random(size) * 90 * 86_400) for size in (2000, 1800))
    b = b[(b < 33 * 86_400) | (b >= 34 * 86_400)]
    if dates:
        start = np.datetime64("2024-01-01", "ms")
        a, b = (start + (1000 * part).astype("timedelta64[ms]") for part in (a, b))
    c = ts.compare({"at": a}, {"at": b})
    assert c.verdict == "different"
    assert c["at"].kernel_pvalue > 0.05
    assert re.fullmatch(r"at least \S+ and at most .+ in 1.4 % of A and in none of B", c["at"].view)
    if dates:
        assert c["at"].view.startswith("at least 2024-02-03 and at most 2024-02-04 00:")
    else:
        low, high = (float(c["at"].view.split(" ")[place]) for place in (2, 6))
        assert (round(low / 86_400, 1), round(high / 86_400, 1)) == (33.0, 34.0)


def test_one_dropped_day_of_dates_is_named():
    """The chances of all days are added up, not those of all rows."""
    rng = np.random.default_rng(7)
    a, b = (np.datetime64("2024-01-01") + rng.integers(0, 60, size) for size in (1500, 1400))
    c = ts.compare({"day": a}, {"day": b[b != np.datetime64("2024-02-03")]})
    assert re.fullmatch(r"2024-02-03 in 1\.\d % of A and in none of B", c["day"].view)
    assert c["day"].adjusted_pvalue < 0.01


def test_a_time_zone_moves_the_clock():
    rng = np.random.default_rng(8)
    days = rng.integers(0, 60, (2, 1500)) * 86_400_000
    hours = (np.clip(rng.normal(14, 3, (2, 1500)), 0, 22.9) * 3_600_000).astype(np.int64)
    a, b = (
        np.datetime64("2024-01-01", "ms") + (day + hour).astype("m8[ms]") for day, hour in zip(days, hours, strict=True)
    )
    assert ts.compare({"at": a}, {"at": b}).verdict != "different"
    c = ts.compare({"at": a}, {"at": b + np.timedelta64(1, "h")})
    assert c["at"].adjusted_pvalue < 1e-4
    assert c["at"].view.startswith("before 1")


def test_a_chance_gap_does_not_widen_intervals():
    """The longest gap of thousands lies where chance put it: its share is no effect of the column."""
    rng = np.random.default_rng(8)
    a, b = rng.random((2, 6000))
    column = ts.compare({"x": a}, {"x": b})["x"]
    assert column.view == "values"
    assert column.effect_high < 0.04 < GapView("range", "", 14, 0, 6000, 6000).interval(0.05)[1]


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
