"""How often HSIC tests reject: under H0 at the level, on ties too; under H1 as often as they should; on time series."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binom

import twosample as ts
from twosample.independence import pairings

SMALL, LARGE = 150, 1000


def normal(rng, n):
    return rng.normal(size=(n, 2)), rng.normal(size=n)


def heavy(rng, n):
    return rng.standard_cauchy(n), rng.standard_t(2, size=(n, 3))


def coins(rng, n):
    return rng.integers(0, 2, size=n), rng.integers(0, 3, size=n)


def mostly_zero(rng, n):
    return np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n)), rng.poisson(0.4, size=n)


def high_dimension(rng, n):
    return rng.normal(size=(n, 300)), rng.normal(size=(n, 200))


SOURCES = [normal, heavy, coins, mostly_zero, high_dimension]


def rate(source, n, runs, **options):
    """Share of runs that reject, at the level 0.05."""
    count = 0
    for seed in range(runs):
        x, y = source(np.random.default_rng([seed, n]), n)
        count += ts.hsic_test(x, y, rng=seed, **options).rejected
    return count / runs


def at_most(runs, level):
    """What a test of this level exceeds once in a thousand times."""
    return binom.ppf(0.999, runs, level) / runs


@pytest.mark.parametrize("source", SOURCES)
def test_permutation_keeps_its_level(source):
    runs = 60 if source is high_dimension else SMALL
    assert rate(source, 24, runs, null=ts.Permutation(n=39)) <= at_most(runs, 0.05)


def test_groups_around_a_hub_keep_their_level(monkeypatch):
    """Few rows and many permutations, so that several cyclic groups are needed; all p-values, not only small ones."""
    monkeypatch.setattr(pairings, "FEW_ROWS", 3)
    pvalues = np.array([
        ts.hsic_test(*coins(np.random.default_rng(seed), 9), null=ts.Permutation(n=59), rng=seed).pvalue
        for seed in range(200)
    ])  # fmt: skip
    for level in (0.05, 0.1, 0.3, 0.5):
        assert np.mean(pvalues <= level) <= at_most(200, level)
    pvalues = np.array([
        ts.hsic_test(*normal(np.random.default_rng(seed), 9), null=ts.Permutation(n=59), rng=seed).pvalue
        for seed in range(200)
    ])  # fmt: skip
    for level in (0.1, 0.3, 0.5, 0.8):
        assert 1 - at_most(200, 1 - level) <= np.mean(pvalues <= level) <= at_most(200, level)


def test_short_cycles_keep_their_level(monkeypatch):
    """Many more rows than resamples, some of them in no cycle: p-values are uniform over 1/20, ..., 1."""
    monkeypatch.setattr(pairings, "FEW_ROWS", 3)
    few = {"null": ts.Permutation(n=19), "engine": "fourier"}
    pvalues = np.array([
        ts.hsic_test(*normal(np.random.default_rng(seed), 43), **few, rng=seed).pvalue for seed in range(400)
    ])  # fmt: skip
    for level in (0.05, 0.1, 0.3, 0.5, 0.8):
        assert 1 - at_most(400, 1 - level) <= np.mean(pvalues <= level + 1e-9) <= at_most(400, level)
    x, y = parabola(np.random.default_rng(0), 43)
    assert ts.hsic_test(x, y, **few, rng=0).pvalue == 0.05


def test_the_bandwidth_of_a_long_line_does_not_depend_on_the_order_of_rows():
    """Order statistics stand for it, so that permutations of the rows leave the kernels alone."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 25_000))
    first, second = (ts.hsic_test(a, y, null="gamma", rng=s) for s, a in ((1, x), (2, rng.permutation(x))))
    assert first.kernel.bandwidth == pytest.approx(second.kernel.bandwidth, rel=1e-12)
    few = ts.hsic_test(x[:2000], y[:2000], null="gamma", rng=0)
    assert first.kernel.bandwidth == pytest.approx(0.954 * np.std(x), rel=0.01)
    assert few.kernel.bandwidth == pytest.approx(first.kernel.bandwidth, rel=0.05)


