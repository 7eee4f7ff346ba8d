"""Theorem 'stronger star': discrepancies over function classes are metrics, or at least pseudo-metrics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import twosample as ts
from twosample import metrics

numbers = st.floats(-100, 100).map(lambda value: round(value, 3))


def samples(columns):
    return st.integers(2, 7).flatmap(lambda rows: arrays(float, (rows, columns), elements=numbers))


def mmd(kernel):
    return lambda x, y: ts.mmd(x, y, kernel=kernel, statistic="biased")


METRICS = {
    "wasserstein": metrics.wasserstein,
    "bounded lipschitz": metrics.bounded_lipschitz,
    "root of energy": lambda x, y: np.sqrt(metrics.energy_distance(x, y)),
    "parzen": lambda x, y: metrics.parzen_l2(x, y, bandwidth=2.0),
    "mmd gaussian": mmd(ts.Gaussian(5.0)),
    "mmd laplace": mmd(ts.Laplace(5.0)),
    "mmd energy": mmd(ts.Energy()),
    "mmd linear": mmd(ts.Linear()),
    "mmd polynomial": mmd(ts.Polynomial(degree=2, bandwidth=10.0)),
}
PSEUDO = {"mmd linear", "mmd polynomial"}
"""Star not dense in the continuous functions: different distributions may be at distance 0."""

every_metric = pytest.mark.parametrize("name", [*METRICS, "kolmogorov"])


def function(name):
    return metrics.kolmogorov if name == "kolmogorov" else METRICS[name]


def columns(name):
    return 1 if name == "kolmogorov" else 2


@every_metric
@given(data=st.data())
def test_symmetry_triangle_and_zero(name, data):
    distance = function(name)
    x, y, z = (data.draw(samples(columns(name))) for _ in range(3))
    xy, yz, xz = distance(x, y), distance(y, z), distance(x, z)
    slack = 3e-6 * max(1.0, np.abs(np.concatenate([x, y, z])).max())  # roots of rounding errors
    assert min(xy, yz, xz) >= 0
    assert distance(y, x) == pytest.approx(xy, rel=1e-6, abs=slack)
    assert xz <= xy + yz + slack
    shuffled = x[np.random.default_rng(0).permutation(len(x))]
    assert distance(x, np.concatenate([shuffled, x])) <= slack


@pytest.mark.parametrize("name", sorted(set(METRICS) - PSEUDO))
@given(data=st.data())
def test_different_samples_are_apart(name, data):
    """The fourth property of a metric, for empirical distributions."""
    x, y = data.draw(samples(2)), data.draw(samples(2))
    x = np.concatenate([x, [[200.0, 0.0]]])  # a point that y does not have
    assert METRICS[name](x, y) > 1e-6


def test_pseudo_metrics_do_not_see_everything():
    x, y = np.array([[-1.0], [1.0]]), np.array([[-3.0], [3.0]])
    assert METRICS["mmd linear"](x, y) == pytest.approx(0, abs=1e-9)
    assert METRICS["mmd gaussian"](x, y) > 0.1
    cubes = np.array([[-2.0], [1.0], [1.0]]), np.array([[2.0], [-1.0], [-1.0]])  # same mean and variance
    assert METRICS["mmd polynomial"](*cubes) == pytest.approx(0, abs=1e-7)
    assert METRICS["mmd gaussian"](*cubes) > 0.01


def test_the_energy_distance_itself_breaks_the_triangle_inequality():
    """It is the square of a metric: half of the way costs a quarter."""
    here, there = [0.0, 0.0], [1.0, 1.0]
    a, b, c = [here, here], [here, there], [there, there]
    e = metrics.energy_distance
    assert e(a, c) == pytest.approx(2 * (e(a, b) + e(b, c)))
    assert e(a, c) > 1


@given(x=samples(2), y=samples(2))
def test_order_between_the_metrics(x, y):
    """A larger class of functions gives a larger discrepancy: beta <= W, and beta <= 2."""
    beta, w = metrics.bounded_lipschitz(x, y), metrics.wasserstein(x, y)
    assert beta <= w * (1 + 1e-7) + 1e-9
    assert beta <= 2 + 1e-9
    assert metrics.energy_distance(x, y) <= 2 * w * (1 + 1e-7) + 1e-9  # |‖x-y‖ - ‖x-y'‖| <= ‖y-y'‖


@given(x=samples(1), y=samples(1))
def test_order_on_the_line(x, y):
    spread = max(x.max(), y.max()) - min(x.min(), y.min())
    assert metrics.wasserstein(x, y) <= metrics.kolmogorov(x, y) * spread * (1 + 1e-9) + 1e-12
    assert 0 <= metrics.kolmogorov(x, y) <= 1


FUNCTIONS = ["kolmogorov", "wasserstein", "bounded_lipschitz", "energy_distance", "parzen_l2", "witness"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_inputs(name):
    call, good = getattr(metrics, name), np.arange(6.0)
    for bad, message in (
        ([1.0, np.nan], "NaN"),
        ([1.0, np.inf], "infinite"),
        ([], "row"),
        (3.0, "single number"),
        (["a", "b"], "numbers"),
        (None, "None"),
        (np.zeros((4, 3)), "column"),
    ):
        with pytest.raises(ts.InputError, match=message):
            call(bad, good)
        with pytest.raises(ts.InputError, match=message):
            call(good, bad)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_inputs_are_untouched(name):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=20), rng.normal(size=25)
    before = x.copy(), y.copy()
    x.flags.writeable = y.flags.writeable = False
    first = getattr(metrics, name)(x, y)
    again = getattr(metrics, name)(x.tolist(), y[:, None])
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])
    if name != "witness":
        assert isinstance(first, float)
        assert first == again


def test_unknown_metric():
    with pytest.raises(ts.OptionError, match="bounded_lipschitz"):
        metrics.witness([0.0, 1.0], [2.0, 3.0], metric="levy")
