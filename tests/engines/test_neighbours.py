"""Neighbours on a line that count as one place: against every point by itself, and as a test of its level."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import random_relabellings
from twosample.engines.fourier.line_bins import _REACH, SortedPlaces
from twosample.homogeneity import observed

POINTS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(2, size=n),
    "ties": lambda rng, n: rng.poisson(3, size=n).astype(float),
    "two far clumps": lambda rng, n: rng.normal(size=n) + 1e3 * rng.integers(2, size=n),
    "one value": lambda rng, n: np.full(n, 7.0),
}


def both(z, m, worlds=40, seed=0, kernel=None):
    """Sums over the worlds of points in their order, by neighbours and point by point."""
    kernel = kernel or ts.Gaussian(1.0)
    gram = ts.Fourier().gram(kernel, z[:, None])
    labels = random_relabellings(m, len(z) - m, worlds, np.random.default_rng(seed)).along(np.argsort(z), m)
    found = gram.block_sums(labels, m, len(z) - m)
    exact = gram._by_features.block_sums(labels, m, len(z) - m)
    return found, exact, labels


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize(("m", "size"), [(6_000, 12_000), (37, 12_001), (12_000, 12_007)])
def test_as_point_by_point(name, m, size):
    rng = np.random.default_rng(1)
    z = POINTS[name](rng, size)
    found, exact, _ = both(z, m)
    scale = float(np.abs(exact.xx).max()) or 1.0
    np.testing.assert_allclose(found.xx, exact.xx, rtol=4 * _REACH, atol=1e-6 * scale)
    np.testing.assert_allclose(found.xy, exact.xy, rtol=4 * _REACH, atol=1e-6 * scale)
    np.testing.assert_allclose(found.dx, exact.dx, rtol=1e-3, atol=1e-6 * scale)
    np.testing.assert_allclose(found.dy, exact.dy, rtol=1e-3, atol=1e-6 * scale)


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("size", [12_000, 12_001, 12_063])
def test_every_point_is_in_one_group_or_alone(name, size):
    z = np.sort(POINTS[name](np.random.default_rng(1), size))
    grid = ts.Fourier().gram(ts.Gaussian(1.0), z[:, None]).features.grids[0]
    groups, alone = SortedPlaces(z, grid)._groups()
    counted = np.zeros(-(-size // 8), dtype=int)
    for width, chosen in groups:
        for number in chosen:
            counted[number * width // 8 : (number + 1) * width // 8] += 1
    counted[alone] += 1
    assert (counted == 1).all()


def test_few_waves_are_left_out():
    z = np.random.default_rng(2).normal(size=(1000, 1))
    grid = ts.Fourier().gram(ts.Gaussian(1.0), z).features.grids[0]
    fewer = grid.without_smallest(1e-7)
    assert len(fewer.weights) < len(grid.weights)
    assert 0 < grid.weights.sum() - fewer.weights.sum() < 1e-7 * grid.weights.sum()
    assert set(fewer.orders[:, 0]) < set(grid.orders[:, 0])


def test_several_grids():
    z = np.random.default_rng(2).normal(size=9_000)
    found, exact, _ = both(z, 4_000, kernel=ts.Gaussian(0.05) + ts.Gaussian(5.0))
    np.testing.assert_allclose(found.xx, exact.xx, rtol=4 * _REACH)


def test_ties_are_exact():
    z = POINTS["ties"](np.random.default_rng(3), 20_000)
    found, exact, _ = both(z, 10_000)
    np.testing.assert_allclose(found.xx, exact.xx, rtol=2e-5)


def test_labels_are_those_of_the_points():
    z = np.random.default_rng(4).normal(size=1_003)
    order = np.argsort(z)
    labels = random_relabellings(400, 603, 30, np.random.default_rng(5))
    as_drawn = labels.x.copy()
    moved = labels.along(order, 400)
    assert (moved.x[:400, 0] == 1).all()
    assert (moved.x[400:, 0] == 0).all()
    np.testing.assert_array_equal(moved.x[order, 1:], as_drawn[:, 1:])
    np.testing.assert_array_equal(moved.stored.block(slice(13, 777)), moved.x[13:777].T)
    np.testing.assert_array_equal(moved.of(order[:50]), moved.x[order[:50]])
    np.testing.assert_array_equal(moved.without_truth().x, moved.x[:, 1:])


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Laplace(1.0), "energy"])
def test_every_engine_sees_the_same_worlds(kernel, monkeypatch):
    monkeypatch.setattr(observed, "_MANY", 500)
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=700), rng.normal(size=500)
    found = [ts.mmd_test(x, y, kernel=kernel, null=ts.Permutation(99), engine=e, rng=3) for e in ("fourier", "dense")]
    assert found[0].pvalue == found[1].pvalue
    assert found[0].statistic == pytest.approx(found[1].statistic, rel=1e-9)


def test_the_level(monkeypatch):
    """400 tests of samples from one discrete and skewed law, at 5 %."""
    monkeypatch.setattr(observed, "_MANY", 200)
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(400):
        x, y = np.round(rng.exponential(size=160), 1), np.round(rng.exponential(size=60), 1)
        test = ts.mmd_test(x, y, kernel=ts.Gaussian(0.5), engine="fourier", null=ts.Permutation(99), rng=rng)
        rejected += test.pvalue <= 0.05
    assert 8 <= rejected <= 33  # 99.9 % of the binomial law


def test_a_shift_is_found():
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=40_000), rng.normal(0.05, 1, size=40_000)
    assert ts.mmd_test(x, y, null="permutation", rng=0).pvalue == 0.001
