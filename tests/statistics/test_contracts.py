"""Every statistic against double loops from its definition."""

from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from tests import naive
from twosample.statistics import STATISTICS

KERNELS = {
    "gaussian": ts.Gaussian(1.3),
    "laplace": ts.Laplace(0.8),
    "energy": ts.Energy(),
    "linear": ts.Linear(),
    "polynomial": ts.Polynomial(2, 1.0, 1.5),  # k(x, x) is neither 1 nor constant
    "scaled": 3.5 * ts.Matern(1.0),
}
LOOPS = {
    "biased": naive.mmd_biased,
    "unbiased": naive.mmd2_unbiased,
    "paired": naive.mmd2_paired,
    "linear": naive.mmd2_linear,
    "block": lambda x, y, k: naive.mmd2_blocks(x, y, k, max(2, isqrt(min(len(x), len(y))))),
}


def samples(m, n, columns, ties=False, seed=0):
    rng = np.random.default_rng(seed)
    if ties:
        return rng.integers(0, 3, size=(m, columns)).astype(float), rng.integers(0, 3, size=(n, columns)).astype(float)
    return rng.normal(size=(m, columns)), 1.3 * rng.normal(size=(n, columns)) + 0.4


def test_every_registered_statistic_has_a_loop():
    assert set(LOOPS) == set(STATISTICS)


@pytest.mark.parametrize("ties", [False, True], ids=["smooth", "ties"])
@pytest.mark.parametrize(("m", "n"), [(4, 4), (9, 9), (12, 7), (5, 16)])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_definition(statistic, kernel, m, n, ties):
    x, y = samples(m, n, 2, ties)
    if statistic == "paired" and m != n:
        with pytest.raises(ts.InputError, match="paired"):
            ts.mmd(x, y, kernel=kernel, statistic=statistic)
    else:
        expected = LOOPS[statistic](x, y, naive.of(kernel))
        assert ts.mmd(x, y, kernel=kernel, statistic=statistic) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_test_reports_the_same_value_as_the_estimate(statistic):
    x, y = samples(15, 15, 2)
    value = ts.mmd(x, y, kernel=ts.Gaussian(1.0), statistic=statistic)
    assert ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), statistic=statistic, rng=0).statistic == pytest.approx(
        value, rel=1e-12
    )


@pytest.mark.parametrize("size", [2, 3, 5, 10])
@pytest.mark.parametrize(("m", "n"), [(20, 20), (23, 31), (40, 20)])
def test_blocks_of_any_size(m, n, size):
    x, y = samples(m, n, 1)
    expected = naive.mmd2_blocks(x, y, naive.of(ts.Gaussian(1.0)), size)
    found = ts.mmd(x, y, kernel=ts.Gaussian(1.0), statistic=ts.BlockAverage(size))
    assert found == pytest.approx(expected, rel=1e-10)


def test_the_linear_statistic_uses_the_first_pairs_of_rows_only():
    x, y = samples(11, 8, 1)
    kernel = ts.Gaussian(1.0)

    def linear(x, y):
        return ts.mmd(x, y, kernel=kernel, statistic="linear")

    assert linear(x, y) == pytest.approx(linear(x[:8], y), rel=1e-12)
    assert linear(x[:5], y[:5]) == pytest.approx(linear(x[:4], y[:4]), rel=1e-12)


def test_the_linear_statistic_in_several_pieces(monkeypatch):
    from twosample.statistics import averages

    x, y = samples(101, 103, 2)
    kernel = ts.Gaussian(1.0)
    whole = ts.mmd(x, y, kernel=kernel, statistic="linear")
    monkeypatch.setattr(averages, "_ROWS", 7)
    assert ts.mmd(x, y, kernel=kernel, statistic="linear") == pytest.approx(whole, rel=1e-13)


