"""Minimum-distance matchings and the cross-match test."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, factorial

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import twosample as ts
from twosample.rivals import _matching, cross_match_test
from twosample.rivals._matching import minimum_matching, nearest_pairs
from twosample.rivals.cross_match import cross_match_law, cross_match_moments


def smallest_total(D, leave_one=False):
    """Over all perfect matchings, or over all that leave one point out, by recursion on sets of points."""
    size = len(D)

    @cache
    def rest(points, spare):
        if not points:
            return 0.0
        first, others = points[0], points[1:]
        best = rest(others, False) if spare else np.inf
        for k, other in enumerate(others):
            best = min(best, D[first, other] + rest(others[:k] + others[k + 1 :], spare))
        return best

    return rest(tuple(range(size)), leave_one)


def total(z, pairs):
    return sum(np.linalg.norm(z[a] - z[b]) for a, b in pairs)


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("size", [4, 7, 9, 10])
@pytest.mark.parametrize("kind", ["distinct", "duplicates"])
def test_no_matching_is_shorter(size, d, kind):
    rng = np.random.default_rng([size, d])
    z = rng.normal(size=(size, d)) if kind == "distinct" else rng.integers(0, 2, size=(size, d)).astype(float)
    pairing = nearest_pairs(z, rng)
    assert pairing.gap == 0
    assert len(pairing.pairs) == size // 2
    assert len(set(pairing.pairs.ravel().tolist())) == 2 * (size // 2)
    best = smallest_total(cdist(z, z), leave_one=size % 2 == 1)
    assert total(z, pairing.pairs) == pytest.approx(best, abs=1e-9)


def test_rosenbaums_data():
    """The 9 + 9 outcomes of Section 2 of Rosenbaum (2005), here with Euclidean distances; the optimum by recursion."""
    first = [0.47, 0.39, 0.47, 0.78, 1, 1, 0.54, 1, 0.38, 1, 0.27, 0.63, 0.22, 0, -1, -0.42, -1, -1]
    second = [0.03, 0.11, 0.16, -0.1, -0.05, 0.16, 0.12, 0.4, 0.04]
    second += [0.71, 0.01, 0.21, -0.18, -0.08, -0.35, 0.26, -0.6, -1]
    z = np.column_stack([first, second])
    pairing = nearest_pairs(z, np.random.default_rng(0))
    assert total(z, pairing.pairs) == pytest.approx(smallest_total(cdist(z, z)), abs=1e-9)


@pytest.mark.parametrize(("size", "d"), [(160, 2), (161, 3), (200, 20)])
def test_the_proof_of_optimality_holds(size, d, monkeypatch):
    """Beyond 150 points a sparse graph is matched; the complete one gives the same total."""
    z = np.random.default_rng([size, d]).normal(size=(size, d))
    sparse = nearest_pairs(z, np.random.default_rng(1))
    assert sparse.gap == 0
    monkeypatch.setattr(_matching, "COMPLETE", 1000)
    complete = nearest_pairs(z, np.random.default_rng(1))
    assert total(z, sparse.pairs) == pytest.approx(total(z, complete.pairs), rel=1e-9)


def test_without_a_proof_the_complete_graph_decides(monkeypatch):
    z = np.random.default_rng(3).normal(size=(160, 2))
    expected = total(z, nearest_pairs(z, np.random.default_rng(1)).pairs)
    monkeypatch.setattr(_matching, "ROUNDS", 0)
    assert total(z, nearest_pairs(z, np.random.default_rng(1)).pairs) == pytest.approx(expected)


def test_a_gap_that_remains_is_reported(monkeypatch):
    monkeypatch.setattr(_matching, "ROUNDS", 1)
    monkeypatch.setattr(_matching, "CANDIDATES", 0)
    monkeypatch.setattr(_matching, "AFFORDABLE", 0)
    z = np.random.default_rng(3).normal(size=(200, 2))
    pairing = nearest_pairs(z, np.random.default_rng(1))
    assert 0 < pairing.gap < 0.2
    monkeypatch.undo()
    best = total(z, nearest_pairs(z, np.random.default_rng(1)).pairs)
    assert best <= total(z, pairing.pairs) <= best * (1 + pairing.gap) + 1e-9


def test_equal_points_are_paired_before_anything_else():
    z = np.repeat(np.random.default_rng(4).normal(size=(20, 3)), 3, axis=0)
    pairing = nearest_pairs(z, np.random.default_rng(0))
    lengths = np.linalg.norm(z[pairing.pairs[:, 0]] - z[pairing.pairs[:, 1]], axis=1)
    assert np.count_nonzero(lengths == 0) == 20
    assert lengths.sum() == pytest.approx(smallest_total_of_distinct(z[::3]))


def smallest_total_of_distinct(z):
    pairs, gap = minimum_matching(cdist(z, z))
    assert gap == 0
    return total(z, pairs)


@pytest.mark.parametrize(("m", "n"), [(4, 4), (3, 5), (2, 6), (1, 5), (6, 6)])
def test_null_law_is_the_one_of_all_labellings(m, n):
    """Rosenbaum's closed form against every labelling of a fixed matching, in exact arithmetic."""
    pairs = [(2 * i, 2 * i + 1) for i in range((m + n) // 2)]
    found = Counter(
        sum((a in chosen) != (b in chosen) for a, b in pairs) for chosen in map(set, combinations(range(m + n), m))
    )
    counts, chances = cross_match_law(m, n)
    assert counts.tolist() == sorted(found)
    np.testing.assert_allclose(chances, [found[int(c)] / comb(m + n, m) for c in counts], rtol=1e-12)
    mean, deviation = cross_match_moments(m, n)
    assert mean == pytest.approx(float((counts * chances).sum()))
    assert deviation == pytest.approx(float(np.sqrt(((counts - mean) ** 2 * chances).sum())), abs=1e-12)


def test_null_law_at_rosenbaums_sizes():
    """N = 18 and n = 9, the example of R's crossmatchdist(18, 9), from its formula in whole numbers."""
    counts, chances = cross_match_law(9, 9)
    ways = {c: factorial((9 - c) // 2) ** 2 * factorial(c) for c in (1, 3, 5, 7, 9)}
    exact = [Fraction(2**c * factorial(9), comb(18, 9) * ways[c]) for c in ways]
    assert sum(exact) == 1
    assert counts.tolist() == [1, 3, 5, 7, 9]
    np.testing.assert_allclose(chances, [float(p) for p in exact], rtol=1e-12)


def test_law_of_large_samples_sums_to_one():
    _, chances = cross_match_law(5000, 4000)
    assert chances.sum() == pytest.approx(1)


def test_pvalue_is_the_lower_tail_of_the_count():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(12, 2)), rng.normal(0.8, size=(10, 2))
    r = cross_match_test(x, y, rng=0)
    crossed = int(r.notes[0].split()[0])
    counts, chances = cross_match_law(12, 10)
    assert r.pvalue == pytest.approx(chances[counts <= crossed].sum())
    mean, deviation = cross_match_moments(12, 10)
    assert r.statistic == pytest.approx((mean - crossed) / deviation)


def test_an_odd_pool_loses_one_point():
    rng = np.random.default_rng(6)
    r = cross_match_test(rng.normal(size=(8, 2)), rng.normal(9, size=(9, 2)), rng=0)
    assert "N = 17 is odd" in r.notes[1]
    assert r.pvalue == pytest.approx(cross_match_law(8, 8)[1][0])


def test_missing_rustworkx_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "rustworkx", None)
    x = np.random.default_rng(7).normal(size=(10, 2))
    with pytest.raises(ts.MissingExtraError, match=r'pip install "twosample\[matching\]"'):
        cross_match_test(x, x + 1)
