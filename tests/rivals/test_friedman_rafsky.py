"""The minimum spanning tree and both tests on it."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree
from scipy.spatial.distance import cdist

import twosample as ts
from twosample.core.labellings import relabellings
from twosample.rivals import friedman_rafsky_ks_test, friedman_rafsky_runs_test, ks_test
from twosample.rivals._tree import Tree, minimum_spanning_tree, traversal_order
from twosample.rivals.friedman_rafsky import cross_edges, run_moments


def total_length(tree):
    return np.sqrt(tree.lengths).sum()


def spans(tree):
    """By union of components: every edge joins two, and one is left."""
    component = list(range(len(tree.shuffle)))
    for a, b in tree.edges.tolist():
        if component[a] == component[b]:
            return False
        old, new = component[a], component[b]
        component = [new if c == old else c for c in component]
    return len(set(component)) == 1


@pytest.mark.parametrize("d", [1, 2, 7])
def test_total_length_as_scipy_finds_it(d):
    z = np.random.default_rng(d).normal(size=(60, d))
    tree = minimum_spanning_tree(z, np.random.default_rng(0))
    assert spans(tree)
    assert total_length(tree) == pytest.approx(scipy_tree(cdist(z, z)).sum(), rel=1e-12)
    ends = z[tree.edges]
    np.testing.assert_allclose(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1), np.sqrt(tree.lengths))


@pytest.mark.parametrize("seed", range(6))
def test_no_spanning_tree_is_shorter(seed):
    """All 5^3 labelled trees of 5 points, by their Prüfer sequences; half of the cases have duplicates."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(5, 2)) if seed % 2 else rng.integers(0, 2, size=(5, 2)).astype(float)
    D = cdist(z, z)
    shortest = min(sum(D[a, b] for a, b in of_prufer(code, 5)) for code in product(range(5), repeat=3))
    tree = minimum_spanning_tree(z, rng)
    assert spans(tree)
    assert total_length(tree) == pytest.approx(shortest, abs=1e-12)


def of_prufer(code, size):
    degree = [1 + code.count(v) for v in range(size)]
    edges = []
    for v in code:
        leaf = degree.index(1)
        edges.append((leaf, v))
        degree[leaf] -= 1
        degree[v] -= 1
    return [*edges, tuple(v for v in range(size) if degree[v] == 1)]


def test_duplicates_are_joined_at_length_zero():
    z = np.repeat(np.random.default_rng(1).normal(size=(7, 3)), 4, axis=0)
    tree = minimum_spanning_tree(z, np.random.default_rng(0))
    assert spans(tree)
    assert np.count_nonzero(tree.lengths == 0) == 21
    assert total_length(tree) == pytest.approx(scipy_tree(cdist(z[::4], z[::4])).sum())


def test_equal_points_form_a_chain_and_not_a_star():
    tree = minimum_spanning_tree(np.ones((30, 2)), np.random.default_rng(0))
    assert tree.degrees.max() == 2


def test_ties_do_not_depend_on_the_order_of_the_pool():
    """On a square grid all edges are ties. Over seeds, an edge at a corner of the pool is no likelier than another."""
    z = np.array(list(product(range(3), repeat=2)), dtype=float)
    count = np.zeros((9, 9))
    for seed in range(400):
        a, b = minimum_spanning_tree(z, np.random.default_rng(seed)).edges.T
        count[a, b] += 1
        count[b, a] += 1
    corners = [count[0, 1], count[0, 3], count[2, 1], count[2, 5], count[6, 3], count[6, 7], count[8, 5], count[8, 7]]
    assert np.ptp(corners) < 6 * np.sqrt(400 * 0.25)


@pytest.mark.parametrize(("m", "n", "d"), [(3, 4, 2), (5, 5, 1), (2, 6, 3)])
def test_mean_and_variance_of_runs_over_all_labellings(m, n, d):
    z = np.random.default_rng(m).normal(size=(m + n, d))
    tree = minimum_spanning_tree(z, np.random.default_rng(0))
    labels = relabellings(m, n, 10**6, np.random.default_rng(0))
    assert labels.exhaustive
    runs = cross_edges(tree, labels.x) + 1
    mean, deviation = run_moments(tree, m, n)
    assert mean == pytest.approx(2 * m * n / (m + n) + 1)
    assert runs.mean() == pytest.approx(mean)
    assert runs.std() == pytest.approx(deviation)


def test_cross_edges_by_definition():
    rng = np.random.default_rng(2)
    tree = minimum_spanning_tree(rng.normal(size=(30, 2)), rng)
    labels = relabellings(12, 18, 50, rng).x
    expected = [sum(column[a] != column[b] for a, b in tree.edges) for column in labels.T]
    np.testing.assert_array_equal(cross_edges(tree, labels), expected)


def test_one_dimension_is_the_runs_test_of_wald_and_wolfowitz():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=14), rng.normal(size=11)
    labels = np.repeat([1, 0], [14, 11])[np.argsort(np.concatenate([x, y]))]
    runs = 1 + np.count_nonzero(np.diff(labels))
    mn, total = 14 * 11, 25
    mean, variance = 2 * mn / total + 1, 2 * mn * (2 * mn - total) / (total**2 * (total - 1))
    r = friedman_rafsky_runs_test(x, y, null="normal")
    assert r.statistic == pytest.approx((mean - runs) / np.sqrt(variance))
    assert r.notes[0].startswith(f"{runs} runs")


