"""Groups of rows: scores from the definition, exact p-values, and sizes."""

import numpy as np
import pytest

from twosample.core.groups import RowGroups, TurnedGroups


def test_sizes_of_groups():
    rng = np.random.default_rng(0)
    assert RowGroups.of(1000, 1000, 150, 99, rng).rows == (996, 996)
    assert RowGroups.of(50, 50, 150, 99, rng).size == 1
    uneven = RowGroups.of(100, 20_000, 150, 99, rng)
    assert (uneven.m, uneven.n, uneven.size) == (100, 600, 1)
    assert RowGroups.of(2, 2, 150, 99, rng).exhaustive


def test_scores_and_products_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    groups = RowGroups.of(60, 90, 20, 499, rng)
    x = rng.normal(size=(sum(groups.rows), 3))
    sums = np.array([x[i * groups.size : (i + 1) * groups.size].sum(axis=0) for i in range(groups.count)])
    assert groups.sums(x) == pytest.approx(sums)
    products = np.array([x[i * groups.size :][: groups.size].T @ x[i * groups.size :][: groups.size] for i in range(4)])
    assert groups.products(x)[:4] == pytest.approx(products, rel=1e-4, abs=1e-4)
    centred = sums - sums.mean(axis=0)
    plain = groups.labels @ centred
    scores = groups.scores(sums)
    assert np.corrcoef(plain[:, 0], scores[:, 0])[0, 1] == pytest.approx(1)
    assert scores.std(axis=0) == pytest.approx(1, abs=0.1)
    assert groups.labels[0].tolist() == [1.0] * groups.m + [0.0] * groups.n
    assert (groups.labels.sum(axis=1) == groups.m).all()


def test_a_constant_feature_has_no_score():
    groups = RowGroups.of(40, 40, 20, 99, np.random.default_rng(2))
    assert not groups.scores(groups.sums(np.ones((80, 1)))).any()


def test_turned_groups_hold_the_difference_of_means():
    rng = np.random.default_rng(3)
    m, n = rng.integers(20, 400, 30).astype(float), rng.integers(5, 50, 20).astype(float)
    groups = TurnedGroups.of(m, n, 4999, rng)
    roots = np.sqrt(groups.rows)
    assert np.linalg.norm(groups.labels, axis=1) == pytest.approx(1, abs=1e-5)
    assert groups.labels @ roots == pytest.approx(0, abs=1e-3)
    means = rng.normal(size=(50, 3)) / roots[:, None]
    sums = means * groups.rows[:, None]
    sums -= groups.rows[:, None] * sums.sum(axis=0) / groups.rows.sum()
    scores = groups.scores(sums)
    difference = sums[:30].sum(axis=0) / m.sum() - sums[30:].sum(axis=0) / n.sum()
    error = np.sqrt((sums**2 / groups.rows[:, None]).sum(axis=0) / 49) * np.sqrt(1 / m.sum() + 1 / n.sum())
    assert scores[0] == pytest.approx(difference / error, rel=1e-4)
    assert scores[1:].std(axis=0) == pytest.approx(1, abs=0.05)
    assert not groups.scores(np.zeros((50, 1))).any()


def test_turned_groups_have_the_level_where_sizes_and_spreads_differ():
    """Rows of one sample in 60 groups, ten times as many of the other in 20: uniform p-values."""
    rng, found = np.random.default_rng(4), []
    for _ in range(400):
        sizes = rng.multinomial(3000, np.full(60, 1 / 60)), rng.multinomial(30_000, np.full(20, 1 / 20))
        rows = np.concatenate(sizes).astype(float)
        sums = rng.gamma(rows / 4) - rows / 4  # of skew rows
        groups = TurnedGroups.of(rows[:60], rows[60:], 199, rng)
        scores = np.abs(groups.scores((sums - rows * sums.sum() / rows.sum())[:, None])[:, 0])
        found.append((scores >= scores[0]).mean())
    assert abs(np.mean(np.array(found) <= 0.05) - 0.05) < 0.036  # 3.3 standard errors
    assert abs(np.mean(found) - 0.5) < 0.05
