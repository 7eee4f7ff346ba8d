"""Metrics on the line against SciPy, counting by hand, and their own witnesses."""

import numpy as np
import pytest
from scipy import stats

import twosample as ts
from twosample import metrics

SAMPLES = {
    "normal": lambda rng, k: rng.normal(size=k),
    "ties": lambda rng, k: rng.poisson(1.5, size=k).astype(float),
    "offset": lambda rng, k: 1e9 + rng.normal(size=k),
    "two values": lambda rng, k: (rng.random(k) < 0.3).astype(float),
}


def pair(kind, seed, m=23, n=31):
    rng = np.random.default_rng(seed)
    return SAMPLES[kind](rng, m), SAMPLES[kind](rng, n) + rng.choice([0.0, 0.0, 1.0])


every_kind = pytest.mark.parametrize("kind", SAMPLES)


@every_kind
@pytest.mark.parametrize("seed", range(4))
def test_against_scipy(kind, seed):
    x, y = pair(kind, seed)
    assert metrics.kolmogorov(x, y) == pytest.approx(stats.ks_2samp(x, y).statistic, abs=1e-15)
    assert metrics.wasserstein(x, y) == pytest.approx(stats.wasserstein_distance(x, y), rel=1e-9, abs=1e-12)
    root = stats.energy_distance(x, y)  # SciPy returns the root
    assert metrics.energy_distance(x, y) == pytest.approx(root**2, rel=1e-9, abs=1e-12)


def test_by_hand():
    # F_x - F_y is 1/2 on [0, 1), 1/2 on [1, 2), 0 on [2, 3).
    x, y = [0.0, 3.0], [2.0, 3.0]
    assert metrics.kolmogorov(x, y) == 0.5
    assert metrics.wasserstein(x, y) == 1.0
    assert metrics.energy_distance(x, y) == 2 * 0.25 * 2


@every_kind
@pytest.mark.parametrize("metric", ["kolmogorov", "wasserstein", "bounded_lipschitz"])
def test_the_witness_attains_the_metric(kind, metric):
    x, y = pair(kind, 7)
    f = metrics.witness(x, y, metric=metric)
    value = getattr(metrics, metric)(x, y)
    assert f.value == pytest.approx(value)
    assert f(x).mean() - f(y).mean() == pytest.approx(value, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_function_of_bounded_variation_beats_the_step(seed):
    """Proposition 'ks': random functions of total variation 1, and the step itself."""
    x, y = pair("normal", seed)
    z = np.sort(np.concatenate([x, y]))
    rng = np.random.default_rng(seed)
    best = metrics.kolmogorov(x, y)
    for _ in range(200):
        jumps = rng.normal(size=len(z)) * (rng.random(len(z)) < 0.1)
        if not jumps.any():
            continue
        jumps /= np.abs(jumps).sum()
        f = np.cumsum(jumps)
        difference = f[np.searchsorted(z, x)].mean() - f[np.searchsorted(z, y)].mean()
        assert abs(difference) <= best + 1e-12
    step = metrics.witness(x, y, metric="kolmogorov")(z)
    assert np.abs(np.diff(step)).sum() <= 1


def test_kolmogorov_sign_and_place():
    f = metrics.witness([5.0, 6.0], [1.0, 2.0], metric="kolmogorov")
    assert (f.location, f.sign, f.value) == (2.0, -1, 1.0)
    np.testing.assert_array_equal(f([[0.0], [2.0], [3.0]]), [-1.0, -1.0, 0.0])


@every_kind
def test_the_wasserstein_witness_has_slope_one(kind):
    x, y = pair(kind, 3)
    f = metrics.witness(x, y)
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    grid = np.linspace(low - 1, high + 1, 4001)
    slopes = np.diff(f(grid)) / np.diff(grid)
    assert np.abs(slopes).max() <= 1 + 1e-5
    assert f(grid[:1])[0] == pytest.approx(f([low])[0])  # flat outside the data


def test_extremes_of_scale():
    x, y = np.array([0.0, 1.0, 4.0]), np.array([2.0, 3.0, 9.0])
    for unit in (1e-300, 1e-12, 1e12, 1e300):
        assert metrics.kolmogorov(unit * x, unit * y) == metrics.kolmogorov(x, y)
        assert metrics.wasserstein(unit * x, unit * y) == pytest.approx(unit * metrics.wasserstein(x, y))
        assert metrics.energy_distance(unit * x, unit * y) == pytest.approx(unit * metrics.energy_distance(x, y))


def test_close_values_beside_far_ones_stay_apart():
    assert metrics.kolmogorov([0.0, 0.0], [1e-20, 1e-20]) == 1.0
    assert metrics.kolmogorov([0.0, 0.0, 1e10, 1e10], [1e-20, 1e-20, 1e10, 1e10]) == 0.5


def test_many_rows_take_a_moment():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=300_000), rng.normal(0.1, size=200_000)
    assert metrics.wasserstein(x, y) == pytest.approx(0.1, abs=0.02)
    assert metrics.kolmogorov(x, y) == pytest.approx(0.04, abs=0.01)
    assert metrics.energy_distance(x, y) == pytest.approx(0.01 / np.sqrt(np.pi), rel=0.2)


def test_kolmogorov_refuses_columns():
    with pytest.raises(ts.InputError, match="one column"):
        metrics.kolmogorov(np.zeros((4, 2)), np.ones((4, 2)))
    with pytest.raises(ts.InputError, match="columns"):
        metrics.witness([0.0, 1.0], [2.0, 3.0], metric="kolmogorov")(np.zeros((2, 2)))
