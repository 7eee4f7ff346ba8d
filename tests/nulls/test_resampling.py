"""The bootstrap of the paired statistic against the definition, world by world."""

import numpy as np
import pytest

import twosample as ts
from tests import naive
from twosample.core.resamples import bootstraps

KERNEL = ts.Gaussian(1.0)


def k(a, b):
    return float(np.exp(-((a - b) ** 2).sum() / 2))


def test_every_world_by_the_definition():
    """The i-th points drawn for x and y are a pair, and a point drawn twice counts twice."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(9, 2)), rng.normal(0.5, size=(9, 2))
    r = ts.mmd_test(x, y, kernel=KERNEL, statistic="paired", null=ts.Bootstrap(n=40), rng=5)
    places = bootstraps(9, 9, 40, np.random.default_rng(5), keep_places=True).places
    z = np.concatenate([x, y])
    expected = [naive.mmd2_paired(z[row[:9]], z[row[9:]], k) for row in places]
    np.testing.assert_allclose(r.law.values, expected, rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(places[0], np.arange(18))


def test_places_say_what_the_counts_say():
    labels = bootstraps(6, 6, 30, np.random.default_rng(1), keep_places=True)
    for world in range(labels.count):
        np.testing.assert_array_equal(np.bincount(labels.places[world, :6], minlength=12), labels.x[:, world])
        np.testing.assert_array_equal(np.bincount(labels.places[world, 6:], minlength=12), labels.y[:, world])
    np.testing.assert_array_equal(labels.without_truth().places, labels.places[1:])
    plain = bootstraps(6, 6, 30, np.random.default_rng(1))
    assert plain.places is None
    np.testing.assert_array_equal(plain.x, labels.x)


def test_it_tells_and_keeps_its_level():
    rng = np.random.default_rng(2)
    p = []
    for seed in range(120):
        x, y = rng.normal(size=(2, 40))
        p.append(ts.mmd_test(x, y, statistic="paired", null=ts.Bootstrap(n=99), rng=seed).pvalue)
    assert 0 <= np.mean(np.array(p) <= 0.05) < 0.13
    assert 0.3 < np.mean(p) < 0.7
    assert ts.mmd_test(x, y + 1, statistic="paired", null="bootstrap", rng=0).rejected


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "energy"])
@pytest.mark.parametrize("engine", ["dense", "tiled", "fourier", "lowrank"])
def test_engines_that_centre_the_kernel_agree(engine, kernel):
    """They sum k(x, y) + f(x) + f(y), and the pairs that are left out are left out of that."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 1)), rng.normal(0.4, size=(60, 1))
    options = {"kernel": kernel, "statistic": "paired", "null": ts.Bootstrap(n=60), "rng": 4}
    dense = ts.mmd_test(x, y, engine="dense", **options)
    if engine == "lowrank" and kernel == "energy":
        pytest.skip("lowrank is for bounded kernels")
    found = ts.mmd_test(x, y, engine=engine, **options)
    near = 1e-3 if engine == "lowrank" else 1e-7
    np.testing.assert_allclose(found.law.values, dense.law.values, atol=near * np.ptp(dense.law.values))