def test_few_runs_are_evidence():
    """The defect of hyppo's FriedmanRafsky: 20 + 20 points, shifted by 100, two runs, and p = 1 there."""
    x = np.random.default_rng(0).normal(size=(20, 2))
    r = friedman_rafsky_runs_test(x, x + 100, rng=0)
    assert r.notes[0].startswith("2 runs")
    assert (r.pvalue, r.rejected) == (0.001, True)


def test_exact_enumeration_of_a_small_tree():
    x, y = [0.0, 1.0, 2.0, 3.1], [10.0, 11.2, 12.0, 13.0]
    r = friedman_rafsky_runs_test(x, y)
    assert r.pvalue == 2 / 70  # two labellings of a chain have one cross edge
    assert r.law.exhaustive


def test_a_star_has_the_same_runs_in_every_world():
    z = np.array([[0.0, 0.0], [1, 0], [-0.5, 0.9], [-0.5, -0.9]])
    r = friedman_rafsky_runs_test(z[:2], z[2:], null="normal", rng=0)
    assert (r.statistic, r.pvalue) == (0.0, 1.0)


def small_tree(edges, lengths=None):
    size = len(edges) + 1
    lengths = np.ones(size - 1) if lengths is None else np.asarray(lengths, dtype=float)
    return Tree(np.array(edges), lengths, np.arange(size))


def test_traversal_visits_low_subtrees_first():
    """A longest path 0-1-2-3-4-5 with a leaf 6 at 2 and a chain 7-8 at 3; the root is one of its ends."""
    tree = small_tree([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6), (3, 7), (7, 8)], [1, 1, 1, 1, 1, 1, 4, 1])
    walk = traversal_order(tree).tolist()
    assert walk in (
        [0, 1, 2, 6, 3, 4, 5, 7, 8],  # from 0: below 3 both chains have height 1 and the shorter edge goes first
        [5, 4, 3, 7, 8, 2, 6, 1, 0],  # from 5
        [8, 7, 3, 4, 5, 2, 6, 1, 0],  # from 8, as far from 0 as 5 is
    )


def test_traversal_is_a_preorder_with_heights_ascending():
    rng = np.random.default_rng(4)
    tree = minimum_spanning_tree(rng.normal(size=(80, 2)), rng)
    walk = traversal_order(tree).tolist()
    assert sorted(walk) == list(range(80))
    below = {v: [] for v in walk}
    neighbours = {v: set() for v in walk}
    for a, b in tree.edges.tolist():
        neighbours[a].add(b)
        neighbours[b].add(a)

    def height(v, parent):
        children = [w for w in neighbours[v] if w != parent]
        below[v] = sorted(children, key=walk.index)
        heights = [height(w, v) for w in below[v]]
        assert heights == sorted(heights)
        return 1 + max(heights, default=-1)

    tallest = height(walk[0], None)
    visited = []

    def visit(v):
        visited.append(v)
        for w in below[v]:
            visit(w)

    visit(walk[0])
    assert visited == walk
    assert tallest == max(depth(neighbours, v) for v in walk)  # the root is an end of a longest path


def depth(neighbours, root):
    seen, layer, count = {root}, [root], -1
    while layer:
        layer = [w for v in layer for w in neighbours[v] if w not in seen]
        seen.update(layer)
        count += 1
    return count


def test_traversal_in_one_dimension_is_the_order():
    rng = np.random.default_rng(5)
    z = rng.normal(size=(50, 1))
    walk = traversal_order(minimum_spanning_tree(z, rng))
    assert abs(np.diff(np.argsort(np.argsort(z[:, 0]))[walk]).sum()) == 49
    x, y = z[:20], z[20:]
    assert friedman_rafsky_ks_test(x, y, rng=0).statistic == pytest.approx(ks_test(x, y).statistic)


def test_tree_ks_statistic_by_definition():
    rng = np.random.default_rng(6)
    z = rng.normal(size=(25, 3))
    walk = traversal_order(minimum_spanning_tree(z * 2.0**-3, np.random.default_rng(1)))
    is_x = np.arange(25)[walk] < 10
    by_hand = max(abs(is_x[:i].sum() / 10 - (~is_x[:i]).sum() / 15) for i in range(1, 26))
    assert friedman_rafsky_ks_test(z[:10], z[10:], rng=1).statistic == pytest.approx(by_hand)


def test_large_tree_stays_small_in_memory():
    import tracemalloc

    z = np.random.default_rng(7).normal(size=(3000, 4))
    tracemalloc.start()
    minimum_spanning_tree(z, np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000  # the distances alone would be 72 MB


def test_all_labellings_of_runs_by_brute_force():
    rng = np.random.default_rng(8)
    z = rng.integers(0, 3, size=(8, 2)).astype(float)
    r = friedman_rafsky_runs_test(z[:3], z[3:], null=ts.Permutation(n=100), rng=9)
    tree = minimum_spanning_tree(r_scaled(z), np.random.default_rng(9))
    crosses = [
        sum((a in chosen) != (b in chosen) for a, b in tree.edges.tolist()) for chosen in combinations(range(8), 3)
    ]
    assert r.pvalue == np.mean(np.array(crosses) <= crosses[0])


def r_scaled(z):
    z = z - z[0] - (z - z[0]).mean(axis=0)
    return z / 2.0 ** np.frexp(np.abs(z).max())[1]
