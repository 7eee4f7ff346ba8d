"""Defects that two-sample tests of other libraries have, each as a check that ours do not."""

import numpy as np
import pytest

import twosample as ts
from tests.nulls.made import TWO_SAMPLE, made
from twosample.kernels import KERNELS
from twosample.nulls import NULLS

# alibi-detect, mmdfuse, dcor, frouros: one NaN cell and the samples "differ".


@pytest.mark.parametrize("null", TWO_SAMPLE)
def test_one_nan_cell_is_an_error_not_a_difference(null):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(100, 3)), rng.normal(size=(100, 3))
    y[41, 2] = np.nan
    with pytest.raises(ts.InputError, match=r"y has 1 value.*row 41, column 2"):
        ts.mmd_test(x, y, null=made(null, 100, 100), statistic=sorted(NULLS[null].statistics - {"hsic"})[0])


# dcor: strict > in the p-value ignores ties.


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
def test_two_zeros_against_two_ones(kernel, statistic):
    """All labellings: 6, of which 2 are as extreme. dcor says 0.005."""
    r = ts.mmd_test([0.0, 0.0], [1.0, 1.0], kernel=kernel, statistic=statistic, level=0.5)
    assert r.pvalue == 2 / 6


def test_constant_data_give_one():
    """dcor: 0.005."""
    assert ts.mmd_test(np.zeros(15), np.zeros(15), kernel="energy", rng=0).pvalue == 1


@pytest.mark.parametrize("kernel", ["gaussian", "energy"])
def test_rare_events_keep_the_level(kernel):
    """Bernoulli(0.05), 15 + 15: dcor rejects 72 % under H0. Ours, over 200 runs of 99 permutations: not above 5 %."""
    rng = np.random.default_rng(1)
    rejected = 0
    for run in range(200):
        x, y = (rng.random((2, 15)) < 0.05).astype(float)
        rejected += ts.mmd_test(x, y, kernel=kernel, null=ts.Permutation(99), rng=run).rejected
    assert rejected <= 10


def test_fair_coins_keep_the_level():
    """5 + 5 coins: dcor's size is 0.235. There are 252 labellings, all of which are used."""
    rng = np.random.default_rng(2)
    rejected = [ts.mmd_test(*rng.integers(0, 2, size=(2, 5)), kernel="energy").rejected for _ in range(200)]
    assert np.mean(rejected) <= 0.05


def test_the_default_can_reject():
    """dcor: num_resamples=0 by default returns p = 1 for zeros against ones."""
    assert ts.mmd_test(np.zeros(10), np.ones(10)).rejected


# alibi-detect, evidently, freqopttest, TorchDrift: p = 0.


@pytest.mark.parametrize("null", TWO_SAMPLE)
def test_no_null_reports_zero(null):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 1000
    for statistic in NULLS[null].statistics - {"hsic"}:
        r = ts.mmd_test(x, y, null=made(null, 60, 60), statistic=statistic, rng=0)
        assert r.pvalue > 0


@pytest.mark.parametrize("n", [19, 99, 100])
def test_the_resolution_of_a_permutation_pvalue(n):
    rng = np.random.default_rng(4)
    r = ts.mmd_test(rng.normal(size=50), rng.normal(size=50) + 20, null=ts.Permutation(n), rng=0)
    assert r.pvalue == 1 / (n + 1)


# hyppo: the reported "MMD" is a scaled correlation.


def test_the_statistic_is_the_mmd():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=(40, 2)) + 0.7
    kernel = ts.Gaussian(1.3)
    xx, xy, yy = kernel.block(x, x), kernel.block(x, y), kernel.block(y, y)
    unbiased = (xx.sum() - 30) / (30 * 29) - 2 * xy.mean() + (yy.sum() - 40) / (40 * 39)
    assert ts.mmd(x, y, kernel=kernel) == pytest.approx(unbiased, rel=1e-10)
    biased = np.sqrt(xx.mean() - 2 * xy.mean() + yy.mean())
    assert ts.mmd(x, y, kernel=kernel, statistic="biased") == pytest.approx(biased, rel=1e-10)


# TorchDrift, sbi, Shogun: the diagonal stays in the unbiased statistic.


def test_the_diagonal_is_not_in_the_unbiased_statistic():
    """With it there would be an offset of 1/(m-1) + 1/(n-1): far points show it plainly."""
    x = np.array([0.0, 1e6, 2e6])
    assert ts.mmd(x, x + 5e5, kernel=ts.Gaussian(1.0)) == 0
    rng = np.random.default_rng(6)
    values = [ts.mmd(rng.normal(size=10), rng.normal(size=10), kernel=ts.Gaussian(1.0)) for _ in range(300)]
    assert np.mean(values) == pytest.approx(0, abs=4 * np.std(values) / np.sqrt(300))


# frouros: k(x, x) = 1 assumed for any kernel.


