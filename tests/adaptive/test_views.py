"""Every view against its definition, labelling by labelling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import norm, rankdata
from scipy.stats import t as t_law

import twosample as ts
from twosample.adaptive import base, pairs, views
from twosample.adaptive.front import views_of
from twosample.adaptive.pooled import pooled_numbers
from twosample.core.centred import u_centred
from twosample.core.labellings import relabellings
from twosample.core.ranks import midranks, standardised
from twosample.engines import blocks

M, N, D = 13, 17, 4


@pytest.fixture(scope="module")
def pool():
    rng = np.random.default_rng(0)
    z = np.column_stack([rng.normal(size=30), rng.poisson(2, size=30), rng.standard_cauchy(30), rng.normal(size=30)])
    return pooled_numbers(z, tuple("abcd"), M)


@pytest.fixture(scope="module")
def labels():
    return relabellings(M, N, 40, np.random.default_rng(1))


def _differences(features, labels):
    """Sums over x less what they would be if x were the pool."""
    return np.array([features[v == 1].sum(axis=0) - M * features.mean(axis=0) for v in labels.x.T])


def test_scales(pool):
    z = np.random.default_rng(2).integers(5, size=50).astype(float)
    assert midranks(z[:, None])[:, 0] == pytest.approx((rankdata(z) - 0.5) / 50)
    assert pool.values.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert pool.values.std(axis=0) == pytest.approx(1)
    assert pool.scores == pytest.approx(standardised(norm.ppf(pool.ranks)))


def test_mean(pool, labels):
    found, _ = views.Mean(pool).statistic(labels)
    parts = [(_differences(X, labels) ** 2).sum(axis=1) for X in (pool.scores, pool.values)]
    assert found == pytest.approx(sum((part - part.mean()) / part.std() for part in parts))


def _inverse_tails(squares):
    """About 1/p of 30 rows by the t law: the normal z that says as much, and 1/p of that."""
    z = np.sqrt(-28 * np.log(1 - squares / squares.mean(axis=0) / 29))
    return np.exp(z**2 / 2) * (1 + 1.2533 * z)


def test_covariance(pool, labels):
    """The kernel (q'q')² without features, and the mean of 1/p over all pairs."""
    K = (pool.scores @ pool.scores.T) ** 2
    centred = np.eye(30) - 1 / 30
    A = centred @ K @ centred
    many = np.array([v @ A @ v for v in labels.x.T.astype(float)])
    i, j = np.triu_indices(pool.scores.shape[1])
    squares = _differences(pool.scores[:, i] * pool.scores[:, j], labels) ** 2
    few = np.log(_inverse_tails(squares).sum(axis=1))
    found, _ = views.Covariance(pool).statistic(labels)
    expected = sum((part - part.mean()) / part.std() for part in (many, few))
    assert found == pytest.approx(expected, abs=1e-4)


def test_one_pair_of_many_columns():
    """A correlation of 0.55 in one of 66 pairs: found more often than not, where the sum over all of them is noise."""
    found = 0
    for i in range(20):
        x, y = np.random.default_rng([8, i]).normal(size=(2, 200, 12))
        y[:, 5] = 0.55 * y[:, 2] + np.sqrt(1 - 0.55**2) * y[:, 5]
        r = ts.two_sample_test(x, y, n=199, rng=i)
        found += r.rejected and "column 3 × column 6" in r.explain()
    assert found >= 10


def test_many_covariances_are_the_same_without_the_diagonal(pool, labels):
    K = (pool.scores @ pool.scores.T / D) ** 2
    np.fill_diagonal(K, 0)
    found, _ = pairs.ManyCovariances(pool, np.random.default_rng(0)).statistic(labels)
    for value, v in zip(found, labels.x.T.astype(float), strict=True):
        w = 1 - v
        mmd = v @ K @ v / (M * (M - 1)) + w @ K @ w / (N * (N - 1)) - 2 * v @ K @ w / (M * N)
        assert value == pytest.approx(mmd)


def test_thousands_of_columns_take_no_time():
    z = np.random.default_rng(7).normal(size=(14, 5000))
    every = views_of(pooled_numbers(z, ("c",) * 5000, 7), np.random.default_rng(0))
    assert [type(view) for view in every].count(pairs.ManyCovariances) == 1
    for view in every:
        assert view.statistic(relabellings(7, 7, 20, np.random.default_rng(1)))[0].std() > 0


def test_radius_is_close_to_cramer_von_mises(pool):
    many = relabellings(M, N, 300, np.random.default_rng(3))
    found, _ = views.Radius(pool).statistic(many)
    order = np.argsort((pool.values**2).sum(axis=1))
    running = np.cumsum(many.x[order].astype(float) - M / 30, axis=0)
    assert np.corrcoef(found, (running**2).sum(axis=0))[0, 1] > 0.99


@pytest.mark.parametrize(("width", "few"), [(3, 60), (3, 0), (90, 60), (90, 0)])
def test_directions(width, few, labels, monkeypatch):
    """By the inverse of the correlation matrix itself, with a ridge, shrunk if columns are many, or both."""
    monkeypatch.setattr(views, "_FEW_ROWS", few)
    X = np.random.default_rng(4).standard_t(4, size=(30, width))
    pool = pooled_numbers(X @ np.random.default_rng(5).normal(size=(width, width)), ("c",) * width, M)
    expected = np.zeros(labels.count)
    for S in (pool.scores, pool.values):
        C = S.T @ S / 30
        noise = ((np.outer(row, row) - C).ravel() @ (np.outer(row, row) - C).ravel() for row in S)
        shrink = np.clip(sum(noise) / 30**2 / ((C - np.eye(width)) ** 2).sum(), 0, 1)
        shrunk = (1 - shrink) * C + shrink * np.eye(width)
        ridge = C + (width / 30) ** 2 * np.eye(width)
        for matrix in [ridge] * (width < 30) + [shrunk] * (width >= 30 or bool(few)):
            B = S @ np.linalg.solve(matrix, S.T)
            part = np.array([v @ B @ v for v in labels.x.T - M / 30])
            expected += (part - part.mean()) / part.std()
    found, _ = views.Directions(pool).statistic(labels)
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", [views.Columns, views.Shapes])
def test_columns(kind, pool, labels):
    view = kind(pool)
    first = [pool.scores, pool.values] if kind is views.Columns else [pool.scores**2]
    features = np.concatenate([*first, *(np.cos(np.pi * k * pool.ranks) for k in kind.waves)], axis=1)
    squares = _differences(features, labels) ** 2
    found, _ = view.statistic(labels)
    assert found == pytest.approx(np.log(_inverse_tails(squares).sum(axis=1)), abs=1e-4)
    explained = squares / squares.mean(axis=0) / 29
    t = np.sqrt(28 * explained / (1 - explained))
    exact = np.log((1 / (2 * t_law(28).sf(t))).sum(axis=1))  # what it stands for
    assert np.abs(found - exact).max() < 0.35


def test_p_of_one_column_is_at_least_that_of_all_labellings():
    """A column that tells x from y has another p-value the clearer it does, down to one over their number."""
    pool = pooled_numbers(np.zeros((12, 0)), (), 6)
    squares = np.ones((13, 1))
    shares = [0.5, 0.9, 0.99, 1.0]  # what labels explain of the variance: 11 times the mean at most
    found = []
    for share in shares:
        squares[0] = 11 * share * 12 / (13 - 11 * share)
        found.append(float(views.inverse_tails(squares, pool)[0, 0]))
    assert sorted(found) == found
    assert found[0] < 924 / 5 < 924 < found[2] == found[3] < 10 * 924


def test_blocks_of_columns_and_rows_change_nothing(pool, labels, monkeypatch):
    every = [views.Mean, views.Covariance, views.Radius, views.Columns, views.Shapes, views.Directions]
    expected = [view(pool).statistic(labels)[0] for view in every]
    said = [view(pool).sees() for view in every]
    monkeypatch.setattr(base, "_ENTRIES", 1000)
    monkeypatch.setattr(base, "_ROWS", 7)
    for view, values, words in zip(every, expected, said, strict=True):
        assert view(pool).statistic(labels)[0] == pytest.approx(values)
        assert view(pool).sees() == words


@pytest.mark.parametrize(("kind", "parts"), [(pairs.Fine, 3), (pairs.Middle, 2)])
def test_fine_and_middle_scale_by_definition(kind, parts, pool, labels):
    """Kernel by kernel: Gaussians on ranks and values, and for the fine scale a Laplace kernel on values."""
    view = kind(pool, np.random.default_rng(0))
    k, total = view.neighbour, np.zeros((30, 30))
    for X, laplace in [(pool.ranks, False), (pool.values, False), (pool.values, True)][:parts]:
        D = cdist(X, X)
        h = np.sort(D, axis=1)[:, k]  # the first one is the row itself
        r = D / np.sqrt(np.outer(h, h))
        A = u_centred(np.exp(-r) if laplace else np.exp(-(r**2)))
        total += A / np.sqrt((A**2).mean())
    found, _ = view.statistic(labels)
    expected = np.array([v @ total @ v for v in labels.x.T.astype(float)])
    assert found * (expected.std() / found.std()) == pytest.approx(expected, abs=1e-9)


def test_the_larger_pool_takes_its_scales_from_a_part():
    z = np.random.default_rng(6).normal(size=(900, 2))
    pool = pooled_numbers(z, ("a", "b"), 400)
    first, second = (pairs.Fine(pool, np.random.default_rng(seed)).kernel for seed in (1, 2))
    ratios = [a.smooth_factor / b.smooth_factor for a, b in zip(first.parts, second.parts, strict=True)]
    assert ratios == pytest.approx(np.ones(2), rel=0.2)
    assert ratios != [1.0] * 2


def test_blocks_of_many_rows(pool, monkeypatch):
    """Against the blocks of the Gram matrix themselves; and one block alone is proportional to MMD² of all pairs."""
    packed = relabellings(M, N, 300, np.random.default_rng(1))
    monkeypatch.setattr(blocks, "_STRIP", 4)
    monkeypatch.setattr(blocks, "BLOCK", 3)
    for most, count in ((200, 5), (500, 2)):
        monkeypatch.setattr(pairs, "PAIRS", most)
        view = pairs.Fine(pool, np.random.default_rng(0))
        assert len(view.divided) == count
        assert sorted(np.concatenate(view.divided)) == list(range(30))
        found, error = view.statistic(packed)
        expected = np.zeros(packed.count)
        for rows in view.divided:
            A = u_centred(view.kernel.block(rows[:, None] * 1.0, rows[:, None] * 1.0))
            expected += [v @ A @ v for v in packed.x[rows].T.astype(float)]
        assert np.abs(found - expected).max() < 10 * error
    assert view.witness().shape == (30,)
    found = blocks.blocked_sums(packed, [np.arange(30)], view._form)[0]
    monkeypatch.setattr(pairs, "PAIRS", 1000)
    whole, _ = pairs.Fine(pool, np.random.default_rng(0)).statistic(packed)
    assert np.corrcoef(found, whole)[0, 1] == pytest.approx(1)


def test_time_does_not_fall_when_rows_are_added():
    """So many pairs are looked at, at least as many as for fewer rows up to a factor of two."""
    counts = [
        size * size / blocks.block_count(size, pairs.PAIRS)
        for size in (4_000, 7_000, 7_100, 28_000, 10**5, 10**6, 10**7)
    ]
    assert counts[1] == 7000**2
    assert all(0.5 * before <= after for before, after in pairwise(counts))
    assert max(counts[:5]) <= 5 * 10**7
    assert counts[-1] == pytest.approx(128 * 10**7, rel=0.01)


def test_few_rows_leave_more_of_the_level_to_location():
    """By the numbers of rows and columns alone."""

    def shares(rows, columns):
        z = np.random.default_rng(0).normal(size=(rows, columns))
        every = views_of(pooled_numbers(z, ("c",) * columns, rows // 2), np.random.default_rng(0))
        return {view.name: view.weight / sum(other.weight for other in every) for view in every}

    few, many = shares(30, 5), shares(300, 5)
    assert few["directions"] > 1.5 * many["directions"]
    for name in ("covariance", "radius", "column", "shape"):
        assert few[name] < 0.5 * many[name]
    wide = shares(30, 100)
    assert wide["directions"] > 0.75
    assert wide["column"] > 4 * wide["shape"]
    assert shares(30, 1) == shares(300, 1)


@pytest.mark.parametrize("kind", [views.FineWaves, views.MiddleWaves])
def test_waves_by_definition(kind, labels):
    """The sum over frequencies of the weighted squares of their sums."""
    z = np.random.default_rng(9).exponential(size=(30, 1))
    pool = pooled_numbers(z, ("a",), M)
    view, width = kind(pool), max(kind.share[0], kind.share[1] / 30)
    u, total = (np.argsort(np.argsort(z[:, 0])) + 0.5) / 30, np.zeros(labels.count)
    for f in range(1, int(np.sqrt(-2 * np.log(0.03)) / (np.pi * width)) + 1):
        wave = np.sqrt(2) * np.cos(np.pi * f * u)
        total += np.exp(-((np.pi * width * f) ** 2) / 2) * ((wave - wave.mean()) @ labels.x) ** 2
    found, _ = view.statistic(labels)
    assert found == pytest.approx((total - total.mean()) / total.std())
    assert view.witness().shape == (30,)
    half_a_wave = int(np.argmax(np.abs(view.standard_scores(slice(0, 1))))) == 0
    assert ("is higher" if half_a_wave else "x and y are frequent at other places") in view.sees()


def test_many_rows_of_the_middle_scale_are_groups_of_neighbours():
    """The statistic of the rows that stand for groups, from the definition; and nearly that of all rows."""
    z = np.random.default_rng(10).normal(size=(1300, 2))
    pool = pooled_numbers(z, ("a", "b"), 600)
    view = pairs.Middle(pool, np.random.default_rng(0))
    labels = relabellings(600, 700, 60, np.random.default_rng(1))
    order, starts = view.groups
    assert sorted(order) == list(range(1300))
    groups = np.split(order, starts[1:])
    assert {len(rows) for rows in groups} == {2, 3}
    assert max(np.ptp(pool.ranks[rows], axis=0).max() for rows in groups) < 0.2
    place = np.repeat([rows[len(rows) // 2] for rows in groups], [len(rows) for rows in groups])
    K = view.kernel.block(place[:, None] * 1.0, place[:, None] * 1.0)
    np.fill_diagonal(K, 0)
    found, error = view.statistic(labels)
    for r in range(5):
        x = labels.x[order, r].astype(bool)
        expected = K[np.ix_(x, x)].sum() / (600 * 599) + K[np.ix_(~x, ~x)].sum() / (700 * 699)
        expected -= 2 * K[np.ix_(x, ~x)].sum() / (600 * 700)
        assert found[r] == pytest.approx(expected, abs=max(error, 1e-4 * found.std()))
    whole, _ = pairs.KernelView.statistic(view, labels)
    assert np.corrcoef(found, whole)[0, 1] > 0.9


def test_equal_rows_are_grouped_by_chance():
    """Which group a row is in must not depend on its place: rows of x come first."""
    first = np.zeros(512)
    for seed in range(20):
        order, starts = pairs.neighbour_groups(np.zeros((1024, 2)), np.random.default_rng(seed).permutation(1024))
        first += np.add.reduceat(order < 512, starts)
    assert first.std() < 5
    assert abs(np.corrcoef(first, np.arange(512))[0, 1]) < 0.2


def test_views_together_are_views_alone(pool, labels, monkeypatch):
    every = [kind(pool) for kind in (views.Mean, views.Covariance, views.Radius, views.Columns, views.Directions)]
    alone = [view.statistic(labels) for view in every]
    for most in (256, 9, 1):
        monkeypatch.setattr(base, "_TOGETHER", most)
        for (values, error), (expected, same) in zip(base.statistics_of(every, labels), alone, strict=True):
            assert values == pytest.approx(expected)
            assert error == pytest.approx(same)
