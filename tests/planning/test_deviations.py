"""When p and q may differ: the finite-sample interval and the normal law of MMD_u^2."""

from math import log, sqrt

import numpy as np
import pytest

import twosample as ts
from tests import naive
from twosample.planning.intervals import deviation_interval
from twosample.planning.profile import _covariances, _row_means


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
@pytest.mark.parametrize(("m", "n", "bound"), [(10_000, 10_000, 1.0), (20_000, 5_000, 2.5)])
def test_the_interval_of_the_theorem(m, n, bound, level):
    """|MMD_b - MMD| <= 2(sqrt(K/m) + sqrt(K/n)) + epsilon, 2 exp(-epsilon^2 mn/(2K(m+n))) = 1 - level."""
    epsilon = sqrt(2 * bound * (m + n) / (m * n) * log(2 / (1 - level)))
    width = 2 * (sqrt(bound / m) + sqrt(bound / n)) + epsilon
    low, high = deviation_interval(0.5, m, n, bound, level)
    assert low == pytest.approx(0.5 - width, rel=1e-12)
    assert high == pytest.approx(0.5 + width, rel=1e-12)


def test_the_interval_stays_where_an_mmd_can_be():
    assert deviation_interval(0.1, 10, 10, 1.0, 0.95) == (0.0, sqrt(2))
    low, high = deviation_interval(1.0, 10**8, 10**8, 1.0, 0.95)
    assert 0.99 < low < 1 < high < 1.01


def test_the_interval_covers():
    """N(0,1) against N(1,1): the closed form lies inside in every one of 100 seeded draws."""
    rng = np.random.default_rng(0)
    true = sqrt(2 * (1 / sqrt(3)) * (1 - np.exp(-1 / 6)))
    for _ in range(100):
        estimate = ts.mmd(rng.normal(size=200), rng.normal(size=200) + 1, kernel=ts.Gaussian(1.0), statistic="biased")
        low, high = deviation_interval(estimate, 200, 200, 1.0, 0.9)
        assert low <= true <= high


def alternative_variance(row_sums, diagonal, m, n):
    """The variance of MMD²_u beyond H0, from the variances of the witness: Theorem 'hoeffdingNormal'."""
    covariances = _covariances(*_row_means(row_sums, diagonal, m, n), diagonal, m)
    return 4 * (covariances[0, 0, 0] / m + covariances[1, 0, 0] / n)


def rows(x, y, kernel):
    z = np.concatenate([x, y])
    K = kernel.block(z, z)
    return np.stack([K[:, : len(x)].sum(axis=1), K[:, len(x) :].sum(axis=1)], axis=1), kernel.diagonal(z)


@pytest.mark.parametrize(("m", "n"), [(6, 6), (9, 5), (2, 7)])
@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Polynomial(2, 1.0, 1.0)])
def test_the_variance_is_its_definition(m, n, kernel):
    rng = np.random.default_rng(m)
    x, y = rng.normal(size=(m, 1)), rng.normal(size=(n, 1)) + 1
    k = naive.of(kernel)
    from_x = [
        sum(k(x[i], x[j]) for j in range(m) if j != i) / (m - 1) - sum(k(x[i], b) for b in y) / n for i in range(m)
    ]
    from_y = [
        sum(k(y[i], y[j]) for j in range(n) if j != i) / (n - 1) - sum(k(y[i], a) for a in x) / m for i in range(n)
    ]
    expected = 4 * (np.var(from_x, ddof=1) / m + np.var(from_y, ddof=1) / n)
    assert alternative_variance(*rows(x, y, kernel), m, n) == pytest.approx(expected, rel=1e-10)


def test_the_variance_is_sigma_u_of_the_paper():
    """For m = n it estimates sigma_u^2 / m, as the loop over pairs z_i = (x_i, y_i) does."""
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(5):
        x, y = rng.normal(size=(60, 1)), rng.normal(size=(60, 1)) + 1

        def k(a, b):
            return np.exp(-0.5 * (a[0] - b[0]) ** 2)

        ratios.append(
            alternative_variance(*rows(x, y, ts.Gaussian(1.0)), 60, 60) / (naive.sigma_u_squared(x, y, k) / 60)
        )
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("m", "n"), [(80, 80), (50, 150)])
def test_the_variance_is_that_of_the_statistic(m, n):
    """Against the variance of MMD_u^2 over 400 seeded pairs of samples; s.e. of the ratio about 7 %."""
    rng = np.random.default_rng(2)
    kernel = ts.Gaussian(1.0)
    values, variances = [], []
    for _ in range(400):
        x, y = rng.normal(size=(m, 1)), rng.normal(size=(n, 1)) + 1
        sums, diagonal = rows(x, y, kernel)
        own = sums[:m, 0].sum() - m, sums[m:, 1].sum() - n, sums[:m, 1].sum()
        values.append(own[0] / (m * (m - 1)) + own[1] / (n * (n - 1)) - 2 * own[2] / (m * n))
        variances.append(alternative_variance(sums, diagonal, m, n))
    assert np.mean(variances) == pytest.approx(np.var(values, ddof=1), rel=0.25)


def test_the_variance_is_symmetric_and_never_negative():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(12, 2)), rng.normal(size=(17, 2))
    kernel = ts.Gaussian(1.0)
    assert alternative_variance(*rows(x, y, kernel), 12, 17) == pytest.approx(
        alternative_variance(*rows(y, x, kernel), 17, 12), rel=1e-12
    )
    constant = np.ones((8, 1))
    assert alternative_variance(*rows(constant, constant, kernel), 8, 8) == 0


def test_row_sums_come_from_any_engine():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=(40, 2)) + 0.5
    z, W = np.concatenate([x, y]), np.zeros((70, 2))
    W[:30, 0] = W[30:, 1] = 1
    kernel = ts.Gaussian(1.5)
    expected = alternative_variance(*rows(x, y, kernel), 30, 40)
    for engine in (ts.Dense(), ts.Tiled(tile=16)):
        found = alternative_variance(engine.gram(kernel, z).multiply(W), kernel.diagonal(z), 30, 40)
        assert found == pytest.approx(expected, rel=1e-4)
