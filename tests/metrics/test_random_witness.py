"""Section 7.4: the distance over random functions is a constant times MMD."""

import numpy as np
import pytest

import twosample as ts

CONSTANT = np.sqrt(2 / np.pi)


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Laplace(2.0), ts.Linear(), ts.Polynomial(2, 1.0, 1.0)])
@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1.0, 1.0), (0.0, 3.0)])
def test_the_ratio_to_mmd_is_the_same_whatever_p_q_and_kernel(kernel, shift, scale):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 2)), shift + scale * rng.normal(size=(30, 2))
    found = ts.metrics.random_witness_distance(x, y, kernel=kernel, functions=40_000, rng=1)
    assert found / ts.mmd(x, y, kernel=kernel, statistic="biased") == pytest.approx(CONSTANT, rel=4 * 0.76 / 200)


def test_it_is_the_mean_over_functions_that_are_written_down():
    """Linear kernel on two columns: f(z) = g'z with g standard normal, by hand."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(20, 2)), rng.normal([1.0, 0.5], size=(25, 2))
    gap = x.mean(axis=0) - y.mean(axis=0)
    by_hand = np.abs(rng.normal(size=(200_000, 2)) @ gap).mean()
    found = ts.metrics.random_witness_distance(x, y, kernel="linear", functions=50_000, rng=2)
    assert found == pytest.approx(by_hand, rel=0.02)


def test_the_same_seed_gives_the_same_distance_and_equal_samples_none():
    x = np.arange(10.0)
    options = {"kernel": ts.Gaussian(1.0), "functions": 100}
    one, two = (ts.metrics.random_witness_distance(x, x + 1, rng=3, **options) for _ in range(2))
    assert one == two > 0
    assert ts.metrics.random_witness_distance(x, x, rng=3, **options) < 1e-7
    with pytest.raises(ts.OptionError, match="functions"):
        ts.metrics.random_witness_distance(x, x, functions=0)
