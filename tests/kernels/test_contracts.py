"""What is true of every registered kernel: a new one is tested by being registered."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import twosample as ts
from twosample.kernels import KERNELS

PUBLIC = {name: getattr(ts, name) for name in ts.__all__}

FILLED = {name: make().fill(lambda metric: 1.5) for name, make in KERNELS.items()}
FILLED["sum"] = ts.Gaussian(1.0) + ts.Laplace(2.0)
FILLED["product"] = ts.Gaussian(1.0) * ts.Matern(2.0)
FILLED["scaled"] = 0.5 * ts.Gaussian(1.0)
EVERY = pytest.mark.parametrize("kernel", FILLED.values(), ids=FILLED)


@EVERY
def test_shapes_and_types(kernel):
    a, b = np.random.default_rng(0).normal(size=(4, 2)), np.random.default_rng(1).normal(size=(3, 2))
    assert kernel.block(a, b).shape == (4, 3)
    assert kernel.pairs(a[:3], b).shape == (3,)
    assert kernel.diagonal(a).shape == (4,)
    for values in (kernel.block(a, b), kernel.pairs(a[:3], b), kernel.diagonal(a)):
        assert values.dtype == np.float64
        assert np.isfinite(values).all()


@EVERY
def test_pairs_and_diagonal_agree_with_the_block(kernel):
    z = np.random.default_rng(2).normal(size=(9, 3))
    K = kernel.block(z, z[::-1])
    np.testing.assert_allclose(kernel.pairs(z, z[::-1]), np.diagonal(K), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(z), np.diagonal(kernel.block(z, z)), rtol=1e-12)


@EVERY
@pytest.mark.parametrize("ties", [False, True])
def test_symmetric_and_positive_semidefinite(kernel, ties):
    rng = np.random.default_rng(3)
    z = rng.integers(0, 2, size=(30, 2)).astype(float) if ties else rng.normal(size=(30, 2))
    K = kernel.block(z, z)
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-14)
    assert np.linalg.eigvalsh(K)[0] >= -1e-10 * np.abs(K).max() * len(K)


@EVERY
def test_bounds(kernel):
    """Values lie within the bounds, and those of a kernel without bounds grow without end."""
    z = np.random.default_rng(4).standard_cauchy(size=(50, 2))
    low, high = kernel.bounds or (-np.inf, np.inf)
    K = kernel.block(z, z)
    assert kernel.bounds is not None or np.abs(kernel.block(1e6 * z, 1e6 * z)).max() > 1e5 * np.abs(K).max()
    assert low <= K.min() <= K.max() <= high * (1 + 1e-12)


@EVERY
def test_translation_free_means_the_mmd_does_not_move(kernel):
    rng = np.random.default_rng(5)
    x, y, shift = rng.normal(size=(8, 2)), rng.normal(size=(9, 2)) + 1, np.array([3.0, -2.0])

    def mmd2(x, y):
        return kernel.block(x, x).mean() - 2 * kernel.block(x, y).mean() + kernel.block(y, y).mean()

    moved = mmd2(x + shift, y + shift)
    assert (moved == pytest.approx(mmd2(x, y), rel=1e-9)) == kernel.translation_free


@EVERY
def test_same_arguments_same_kernel(kernel):
    twin = copy.deepcopy(kernel)
    assert twin == kernel
    assert hash(twin) == hash(kernel)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert len({kernel, twin}) == 1


@EVERY
def test_immutable(kernel):
    for field in fields(kernel):
        with pytest.raises(FrozenInstanceError):
            setattr(kernel, field.name, None)
    with pytest.raises(FrozenInstanceError):
        kernel.something_new = 1


@EVERY
def test_repr_rebuilds_the_kernel(kernel):
    assert eval(repr(kernel), PUBLIC) == kernel  # noqa: S307


@EVERY
def test_a_filled_kernel_needs_nothing_and_stays_as_it_is(kernel):
    assert not kernel.needs_bandwidth
    assert kernel.fill(lambda metric: 99.0) == kernel


@pytest.mark.parametrize("name", [name for name in KERNELS if KERNELS[name]().needs_bandwidth])
def test_a_bandwidth_changes_units_only(name):
    """k with bandwidth s at points s z is k with bandwidth 1 at z, for every kernel that has a bandwidth."""
    kernel = KERNELS[name]()
    z = np.random.default_rng(6).normal(size=(10, 2))
    for unit in (1e-6, 1e6, 1e-150, 1e150):
        np.testing.assert_allclose(
            kernel.fill(lambda metric, unit=unit: unit).block(unit * z, unit * z),
            kernel.fill(lambda metric: 1.0).block(z, z),
            rtol=1e-11,
        )


@pytest.mark.parametrize("name", KERNELS)
def test_of_distances_is_the_block_where_there_is_a_metric(name):
    from twosample.kernels.radial import distances

    kernel = KERNELS[name]().fill(lambda metric: 0.8)
    if kernel.metric is None:
        with pytest.raises(ts.OptionError, match="not a function of distances"):
            kernel.of_distances(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)))
    else:
        z = np.random.default_rng(7).normal(size=(10, 2))
        D = distances(z / kernel.scale, z / kernel.scale, kernel.metric)
        np.testing.assert_allclose(kernel.of_distances(D, z, z), kernel.block(z, z), rtol=1e-12, atol=1e-14)


def test_which_kernels_are_characteristic():
    known = {name: KERNELS[name]().characteristic for name in KERNELS}
    assert {name for name, yes in known.items() if not yes} == {"linear", "polynomial"}


BAD_PARAMETERS = [
    *[(kind, {"bandwidth": value}) for kind in (ts.Gaussian, ts.Laplace, ts.Matern, ts.RationalQuadratic, ts.Polynomial)
      for value in (0, -1.0, np.inf, np.nan)],
    (ts.Gaussian, {"bandwidth": "wide"}),
    (ts.Gaussian, {"bandwidth": True}),
    (ts.Polynomial, {"bandwidth": "wide"}),
    (ts.Laplace, {"bandwidth": 1.0, "norm": 3}),
    (ts.Laplace, {"bandwidth": 1.0, "norm": "l1"}),
    (ts.Matern, {"bandwidth": 1.0, "smoothness": 1.0}),
    (ts.Matern, {"bandwidth": 1.0, "smoothness": "rough"}),
    *[(ts.RationalQuadratic, {"bandwidth": 1.0, "alpha": value}) for value in (0.0, -1.0, np.inf, np.nan, "a")],
    *[(ts.Energy, {"exponent": value}) for value in (0.0, 2.0, -1.0, 3.0, np.nan, "a")],
    *[(ts.Polynomial, {"degree": value}) for value in (0, -1, 1.5, np.inf, "x", None)],
    *[(ts.Polynomial, {"offset": value}) for value in (-1.0, np.inf, np.nan, "x")],
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options"), BAD_PARAMETERS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_bad_parameters_are_named(kind, options):
    with pytest.raises(ts.OptionError, match=list(options)[-1]):
        kind(**options)


def test_integers_become_floats_so_that_equal_kernels_are_equal():
    assert ts.Gaussian(2) == ts.Gaussian(2.0)
    assert repr(ts.Gaussian(2)) == "Gaussian(bandwidth=2.0)"
    assert ts.Gaussian(1.0) != ts.Gaussian(2.0)
    assert ts.Gaussian(1.0) != ts.Laplace(1.0)
    assert ts.Gaussian(np.float32(0.5)) == ts.Gaussian(0.5)
