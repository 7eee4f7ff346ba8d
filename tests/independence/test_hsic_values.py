"""HSIC against loops, other packages, and itself by every engine; all shifts against pairing the rows anew."""

from itertools import permutations

import numpy as np
import pytest

import twosample as ts
from tests.independence import naive_hsic as naive
from twosample.independence.factored import NEGLECTED
from twosample.independence.laws import moments_over_permutations, product_weights
from twosample.independence.sides import make_pair, variables

BOTH = pytest.mark.parametrize("statistic", ["biased", "unbiased"])
ENGINES = {"dense": ts.Dense(), "tiled": ts.Tiled(), "fourier": ts.Fourier(), "lowrank": ts.LowRank(tolerance=1e-9)}


def sample(n, columns=2, strength=0.5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns))
    return x, strength * x[:, :1] + rng.normal(size=(n, 1))


def pair_of(x, y, engine, unbiased, kernel="gaussian"):
    rng = np.random.default_rng(1)
    a, b = variables(x, y, (kernel, None), "median", rng)
    K, L = a.kernel.block(a.z, a.z), b.kernel.block(b.z, b.z)
    return make_pair(a, b, engine, unbiased, rng)[0], K, L


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "energy", "polynomial"])
@BOTH
def test_statistic_is_the_sum_of_the_definition(kernel, statistic):
    x, y = sample(7)
    r = ts.hsic_test(x, y, kernel=kernel, statistic=statistic, rng=0)
    K, L = r.kernel.block(x, x), r.kernel_y.block(y, y)
    expected = naive.hsic_unbiased(K, L) if statistic == "unbiased" else naive.hsic_biased(K, L)
    assert r.statistic == pytest.approx(expected, rel=1e-9)
    assert naive.hsic_traces(K, L, statistic == "unbiased") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ENGINES)
@BOTH
def test_all_shifts_and_all_permutations(name, statistic):
    unbiased = statistic == "unbiased"
    for n in (6, 7):
        x, y = sample(n)
        pair, K, L = pair_of(x, y, ENGINES[name], unbiased)
        orders = np.array(list(permutations(range(n))))
        expected = np.array([naive.hsic_traces(K, L[np.ix_(o, o)], unbiased) for o in orders])
        near = 10 * NEGLECTED * expected.std() if name in ("fourier", "lowrank") else 1e-14
        np.testing.assert_allclose(pair.permuted(orders), expected, atol=near)
        mean, variance = moments_over_permutations(pair.size, pair.unit, *pair.moments)
        assert mean == pytest.approx(expected.mean(), abs=1e-9)
        assert variance == pytest.approx(expected.var(), rel=1e-6)
        first, second = np.random.default_rng(2).permutation(n), np.random.default_rng(3).permutation(n)
        shifted = []
        for j in range(n):
            order = np.empty(n, int)
            order[first] = np.roll(second, -j)  # row first[i] of x meets row second[i + j] of y
            shifted.append(naive.hsic_traces(K, L[np.ix_(order, order)], unbiased))
        np.testing.assert_allclose(pair.shifts(first, second), shifted, atol=near)


@BOTH
@pytest.mark.parametrize("cycle", [3, 4, 11])
def test_shifts_within_stretches(statistic, cycle):
    """Rows that no cycle has room for meet the same row in every pairing."""
    n, unbiased = 11, statistic == "unbiased"
    x, y = sample(n)
    pair, K, L = pair_of(x, y, ENGINES["fourier"], unbiased)
    first, second = np.random.default_rng(2).permutation(n), np.random.default_rng(3).permutation(n)
    expected = []
    for j in range(cycle):
        order = np.empty(n, int)
        for i in range(n):
            start = i - i % cycle
            order[first[i]] = second[start + (i - start + j) % cycle] if start + cycle <= n else second[i]
        expected.append(naive.hsic_traces(K, L[np.ix_(order, order)], unbiased))
    np.testing.assert_allclose(pair.turns(first, second, cycle), expected, atol=1e-3 * np.std(expected))


@BOTH
def test_engines_agree_on_many_rows(statistic):
    x, y = sample(1203, strength=0.1)
    values = {name: ts.hsic_test(x, y, statistic=statistic, engine=engine, rng=5) for name, engine in ENGINES.items()}
    exact = values["dense"]
    spread = exact.law.values[1:].std()
    K, L = exact.kernel.block(x, x), exact.kernel_y.block(y, y)
    assert exact.statistic == pytest.approx(naive.hsic_traces(K, L, statistic == "unbiased"), abs=1e-9 * spread)
    np.testing.assert_allclose(values["tiled"].law.values, exact.law.values, atol=1e-9 * spread)
    for name in ("fourier", "lowrank"):
        assert abs(values[name].statistic - exact.statistic) < 1e-3 * spread
        assert values[name].law.values[1:].std() == pytest.approx(spread, rel=0.15)


