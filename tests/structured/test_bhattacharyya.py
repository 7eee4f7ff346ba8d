"""Overlaps of normal laws fitted to bags: against integrals, closed forms, and as tests between collections of bags."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, multivariate_normal, norm

import twosample as ts
from twosample.structured import bhattacharyya


def bags(count, seed, columns=2, scale=1.0):
    rng = np.random.default_rng(seed)
    return [
        scale * rng.normal(size=(rng.integers(1, 9), columns)) + rng.normal(size=columns) for _ in range(count)
    ]  # fmt: skip


def laws(objects, smoothing):
    """Mean and covariance of each bag, smoothed, from the definition."""
    objects = [bag.reshape(len(bag), -1) for bag in objects]
    eye = np.eye(objects[0].shape[1])
    return [(bag.mean(axis=0), np.cov(bag.T, bias=True).reshape(eye.shape) + smoothing**2 * eye) for bag in objects]


@pytest.mark.parametrize("power", [0.5, 1.0, 1.7])
def test_one_column_is_the_integral(power):
    objects = [np.array([0.0, 1.0, 5.0]), np.array([2.0]), np.array([-1.0, -1.0, 3.0, 4.0])]
    K = ts.Bhattacharyya(power, 0.2, normalised=False).block(objects, objects)
    fitted = [norm(float(mean[0]), float(S[0, 0]) ** 0.5) for mean, S in laws(objects, 0.2)]
    for i, p in enumerate(fitted):
        for j, q in enumerate(fitted):
            expected = quad(lambda t, p=p, q=q: (p.pdf(t) * q.pdf(t)) ** power, -40, 40, points=[0, 2], limit=200)[0]
            assert K[i, j] == pytest.approx(expected, rel=1e-7)


def test_two_columns_by_a_grid():
    objects = bags(4, 0)
    K = ts.Bhattacharyya(1.0, 0.3, normalised=False).block(objects, objects)
    axis = np.linspace(-12, 12, 601)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    values = [multivariate_normal(mean, S).pdf(grid) for mean, S in laws(objects, 0.3)]
    expected = np.array([[(p * q).sum() for q in values] for p in values]) * (axis[1] - axis[0]) ** 2
    np.testing.assert_allclose(K, expected, rtol=1e-6)


def test_equal_covariances_in_closed_form():
    a = np.random.default_rng(0).normal(size=(6, 2))
    objects = [a + np.array(gap) for gap in ([0.0, 0.0], [3.0, 0.0], [0.0, -1.0])]
    S = laws(objects, 0.1)[0][1]
    K = ts.Bhattacharyya(smoothing=0.1).block(objects, objects)
    for i, j, gap in ((0, 1, [3.0, 0.0]), (0, 2, [0.0, -1.0]), (1, 2, [-3.0, -1.0])):
        assert K[i, j] == pytest.approx(np.exp(-np.array(gap) @ np.linalg.solve(S, gap) / 8))
    assert np.array_equal(np.diagonal(K), np.ones(3))


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_normalised_and_positive_definite(power, monkeypatch):
    objects = [*bags(30, 1, 3), *bags(10, 2, 3, 0.0)]
    raw = ts.Bhattacharyya(power, 0.5, normalised=False).block(objects, objects)
    norms = np.sqrt(np.diagonal(raw))
    K = ts.Bhattacharyya(power, 0.5).block(objects, objects)
    np.testing.assert_allclose(K, raw / norms / norms[:, None], rtol=1e-9)
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    assert K.min() >= 0
    assert K.max() <= 1
    monkeypatch.setattr(bhattacharyya, "_CELLS", 20)
    np.testing.assert_allclose(ts.Bhattacharyya(power, 0.5).block(objects, objects), K, rtol=1e-12)


def test_units_do_not_matter():
    objects = bags(8, 3)
    other = [1e150 * bag + 1e151 for bag in objects]
    one, two = (ts.mmd_test(made[:4], made[4:], kernel=ts.Bhattacharyya()) for made in (objects, other))
    assert one.statistic == pytest.approx(two.statistic, rel=1e-6)
    assert two.kernel.smoothing == pytest.approx(1e150 * one.kernel.smoothing)
    width = ts.Median().bandwidths(np.concatenate(objects), "euclidean", np.random.default_rng(0))[0]
    assert one.kernel.smoothing == pytest.approx(width / 4)
    constant = [np.column_stack([bag[:, 0], np.full(len(bag), 7.0)]) for bag in objects]
    alone = [bag[:, 0] for bag in objects]
    kernel = ts.Bhattacharyya(smoothing=0.3)
    np.testing.assert_allclose(kernel.block(constant, constant), kernel.block(alone, alone), rtol=1e-10)


def test_it_tells_bags_apart_and_holds_its_level():
    rng = np.random.default_rng(0)
    x, y = ([spread * rng.normal(size=(12, 1)) for _ in range(15)] for spread in (1.0, 2.0))
    assert ts.mmd_test(x, y, kernel=ts.Bhattacharyya(), rng=0).rejected
    runs, rejected = 100, 0
    for seed in range(runs):  # ties, bags of one point, unequal sizes
        rng = np.random.default_rng(seed)
        made = [rng.integers(0, 3, size=(rng.integers(1, 5), 2)).astype(float) for _ in range(17)]
        kernel = ts.Bhattacharyya()
        rejected += ts.mmd_test(made[:10], made[10:], kernel=kernel, null=ts.Permutation(n=99), rng=seed).rejected
    assert rejected <= binom.ppf(0.999, runs, 0.05)


def test_refusals():
    objects = bags(3, 0)
    for options, words in (({"power": 0}, "power=0"), ({"smoothing": -1}, "smoothing=-1")):
        with pytest.raises(ts.OptionError, match=words):
            ts.Bhattacharyya(**options)
    with pytest.raises(ts.InputError, match="Bag 3"):
        ts.Bhattacharyya().block(objects, [np.empty((0, 2))])
    assert ts.Bhattacharyya().bounds == (0.0, 1.0)
    assert ts.Bhattacharyya(1.0, normalised=False).bounds is None
    tiny = [1e-200 * bag for bag in bags(3, 1)]
    with pytest.raises(ts.OptionError, match="normalised=True"):
        ts.Bhattacharyya(1.0, 1e-200, normalised=False).block(tiny, tiny)
    with pytest.raises(ts.OptionError, match="smoothing=1e-200"):
        ts.Bhattacharyya(smoothing=1e-200).block(objects, objects)
    with pytest.raises(ts.OptionError, match="no bandwidth yet"):
        ts.Bhattacharyya().block(objects, objects)
