"""Energy distance and Parzen L2: loops over the definitions, integrals, and the identities with MMD."""

import numpy as np
import pytest

import twosample as ts
from twosample import metrics
from twosample.metrics.kernel import window_width


def energy_loop(x, y, beta):
    def mean(a, b):
        return np.mean([np.linalg.norm(u - v) ** beta for u in a for v in b])

    return 2 * mean(x, y) - mean(x, x) - mean(y, y)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.9])
def test_energy_by_definition(d, exponent):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(9, d)), rng.normal(0.5, size=(12, d))
    expected = energy_loop(x, y, exponent)
    assert metrics.energy_distance(x, y, exponent=exponent) == pytest.approx(expected, rel=1e-10)
    mmd = ts.mmd(x, y, kernel=ts.Energy(exponent), statistic="biased")
    assert 2 * mmd**2 == pytest.approx(expected, rel=1e-10)


def test_energy_fixture_of_dcor():
    """PEERS 5c: a = 1..16 as 4 x 4 against three 0/1 rows; dcor prints nm/(n+m) times the distance."""
    a = np.arange(1.0, 17.0).reshape(4, 4)
    b = np.array([[1, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]])
    assert 4 * 3 / 7 * metrics.energy_distance(a, b) == pytest.approx(35.276673284, rel=1e-10)


@pytest.mark.parametrize("h", [0.2, 0.7])
def test_parzen_is_the_integral_of_the_squared_difference(h):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=8), rng.normal(1, size=11)
    z = np.linspace(-12, 12, 200_001)

    def estimate(sample):
        windows = np.exp(-0.5 * ((sample[:, None] - z) / h) ** 2) / np.sqrt(2 * np.pi * h * h)
        return windows.mean(axis=0)

    square = np.trapezoid((estimate(x) - estimate(y)) ** 2, z)
    assert metrics.parzen_l2(x, y, bandwidth=h) ** 2 == pytest.approx(square, rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_parzen_is_mmd_with_the_window_convolved_with_itself(d):
    """Section 7.1: k is the Gaussian of bandwidth sqrt(2) h times its normalising constant."""
    rng = np.random.default_rng(d)
    x, y, h = rng.normal(size=(20, d)), rng.normal(0.4, size=(30, d)), 0.6
    kernel = (4 * np.pi * h * h) ** (-d / 2) * ts.Gaussian(np.sqrt(2) * h)
    assert metrics.parzen_l2(x, y, bandwidth=h) == pytest.approx(ts.mmd(x, y, kernel=kernel, statistic="biased"))


def test_parzen_in_two_dimensions_by_the_grid():
    rng = np.random.default_rng(5)
    x, y, h = rng.normal(size=(6, 2)), rng.normal(size=(5, 2)), 0.5
    axis = np.linspace(-6, 6, 401)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)

    def estimate(sample):
        squares = ((grid[:, None] - sample) ** 2).sum(axis=2)
        return np.exp(-squares / (2 * h * h)).mean(axis=1) / (2 * np.pi * h * h)

    square = ((estimate(x) - estimate(y)) ** 2).sum() * (axis[1] - axis[0]) ** 2
    assert metrics.parzen_l2(x, y, bandwidth=h) ** 2 == pytest.approx(square, rel=1e-8)


def test_the_rule_is_the_normal_reference_rule():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(40, 3))
    expected = np.sqrt(z.var(axis=0, ddof=1).mean()) * (4 / (5 * 20)) ** (1 / 7)
    assert window_width(z, 20, "silverman") == pytest.approx(expected)
    assert window_width(1e200 * z + 3e200, 20, "silverman") == pytest.approx(1e200 * expected)
    assert window_width(z[::-1], 20, "silverman") == pytest.approx(expected)
    assert window_width(np.ones((5, 2)), 2, "silverman") == 1.0


def test_parzen_scales_as_a_density():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.normal(0.5, size=(30, 2))
    for unit in (1e-60, 1e-3, 1e4, 1e60):
        assert metrics.parzen_l2(unit * x, unit * y) == pytest.approx(metrics.parzen_l2(x, y) / unit, rel=1e-9)


def test_parzen_refuses_what_no_number_holds():
    x = np.random.default_rng(0).normal(size=(10, 2000)) * 1e-4
    with pytest.raises(ts.OptionError, match="mmd_test"):
        metrics.parzen_l2(x, x + 1e-4)


@pytest.mark.parametrize("bandwidth", [0, -1.0, np.nan, np.inf, "scott", None, True])
def test_bad_bandwidths(bandwidth):
    with pytest.raises(ts.OptionError, match="bandwidth"):
        metrics.parzen_l2([0.0, 1.0], [2.0, 3.0], bandwidth=bandwidth)


def test_large_samples_go_through_tiles():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1200, 4)), rng.normal(0.2, size=(900, 4))
    K = [np.exp(-((a[:, None] - b) ** 2).sum(axis=2) / 4).mean() for a, b in ((x, x), (x, y), (y, y))]
    square = (4 * np.pi) ** -2 * (K[0] - 2 * K[1] + K[2])
    assert metrics.parzen_l2(x, y, bandwidth=1.0) ** 2 == pytest.approx(square, rel=1e-5)


@pytest.mark.parametrize("bandwidth", [np.array([1.0, 2.0]), np.complex128(1), 10**400, None, "scott", -1.0, True])
def test_widths_that_are_none(bandwidth):
    with pytest.raises(ts.OptionError, match="bandwidth="):
        metrics.parzen_l2([0.0, 1.0], [1.0, 2.0], bandwidth=bandwidth)


@pytest.mark.parametrize("metric", [[], {}, None, 3])
def test_metrics_that_are_none(metric):
    with pytest.raises(ts.OptionError, match="metric="):
        metrics.witness([0.0, 1.0], [1.0, 2.0], metric=metric)