@pytest.mark.parametrize("engine", ["dense", "tiled"])
def test_kernels_whose_diagonal_is_not_one(engine):
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(12, 2)), rng.normal(size=(9, 2)) + 1
    for kernel in (
        ts.Linear(),
        ts.Polynomial(2, 1.0, 1.0),
        5 * ts.Gaussian(1.0),
        ts.FunctionKernel(lambda a, b: (a @ b.T) ** 2),
    ):
        xx, xy, yy = kernel.block(x, x), kernel.block(x, y), kernel.block(y, y)
        expected = (xx.sum() - np.trace(xx)) / (12 * 11) - 2 * xy.mean() + (yy.sum() - np.trace(yy)) / (9 * 8)
        assert ts.mmd(x, y, kernel=kernel, engine=engine) == pytest.approx(expected, rel=1e-6)


# freqopttest: observed and permuted statistics by different estimators.


@pytest.mark.parametrize("statistic", ["biased", "unbiased", "paired", "linear", "block"])
def test_the_observed_value_is_replicate_zero(statistic):
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    r = ts.mmd_test(x, y, statistic=statistic, rng=0)
    assert r.law.values[0] == r.statistic == pytest.approx(ts.mmd(x, y, statistic=statistic), rel=1e-12)


# mmdagg, agginc: absolute floors for bandwidths, so that the answer depends on units.


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e-2, 1e3, 1e6])
@pytest.mark.parametrize("bandwidth", ["median", "quantiles"])
def test_the_answer_does_not_depend_on_units(bandwidth, unit):
    """The four-Gaussian mixture of the report: same seed, same p-value, at any scale."""
    rng = np.random.default_rng(9)
    centres = np.array([[-20.0, -20], [-20, 20], [20, -20], [20, 20]])
    x = centres[rng.integers(4, size=80)] + rng.normal(size=(80, 2))
    y = centres[rng.integers(4, size=80)] + 2.5 * rng.normal(size=(80, 2))
    a = ts.mmd_test(x, y, bandwidth=bandwidth, rng=0, null=ts.Permutation(99))
    b = ts.mmd_test(unit * x, unit * y, bandwidth=bandwidth, rng=0, null=ts.Permutation(99))
    assert a.pvalue == b.pvalue


# alibi-detect, evidently: bandwidth from the reference alone; mmdagg: from the first 500 rows and X-Y distances only.


def test_the_bandwidth_sees_the_pool_only():
    rng = np.random.default_rng(10)
    x, y = rng.normal(size=(30, 2)), 5 * rng.normal(size=(40, 2))
    z = rng.permutation(np.concatenate([x, y]))
    widths = [
        ts.mmd_test(a, b, rng=0).kernel.bandwidth for a, b in ((x, y), (y, x), (z[:30], z[30:]), (z[:50], z[50:]))
    ]
    np.testing.assert_allclose(widths, widths[0], rtol=1e-12)


# hyppo: the seed accepted and dropped.


@pytest.mark.parametrize("statistic", ["unbiased", "biased", "linear", "block", "paired"])
def test_seeds_are_honoured(statistic):
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 0.15
    ps = [ts.mmd_test(x, y, statistic=statistic, rng=123).pvalue for _ in range(3)]
    assert len(set(ps)) == 1
    assert len({ts.mmd_test(x, y, statistic=statistic, rng=seed).threshold for seed in range(5)}) > 1


# hyppo's chi-square default: not a p-value away from 0.05. Ours is exact at every level.


@pytest.mark.parametrize("columns", [1, 100])
def test_the_default_is_a_pvalue_at_every_level(columns):
    rng = np.random.default_rng(12)
    ps = np.array([
        ts.mmd_test(*rng.normal(size=(2, 15, columns)), null=ts.Permutation(99), rng=run).pvalue for run in range(250)
    ])  # fmt: skip
    for level in (0.05, 0.1, 0.2, 0.5):
        assert np.mean(ps <= level) == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / 250))


# evidently: the null resamples the reference alone, and the wrong tail.


def test_the_bootstrap_null_draws_from_the_pool():
    rng = np.random.default_rng(13)
    rejected = [
        ts.mmd_test(rng.normal(size=(20, 3)), rng.normal(size=(20, 3)), null=ts.Bootstrap(99), rng=run).rejected
        for run in range(100)
    ]
    assert np.mean(rejected) <= 0.15


# Shogun: one row gives a silent NaN; kernlab: only the first min(m, n) rows are used.


def test_one_row_is_an_error():
    with pytest.raises(ts.InputError, match="x has 1 row"):
        ts.mmd(np.zeros((1, 3)), np.zeros((5, 3)))


def test_every_row_counts():
    rng = np.random.default_rng(14)
    x, y = rng.normal(size=(10, 1)), rng.normal(size=(30, 1))
    assert ts.mmd(x, y, kernel=ts.Gaussian(1.0)) != ts.mmd(x, y[:10], kernel=ts.Gaussian(1.0))


# scipy/scipy#15869: statistics that are equal but for rounding.


def test_rounding_does_not_break_ties():
    x, y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.4, 0.3, 0.2, 0.1])
    assert ts.mmd_test(x, y, kernel="linear", statistic="biased").pvalue == 1
    for unit in (1 / 3, 1e-7, 7e8):
        r = ts.mmd_test(unit * np.array([1.0, 1.0, 2.0]), unit * np.array([2.0, 3.0, 3.0]), level=0.3)
        assert r.pvalue == ts.mmd_test([1.0, 1.0, 2.0], [2.0, 3.0, 3.0], level=0.3).pvalue
