"""Bochner: the inverse Fourier transform of the spectral density gives the kernel back."""

import numpy as np
import pytest
from scipy.integrate import quad

import twosample as ts

SHIFT_INVARIANT = {
    "gaussian": ts.Gaussian(0.7),
    "laplace": ts.Laplace(1.3),
    "laplace-l2": ts.Laplace(1.3, norm=2),
    "matern-1/2": ts.Matern(0.9, smoothness=0.5),
    "matern-3/2": ts.Matern(0.9, smoothness=1.5),
    "matern-5/2": ts.Matern(0.9, smoothness=2.5),
    "rational-quadratic-1": ts.RationalQuadratic(1.1, alpha=1.0),
    "rational-quadratic-2": ts.RationalQuadratic(0.6, alpha=2.5),
    "scaled": 3.0 * ts.Gaussian(0.7),
    "sum": ts.Gaussian(0.7) + 2.0 * ts.Laplace(1.3),
}
EVERY = pytest.mark.parametrize("kernel", SHIFT_INVARIANT.values(), ids=SHIFT_INVARIANT)


def density(kernel, w):
    return float(kernel.spectral_density(np.array([[w]]))[0])


@EVERY
@pytest.mark.parametrize("t", [0.4, 1.7])
def test_inverse_transform_in_one_dimension(kernel, t):
    """k(t) = 2 k(0) int_0^inf cos(w t) density(w) dw, by QUADPACK's rule for Fourier integrals."""
    value, _ = quad(lambda w: density(kernel, w), 0, np.inf, weight="cos", wvar=t, epsabs=1e-9, limlst=200)
    peak = kernel.diagonal(np.zeros((1, 1)))[0]
    assert 2 * peak * value == pytest.approx(kernel.block(np.zeros((1, 1)), np.array([[t]]))[0, 0], abs=1e-6)


@EVERY
def test_integrates_to_one_in_one_dimension(kernel):
    value = sum(quad(lambda w: density(kernel, w), a, b)[0] for a, b in ((0, 1), (1, 10), (10, np.inf)))
    assert 2 * value == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", [name for name in SHIFT_INVARIANT if name not in ("laplace", "sum")])
def test_isotropic_densities_integrate_to_one_in_higher_dimension(name, dimension):
    kernel = SHIFT_INVARIANT[name]
    surface = {2: 2 * np.pi, 3: 4 * np.pi}[dimension]

    def shell(r):
        w = np.zeros((1, dimension))
        w[0, 0] = r
        return surface * r ** (dimension - 1) * kernel.spectral_density(w)[0]

    assert sum(quad(shell, a, b)[0] for a, b in ((0, 1), (1, 10), (10, np.inf))) == pytest.approx(1, abs=1e-5)


def test_the_city_block_laplace_density_is_a_product():
    w = np.random.default_rng(0).normal(size=(20, 3))
    kernel = ts.Laplace(0.7)
    factors = np.prod([kernel.spectral_density(w[:, [j]]) for j in range(3)], axis=0)
    np.testing.assert_allclose(kernel.spectral_density(w), factors, rtol=1e-12)


@EVERY
def test_even_nonnegative_and_continuous_at_zero(kernel):
    w = np.random.default_rng(1).normal(size=(50, 2))
    values = kernel.spectral_density(w)
    assert values.shape == (50,)
    assert (values >= 0).all()
    np.testing.assert_allclose(kernel.spectral_density(-w), values, rtol=1e-12)
    near = kernel.spectral_density(np.array([[0.0, 0.0], [1e-6, 0.0]]))
    assert np.isfinite(near).all()
    if kernel != SHIFT_INVARIANT["rational-quadratic-1"]:  # grows like a logarithm at 0 when alpha = d/2
        assert near[0] == pytest.approx(near[1], rel=1e-4)


def test_random_frequencies_give_the_kernel_by_monte_carlo():
    """The Gaussian's density is a normal law: the mean cosine over draws from it is the kernel."""
    w = np.random.default_rng(2).normal(scale=1 / 0.7, size=(40_000, 2))
    t = np.array([0.5, -0.3])
    assert np.cos(w @ t).mean() == pytest.approx(ts.Gaussian(0.7).block(t[None], np.zeros((1, 2)))[0, 0], abs=0.01)


@pytest.mark.parametrize(
    "kernel", [ts.Linear(), ts.Energy(), ts.Polynomial(bandwidth=1.0), ts.Gaussian(1.0) + ts.Linear()]
)
def test_kernels_that_are_not_shift_invariant_refuse(kernel):
    with pytest.raises(ts.OptionError, match="no spectral density"):
        kernel.spectral_density(np.zeros((1, 1)))
