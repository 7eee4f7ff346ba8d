"""Values that others published, closed forms, and identities."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import twosample as ts

# --- Shogun's unit tests ------------------------------------------------------------------------------------

ROWS = np.arange(48.0).reshape(16, 3)


def shogun_samples():
    """The first 8 rows over 23, the last 8 over 47."""
    return ROWS[:8] / 23, ROWS[8:] / 47


@pytest.mark.parametrize(
    ("statistic", "value"), [("biased", 0.178825464868), ("unbiased", 0.134400943361), ("paired", 0.167439772012)]
)
def test_shogun_quadratic_time(statistic, value):
    """QuadraticTimeMMD_unittest: m/2 times the estimate, k = exp(-d^2/8); 'incomplete' is the paper's U-statistic."""
    x, y = shogun_samples()
    found = ts.mmd(x, y, kernel=ts.Gaussian(2.0), statistic=statistic)
    assert 8 / 2 * (found**2 if statistic == "biased" else found) == pytest.approx(value, rel=1e-10)


def test_shogun_unequal_sizes():
    x = [0.61318059, -0.69222999, 0.94424411, -0.48769626, -0.00709551]
    y = [0.35025598, 0.20741384, -0.63622519, -1.21315264, -0.77349617, -0.42707091]
    found = ts.mmd(x, y, kernel=ts.Gaussian(1.0))
    assert found == pytest.approx(-0.013750123981, rel=1e-9)
    assert found * 30 / 11 == pytest.approx(-0.037500338130, rel=1e-9)


# --- dcor and frouros ---------------------------------------------------------------------------------------


def test_dcor_energy_statistic():
    """nm/(n+m) times the energy distance of the docstring; MMD_b^2 with the energy kernel is half of that distance."""
    a = np.arange(1.0, 17.0).reshape(4, 4)
    b = np.array([[1, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]])
    found = 2 * ts.mmd(a, b, kernel="energy", statistic="biased") ** 2
    assert 12 / 7 * found == pytest.approx(35.276673284, rel=1e-9)


def test_frouros_docstring():
    legacy = np.random.RandomState(31)
    x = legacy.multivariate_normal(mean=[1, 1], cov=[[2, 0], [0, 2]], size=100)
    y = legacy.multivariate_normal(mean=[0, 0], cov=[[2, 1], [1, 2]], size=100)
    assert ts.mmd(x, y, kernel=ts.Gaussian(0.5)) == pytest.approx(0.021469553003, rel=1e-8)


# --- Identities ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n", "columns"), [(5, 5, 1), (8, 13, 3), (30, 2, 2)])
def test_the_linear_kernel_gives_the_unbiased_squared_difference_of_means(m, n, columns):
    rng = np.random.default_rng(m)
    x, y = rng.normal(size=(m, columns)), rng.normal(size=(n, columns)) + 1
    noise = x.var(axis=0, ddof=1).sum() / m + y.var(axis=0, ddof=1).sum() / n
    squared = np.square(x.mean(axis=0) - y.mean(axis=0)).sum()
    assert ts.mmd(x, y, kernel="linear") == pytest.approx(squared - noise, rel=1e-10)
    assert ts.mmd(x, y, kernel="linear", statistic="biased") == pytest.approx(np.sqrt(squared), rel=1e-12)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
@pytest.mark.parametrize(("m", "n", "columns"), [(6, 6, 1), (9, 14, 2)])
def test_the_energy_kernel_gives_half_the_energy_distance(m, n, columns, exponent):
    rng = np.random.default_rng(m)
    x, y = rng.normal(size=(m, columns)) + 50, rng.normal(size=(n, columns)) + 51
    xx, xy, yy = (cdist(a, b) ** exponent for a, b in ((x, x), (x, y), (y, y)))
    kernel = ts.Energy(exponent)
    biased = 2 * xy.mean() - xx.mean() - yy.mean()
    assert 2 * ts.mmd(x, y, kernel=kernel, statistic="biased") ** 2 == pytest.approx(biased, rel=1e-10)
    unbiased = 2 * xy.mean() - xx.sum() / (m * (m - 1)) - yy.sum() / (n * (n - 1))
    assert 2 * ts.mmd(x, y, kernel=kernel) == pytest.approx(unbiased, rel=1e-10)


