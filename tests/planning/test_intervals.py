"""Intervals for MMD and the effect size: coverage, and the edges."""

from math import sqrt

import numpy as np
import pytest

import twosample as ts
from tests.planning.gaussians import Problem, at_most
from twosample.embedding.alternative import beyond, invert
from twosample.planning.profile import estimate, profile

PROBLEMS = [
    Problem(100, 100),
    Problem(30, 30, 0.1),
    Problem(100, 100, 0.3),
    Problem(400, 100, 0.6),
    Problem(100, 100, 2.0),
    Problem(300, 100, 0.0, 1.5),
    Problem(100, 100, 0.3, columns=10, bandwidth=4.0),
    Problem(60, 30, 1.5, columns=3, bandwidth=2.0),
]


def misses(draw, truth, kernel, runs, levels=(0.9, 0.95, 0.99)):
    """How often the interval of each level misses; one profile serves all levels."""
    counts = dict.fromkeys(levels, 0)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        x, y = draw(rng)
        seen = profile(estimate(x, y, kernel, "median", "dense", rng), rng)
        law = beyond(seen)
        for level in levels:
            low, high = invert(law, seen.squared, (1 - level) / 2)
            counts[level] += not low - 1e-12 <= truth <= high + 1e-12
    return counts


@pytest.mark.parametrize("problem", PROBLEMS[:2] + PROBLEMS[4:5], ids=str)
def test_coverage_in_small(problem):
    for level, count in misses(problem.draw, problem.mmd2, problem.kernel, 150).items():
        assert at_most(count, 150, 1 - level, 3.5)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_coverage(problem):
    """At 90, 95 and 99 %: at p = q, near it, far from it, m ≠ n, several columns."""
    for level, count in misses(problem.draw, problem.mmd2, problem.kernel, 1000).items():
        assert at_most(count, 1000, 1 - level)
        assert count >= 1000 * (1 - level) / 4 - 6  # not absurdly wide either


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (0.5, 0.55), (0.3, 0.6)])
def test_coverage_with_ties(p, q):
    """Zeros and ones: MMD² = 2 (p - q)² (1 - k(0, 1))."""

    def draw(rng):
        return (rng.random(120) < p).astype(float), (rng.random(90) < q).astype(float)

    truth = 2 * (p - q) ** 2 * (1 - np.exp(-0.5))
    for level, count in misses(draw, truth, ts.Gaussian(1.0), 1000).items():
        assert at_most(count, 1000, 1 - level)


@pytest.mark.slow
@pytest.mark.parametrize("problem", [Problem(60, 40), Problem(80, 80, 0.6)], ids=str)
def test_coverage_of_the_bootstrap(problem):
    runs, missed = 300, 0
    for seed in range(runs):
        x, y = problem.draw(np.random.default_rng(seed))
        missed += sqrt(problem.mmd2) not in ts.interval(x, y, 0.95, method="bootstrap", kernel=problem.kernel, rng=seed)
    assert at_most(missed, runs, 0.05)


def test_methods_say_about_the_same():
    x, y = Problem(400, 300, 1.0).draw(np.random.default_rng(0))
    one, two, three = (
        ts.interval(x, y, method=method, kernel=ts.Gaussian(1.0), rng=0)
        for method in ("asymptotic", "bootstrap", "bound")
    )
    assert two.low == pytest.approx(one.low, rel=0.05)
    assert two.high == pytest.approx(one.high, rel=0.05)
    assert three.low < one.low < one.estimate < one.high < three.high
    assert one.squared == (one.low**2, one.high**2)
    assert "0.95 interval" in str(one)


def test_higher_levels_are_wider():
    x, y = Problem(50, 60, 0.8).draw(np.random.default_rng(0))
    ends = [ts.interval(x, y, level, kernel=ts.Gaussian(1.0)) for level in (0.5, 0.9, 0.99)]
    assert ends[0].low > ends[1].low > ends[2].low
    assert ends[0].high < ends[1].high < ends[2].high


