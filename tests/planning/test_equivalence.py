"""The equivalence test: its level at the margin, its power, its words."""

from math import sqrt

import numpy as np
import pytest

import twosample as ts
from tests.planning.gaussians import Problem, at_most
from twosample.statistics import smallest_pvalue

PROBLEMS = [
    Problem(100, 100, 0.1),
    Problem(100, 100, 1.0),
    Problem(300, 100, 0.0, 1.5),
    Problem(300, 300, 1.0, columns=10, bandwidth=4.0),
    Problem(60, 120, 2.0),
]


def rejections(problem, runs, margin):
    count = 0
    for seed in range(runs):
        x, y = problem.draw(np.random.default_rng(seed))
        count += ts.equivalence_test(x, y, margin, kernel=problem.kernel, rng=seed).rejected
    return count


@pytest.mark.parametrize("problem", PROBLEMS[:3], ids=str)
def test_the_level_at_the_margin_in_small(problem):
    assert at_most(rejections(problem, 80, sqrt(problem.mmd2)), 80, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
@pytest.mark.parametrize("unit", ["mmd", "effect"])
def test_the_level_at_the_margin(problem, unit):
    margin = sqrt(problem.mmd2) if unit == "mmd" else ts.EffectMargin(problem.effect)
    assert at_most(rejections(problem, 600, margin), 600, 0.05, 3.0)


@pytest.mark.parametrize(
    ("p", "q", "m", "n"),
    [(0.02, 0.1, 8, 8), (0.02, 0.1, 200, 10), (0.05, 0.2, 8, 8), (0.05, 0.3, 200, 10)],
)
def test_the_level_with_rare_events(p, q, m, n):
    """Rows that hardly show any event say little, however alike they are."""
    margin, count = abs(p - q) * sqrt(2 * (1 - np.exp(-0.5))), 0
    for seed in range(200):
        rng = np.random.default_rng([4, seed])
        x, y = (rng.random(m) < p).astype(float), (rng.random(n) < q).astype(float)
        count += ts.equivalence_test(x, y, margin, kernel=ts.Gaussian(1.0)).rejected
    assert at_most(count, 200, 0.05, 2.5)


def test_it_finds_likeness():
    alike = Problem(400, 400)
    assert rejections(alike, 20, ts.EffectMargin(0.1)) >= 17
    few = Problem(20, 20)
    assert rejections(few, 20, ts.EffectMargin(0.1)) == 0


def test_large_samples_differ_significantly_and_are_alike_all_the_same():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=50_000), rng.normal(0.05, size=50_000)
    assert ts.mmd_test(x, y, null="spectrum", rng=0).rejected
    assert ts.equivalence_test(x, y, rng=0).rejected


@pytest.mark.parametrize("rare", [False, True])
def test_it_agrees_with_the_interval(rare):
    """Rejected when the upper end of the interval of level 1 - 2 level is below the margin."""
    x, y = Problem(200, 200, 0.4).draw(np.random.default_rng(5))
    if rare:
        x, y = np.arange(200) < 10, np.arange(10) < 1
    high = ts.interval(x, y, 0.9, kernel=ts.Gaussian(1.0)).high
    for factor, rejected in ((1.01, True), (0.99, False)):
        r = ts.equivalence_test(x, y, factor * high, kernel=ts.Gaussian(1.0))
        assert r.rejected is rejected
        assert r.rejected == (r.statistic > r.threshold)


def test_words_and_parts():
    x, y = Problem(500, 400).draw(np.random.default_rng(0))
    r = ts.equivalence_test(x, y)
    assert r.rejected
    assert r.verdict == "alike up to the margin"
    assert "alike up to the margin" in r.summary()
    assert "effect size r = 0.1" in r.notes[0]
    assert ts.equivalence_test(x, y + 2).verdict == "not shown to be alike"
    assert r.plot() is not None
    assert '"test": "MMD equivalence test"' in r.to_json()


@pytest.mark.parametrize("margin", [0, -1, float("nan"), "small", True])
def test_bad_margins(margin):
    with pytest.raises(ts.OptionError, match="margin"):
        ts.equivalence_test(np.arange(9.0), np.arange(9.0), margin)


def test_bad_effect_margins():
    for value in (0, 1.0, -0.1):
        with pytest.raises(ts.OptionError, match="EffectMargin"):
            ts.EffectMargin(value)


@pytest.mark.parametrize("units", [1.0, 1e150, 1e-150])
def test_samples_that_do_not_vary(units):
    """Alike up to an MMD that so few rows would have shown; an effect size has no unit without a spread."""
    same, other = np.full(30, units), np.full(40, units)
    r = ts.equivalence_test(same, other, margin=0.2)
    assert r.pvalue == pytest.approx(np.exp(-30 * 0.2 / sqrt(2)))  # 0.2 / root of 2 of other rows, and none among 30
    assert r.rejected == (r.statistic > r.threshold) == (not ts.equivalence_test(same, other, margin=0.1).rejected)
    assert r.plot() is not None
    r = ts.equivalence_test(same, np.zeros(40))
    assert (r.rejected, r.pvalue) == (False, 1.0)
    assert any("an effect size is relative to their spread" in note for note in r.notes)
    assert not ts.equivalence_test(same, np.zeros(40), margin=0.2).rejected


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("rows", [4, 60, 140, 160, 1000])
def test_equal_constants_are_alike_if_rows_abound(rows, kernel):
    """Up to an effect size: as the interval says, and as a share of zeros among ones that so many rows do not show."""
    x, y = np.ones(rows), np.ones(rows + 5)
    r = ts.equivalence_test(x, y, kernel=kernel)
    share = 2 * 0.1**2 / (1 + 0.1**2)  # of zeros: with one sample all ones the correlation with the label is 0.1
    labels, zeros = np.repeat([0, 1], 10**5), np.arange(2 * 10**5) >= 10**5 * (2 - share)
    assert np.corrcoef(labels, zeros)[0, 1] == pytest.approx(0.1, abs=1e-3)
    least = smallest_pvalue(rows, rows + 5)
    assert r.pvalue == pytest.approx(max(np.exp(-share * rows), least))
    assert r.rejected == (r.statistic > r.threshold) == (rows > 150)
    assert r.rejected == (ts.effect_size(x, y, 0.9, kernel=kernel).high < 0.1)
    assert any("Every row of x and y is the same" in note for note in r.notes)
