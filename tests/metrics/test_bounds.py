"""Theorem 'general': the bound holds as often as it says."""

import numpy as np
import pytest
from scipy.stats import norm

import twosample as ts
from twosample import metrics


def test_the_formula():
    def deviation(delta, size):
        return delta + 10 / size

    assert metrics.uniform_bound(deviation, 5, delta=0.1) == pytest.approx(2 * (0.05 + 2))
    assert metrics.uniform_bound(deviation, 5, 20, delta=0.1) == pytest.approx(0.1 + 2 + 0.5)


def test_kolmogorov_bound_holds():
    rng = np.random.default_rng(0)
    bound = metrics.uniform_bound(metrics.kolmogorov_deviation, 60, 90, delta=0.1)
    truth = 2 * norm.cdf(0.25) - 1  # N(0,1) against N(1/2,1)
    errors = [abs(metrics.kolmogorov(rng.normal(size=60), rng.normal(0.5, size=90)) - truth) for _ in range(300)]
    assert np.mean(np.array(errors) > bound) <= 0.1


def test_kernel_bound_holds():
    """E over two normals of the Gaussian kernel is known."""
    rng = np.random.default_rng(1)
    kernel = ts.Gaussian(1.0)
    truth = np.sqrt(2 / np.sqrt(3) * (1 - np.exp(-1 / 6)))  # k has variance 1, x - y has variance 2, means differ by 1
    bound = metrics.uniform_bound(metrics.kernel_deviation, 50, delta=0.1)
    errors = [
        abs(ts.mmd(rng.normal(size=50), rng.normal(1, size=50), kernel=kernel, statistic="biased") - truth)
        for _ in range(200)
    ]
    assert np.mean(np.array(errors) > bound) <= 0.1
    assert np.mean(errors) < 0.1  # the truth is the truth
    assert metrics.kernel_deviation(0.1, 50, bound=4.0) == pytest.approx(2 * metrics.kernel_deviation(0.1, 50))


@pytest.mark.parametrize("delta", [0, 1, -0.5, None, "a", np.nan, True, [0.1], np.complex128(0.1)])
def test_bad_delta(delta):
    for call in (
        lambda: metrics.uniform_bound(metrics.kolmogorov_deviation, 10, delta=delta),
        lambda: metrics.kolmogorov_deviation(delta, 10),
        lambda: metrics.kernel_deviation(delta, 10),
    ):
        with pytest.raises(ts.OptionError, match="delta="):
            call()


@pytest.mark.parametrize("size", [0, -1, 2.5, "a", np.nan, np.inf, 10**400, [3]])
def test_bad_size(size):
    for call, name in (
        (lambda: metrics.uniform_bound(metrics.kolmogorov_deviation, size), "m="),
        (lambda: metrics.uniform_bound(metrics.kolmogorov_deviation, 10, size), "n="),
        (lambda: metrics.kolmogorov_deviation(0.1, size), "size="),
        (lambda: metrics.kernel_deviation(0.1, size), "size="),
    ):
        with pytest.raises(ts.OptionError, match=name):
            call()


def test_other_bad_options():
    for bound in (0, -1, None, np.nan, np.inf):
        with pytest.raises(ts.OptionError, match="bound="):
            metrics.kernel_deviation(0.1, 10, bound=bound)
    with pytest.raises(ts.OptionError, match=r"deviation=0\.3"):
        metrics.uniform_bound(0.3, 10)


def test_tiny_delta():
    assert metrics.kolmogorov_deviation(1e-320, 10) == pytest.approx(
        np.sqrt((np.log(2) + 320 * np.log(10)) / 20), rel=1e-3
    )


def test_sizes_near_the_largest_double():
    assert 0 < metrics.kolmogorov_deviation(0.1, 10**308) < 1e-150
    assert 0 < metrics.kernel_deviation(0.1, 10**308) < 1e-150
