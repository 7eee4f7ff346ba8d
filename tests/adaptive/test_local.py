"""Kernels whose width follows the data, by definition; and the concentration of a pool."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from twosample.adaptive import front, local
from twosample.adaptive.front import views_of, weights_of
from twosample.adaptive.pooled import pooled_numbers
from twosample.adaptive.tables import pooled_table


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_widths_by_definition(columns):
    z = np.random.default_rng(6).normal(size=(40, columns))
    part = np.arange(10, 30)
    found = local.widths(z, part, 4)
    for i, row in enumerate(z):
        others = [np.linalg.norm(row - z[j]) for j in part if j != i]
        assert found[i] == pytest.approx(np.sort(others)[3])
    z[:25] = z[0]  # most rows are equal: a small width, but some
    tied = local.widths(z, np.arange(40), 4)
    assert 0 < tied[0] < 0.01
    assert local.widths(np.zeros((5, 1)), np.arange(5), 3) == pytest.approx(np.ones(5))


@pytest.mark.parametrize("columns", [1, 3, 8])
def test_widths_in_single_precision(columns, monkeypatch):
    z = np.random.default_rng(6).standard_t(3, size=(60, columns))
    expected = local.widths(z, np.arange(50), 3)
    monkeypatch.setattr(local, "_MANY", 10)
    assert local.widths(z, np.arange(50), 3) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("columns", [1, 3, 8])
def test_tiles_of_local_kernels_are_their_blocks(columns):
    rng = np.random.default_rng(8)
    z = rng.standard_t(3, size=(60, columns))
    kernel = local.Local(z, local.widths(z, np.arange(60), 3), 0.7, 1.3)
    rows = np.arange(60.0)[:, None]
    tile = kernel.blocks(rows, rows, None)
    whole = kernel.block(rows, rows)
    assert tile(slice(5, 30), slice(20, 60)) == pytest.approx(whole[5:30, 20:60], abs=2e-3)
    assert np.abs(tile(slice(0, 60), slice(0, 60)) - whole)[~np.eye(60, dtype=bool)].max() < 1e-4
    assert kernel.pairs(rows[:20], rows[20:40]) == pytest.approx(np.diagonal(whole[:20, 20:40]))
    assert kernel.diagonal(rows) == pytest.approx(np.diagonal(whole))
    assert kernel.bounds == (0.0, 2.0)


def _clusters(rng, rows, columns):
    """Four of them, 15 standard deviations of a cluster apart in every column."""
    return 15.0 * np.arange(4)[rng.integers(4, size=(rows, 1))] + rng.normal(size=(rows, columns))


def _concentration(z, seed=0):
    return local.concentration(pooled_numbers(z, ("c",) * z.shape[1], len(z) // 2), np.random.default_rng(seed))


ONE_HUMP = {
    "normal": lambda rng, columns: rng.normal(size=(300, columns)),
    "uniform": lambda rng, columns: rng.random(size=(300, columns)),
    "correlated": lambda rng, columns: rng.normal(size=(300, columns)) + 3 * rng.normal(size=(300, 1)),
    "heavy tails": lambda rng, columns: rng.standard_t(3, size=(300, columns)),
    "counts": lambda rng, columns: rng.poisson(2.0, size=(300, columns)),
    "a column of two values": lambda rng, columns: np.column_stack(
        [rng.integers(2, size=300), rng.normal(size=(300, columns - 1))]
    ),
}


@pytest.mark.parametrize("shape", ONE_HUMP)
@pytest.mark.parametrize("columns", [1, 2, 3, 10])
def test_one_hump_is_not_concentrated(shape, columns):
    rng = np.random.default_rng(12)
    found = [_concentration(ONE_HUMP[shape](rng, columns).astype(float), seed) for seed in range(5)]
    assert np.mean(found) < 1.35


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_clusters_are_concentrated(columns):
    rng = np.random.default_rng(13)
    assert min(_concentration(_clusters(rng, 300, columns), seed) for seed in range(5)) > 2.5


def test_concentration_by_definition():
    """Row by row; the normal rows have the correlations and the ties of the pool."""
    z = np.random.default_rng(14).poisson(1.5, size=(90, 2)) * 1.0
    z[:, 1] += z[:, 0] * np.random.default_rng(15).normal(size=90) ** 3
    pool, rng = pooled_numbers(z, ("a", "b"), 40), np.random.default_rng(3)
    scores = pool.scores[rng.choice(90, 90, replace=False)]
    normal = rng.normal(size=(90, 90)) @ scores
    for drawn, column in zip(normal.T, scores.T, strict=True):
        order, place = np.argsort(drawn), np.sort(column)
        drawn[order] = [drawn[order[place == value]].mean() for value in place]

    def closeness(rows):
        distinct = sorted({tuple(row) for row in rows})
        distances = [[float(np.linalg.norm(np.subtract(a, b))) for b in distinct] for a in distinct]
        return np.exp(np.mean([np.log(sorted(each)[3]) for each in distances])) / np.median(distances)

    expected = closeness(normal) / closeness(pool.values)
    assert 1 < expected < 4
    assert local.concentration(pool, np.random.default_rng(3)) == pytest.approx(expected)


def test_concentration_of_hardly_anything():
    assert _concentration(np.array([0.0, 1.0, 2.0, 1.0])[:, None]) == 1
    assert _concentration(np.r_[np.zeros(50), 1e-300 * np.arange(50), 1e300][:, None]) >= 1
    pool, levels = pooled_table({"a": list("xyxyz") * 10}, {"a": list("xyxzz") * 10})[:2]
    assert levels == 1
    assert local.concentration(pool, np.random.default_rng(0)) == 1


def test_clusters_give_neighbours_more_of_the_level():
    """Nothing else changes, and neither units nor the order of columns matter."""

    def weights(z):
        every = views_of(pooled_numbers(z, ("a", "b"), 200), np.random.default_rng(0))
        found = weights_of(every, np.random.default_rng(1))
        return {view.name: w / view.weight for view, w in zip(every, found, strict=True)}

    z = _clusters(np.random.default_rng(16), 400, 2)
    found = weights(z)
    assert found.pop("fine scale") == found.pop("middle scale") > 2.5
    assert set(found.values()) == {1.0}
    assert weights(z * [1e-6, 1e9]) == pytest.approx(weights(z)) == weights(z[:, ::-1])
    assert weights(np.random.default_rng(0).normal(size=(400, 2)))["fine scale"] < 1.2


def test_the_test_uses_the_concentration(monkeypatch):
    """A view that sees nothing is worth less where the pool gives the level to neighbours."""
    rng = np.random.default_rng(17)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 0.5
    found = {}
    for near in (1.0, 4.0):
        monkeypatch.setattr(front, "concentration", lambda pool, rng, near=near: near)
        result = ts.two_sample_test(x, y, n=199, rng=0)
        found[near] = {view.name: view.adjusted_pvalue for view in result.views}
    assert found[1.0]["mean"] < found[4.0]["mean"]
    assert found[1.0]["fine scale"] > found[4.0]["fine scale"]
