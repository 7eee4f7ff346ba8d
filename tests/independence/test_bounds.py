"""The bounds on HSIC_b: each step of the argument, the formulas, and that they hold."""

from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest

import twosample as ts


def hsic_b(K, L):
    """tr(KHLH) / n², from the definition."""
    n = len(K)
    H = np.eye(n) - 1 / n
    return np.trace(K @ H @ L @ H) / n**2


def gaussian(x):
    return np.exp(-((x[:, None] - x) ** 2) / 2)


def test_the_corner_of_the_cube():
    """The most by which two rank-one terms can differ, squared, for kernels of range one."""
    corners = product([0.0, 2.0], repeat=6)
    largest = max(a * b + c * d - 0.5 * (a + c - p) * (b + d - q) for a, b, c, d, p, q in corners)
    assert largest == 6.0


@pytest.mark.parametrize("n", [4, 7])
def test_one_pair_moves_the_root_by_no_more(n):
    rng, largest, limit = np.random.default_rng(0), 0.0, sqrt(6) * (n - 1) / n**2
    for _ in range(3000):
        x, y = rng.integers(0, 3, size=(2, n)) * 40.0  # far apart, or the same: kernel values of 0 and 1
        before = sqrt(max(hsic_b(gaussian(x), gaussian(y)), 0.0))
        x[0], y[0] = rng.integers(0, 4, size=2) * 40.0
        largest = max(largest, abs(sqrt(max(hsic_b(gaussian(x), gaussian(y)), 0.0)) - before))
    assert 0.4 * limit < largest <= limit


def test_the_mean_under_independence():
    """All samples of three pairs of independent coins, with their probabilities."""
    p, q, n, mean = 0.3, 0.6, 3, 0.0
    for x in product([0.0, 1.0], repeat=n):
        for y in product([0.0, 1.0], repeat=n):
            chance = np.prod([p if a else 1 - p for a in x]) * np.prod([q if b else 1 - q for b in y])
            mean += chance * hsic_b(gaussian(np.array(x)), gaussian(np.array(y)))
    spreads = [2 * r * (1 - r) * (1 - exp(-0.5)) for r in (p, q)]  # E k(x, x) - E k(x, x')
    assert mean == pytest.approx((n - 1) / n**2 * spreads[0] * spreads[1])


def test_the_threshold_is_the_formula():
    x, y = np.random.default_rng(0).normal(size=(2, 50))
    r = ts.hsic_test(x, y, statistic="biased", null="mcdiarmid", level=0.01)
    root = sqrt(49) / 50 + 49 / 50 * sqrt(3 * log(100) / 50)
    assert r.threshold == pytest.approx(root**2)
    assert r.null == ts.McDiarmid()
    wide = ts.hsic_test(x, y, kernel=4.0 * ts.Gaussian(1.0), statistic="biased", null="mcdiarmid", level=0.01)
    assert wide.threshold == pytest.approx((4 * root) ** 2)
    assert wide.pvalue == pytest.approx(
        ts.hsic_test(x, y, kernel=ts.Gaussian(1.0), statistic="biased", null="mcdiarmid").pvalue
    )
    strong = ts.hsic_test(x, x, kernel=ts.Gaussian(0.1), statistic="biased", null="mcdiarmid")
    excess = sqrt(strong.statistic) - 7 / 50
    assert strong.pvalue == pytest.approx(exp(-(excess**2) * 50**3 / (3 * 49**2)))


def test_it_rejects_and_holds_its_level():
    x = np.random.default_rng(1).normal(size=600)
    assert ts.hsic_test(x, np.sign(x), statistic="biased", null="mcdiarmid").rejected
    for seed in range(100):  # ties as well
        a, b = np.random.default_rng(seed).integers(0, 2 + seed % 3, size=(2, 20))
        r = ts.hsic_test(a, b, statistic="biased", null="mcdiarmid", level=0.2)
        exact = ts.hsic_test(a, b, statistic="biased", null=ts.Permutation(n=199), rng=seed)
        assert not r.rejected or exact.pvalue <= 0.2
        assert 0 < r.pvalue <= 1


def test_constant_variables_are_independent():
    r = ts.hsic_test(np.ones(9), np.arange(9.0), statistic="biased", null="mcdiarmid")
    assert r.pvalue == 1


def test_what_it_needs():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    with pytest.raises(ts.OptionError, match="statistic='biased'"):
        ts.hsic_test(x, y, null="mcdiarmid")
    with pytest.raises(ts.OptionError, match="statistic='biased'"):
        ts.independence_matrix(np.column_stack([x, y]), null="mcdiarmid")
    with pytest.raises(ts.OptionError, match="kernel_y=Linear"):
        ts.hsic_test(x, y, kernel_y="linear", statistic="biased", null="mcdiarmid")


def test_the_deviation_formula():
    expected = sqrt(2 * 3) * (sqrt(2 / 80) + 1 / 80 + 79 / 80 * sqrt(3 * log(20) / 80))
    assert ts.metrics.hsic_deviation(0.05, 80, bound=2, bound_y=3) == pytest.approx(expected)
    for options, words in (({"bound": 0}, "bound=0"), ({"bound_y": -1}, "bound_y=-1")):
        with pytest.raises(ts.OptionError, match=words):
            ts.metrics.hsic_deviation(0.05, 80, **options)
    with pytest.raises(ts.OptionError, match="size=1"):
        ts.metrics.hsic_deviation(0.05, 1)


@pytest.mark.parametrize("n", [5, 60])
def test_the_deviation_holds(n):
    """Pairs on a 3 × 3 table of which all is known: HSIC is a sum over it."""
    rng = np.random.default_rng(3)
    P = rng.dirichlet(np.ones(9)).reshape(3, 3)
    K = gaussian(np.array([0.0, 1.0, 4.0]))
    gap = P - np.outer(P.sum(axis=1), P.sum(axis=0))
    truth = np.einsum("ij,ik,jl,kl->", gap, K, K, gap)  # ‖μ(xy) - μ(x) μ(y)‖²
    limit = ts.metrics.hsic_deviation(0.2, n)
    failures = 0
    for _ in range(200):
        at = rng.choice(9, size=n, p=P.ravel())
        root = sqrt(max(hsic_b(K[np.ix_(at // 3, at // 3)], K[np.ix_(at % 3, at % 3)]), 0.0))
        failures += abs(root - sqrt(truth)) > limit
    assert failures <= 0.2 * 200
