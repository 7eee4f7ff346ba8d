"""The Hall-Tajvidi statistic against its definition."""

import numpy as np
import pytest

import twosample as ts
from tests import naive
from twosample.rivals import hall_tajvidi_test
from twosample.rivals.hall_tajvidi import STRIDE, Counter, neighbours


def by_hand(x, y, gamma, w1, w2):
    """Straight from the docstring; no ties in the distances."""
    x, y = np.asarray(x), np.asarray(y)
    m, n = len(x), len(y)
    z, is_y = np.concatenate([x, y]), np.arange(m + n) >= m

    def part(points, own, other, share, weights):
        total = 0.0
        for i in points:
            order = [k for k in np.argsort(np.linalg.norm(z - z[i], axis=1)) if k != i]
            for j, weight in enumerate(weights, start=1):
                count = np.count_nonzero(is_y[order[:j]] == other)
                total += weight * abs(count - j * share / (m + n - 1)) ** gamma
        return total / len(points)

    return part(range(m), False, True, n, w1) + part(range(m, m + n), True, False, m, w2)


@pytest.mark.parametrize(("m", "n"), [(6, 6), (4, 9), (9, 4)])
@pytest.mark.parametrize("gamma", [1, 2, 0.7])
def test_default_weights(m, n, gamma):
    rng = np.random.default_rng([m, n])
    x, y = rng.normal(size=(m, 3)), rng.normal(0.5, size=(n, 3))
    r = hall_tajvidi_test(x, y, gamma=gamma, rng=0)
    assert r.statistic == pytest.approx(by_hand(x, y, gamma, np.ones(n), np.ones(m)), rel=1e-12)


def test_weights_of_ones_own():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(7, 2)), rng.normal(size=(8, 2))
    w = 1 / np.arange(1, 6)
    assert hall_tajvidi_test(x, y, weights=w, rng=0).statistic == pytest.approx(by_hand(x, y, 2, w, w))
    w1, w2 = [1.0, 0.0, 3.0], np.arange(1.0, 15.0)
    assert hall_tajvidi_test(x, y, weights=(w1, w2), rng=0).statistic == pytest.approx(by_hand(x, y, 2, w1, w2))


@pytest.mark.parametrize(("m", "n"), [(90, 90), (70, 130), (130, 70)])
def test_many_strides(m, n):
    """More neighbours than one stride of 16 bits holds, and weights that end at different places."""
    rng = np.random.default_rng([m, n])
    x, y = rng.normal(size=(m, 2)), rng.normal(0.3, size=(n, 2))
    r = hall_tajvidi_test(x, y, null=ts.Permutation(n=19), rng=0)
    assert r.statistic == pytest.approx(by_hand(x, y, 2, np.ones(n), np.ones(m)), rel=1e-12)


@pytest.mark.parametrize("one_sided", [False, True])
def test_squares_in_short_numbers_are_the_general_sums(one_sided):
    """In the world with the largest counts, all x nearest to all points, and in random ones."""
    m, n, reach = 300, 250, 400
    rng = np.random.default_rng(5)
    labels = np.zeros((m + n, 70), dtype=np.int8)
    for column in labels.T:
        column[rng.permutation(m + n)[:m]] = 1
    order = np.array([rng.permutation(m + n)[:reach] for _ in range(m + n)])
    order[:, : m - 1] = np.flatnonzero(labels[:, 0])[: m - 1]
    of_x = np.repeat([1.0, 0.5, 2.0, 0.0], 100)
    of_y = np.repeat([0.0, 3.0], 200) if one_sided else of_x
    short = Counter(order, of_x, of_y, 2.0, m, n)
    assert max(part.stop - part.start for part in short._strides()) == STRIDE
    general = Counter(order, of_x + 1e-300 * np.arange(reach), of_y, np.nextafter(2.0, 3.0), m, n)
    np.testing.assert_allclose(short.statistic(labels), general.statistic(labels), rtol=1e-11)


def test_every_labelling_by_hand():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4, 2)), rng.normal(1, size=(3, 2))
    exact = naive.permutation_pvalue(list(x), list(y), lambda a, b: by_hand(a, b, 2, np.ones(3), np.ones(4)))
    assert hall_tajvidi_test(x, y).pvalue == pytest.approx(float(exact))


def test_sees_a_difference_in_scale_in_high_dimension():
    """Where the tests on the spanning tree fail (Section 8.1)."""
    rng = np.random.default_rng(3)
    assert hall_tajvidi_test(rng.normal(size=(40, 100)), rng.normal(scale=1.2, size=(40, 100)), rng=0).rejected


def test_neighbours_are_sorted_and_ties_are_random():
    z = np.random.default_rng(4).normal(size=(40, 2))
    order = neighbours(z, 39, np.random.default_rng(0))
    D = np.linalg.norm(z[:, None] - z, axis=2)
    assert (np.diff(np.take_along_axis(D, order, axis=1), axis=1) >= 0).all()
    assert all(i not in row for i, row in enumerate(order))
    firsts = [neighbours(np.zeros((6, 1)), 1, np.random.default_rng(seed))[0, 0] for seed in range(60)]
    assert set(firsts) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("weights", [[], [1.0] * 12, [-1.0], [np.nan], "ab", 3, ([1.0], [])])
def test_wrong_weights(weights):
    with pytest.raises(ts.OptionError, match="weights"):
        hall_tajvidi_test(np.arange(6.0), np.arange(6.0), weights=weights)


@pytest.mark.parametrize("gamma", [0, -1, np.inf, np.nan, "two", True])
def test_wrong_gamma(gamma):
    with pytest.raises(ts.OptionError, match="gamma"):
        hall_tajvidi_test(np.arange(6.0), np.arange(6.0), gamma=gamma)


@pytest.mark.parametrize("weights", [[10**400], np.array([1 + 1j]), ["1"], "12", [None]], ids=lambda w: f"{w!r:.20}")
def test_weights_that_are_no_numbers(weights):
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="weights must be"):
        hall_tajvidi_test(x, x, weights=weights)
