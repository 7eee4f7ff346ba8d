"""Ties, constants and extreme multiples of a kernel: what engines that sum features must not get wrong."""

import numpy as np
import pytest

import twosample as ts


@pytest.mark.parametrize("null", ["permutation", "bootstrap", "gamma", "spectrum", "pearson"])
@pytest.mark.parametrize(("m", "n", "engine"), [(30, 40, "fourier"), (2000, 2300, "auto"), (5000, 5000, "fourier")])
@pytest.mark.parametrize("columns", [1, 2])
def test_equal_constants_are_no_difference(null, m, n, engine, columns):
    x, y = np.full((m, columns), 3.0), np.full((n, columns), 3.0)
    r = ts.mmd_test(x, y, engine=engine, null=null, rng=3)
    assert (r.pvalue, r.statistic) == (1.0, pytest.approx(0.0, abs=1e-20))


@pytest.mark.parametrize("seed", [23, 31, 45])
@pytest.mark.parametrize("width", [1.0, 100.0])
def test_ties_count_whatever_the_engine(seed, width):
    x, y = np.random.default_rng(seed).integers(0, 2, size=(2, 848)).astype(float)
    one, two = (ts.mmd_test(x, y, kernel=ts.Gaussian(width), engine=way, rng=seed) for way in ("tiled", "fourier"))
    assert one.pvalue == two.pvalue


@pytest.mark.parametrize("factor", [1e-200, 1e-45, 1e40, 1e100])
@pytest.mark.parametrize("engine", ["fourier", "features"])
def test_multiples_of_a_kernel(factor, engine):
    x = np.random.default_rng(0).normal(size=3000)
    one = ts.mmd_test(x, 1.2 * x, kernel=ts.Gaussian(1.0), engine=engine, rng=0)
    many = ts.mmd_test(x, 1.2 * x, kernel=factor * ts.Gaussian(1.0), engine=engine, rng=0)
    assert many.statistic / factor == pytest.approx(one.statistic, rel=1e-5)
    assert many.pvalue == one.pvalue