@pytest.mark.parametrize("null", ["gamma", "spectrum"])
@pytest.mark.parametrize("source", SOURCES)
def test_approximate_nulls_are_close(null, source):
    """Gamma and spectrum are approximations: a level of up to 0.08 is let pass at 60 rows."""
    runs = 25 if source is high_dimension else 60
    statistic = "biased" if source in (normal, coins) else "unbiased"
    assert rate(source, 60, runs, null=null, statistic=statistic) <= at_most(runs, 0.08)


@pytest.mark.slow
@pytest.mark.parametrize("null", ["permutation", "gamma", "spectrum"])
@pytest.mark.parametrize("source", SOURCES)
def test_levels_measured(null, source):
    runs = LARGE // 4 if source is high_dimension else LARGE
    limit = 0.05 if null == "permutation" else 0.07
    assert rate(source, 80, runs, null=null) <= at_most(runs, limit)


def rotated(angle):
    """The rotation problem of the paper: independent sources, rotated; uncorrelated at any angle."""

    def source(rng, n):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return turn @ rng.uniform(-1, 1, size=(2, n))

    return source


def test_power_on_the_rotation_problem():
    null = ts.Permutation(n=99)
    found = [rate(rotated(angle), 200, 25, null=null, bandwidth=0.4) for angle in (0.0, np.pi / 8, np.pi / 4)]
    assert found[0] <= at_most(25, 0.05)
    assert found[1] >= 0.5
    assert found[2] >= 0.95


def circle(rng, n):
    angle = rng.uniform(0, 2 * np.pi, size=n)
    return np.cos(angle) + 0.2 * rng.normal(size=n), np.sin(angle) + 0.2 * rng.normal(size=n)


def parabola(rng, n):
    x = rng.normal(size=n)
    return x, x**2 + rng.normal(size=n)


@pytest.mark.parametrize("source", [circle, parabola])
@pytest.mark.parametrize("null", ["permutation", "gamma", "spectrum"])
def test_power_without_correlation(source, null):
    assert rate(source, 120, 12, null=null) >= 0.8


def autoregressive(phi, link=0.0):
    def source(rng, n):
        x, y = lfilter([1], [1, -phi], rng.normal(size=(2, n + 200)))[:, 200:]
        return x, y + link * x

    return source


def test_time_series():
    """Plain permutation fails on AR(1) data; shifts keep the level and find the link."""
    shift = ts.CircularShift()
    assert rate(autoregressive(0.9), 300, 25, null=ts.Permutation(n=99)) > 0.5
    assert rate(autoregressive(0.8), 300, 40, null=shift) <= at_most(40, 0.07)
    assert rate(autoregressive(0.8, 0.7), 300, 25, null=shift) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_time_series_measured(phi):
    assert rate(autoregressive(phi), 500, 400, null=ts.CircularShift()) <= at_most(400, 0.065)


def test_shifts_are_those_asked_for():
    x, y = np.random.default_rng(0).normal(size=(2, 100))
    assert len(ts.hsic_test(x, y, null=ts.CircularShift(margin=10), rng=0).law.values) == 1 + 81
    assert len(ts.hsic_test(x, y, null=ts.CircularShift(n=30, margin=10), rng=0).law.values) == 31
    r = ts.hsic_test(x, y, null="circular-shift", rng=0)
    assert any("Shifts of y" in note for note in r.notes)
    order = np.roll(np.arange(100), -10)
    shifted = ts.hsic_test(x, y[order], rng=0).statistic
    assert ts.hsic_test(x, y, null=ts.CircularShift(margin=10)).law.values[1] == pytest.approx(shifted, abs=1e-15)


def test_series_shorter_than_their_memory():
    x = np.arange(50.0)
    with pytest.raises(ts.InputError, match="too short for their memory"):
        ts.hsic_test(x, x, null=ts.CircularShift(margin=26))
    for wrong in ({"n": 0}, {"margin": 1.5}):
        with pytest.raises(ts.OptionError, match="CircularShift"):
            ts.CircularShift(**wrong)