def test_energy_in_one_dimension_is_scipys_energy_distance():
    from scipy.stats import energy_distance

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=40), rng.normal(size=31) + 0.5
    assert np.sqrt(2) * ts.mmd(x, y, kernel="energy", statistic="biased") == pytest.approx(
        energy_distance(x, y), rel=1e-10
    )


def test_the_biased_statistic_is_a_distance_between_means_in_feature_space():
    """With the polynomial kernel of degree 2 in one dimension the features are (1, sqrt(2) t, t^2)."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=9), rng.normal(size=7)

    def features(t):
        return np.stack([np.ones_like(t), np.sqrt(2) * t, t**2]).mean(axis=1)

    expected = np.linalg.norm(features(x) - features(y))
    assert ts.mmd(x, y, kernel=ts.Polynomial(2, 1.0, 1.0), statistic="biased") == pytest.approx(expected, rel=1e-12)


def test_the_mean_of_the_linear_statistic_over_orders_is_the_paired_one():
    """Averaged over all pairings of rows, MMD_l^2 becomes the U-statistic it subsamples."""
    from itertools import permutations

    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(4, 1)), rng.normal(size=(4, 1)) + 1
    kernel = ts.Gaussian(1.0)
    values = [ts.mmd(x[list(p)], y[list(p)], kernel=kernel, statistic="linear") for p in permutations(range(4))]
    assert np.mean(values) == pytest.approx(ts.mmd(x, y, kernel=kernel, statistic="paired"), rel=1e-12)


# --- Closed forms -------------------------------------------------------------------------------------------


def gaussian_mmd2(mean, s, t, width, columns):
    """MMD^2 between N(0, s^2 I) and N(mean 1, t^2 I) under the Gaussian kernel of width w.

    E k(x, y) = (w^2 / (w^2 + a))^(d/2) exp(-|delta|^2 / (2 (w^2 + a))) with a the sum of the two variances.
    """

    def expected(variance, shift):
        total = width**2 + variance
        return (width**2 / total) ** (columns / 2) * np.exp(-columns * shift**2 / (2 * total))

    return expected(2 * s**2, 0) - 2 * expected(s**2 + t**2, mean) + expected(2 * t**2, 0)


@pytest.mark.parametrize(
    ("mean", "s", "t", "width", "columns"), [(0.0, 1.0, 1.0, 1.0, 1), (0.7, 1.0, 1.5, 0.8, 1), (0.3, 1.0, 0.6, 1.5, 3)]
)
@pytest.mark.parametrize("statistic", ["unbiased", "paired", "linear", "block"])
def test_gaussian_kernel_between_gaussians_in_expectation(statistic, mean, s, t, width, columns):
    rng = np.random.default_rng(6)
    values = [
        ts.mmd(
            s * rng.normal(size=(24, columns)), mean + t * rng.normal(size=(24, columns)),
            kernel=ts.Gaussian(width), statistic=statistic,
        )
        for _ in range(150)
    ]  # fmt: skip
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert np.mean(values) == pytest.approx(gaussian_mmd2(mean, s, t, width, columns), abs=4 * error)


def test_the_biased_statistic_in_expectation():
    """E MMD_b^2 = MMD^2 + (1/m) E[k(x,x) - k(x,x')] + the same for y."""
    rng = np.random.default_rng(7)
    m, n, width = 12, 20, 1.0
    values = [ts.mmd(rng.normal(size=m), 0.5 + rng.normal(size=n), kernel=ts.Gaussian(width), statistic="biased") ** 2
              for _ in range(300)]  # fmt: skip
    spread = 1 - np.sqrt(1 / 3)
    expected = gaussian_mmd2(0.5, 1, 1, width, 1) + (1 / m + 1 / n) * spread
    assert np.mean(values) == pytest.approx(expected, abs=4 * np.std(values) / np.sqrt(len(values)))


def test_the_linear_kernel_between_shifted_samples_is_exact():
    x = np.array([-1.0, 1.0, -2.0, 2.0])
    assert ts.mmd(x, x + 3, kernel="linear", statistic="biased") == pytest.approx(3)
