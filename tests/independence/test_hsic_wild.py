"""The wild bootstrap of HSIC: against loops over pairs of rows, by every engine, and its level beside permutations."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binom

import twosample as ts
from tests.independence import naive_hsic as naive
from twosample.nulls.memory import Process, studentised

BOTH = pytest.mark.parametrize("statistic", ["biased", "unbiased"])
ENGINES = {"dense": ts.Dense(), "tiled": ts.Tiled(), "fourier": ts.Fourier(), "lowrank": ts.LowRank(tolerance=1e-9)}


def series(phi, size, rng, link=0.0):
    """Two autoregressions; the second knows of the first by `link`."""
    x, y = lfilter([1], [1, -phi], rng.normal(size=(2, size + 200)))[:, 200:]
    return x, y + link * x


def rate(phi, size, runs, null, link=0.0):
    count = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, size])
        count += ts.hsic_test(*series(phi, size, rng, link), null=null, rng=rng).rejected
    return count / runs


def centred(K, i, j):
    """Entry (i, j) of HKH, from the definition."""
    n = range(len(K))
    return (
        K[i][j]
        - np.mean([K[i][q] for q in n])
        - np.mean([K[p][j] for p in n])
        + np.mean([K[p][q] for p in n for q in n])
    )


@BOTH
def test_resamples_are_their_definition(statistic):
    """Sums over pairs of rows of the weights times the product of the two centred kernels, one entry at a time."""
    n, unbiased = 8, statistic == "unbiased"
    x, y = np.random.default_rng(0).normal(size=(2, n, 1))
    k, m = ts.Gaussian(1.0), ts.Gaussian(2.0)
    K, L = naive.grams(
        x, y, lambda a, b: float(k.block(a[None], b[None])[0, 0]), lambda a, b: float(m.block(a[None], b[None])[0, 0])
    )
    null = ts.WildBootstrap(block=2.0, n=4, memory=0.4)
    r = ts.hsic_test(x, y, kernel=k, kernel_y=m, null=null, statistic=statistic, level=0.5, rng=3)
    random, process = np.random.default_rng(3), Process(n, 2.0, 0.4)
    W = process.draw(4, random)
    unit = 1 / (n * (n - 3)) if unbiased else 1 / n**2
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    off = [unit * sum(W[i, w] * W[j, w] * centred(K, i, j) * centred(L, i, j) for i, j in pairs) for w in range(4)]
    selves = unit * sum(centred(K, i, i) * centred(L, i, i) for i in range(n))
    expected = studentised(np.array(off), process.own * selves, process.degrees, random) - (selves if unbiased else 0)
    assert r.law.values[1:] == pytest.approx(expected, rel=1e-9)
    assert r.statistic == pytest.approx(naive.hsic_traces(K, L, unbiased), rel=1e-9)


@BOTH
@pytest.mark.parametrize("columns", [1, 2])
def test_engines_agree(statistic, columns):
    x = lfilter([1], [1, -0.7], np.random.default_rng(1).normal(size=(300, columns)), axis=0)
    y = x[:, :1] ** 2 + lfilter([1], [1, -0.5], np.random.default_rng(2).normal(size=(300, 1)), axis=0)
    tests = {
        name: ts.hsic_test(x, y, statistic=statistic, null="wild", engine=engine, rng=0)
        for name, engine in ENGINES.items()
    }
    exact = tests.pop("dense")
    spread = exact.law.values[1:].std()
    assert exact.null.memory > 0.1
    for name, other in tests.items():
        near = 1e-9 if name == "tiled" else 1e-3
        np.testing.assert_allclose(other.law.values, exact.law.values, atol=near * spread)
        assert other.null.block == pytest.approx(exact.null.block, rel=near)


def test_level_and_power_in_small():
    """Memory 0.8: permutations of rows reject half the time; the wild bootstrap keeps the level and finds a link."""
    wild = ts.WildBootstrap(n=99)
    assert rate(0.8, 120, 30, ts.Permutation(n=99)) > 0.25
    assert rate(0.8, 120, 60, wild) <= binom.ppf(0.999, 60, 0.07) / 60
    assert rate(0.5, 150, 20, wild, link=1.0) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 500])
@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8, 0.9])
def test_level_measured(phi, size):
    assert rate(phi, size, 400, ts.WildBootstrap(n=199)) <= binom.ppf(0.999, 400, 0.065) / 400


def test_what_the_result_tells():
    rng = np.random.default_rng(0)
    r = ts.hsic_test(*series(0.8, 300, rng), null="wild", rng=0)
    assert r.null.block > 2
    assert 0.2 < r.null.memory < 0.8
    assert (len(r.law.values), r.notes) == (1000, ())
    assert "WildBootstrap(block=" in str(r)
    short = ts.hsic_test(*series(0.97, 60, np.random.default_rng(1)), null="wild", rng=0)
    assert any("short for their memory: 60 rows" in note for note in short.notes)
    fixed = ts.hsic_test(*series(0.8, 300, rng), null=ts.WildBootstrap(block=20, n=99), rng=0)
    assert fixed.null.block == 20
    with pytest.raises(ts.OptionError, match="block=300"):
        ts.hsic_test(*series(0.8, 300, rng), null=ts.WildBootstrap(block=300))


def test_a_constant_series():
    r = ts.hsic_test(np.ones(50), np.arange(50.0), null="wild", rng=0)
    assert (r.pvalue, r.statistic) == (1.0, 0.0)


def test_all_pairs_of_a_table_of_series():
    """Two series with memory and a link, and one that knows of neither: plain laws find too much."""
    rng = np.random.default_rng(1)
    a, b = series(0.9, 300, rng, link=1.5)
    m = ts.independence_matrix({"a": a, "b": b, "c": series(0.9, 300, rng)[0]}, null=ts.WildBootstrap(n=999), rng=0)
    assert [(p.x, p.y) for p in m.dependent] == [("a", "b")]