@pytest.mark.parametrize("kernel", ["energy", "linear", "laplace", "rational-quadratic"])
def test_any_kernel(kernel):
    x, y = Problem(200, 150, 1.0, columns=2).draw(np.random.default_rng(0))
    found = ts.interval(x, y, kernel=kernel, rng=0)
    assert 0 < found.low < found.estimate < found.high
    effect = ts.effect_size(x, y, kernel=kernel, rng=0)
    assert 0 < effect.low < effect.value < effect.high < 1


def test_many_rows_of_one_column():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=100_000), rng.normal(0.1, size=100_000)
    problem = Problem(2, 2, 0.1)
    assert sqrt(problem.mmd2) in ts.interval(x, y, 0.999, kernel=problem.kernel, rng=0)


def test_samples_without_spread():
    """Of n equal rows up to -log(0.025) / n of what they come from may be something else; MMD is at most root of 2."""
    kernel = ts.Gaussian(1.0)
    for method in ("asymptotic", "bootstrap"):
        same = ts.interval(np.zeros(10), np.zeros(12), kernel=kernel, method=method, rng=0)
        assert (same.estimate, same.low) == pytest.approx((0, 0), abs=1e-7)
        assert same.high == pytest.approx(sqrt(2) * -np.log(0.025) / 10, rel=1e-9)
        apart = ts.interval(np.zeros(50), np.ones(60), kernel=kernel, method=method, rng=0)
        assert apart.estimate == pytest.approx(sqrt(2 - 2 * np.exp(-0.5)), rel=1e-9)
        assert apart.low == pytest.approx(apart.estimate - sqrt(2) * -np.log(0.025) / 50, rel=1e-9)
    assert ts.interval(np.zeros(10), np.zeros(12), kernel="linear").high == np.inf  # no bound is known
    same, apart = ts.effect_size(np.zeros(10), np.zeros(12)), ts.effect_size(np.zeros(50), np.ones(60))
    assert (same.value, same.low) == (0, 0)
    assert 0.4 < same.high < 0.6
    assert (apart.value, apart.high) == pytest.approx((1, 1))
    assert 0.9 < apart.low < 0.95


EVENTS = [(0.02, 0.02, 10, 200), (0.02, 0.02, 30, 300), (0.02, 0.1, 10, 200), (0.1, 0.02, 10, 200), (0.05, 0.2, 8, 8)]


@pytest.mark.parametrize(("p", "q", "m", "n"), EVENTS)
def test_coverage_with_rare_events(p, q, m, n):
    """Mostly zeros, in samples of unequal sizes or few rows, which may not hold a single one of the others."""
    kernel, apart = ts.Gaussian(1.0), 2 * (1 - np.exp(-0.5))
    mmd, spread = abs(p - q) * sqrt(apart), (p * (1 - p) + q * (1 - q)) * apart / 2
    effect = sqrt(mmd**2 / 4 / (spread + mmd**2 / 4))
    missed = np.zeros(2)
    for seed in range(150):
        rng = np.random.default_rng([3, seed])
        x, y = (rng.random(m) < p).astype(float), (rng.random(n) < q).astype(float)
        i, e = ts.interval(x, y, kernel=kernel), ts.effect_size(x, y, kernel=kernel)
        missed += [not i.low - 1e-9 <= mmd <= i.high + 1e-9, not e.low - 1e-9 <= effect <= e.high + 1e-9]
    assert at_most(missed.max(), 150, 0.05, 2.5)


def test_coverage_of_the_bootstrap_with_rare_events():
    """Resamples of ten rows that are all 0 are so, too."""
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng([5, seed])
        x, y = ((rng.random(size) < 0.02).astype(float) for size in (10, 200))
        missed += ts.interval(x, y, method="bootstrap", kernel=ts.Gaussian(1.0), rng=seed).low > 0
    assert at_most(missed, 60, 0.05, 2.0)


