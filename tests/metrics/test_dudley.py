"""The bounded Lipschitz metric against closed forms, the whole linear program, and its dual as a transport problem."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.spatial.distance import cdist

import twosample as ts
from twosample import metrics


def whole_program(x, y):
    """Every constraint of the definition, between all pairs of pooled points, in a dense matrix."""
    x, y = (np.asarray(a, float).reshape(len(a), -1) for a in (x, y))
    z = np.concatenate([x, y])
    N, D = len(z), cdist(z, z)
    a = np.concatenate([np.full(len(x), 1 / len(x)), np.full(len(y), -1 / len(y))])
    rows, limits = [], []
    for i in range(N):
        for sign in (1, -1):
            row = np.zeros(N + 2)
            row[i], row[N + 1] = sign, -1  # |f_i| <= M
            rows.append(row)
            limits.append(0)
        for j in range(N):
            if i != j:
                row = np.zeros(N + 2)
                row[i], row[j], row[N] = 1, -1, -D[i, j]
                rows.append(row)
                limits.append(0)
    row = np.zeros(N + 2)
    row[N:] = 1
    bounds = [(None, None)] * N + [(0, None)] * 2
    answer = linprog(-np.append(a, [0, 0]), np.array([*rows, row]), [*limits, 1], bounds=bounds)
    return -answer.fun


def transport_dual(x, y):
    """max over L of the transport cost with min(L d, 2(1-L)): Lipschitz functions of a bounded distance."""
    ot = pytest.importorskip("ot")
    D = cdist(x, y)
    weights = np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y))

    def cost(L):
        return -ot.emd2(*weights, np.minimum(L * D, 2 * (1 - L)))

    return -minimize_scalar(cost, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).fun


@pytest.mark.parametrize("distance", [1e-12, 1e-3, 0.5, 1.0, 2.0, 40.0, 1e6, 1e12])
@pytest.mark.parametrize("d", [1, 3])
def test_two_points(distance, d):
    """L d = 2M and L + M = 1 give 2d/(2+d)."""
    x, y = np.zeros((2, d)), np.zeros((2, d))
    y[:, 0] = distance
    assert metrics.bounded_lipschitz(x, y) == pytest.approx(2 * distance / (2 + distance), rel=1e-7)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2])
def test_against_the_whole_program(seed, d):
    rng = np.random.default_rng(seed)
    scale = [0.1, 1.0, 10.0][seed % 3]
    x, y = scale * rng.normal(size=(6, d)), scale * rng.normal(0.5, size=(4, d))
    if seed >= 3:
        x, y = np.round(x), np.round(y)
    assert metrics.bounded_lipschitz(x, y) == pytest.approx(whole_program(x, y), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("d", [1, 2, 6])
def test_against_the_transport_dual(d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(60, d)), rng.normal(0.4, 1.5, size=(45, d))
    assert metrics.bounded_lipschitz(x, y) == pytest.approx(transport_dual(x, y), rel=1e-7)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("ties", [False, True])
def test_the_witness_keeps_within_its_class(d, ties):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(40, d)), rng.normal(0.6, size=(50, d))
    if ties:
        x, y = np.round(x), np.round(y)
    f = metrics.witness(x, y, metric="bounded_lipschitz")
    assert f.lipschitz + f.bound <= 1 + 1e-12
    at = np.concatenate([x, y, rng.normal(size=(200, d)) * 3])
    values = f(at)
    assert np.abs(values).max() <= f.bound + 1e-12
    assert (np.abs(values[:, None] - values) <= f.lipschitz * cdist(at, at) + 1e-9).all()
    assert f(x).mean() - f(y).mean() == pytest.approx(metrics.bounded_lipschitz(x, y), rel=1e-9)


def test_far_outliers_count_by_their_share():
    x = np.linspace(-1, 1, 20)
    y = x.copy()
    y[0] = 1e9
    assert metrics.wasserstein(x, y) > 1e7
    assert metrics.bounded_lipschitz(x, y) == pytest.approx(2 / 20, rel=1e-6)


def test_equal_samples():
    x = np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.0]])
    assert metrics.bounded_lipschitz(x, x[::-1]) == 0
    assert metrics.bounded_lipschitz(np.ones(5), np.ones(7)) == 0
    f = metrics.witness(x, np.concatenate([x, x]), metric="bounded_lipschitz")
    np.testing.assert_array_equal(f(x), 0)


def test_the_line_needs_few_constraints():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=700), rng.normal(0.3, size=900)
    line = metrics.bounded_lipschitz(x, y)
    sheet = metrics.bounded_lipschitz(np.outer(x[:150], [0.6, 0.8]), np.outer(y[:150], [0.6, 0.8]))
    assert sheet == pytest.approx(metrics.bounded_lipschitz(x[:150], y[:150]), rel=1e-7)
    assert line <= metrics.wasserstein(x, y)


def test_too_many_points_are_refused():
    z = np.random.default_rng(0).normal(size=(2500, 2))
    with pytest.raises(ts.InputError, match="refused"):
        metrics.bounded_lipschitz(z, z + 1)
