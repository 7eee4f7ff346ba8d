"""Groups of rows: scores from the definition, exact p-values, and sizes."""

import numpy as np
import pytest

from twosample.core.groups import RowGroups


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
