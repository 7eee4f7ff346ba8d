"""The rules by which the paper's tables were made, against their definitions and against the library."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2

import twosample as ts
from experiments import factored, original, table2, table3
from experiments.page import binomial_interval
from experiments.procedures import PROCEDURES, Pair
from experiments.runner import Run
from experiments.table2_variants import runs_pvalue


def samples(m=60, shift=0.3, columns=1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, columns)).round(1), rng.normal(shift, size=(m, columns)).round(1)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_factor_is_a_factor_of_the_gram_matrix(columns):
    z = np.concatenate(samples(columns=columns))
    K = ts.Gaussian(0.7).block(z, z)
    phi = factored.factor(z, 0.7)
    np.testing.assert_allclose(phi @ phi.T, K, atol=1e-6 if columns == 1 else 1e-3)
    assert columns > 1 or phi.shape[1] < 40


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6, 2.0])
def test_kernel_tests_decide_as_the_library(shift):
    x, y = samples(80, shift)
    z, labels = np.concatenate([x, y]), factored.worlds(80, 80, 199, 0)
    found = factored.accepted(z, 80, 0.8, labels, prose=True)
    options = {"kernel": ts.Gaussian(0.8), "engine": "dense"}
    nulls = {
        "MMD_b": {"statistic": "biased", "null": "mcdiarmid"}, "MMD²_u H": {"null": "hoeffding"},
        "MMD²_u M": {"null": ts.Pearson(kurtosis="published")}, "MMD²_u M, prose": {"null": "pearson"},
    }  # fmt: skip
    for name, null in nulls.items():
        assert found[name] == (not ts.mmd_test(x, y, **options, **null).rejected)
    phi = factored.factor(z, 0.8)
    value = ts.mmd(x, y, **options)
    for rule, tail in factored.pearson_pvalues(phi, 80, 80, value).items():
        dense = ts.mmd_test(x, y, **options, null=ts.Pearson(kurtosis=rule)).pvalue
        assert tail() == pytest.approx(dense, rel=1e-2, abs=1e-6)


def test_permutations_of_the_factor_are_those_of_the_definition():
    x, y = samples(30)
    z, labels = np.concatenate([x, y]), factored.worlds(30, 30, 50, 3)
    phi = factored.factor(z, 1.0)
    of_x = phi.T @ labels
    values = factored.Sums(of_x, phi.sum(axis=0)[:, None] - of_x, 30, 30).unbiased
    for world in range(0, 51, 7):
        chosen = labels[:, world] == 1
        expected = ts.mmd(z[chosen], z[~chosen], kernel=ts.Gaussian(1.0), engine="dense")
        assert values[world] == pytest.approx(expected, abs=1e-6)


def plain_h(x, y, width):
    k = ts.Gaussian(width).block
    H = k(x, x) + k(y, y) - k(x, y) - k(x, y).T
    return H - np.diag(np.diagonal(H))


@pytest.mark.parametrize("columns", [1, 80])
def test_the_procedure_of_2007_from_matrices(columns):
    """Statistic, resampled statistics and moments, as its description has them, with whole matrices of h."""
    x, y = samples(50, 0.4, columns)
    z, m = np.concatenate([x, y]), 50
    width = original.cross_width(z, m)
    square = ((x[:, None] - y) ** 2).sum(axis=2)
    assert width**2 == pytest.approx(np.median(square[square > 0]) / 2, rel=1e-2)
    H = plain_h(x, y, width)
    value = H.sum() / (m * (m - 1))
    assert value == pytest.approx(ts.mmd(x, y, kernel=ts.Gaussian(width), statistic="paired"))
    places, signs = original.draws(m, 0)
    assert (np.sort(places, axis=1)[:, m - 1] < m).all()  # as many of x as of y in every world
    phi = factored.factor(z, width)
    found = original.bootstrapped(z, phi, width, places, signs)
    near = 1e-6 if columns == 1 else 1e-3
    for world in range(0, 150, 31):
        drawn = z[places[world]]
        assert found[world] == pytest.approx(plain_h(drawn[:m], drawn[m:], width).sum() / (m * (m - 1)), abs=near)
    variance = 2 / (m * (m - 1)) ** 2 * (H**2).sum()
    third = 8 * (m - 2) / (m * (m - 1)) ** 2 * np.trace(H @ H @ H) / (m * (m - 1) * (m - 2))
    skewness = third / variance**1.5
    from twosample.core.pearson import fit_pearson

    expected = fit_pearson(0.0, variance, skewness, 2 * (skewness**2 + 1)).sf(value)
    assert original.moment_pvalue(phi[:m] - phi[m:], value) == pytest.approx(expected, rel=0.02, abs=1e-9)
    yes = original.accepted(z, m, 0)
    assert yes["MMD²_u M"] == (expected > 0.05)
    ranked = np.sort(found)[::-1]
    assert yes["MMD²_u B"] == (value <= (ranked[6] + ranked[7]) / 2)


def test_the_procedure_of_2007_keeps_its_level_about():
    accepted = [original.accepted(np.concatenate(samples(60, 0.0, seed=seed)), 60, seed) for seed in range(60)]
    for test in ("MMD²_u B", "MMD²_u M"):
        assert 0.85 < np.mean([yes[test] for yes in accepted]) <= 1


def test_the_ridge_test_in_many_columns_counts_all_of_them():
    """In coordinates of the span of the points the chi-square law still has a degree of freedom for every column."""
    x, y = samples(12, 0.8, 90)
    pair = Pair.of(x, y)
    assert pair.x.shape[1] == 24
    p = PROCEDURES["t-test, ridge"](pair, np.random.default_rng(0))
    assert p == pytest.approx(ts.rivals.hotelling_test(x, y, ridge=True, null="chi2").pvalue, rel=1e-6)
    assert p == pytest.approx(chi2.sf(ts.rivals.hotelling_test(x, y, ridge=True, null="chi2").statistic, 90), rel=1e-6)


def test_smir_in_one_column_has_smirnovs_law():
    x, y = samples()
    p = PROCEDURES["Smir"](Pair.of(x, y), np.random.default_rng(0))
    assert p == ts.rivals.ks_test(x, y, null="limit").pvalue
    wide = Pair.of(*samples(columns=3))
    p, q = (PROCEDURES[name](wide, np.random.default_rng(1)) for name in ("Smir", "Smir, ours"))
    assert p == q


def test_rows_and_cells_of_an_assignment():
    """Two of six exchanged: four rows right; of 36 cells four are wrong."""
    cost = 1 - np.eye(6)
    assert table3.right(cost) == [6, 6]
    cost[[0, 1]] = cost[[1, 0]]
    assert table3.right(cost) == [4, 6]
    matrix = np.eye(6)[[1, 0, 2, 3, 4, 5]]
    low, high = binomial_interval(100 * 10 / 12, 12)
    shown = table3.rows_and_cells(Run([{"paper": [4, 6]}, {"paper": [6, 6]}], 0.0), "paper")
    cells = 100 * np.array([(matrix == np.eye(6)).mean(), 1.0])
    error = 1.96 * cells.std(ddof=1) / np.sqrt(2)
    assert shown == (f"83.3 ({low:.1f} to {high:.1f})", f"{cells.mean():.1f} ± {error:.1f}")


def test_costs_of_table_3_are_the_librarys():
    a, b = (sample[:, 0] for sample in samples())
    found = table3.distances([a], [b], lambda x, y: 0.6)[0][0]
    assert found == pytest.approx(ts.mmd(a, b, kernel=ts.Gaussian(0.6), engine="dense"), abs=1e-6)


@pytest.mark.parametrize("order", ["x first", "y first"])
def test_runs_by_hand(order):
    z = np.array([1.0, 2.0, 3.0, 1.0, 2.5, 4.0])
    rank = np.arange(6) if order == "x first" else -np.arange(6)
    labels = "xyxyxy" if order == "x first" else "yxxyxy"  # sorted: 1 1 2 2.5 3 4
    runs = 1 + sum(a != b for a, b in pairwise(labels))
    mean, N, m = 4.0, 6, 3
    variance = (mean - 1) * (mean - 2) / (N - 1)
    from scipy.stats import norm

    assert runs_pvalue(z, m, rank) == pytest.approx(norm.cdf((runs - mean) / np.sqrt(variance)))


def test_tables_count_pairs_of_columns(monkeypatch):
    from experiments.matching import Attributes

    table = np.random.default_rng(0).normal(size=(400, 5))
    monkeypatch.setitem(table2.QUICK, "toy", Attributes(60, lambda: table, random=3))
    found = table2.work({"name": "toy", "quick": True, "seed": 0}, 0)
    assert all(trials == 3 for _, trials in found["same"].values())
    assert all(trials == 6 for _, trials in found["different"].values())
    assert set(table2.TESTS) - set(table2.SLOW) < set(found["same"])
    assert set(table2.slow_work({"name": "toy", "quick": True, "seed": 0}, 0)["same"]) == set(table2.SLOW)
