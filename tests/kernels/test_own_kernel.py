"""A kernel that is defined here and nowhere in the package: what it says of itself makes it fast everywhere."""

from dataclasses import dataclass

import numpy as np
import pytest

import twosample as ts
from twosample.kernels import ExponentialPolynomial, Mixture, RadialKernel


@dataclass(frozen=True)
class TwoWidths(RadialKernel):
    """The mean of two Gaussians, one three times as wide as the other. It knows its Gaussians, and nothing else."""

    def of_distances(self, D, a, b):
        return 0.5 * (np.exp(-0.5 * D) + np.exp(-D / 18))

    def gaussians(self, span, tolerance):
        return Mixture(np.array([0.5, 0.5]), np.array([1.0, 3.0]) * self.scale, 1.0)


@dataclass(frozen=True)
class Matern7(RadialKernel):
    """The Matérn kernel of smoothness 7/2, which the package does not have; it is known by its form on a line."""

    metric = "euclidean"

    def of_distances(self, D, a, b):
        r = np.sqrt(7) * D
        return (1 + r + 0.4 * r**2 + r**3 / 15) * np.exp(-r)

    @property
    def exponential_polynomial(self):
        c = float(np.sqrt(7))
        return ExponentialPolynomial((1.0, c, 0.4 * c**2, c**3 / 15), c, self.scale)


OWN, SAME = TwoWidths(0.8), 0.5 * ts.Gaussian(0.8) + 0.5 * ts.Gaussian(2.4)


def samples(columns, m=60, n=45):
    rng = np.random.default_rng(3)
    return rng.normal(size=(m, columns)), 1.3 * rng.normal(size=(n, columns)) + 0.2


def statistic(x, y, kernel, engine):
    return ts.mmd_test(x, y, kernel=kernel, engine=engine, null="spectrum", rng=0).statistic


@pytest.mark.parametrize("columns", [1, 2, 3, 6])
@pytest.mark.parametrize("engine", [ts.Tiled(tile=32), ts.LowRank(tolerance=1e-10), ts.Fourier()], ids=lambda e: e.name)
def test_exact_engines(engine, columns):
    if columns > 3 and engine.name == "fourier":
        pytest.skip("the engine is for one to three columns")
    x, y = samples(columns)
    assert statistic(x, y, OWN, engine) == pytest.approx(statistic(x, y, OWN, "dense"), abs=1e-9)


@pytest.mark.parametrize("kernel", [OWN, 2.0 * OWN, OWN + ts.Gaussian(0.3), OWN * ts.Matern(2.0, 2.5)], ids=repr)
def test_combinations_are_fast_too(kernel):
    x, y = samples(1)
    assert statistic(x, y, kernel, "fourier") == pytest.approx(statistic(x, y, kernel, "dense"), abs=1e-9)


@pytest.mark.parametrize("kernel", [Matern7(0.7), 3.0 * Matern7(0.7)], ids=repr)
def test_by_sorting(kernel):
    x, y = samples(1)
    assert statistic(x, y, kernel, "fourier") == pytest.approx(statistic(x, y, kernel, "dense"), abs=1e-9)


def test_random_features_of_the_gaussians():
    x, y = samples(4)
    close = statistic(x, y, OWN, ts.Features(count=20_000))
    assert close == pytest.approx(statistic(x, y, OWN, "dense"), abs=0.01)


def test_spectral_density_of_the_gaussians():
    frequencies = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(OWN.spectral_density(frequencies), SAME.spectral_density(frequencies), rtol=1e-12)


@pytest.mark.parametrize("kernel", [TwoWidths(), 0.5 * TwoWidths()], ids=repr)
def test_large_samples_get_the_fast_engine(kernel):
    x, y = samples(1, 4000, 3000)
    assert isinstance(ts.plan(x, y, kernel=kernel).engine, ts.Fourier)


@pytest.mark.parametrize("own", [OWN, OWN * ts.Gaussian(2.0), 0.5 * OWN], ids=repr)
def test_sketches_of_one_column(own):
    """Products had none but Gaussian parts once."""
    x, y = samples(1, 3000, 2500)
    ours = ts.mmd_test(ts.Sketch.fit(x), ts.Sketch.fit(y), kernel=own)
    assert ours.statistic == pytest.approx(statistic(x, y, own, "tiled"), abs=1e-8)


def test_sketches_of_several_columns(tmp_path):
    x, y = samples(3, 3000, 2500)
    layout = ts.GroupedFeatures(kernel=TwoWidths(), frequencies=1000)
    first = ts.Sketch.fit(x, layout)
    test = ts.mmd_test(first, ts.Sketch.fit(y, like=first), rng=0)
    assert test.rejected
    assert test.statistic == pytest.approx(statistic(x, y, test.kernel, "tiled"), rel=0.15)
    with pytest.raises(ts.OptionError, match="cannot be written"):
        first.save(tmp_path / "own.sketch")


def test_equal_rational_factors_are_one():
    """(1+u)^-a (1+u)^-b of the same u is one rational quadratic kernel; so for three factors."""
    k = ts.RationalQuadratic(0.7, 0.8)
    cube = (k * k * k).gaussians(10.0, 1e-12)
    assert len(cube.widths) < 200
    t = np.linspace(0, 10, 50)
    values = cube.constant + np.exp(-0.5 * np.square(t[:, None] / cube.widths)) @ cube.factors
    expected = (k * k * k).block(t[:, None], np.zeros((1, 1)))[:, 0]
    np.testing.assert_allclose(values, expected, atol=1e-11)