def test_strips_of_several_widths(monkeypatch):
    monkeypatch.setattr("twosample.independence.matrices._STRIP_ENTRIES", 900)
    monkeypatch.setattr("twosample.independence.strips._BLOCK_ROWS", 17)
    for n in (64, 65):
        x, y = sample(n)
        for unbiased in (False, True):
            tiled, dense = (pair_of(x, y, ENGINES[name], unbiased)[0] for name in ("tiled", "dense"))
            order = np.random.default_rng(1).permutation(n)
            np.testing.assert_allclose(tiled.shifts(order, order), dense.shifts(order, order), atol=1e-15)
            np.testing.assert_allclose(tiled.moments, dense.moments, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(tiled.autocorrelations(), dense.autocorrelations(), atol=1e-10)


def test_autocorrelations_of_factors():
    x, y = sample(101)
    for unbiased in (False, True):
        factors, dense = (pair_of(x, y, ENGINES[name], unbiased)[0] for name in ("fourier", "dense"))
        for ours, theirs in zip(factors.autocorrelations(), dense.autocorrelations(), strict=True):
            if unbiased:  # U-centring differs from HKH by 1/n
                assert np.abs(ours[1:] - theirs[1:]).max() < 1.5
            else:
                np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_energy_kernel_gives_distance_covariance():
    x, y = sample(12)
    D, E = (np.linalg.norm(z[:, None] - z[None], axis=2) for z in (x, y))
    for statistic, value in (("biased", naive.hsic_biased), ("unbiased", naive.hsic_unbiased)):
        ours = ts.hsic_test(x, y, kernel="energy", statistic=statistic, rng=0).statistic
        assert 4 * ours == pytest.approx(value(D, E), rel=1e-9)


def test_published_values():
    """Squared distance covariances, biased and unbiased, of the small example in the manual of dcor."""
    a, b = np.arange(1.0, 17.0).reshape(4, 4), np.array([1.0, 0.0, 0.0, 1.0])
    published = {(0, 0): (52.0, 128 / 3), (0, 1): (1.0, -8 / 3), (1, 1): (0.25, 2 / 3)}
    for (i, j), values in published.items():
        for statistic, value in zip(("biased", "unbiased"), values, strict=True):
            r = ts.hsic_test((a, b)[i], (a, b)[j], kernel="energy", statistic=statistic, level=0.5, rng=0)
            assert 4 * r.statistic == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
def test_dcor_agrees():
    dcor = pytest.importorskip("dcor")
    x, y = sample(40)
    unbiased = ts.hsic_test(x, y, kernel="energy", rng=0).statistic
    biased = ts.hsic_test(x, y, kernel="energy", statistic="biased", rng=0).statistic
    assert 4 * unbiased == pytest.approx(float(dcor.u_distance_covariance_sqr(x, y)), rel=1e-9)
    assert 4 * biased == pytest.approx(float(dcor.distance_covariance_sqr(x, y)), rel=1e-9)


@pytest.mark.slow
def test_hyppo_has_the_normalised_value():
    independence = pytest.importorskip("hyppo.independence")
    x, y = sample(40)
    k = ts.Gaussian(1.3)
    for statistic, power in (("biased", 2), ("unbiased", 1)):  # hyppo takes the root of the biased value
        peer = independence.Hsic(compute_kernel="gaussian", bias=statistic == "biased", gamma=1 / (2 * 1.3**2))
        pairs = ((x, y), (x, x), (y, y))
        xy, xx, yy = (ts.hsic_test(a, b, kernel=k, statistic=statistic, rng=0).statistic for a, b in pairs)
        assert xy / np.sqrt(xx * yy) == pytest.approx(float(peer.statistic(x, y)) ** power, rel=1e-6)


def test_product_weights_keep_the_moments():
    rng = np.random.default_rng(0)
    x, y = np.sort(rng.gamma(0.2, size=400))[::-1], np.sort(rng.gamma(0.3, size=350))[::-1]
    weights, all_weights = product_weights(x, y), np.multiply.outer(x, y).ravel()
    assert len(np.unique(weights)) <= 401
    assert (weights**2).sum() == pytest.approx((all_weights**2).sum(), rel=1e-9)
    assert (weights**3).sum() == pytest.approx((all_weights**3).sum(), rel=0.02)
