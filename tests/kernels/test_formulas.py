"""Every kernel against its formula, written a second time and one pair of points at a time."""

from math import exp, sqrt

import numpy as np
import pytest

import twosample as ts
from tests import naive


def euclid(a, b):
    return sqrt(sum((u - v) ** 2 for u, v in zip(a, b, strict=True)))


def city(a, b):
    return sum(abs(u - v) for u, v in zip(a, b, strict=True))


def dot(a, b):
    return sum(u * v for u, v in zip(a, b, strict=True))


def zero(a):
    return [0.0] * len(a)


def matern(nu, sigma):
    def k(a, b):
        r = sqrt(2 * nu) * euclid(a, b) / sigma
        return {0.5: 1, 1.5: 1 + r, 2.5: 1 + r + r * r / 3}[nu] * exp(-r)

    return k


def energy(beta):
    def k(a, b):
        return 0.5 * (euclid(a, zero(a)) ** beta + euclid(b, zero(b)) ** beta - euclid(a, b) ** beta)

    return k


FORMULAS = {
    "gaussian": (ts.Gaussian(0.7), lambda a, b: exp(-(euclid(a, b) ** 2) / (2 * 0.7**2))),
    "laplace": (ts.Laplace(1.3), lambda a, b: exp(-city(a, b) / 1.3)),
    "laplace-l2": (ts.Laplace(1.3, norm=2), lambda a, b: exp(-euclid(a, b) / 1.3)),
    "matern-1/2": (ts.Matern(0.9, smoothness=0.5), matern(0.5, 0.9)),
    "matern-3/2": (ts.Matern(0.9, smoothness=1.5), matern(1.5, 0.9)),
    "matern-5/2": (ts.Matern(0.9, smoothness=2.5), matern(2.5, 0.9)),
    "rational-quadratic": (
        ts.RationalQuadratic(1.1, alpha=0.6),
        lambda a, b: (1 + euclid(a, b) ** 2 / (2 * 0.6 * 1.1**2)) ** -0.6,
    ),
    "energy": (ts.Energy(), energy(1.0)),
    "energy-half": (ts.Energy(0.5), energy(0.5)),
    "energy-3/2": (ts.Energy(1.5), energy(1.5)),
    "linear": (ts.Linear(), dot),
    "polynomial": (ts.Polynomial(3, 0.5, 1.4), lambda a, b: (dot(a, b) / 1.4**2 + 0.5) ** 3),
    "sum": (ts.Gaussian(1.0) + ts.Linear(), lambda a, b: exp(-(euclid(a, b) ** 2) / 2) + dot(a, b)),
    "product": (ts.Gaussian(1.0) * ts.Laplace(2.0), lambda a, b: exp(-(euclid(a, b) ** 2) / 2 - city(a, b) / 2)),
    "scaled": (0.25 * ts.Gaussian(1.0), lambda a, b: 0.25 * exp(-(euclid(a, b) ** 2) / 2)),
    "nested": (
        2.0 * (ts.Gaussian(1.0) + 3.0 * ts.Matern(1.0, smoothness=0.5)) * ts.Laplace(1.0),
        lambda a, b: 2 * (exp(-(euclid(a, b) ** 2) / 2) + 3 * exp(-euclid(a, b))) * exp(-city(a, b)),
    ),
    "function": (ts.FunctionKernel(lambda a, b: np.tanh(a @ b.T) + 2), lambda a, b: np.tanh(dot(a, b)) + 2),
}


