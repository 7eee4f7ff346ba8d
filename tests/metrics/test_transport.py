"""Wasserstein in several dimensions against assignments, linear programming and its dual."""

import sys

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist

import twosample as ts
from twosample import metrics

pytest.importorskip("ot")


def transport_program(x, y):
    """The transport problem as it is written, by linear programming."""
    m, n = len(x), len(y)
    marginals = np.zeros((m + n, m * n))
    for i in range(m):
        marginals[i, i * n : (i + 1) * n] = 1
    for j in range(n):
        marginals[m + j, j::n] = 1
    weights = np.concatenate([np.full(m, 1 / m), np.full(n, 1 / n)])
    return linprog(cdist(x, y).ravel(), A_eq=marginals, b_eq=weights, bounds=(0, None)).fun


@pytest.mark.parametrize("d", [2, 5])
def test_equal_sizes_are_an_assignment(d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(40, d)), rng.normal(0.5, size=(40, d))
    D = cdist(x, y)
    i, j = linear_sum_assignment(D)
    assert metrics.wasserstein(x, y) == pytest.approx(D[i, j].mean(), rel=1e-12)


@pytest.mark.parametrize(("m", "n"), [(5, 8), (12, 3)])
def test_unequal_sizes_are_a_linear_program(m, n):
    rng = np.random.default_rng(m)
    x, y = rng.normal(size=(m, 3)), rng.normal(size=(n, 3))
    assert metrics.wasserstein(x, y) == pytest.approx(transport_program(x, y), rel=1e-9)


def test_a_flat_sheet_is_a_line():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=30), rng.normal(size=50)
    direction = np.array([3.0, 4.0]) / 5
    assert metrics.wasserstein(np.outer(x, direction), np.outer(y, direction)) == pytest.approx(
        metrics.wasserstein(x, y), rel=1e-9
    )


@pytest.mark.parametrize("ties", [False, True])
def test_the_witness_is_lipschitz_and_attains_the_metric(ties):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 2)), rng.normal(0.7, size=(45, 2))
    if ties:
        x, y = np.round(x), np.round(y)
    f = metrics.witness(x, y)
    assert f(x).mean() - f(y).mean() == pytest.approx(metrics.wasserstein(x, y), rel=1e-9)
    assert f.value == pytest.approx(metrics.wasserstein(x, y), rel=1e-9)
    at = np.concatenate([x, y, rng.normal(size=(200, 2)) * 3])
    values, D = f(at), cdist(at, at)
    assert (np.abs(values[:, None] - values) <= D + 1e-9).all()
    assert np.abs(values).max() <= f.bound + 1e-9
    assert f([0.1, 0.2]).shape == (1,)  # one point as a plain list
    with pytest.raises(ts.InputError, match="column"):
        f(np.zeros((4, 3)))


def test_too_many_rows_are_refused_before_any_work():
    x = np.zeros((20_000, 2))
    with pytest.raises(ts.InputError, match="refused"):
        metrics.wasserstein(x, x)


@pytest.mark.parametrize("unit", [1e-180, 1e180])
def test_distances_that_no_number_holds_are_refused(unit):
    x, y = unit * np.eye(2), unit * np.ones((2, 2))
    for metric in (metrics.wasserstein, metrics.bounded_lipschitz, metrics.energy_distance):
        with pytest.raises(ts.InputError, match="unit"):
            metric(x, y)


def test_the_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    assert metrics.wasserstein([0.0, 1.0], [2.0, 3.0]) == 2.0
    with pytest.raises(ts.MissingExtraError, match=r'pip install "twosample\[transport\]"'):
        metrics.wasserstein(np.zeros((3, 2)), np.ones((3, 2)))
