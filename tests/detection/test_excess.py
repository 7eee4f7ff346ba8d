"""More outliers than chance explains: the law against all orders of labels, and the level on tables."""

from itertools import combinations

import numpy as np
import pytest

import twosample as ts
from twosample.detection import excess
from twosample.detection.excess import excess_pvalue


def smallest(ranks, n, deepest):
    """The statistic from its definition, by counting all orders once for each depth."""
    depths = excess._depths(deepest)
    laws = {int(k): [sum(rank <= k for rank in every) for every in all_ranks(len(ranks), n)] for k in depths}
    return min(np.mean([u >= sum(rank <= k for rank in ranks) for u in law]) for k, law in laws.items())


def all_ranks(m, n):
    """The ranks of m new rows in every order of m + n labels."""
    for places in combinations(range(m + n), m):
        yield [1 + place - ahead for ahead, place in enumerate(places)]


@pytest.mark.parametrize(("m", "n", "deepest"), [(1, 6, 3), (3, 5, 2), (4, 4, 3), (2, 7, 4), (5, 3, 1)])
def test_the_law_is_that_of_all_orders(m, n, deepest):
    every = list(all_ranks(m, n))
    values = {tuple(ranks): smallest(ranks, n, deepest) for ranks in every}
    for ranks in every:
        if min(ranks) > deepest:
            assert excess_pvalue(np.array(ranks), n, deepest) == 1.0
            continue
        share = np.mean([values[tuple(other)] <= values[tuple(ranks)] + 1e-12 for other in every])
        assert excess_pvalue(np.array(ranks), n, deepest) == pytest.approx(share)


def test_one_row_has_its_own_pvalue():
    for rank in (1, 2, 4, 8):
        assert excess_pvalue(np.array([rank]), 999, 8) == pytest.approx(rank / 1000)
    assert excess_pvalue(np.array([9]), 999, 8) == 1.0
    assert excess_pvalue(np.array([1]), 5, 0) == 1.0


def test_many_rows_are_bounded_instead(monkeypatch):
    ranks = np.concatenate([np.ones(30, dtype=int), np.random.default_rng(0).integers(1, 500, 400)])
    exact = excess_pvalue(ranks, 500, 25)
    monkeypatch.setattr(excess, "_STATES", 1)
    assert exact < excess_pvalue(ranks, 500, 25) < 12 * exact


TABLES = {
    "normal, 1": lambda rng, n: rng.normal(size=(n, 1)),
    "normal, 20": lambda rng, n: rng.normal(size=(n, 20)),
    "Cauchy, 2": lambda rng, n: rng.standard_cauchy(size=(n, 2)),
    "counts": lambda rng, n: rng.poisson(1.5, size=(n, 1)).astype(float),
    "coin and skewed": lambda rng, n: np.column_stack([rng.integers(0, 2, n), np.exp(2 * rng.normal(size=n))]),
    "categories": lambda rng, n: {
        "g": [f"c{value}" for value in rng.zipf(1.6, n).clip(max=10**6)],
        "h": rng.choice(["a", "b"], n),
    },
}


def rejections(make, runs, n, m, level):
    """The share of runs in which rows of one distribution are called more outliers than chance explains."""
    count = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, n, m])
        count += ts.outliers(make(rng, n), make(rng, m), level=level, rng=seed).verdict == "different"
    return count / runs


@pytest.mark.parametrize("name", ["normal, 20", "counts", "categories"])
def test_level(name):
    rate = rejections(TABLES[name], 150, 75, 100, 0.1)
    assert rate < 0.1 + 3 * np.sqrt(0.1 * 0.9 / 150)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("n", "m", "level"), [(75, 200, 0.05), (150, 20, 0.05), (250, 1000, 0.02), (400, 50, 0.01)])
def test_level_in_full(name, n, m, level):
    rate = rejections(TABLES[name], 600, n, m, level)
    assert rate < level + 3.5 * np.sqrt(level * (1 - level) / 600)