@pytest.mark.parametrize("m", [2, 3, 8, 20])
@pytest.mark.parametrize("seed", range(5))
def test_the_lower_bound_of_the_paper(m, seed):
    """MMD_u^2 + sum_i (k(x_i,x_i) + k(y_i,y_i) - 2 k(x_i,y_i)) / (m(m-1)) >= 0, whatever the sign of MMD_u^2."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(m, 1))
    y = x[::-1] + 0.1 * rng.normal(size=(m, 1))
    for kernel in KERNELS.values():
        value = ts.mmd(x, y, kernel=kernel, statistic="paired")
        missing = kernel.diagonal(x) + kernel.diagonal(y) - 2 * kernel.pairs(x, y)
        assert value + missing.sum() / (m * (m - 1)) >= -1e-12


def test_negative_values_are_reported_as_they_are():
    x = np.arange(10.0)
    for statistic in ("unbiased", "paired"):
        r = ts.mmd_test(x, x + 0.01, statistic=statistic, kernel=ts.Gaussian(2.0), rng=0)
        assert r.statistic < 0
        assert r.pvalue > 0.5
        assert not r.rejected


def test_paired_and_unbiased_differ_by_the_cross_terms_only():
    """With S = sum_i k(x_i, y_i): paired = unbiased + 2 S/(m(m-1)) - 2 sum_ij k(x_i,y_j) (1/(m(m-1)) - 1/m^2)."""
    x, y = samples(9, 9, 2)
    kernel, m = ts.Gaussian(1.0), 9
    cross, own = kernel.block(x, y).sum(), kernel.pairs(x, y).sum()
    difference = 2 * own / (m * (m - 1)) - 2 * cross * (1 / (m * (m - 1)) - 1 / m**2)
    paired, unbiased = (ts.mmd(x, y, kernel=kernel, statistic=s) for s in ("paired", "unbiased"))
    assert paired - unbiased == pytest.approx(difference, rel=1e-10)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_swapping_the_samples_changes_nothing(statistic):
    x, y = samples(12, 12, 2)
    kernel = ts.Gaussian(1.0)
    assert ts.mmd(x, y, kernel=kernel, statistic=statistic) == pytest.approx(
        ts.mmd(y, x, kernel=kernel, statistic=statistic), rel=1e-12
    )


@given(
    st.lists(st.integers(-3, 3), min_size=2, max_size=8),
    st.lists(st.integers(-3, 3), min_size=2, max_size=8),
    st.sampled_from(sorted(KERNELS)),
    st.sampled_from(["biased", "unbiased", "linear"]),
)
def test_small_integer_samples(x, y, name, statistic):
    kernel = KERNELS[name]
    expected = LOOPS[statistic]([[v] for v in x], [[v] for v in y], naive.of(kernel))
    found = ts.mmd(np.array(x), np.array(y), kernel=kernel, statistic=statistic)
    if statistic == "biased":
        assert found**2 == pytest.approx(expected**2, rel=1e-9, abs=1e-13)
    else:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("x", [[1.0, 2.0], [1.0, 5.0, 9.0]])
def test_identical_samples_have_mmd_zero(x):
    assert ts.mmd(x, x, kernel=ts.Gaussian(1.0), statistic="biased") == pytest.approx(0, abs=1e-7)
    assert ts.mmd(x, x, kernel=ts.Gaussian(1.0), statistic="unbiased") < 0


def test_paired_needs_pairs():
    with pytest.raises(ts.InputError, match=r"paired.*x \(3\).*y \(4\).*unbiased"):
        ts.mmd([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], statistic="paired")


@pytest.mark.parametrize("size", [1, 0, -2, 2.5, "big"])
def test_bad_block_sizes(size):
    with pytest.raises(ts.OptionError, match="size="):
        ts.BlockAverage(size)


def test_too_few_rows_for_blocks():
    with pytest.raises(ts.OptionError, match=r"1 block.*at least 2.*unbiased"):
        ts.mmd(range(6), range(6), statistic=ts.BlockAverage(4))