def points(columns, count=7, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(scale=2, size=(count, columns))
    z[count // 2] = z[0]  # a tie
    z[-1] = 0
    return z


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("name", FORMULAS)
def test_block_is_the_formula(name, columns):
    kernel, formula = FORMULAS[name]
    a, b = points(columns), points(columns, 4, seed=1)
    expected = [[formula(u, v) for v in b] for u in a]
    np.testing.assert_allclose(kernel.block(a, b), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("name", FORMULAS)
def test_pairs_and_diagonal_are_entries_of_the_block(name, columns):
    kernel, _ = FORMULAS[name]
    a, b = points(columns), points(columns, seed=1)
    K = kernel.block(a, b)
    np.testing.assert_allclose(kernel.pairs(a, b), np.diagonal(K), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(a), np.diagonal(kernel.block(a, a)), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", [name for name, (kernel, _) in FORMULAS.items() if kernel.bounds is not None])
def test_bounds_hold_and_are_reached_on_the_diagonal(name):
    kernel, _ = FORMULAS[name]
    low, high = kernel.bounds
    z = np.random.default_rng(3).normal(scale=5, size=(60, 2))
    K = kernel.block(z, z)
    assert low <= K.min()
    assert K.max() <= high * (1 + 1e-12)
    assert kernel.diagonal(z).max() == pytest.approx(high)


@pytest.mark.parametrize("kernel", [ts.Energy(), ts.Linear(), ts.Polynomial(bandwidth=1.0)])
def test_kernels_that_grow_have_no_bounds(kernel):
    assert kernel.bounds is None
    assert (kernel + ts.Gaussian(1.0)).bounds is None
    assert (kernel * ts.Gaussian(1.0)).bounds is None
    assert (2 * kernel).bounds is None


@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - {"function"}))  # of which the caller says so
def test_symmetric_and_positive_semidefinite(name):
    kernel, _ = FORMULAS[name]
    rng = np.random.default_rng(4)
    for z in (rng.normal(size=(25, 3)), rng.integers(0, 2, size=(25, 3)).astype(float), np.zeros((6, 2)), points(1)):
        K = kernel.block(z, z)
        np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-13)
        assert np.linalg.eigvalsh(K)[0] >= -1e-10 * max(1.0, np.abs(K).max()) * len(z)


def test_matern_one_half_is_the_euclidean_laplace_kernel():
    z = points(3, 20)
    np.testing.assert_allclose(
        ts.Matern(0.8, smoothness=0.5).block(z, z), ts.Laplace(0.8, norm=2).block(z, z), rtol=1e-13
    )


def test_city_block_laplace_is_a_product_over_columns():
    z = points(3, 20)
    columns = [ts.Laplace(0.8).block(z[:, [j]], z[:, [j]]) for j in range(3)]
    np.testing.assert_allclose(ts.Laplace(0.8).block(z, z), np.prod(columns, axis=0), rtol=1e-12)


def test_the_gaussian_is_a_product_over_columns_and_a_limit():
    z = points(3, 20)
    columns = [ts.Gaussian(0.8).block(z[:, [j]], z[:, [j]]) for j in range(3)]
    np.testing.assert_allclose(ts.Gaussian(0.8).block(z, z), np.prod(columns, axis=0), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(
        ts.RationalQuadratic(2.0, alpha=1e7).block(z, z), ts.Gaussian(2.0).block(z, z), rtol=1e-3, atol=1e-6
    )


def test_the_polynomial_of_degree_one_is_the_linear_kernel():
    z = points(3, 10)
    np.testing.assert_allclose(ts.Polynomial(1, 0.0, 1.0).block(z, z), ts.Linear().block(z, z), rtol=1e-13)


@pytest.mark.parametrize("name", FORMULAS)
def test_blocks_do_not_modify_the_points(name):
    kernel, _ = FORMULAS[name]
    a = points(2)
    a.flags.writeable = False
    assert (kernel.block(a, a) == kernel.block(a.copy(), a.copy())).all()
    assert (kernel.pairs(a, a) == kernel.pairs(a.copy(), a.copy())).all()
    assert (kernel.diagonal(a) == kernel.diagonal(a.copy())).all()


@pytest.mark.parametrize("kernel", [ts.Gaussian(), ts.Laplace(), ts.Matern(), ts.RationalQuadratic(), ts.Polynomial()])
def test_a_kernel_without_bandwidth_says_how_to_give_one(kernel):
    assert kernel.needs_bandwidth
    with pytest.raises(ts.OptionError, match=r"no bandwidth yet.*\(bandwidth="):
        kernel.block(points(1), points(1))


def test_naive_wraps_a_kernel_one_pair_at_a_time():
    assert naive.of(ts.Linear())([2.0, 1.0], [3.0, 4.0]) == 10


@pytest.mark.parametrize("smoothness", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matern_at_an_infinite_distance_is_zero(smoothness, dtype):
    far = np.array([[np.inf, 1e300, 800.0]], dtype=dtype) if dtype is np.float64 else np.array([[np.inf]], dtype=dtype)
    found = ts.Matern(1.0, smoothness).of_distances(far, far, far)
    assert found.dtype == dtype
    assert (found == 0).all()
