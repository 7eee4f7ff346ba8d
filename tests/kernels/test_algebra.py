"""Sums, products and positive multiples of kernels."""

import numpy as np
import pytest

import twosample as ts

G, L, M, E = ts.Gaussian(1.0), ts.Laplace(2.0), ts.Matern(1.5), ts.Energy()
Z = np.random.default_rng(0).normal(size=(12, 2))


def test_sums_and_products_are_flat():
    assert (G + L) + M == G + (L + M) == ts.Sum((G, L, M))
    assert (G * L) * M == G * (L * M) == ts.Product((G, L, M))
    assert ts.Product((ts.Sum((G, L)), M)) == (G + L) * M


def test_multiples_on_either_side():
    assert 2 * G == G * 2 == ts.Scaled(G, 2.0)
    assert np.float64(2.0) * G == 2 * G
    np.testing.assert_allclose((2 * (3 * G)).block(Z, Z), 6 * G.block(Z, Z), rtol=1e-14)


@pytest.mark.parametrize("factor", [0, -1.0, np.inf, np.nan])
def test_only_positive_multiples(factor):
    with pytest.raises(ts.OptionError, match=r"factor of a kernel.*positive"):
        factor * G


@pytest.mark.parametrize("other", [1, "k", None])
def test_only_kernels_add_up(other):
    with pytest.raises(TypeError):
        G + other


@pytest.mark.parametrize("other", ["k", None, [1.0, 2.0]])
def test_only_kernels_and_numbers_multiply(other):
    with pytest.raises((TypeError, ts.OptionError)):
        G * other


@pytest.mark.parametrize("kind", [ts.Sum, ts.Product])
def test_a_combination_of_nothing_is_refused(kind):
    with pytest.raises(ts.OptionError, match=kind.__name__):
        kind(())


def test_bounds():
    signed = ts.FunctionKernel(lambda a, b: np.cos(a - b.T), upper=1.0, lower=-1.0)
    assert (G + L).bounds == (0.0, 2.0)
    assert (G + signed).bounds == (-1.0, 2.0)
    assert (G * L).bounds == (0.0, 1.0)
    assert (G * signed).bounds == (-1.0, 1.0)
    assert (signed * signed).bounds == (-1.0, 1.0)
    assert (0.5 * G).bounds == (0.0, 0.5)
    assert (3 * signed).bounds == (-3.0, 3.0)
    assert (2 * (G + 3 * L)).bounds == (0.0, 8.0)
    assert (G + E).bounds is None


def test_characteristic():
    linear = ts.Linear()
    assert (G + linear).characteristic
    assert not (linear + linear).characteristic
    assert (G * L).characteristic
    assert not (G * linear).characteristic
    assert (0.1 * G).characteristic
    assert not (2 * linear).characteristic
    assert (G * (0.5 * L)).characteristic


def test_translation_free():
    assert (G + E).translation_free
    assert (G * L).translation_free
    assert not (G * ts.Linear()).translation_free
    assert not (E * G).translation_free
    assert not (G + ts.Polynomial(bandwidth=1.0)).translation_free
    assert (2 * E).translation_free


def test_missing_bandwidths_are_filled_by_the_norm_of_each_part():
    kernel = 0.5 * (ts.Gaussian() + ts.Laplace() * ts.Matern(7.0))
    assert kernel.needs_bandwidth
    filled = kernel.fill({"euclidean": 2.0, "cityblock": 3.0}.__getitem__)
    assert filled == 0.5 * (ts.Gaussian(2.0) + ts.Laplace(3.0) * ts.Matern(7.0))
    assert not filled.needs_bandwidth
    assert kernel.needs_bandwidth  # the first one is as it was


def test_kernels_on_different_kinds_of_points_do_not_mix():
    with pytest.raises(ts.OptionError, match="different kinds of points"):
        G + ts.Precomputed(np.eye(4))


def test_precomputed_kernels_combine_among_themselves():
    a, b = ts.Precomputed(np.eye(4)), ts.Precomputed(np.ones((4, 4)))
    index = np.arange(4.0)[:, None]
    np.testing.assert_allclose((a + 2 * b).block(index, index), np.eye(4) + 2)
    assert (a + b).domain == "indices"


def test_a_mean_kernel_is_what_the_mean_of_the_mmds_is():
    """MMD^2 is linear in the kernel."""
    x, y = Z, Z[::-1] * 1.5 + 0.3
    whole = ts.mmd(x, y, kernel=0.5 * (G + L))
    assert whole == pytest.approx(0.5 * (ts.mmd(x, y, kernel=G) + ts.mmd(x, y, kernel=L)), rel=1e-12)