@pytest.mark.parametrize("value", [1.0, 3.0])
@pytest.mark.parametrize("columns", [1, 2])
def test_one_row_that_differs_is_seen(value, columns):
    """Unbiased traces of it are 0, up to rounding: there were intervals of width 0, and endless ones."""
    x, y = np.zeros((2, 8, columns))
    x[0] = value
    i = ts.interval(x, y, kernel=ts.Gaussian(1.0))
    assert i.low == 0
    assert 0.2 < i.high < 0.7


def test_bad_options():
    x = np.arange(10.0)
    with pytest.raises(ts.OptionError, match="method"):
        ts.interval(x, x, method="exact")
    with pytest.raises(ts.OptionError, match="level"):
        ts.interval(x, x, 95)
    with pytest.raises(ts.OptionError, match="bounded kernel"):
        ts.interval(x, x, kernel="linear", method="bound")
    with pytest.raises(ts.InputError, match="fewer than 4"):
        ts.interval(x[:3], x)
    assert ts.interval(x[:3], x, method="bound").high > 0


@pytest.mark.parametrize("shift", [0.2, 0.5, 0.8, 2.0])
def test_the_effect_size_of_a_linear_kernel_is_the_correlation(shift):
    """By hand: the share of variance between two samples of size n, with unbiased variances."""
    rng = np.random.default_rng(1)
    x, y = rng.normal([[0.0], [shift]], size=(2, 400))
    found = ts.effect_size(x, y, kernel="linear")
    between = ((x.mean() - y.mean()) ** 2 - (x.var(ddof=1) + y.var(ddof=1)) / 400) / 4
    spread = (x.var(ddof=1) + y.var(ddof=1)) / 2
    assert found.share == pytest.approx(between / (spread + between), rel=1e-9)


def test_the_effect_size_does_not_grow_with_rows_nor_change_with_units():
    problem = Problem(200, 200, 0.8)
    rng = np.random.default_rng(2)
    values = [ts.effect_size(*problem.draw(rng, n, n), kernel=problem.kernel).value for n in (300, 3000, 10_000)]
    assert values == pytest.approx([problem.effect] * 3, abs=0.04)
    x, y = problem.draw(rng)
    assert ts.effect_size(1e6 * x, 1e6 * y).value == pytest.approx(ts.effect_size(x, y).value, rel=1e-6)


@pytest.mark.parametrize(("shift", "expected"), [(0.2, 0.07), (0.5, 0.16), (0.8, 0.25)])
def test_the_table_of_the_documentation(shift, expected):
    rng = np.random.default_rng(3)
    x, y = rng.normal([[0.0], [shift]], size=(2, 60_000))
    assert ts.effect_size(x, y, rng=0).value == pytest.approx(expected, abs=0.012)


def effect_misses(problem, runs):
    count = 0
    for seed in range(runs):
        found = ts.effect_size(*problem.draw(np.random.default_rng(seed)), kernel=problem.kernel)
        count += not found.low - 1e-12 <= problem.effect <= found.high + 1e-12
    return count


def test_coverage_of_the_effect_size_in_small():
    assert at_most(effect_misses(Problem(80, 80, 2.0), 100), 100, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_coverage_of_the_effect_size(problem):
    assert at_most(effect_misses(problem, 600), 600, 0.05)


@pytest.mark.parametrize("level", [95, 1, 0, "x", True, np.nan])
@pytest.mark.parametrize("call", [ts.interval, ts.effect_size])
def test_the_level_of_an_interval_is_a_large_one(call, level):
    with pytest.raises(ts.OptionError, match=r"level=.*such as 0\.95"):
        call(np.arange(9.0), np.arange(9.0), level)


@pytest.mark.parametrize("level", [1e-12, 0.01, 0.1])
def test_intervals_of_little_probability(level):
    """They shrink to the estimate and hold it."""
    x, y = Problem(50, 60, 0.8).draw(np.random.default_rng(0))
    i = ts.interval(x, y, level)
    assert 0 < i.low <= i.estimate <= i.high < ts.interval(x, y, 0.5).high
