"""Bags of points: the set kernel against its double sum, as a test between collections of bags, and in scikit-learn."""

import numpy as np
import pytest

import twosample as ts
from twosample.structured import sets


def bags(count, seed, columns=2, shift=0.0, spread=0.0):
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=(rng.integers(1, 9), columns)) + shift + spread * rng.normal(size=columns) for _ in range(count)
    ]


def naive(a, b, kernel):
    """Section 7.2: the mean of k over all pairs of points."""
    return np.array([[kernel.block(x, y).mean() for y in b] for x in a])


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.5), ts.Laplace(1.0), ts.Linear(), ts.Gaussian(1.0) + ts.Linear()])
@pytest.mark.parametrize("tile", [1, 5, 1024])
def test_the_double_sum(kernel, tile, monkeypatch):
    monkeypatch.setattr(sets, "_POINTS", tile)
    a, b = bags(7, 0), bags(5, 1)
    np.testing.assert_allclose(ts.set_kernel(a, b, kernel=kernel), naive(a, b, kernel), rtol=1e-12)
    np.testing.assert_allclose(ts.set_kernel(a, kernel=kernel), naive(a, a, kernel), rtol=1e-12)


def test_one_large_bag_among_small_ones():
    rng = np.random.default_rng(0)
    a = [rng.normal(size=3), rng.normal(size=2500), rng.normal(size=1)]
    expected = naive([x[:, None] for x in a], [x[:, None] for x in a], ts.Gaussian(1.0))
    np.testing.assert_allclose(ts.set_kernel(a, kernel=ts.Gaussian(1.0)), expected, rtol=1e-10)


def test_the_bandwidth_is_the_median_distance_of_all_points():
    a, b = bags(7, 0), bags(5, 1)
    width = ts.Median().bandwidths(np.concatenate([*a, *b]), "euclidean", np.random.default_rng(0))[0]
    np.testing.assert_allclose(ts.set_kernel(a, b), naive(a, b, ts.Gaussian(width)), rtol=1e-12)
    assert not np.allclose(ts.set_kernel(a, b, bandwidth=0.3), ts.set_kernel(a, b))
    both = ts.set_kernel([*a, *b], rng=0)
    np.testing.assert_allclose(both[:7, 7:], ts.set_kernel(a, b, rng=0), rtol=1e-12)


def test_set_kernel_is_what_the_object_kernel_is():
    a, b = bags(6, 0), bags(4, 1)
    np.testing.assert_allclose(
        ts.SetKernel(ts.Gaussian(1.0)).block(a, b), ts.set_kernel(a, b, kernel=ts.Gaussian(1.0)), rtol=1e-12
    )


def test_normalised():
    a = bags(6, 0)
    K = naive(a, a, ts.Gaussian(1.0))
    d = np.sqrt(np.diagonal(K))
    np.testing.assert_allclose(ts.SetKernel(ts.Gaussian(1.0), normalised=True).block(a, a), K / d / d[:, None])


@pytest.mark.parametrize("outer", [ts.Gaussian(0.4), ts.Laplace(0.4, norm=2), ts.Matern(0.4), ts.Gaussian()])
def test_outer_is_a_function_of_the_distance_between_embeddings(outer):
    a = bags(6, 0)
    K = naive(a, a, ts.Gaussian(1.0))
    D = np.sqrt(np.maximum(np.diagonal(K)[:, None] + np.diagonal(K) - 2 * K, 0))
    width = outer.bandwidth or float(np.sqrt(np.median(D[np.triu_indices(6, 1)] ** 2)))
    line = type(outer)(width, norm=2) if isinstance(outer, ts.Laplace) else type(outer)(width)
    expected = [[line.block(np.zeros((1, 1)), np.array([[d]]))[0, 0] for d in row] for row in D]
    mine = ts.SetKernel(ts.Gaussian(1.0), outer=outer).on(a).matrix
    np.testing.assert_allclose(mine, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(np.diagonal(mine), 1)


@pytest.mark.parametrize("options", [{}, {"normalised": True}, {"outer": ts.Gaussian()}, {"outer": ts.Matern()}])
def test_positive_semidefinite_within_bounds_and_immune_to_the_order(options):
    kernel = ts.SetKernel(ts.Gaussian(0.7), **options)
    a = [*bags(20, 0), *bags(3, 0)]  # three of them twice
    K = kernel.block(a, a)
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    assert kernel.bounds[0] <= K.min() <= K.max() <= kernel.bounds[1] + 1e-12
    shuffled = [bag[::-1] for bag in a]
    np.testing.assert_allclose(kernel.block(shuffled, shuffled), K, atol=1e-7)


def test_a_test_between_collections_sees_the_average_bag():
    x, y = bags(30, 0), bags(30, 1, shift=1.0)
    result = ts.mmd_test(x, y, kernel=ts.SetKernel(), rng=0)
    assert result.rejected
    assert result.kernel.kernel.bandwidth > 0
    K = ts.set_kernel([*x, *y])
    again = ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=30), rng=0)
    assert (result.statistic, result.pvalue) == (pytest.approx(again.statistic, rel=1e-9), again.pvalue)
    rows = ts.witness(x, y, kernel=ts.SetKernel()).rows(3)
    assert np.mean([y[i].mean() for i in rows.y]) > np.mean([x[i].mean() for i in rows.x])


def test_only_outer_sees_how_bags_vary():
    """All bags of x are alike; each bag of y has its own place; together the points have one distribution."""
    rng = np.random.default_rng(0)
    x = [rng.normal(scale=np.sqrt(2), size=30) for _ in range(30)]
    y = [rng.normal(size=30) + rng.normal() for _ in range(30)]
    assert not ts.mmd_test(x, y, kernel=ts.SetKernel(), rng=0).rejected
    assert ts.mmd_test(x, y, kernel=ts.SetKernel(outer=ts.Gaussian()), rng=0).pvalue == 0.001


def test_witness_at_new_bags_keeps_the_bandwidth():
    x, y = bags(10, 0), bags(10, 1, shift=1.0)
    w = ts.witness(x, y, kernel=ts.SetKernel(outer=ts.Gaussian()))
    rows = w.rows(2)
    far = bags(3, 2, shift=100.0)  # would change the median distance of a new pool
    np.testing.assert_allclose(w([*far, *(x[i] for i in rows.x)])[3:], rows.x_values, rtol=1e-9)


def test_a_missing_bandwidth_is_named():
    with pytest.raises(ts.OptionError, match="no bandwidth yet"):
        ts.SetKernel().block(bags(2, 0), bags(2, 1))


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (np.empty((0, 2)), "Bag 2 .*empty"),
        ([], "Bag 2 .*empty"),
        (np.zeros((2, 3)), r"Bag 2 .*3 column"),
        ("text", "Bag 2 .*str"),
        (5.0, "Bag 2 .*shape"),
        (None, "Bag 2"),
        ([[1.0, np.nan]], "Bag 2 .*NaN"),
    ],
)
def test_bad_bags_are_named_by_their_position(bad, word):
    good = bags(2, 0)
    with pytest.raises(ts.InputError, match=word):
        ts.set_kernel([*good, bad])
    with pytest.raises(ts.InputError, match=word):
        ts.mmd_test(good, [bad, *good], kernel=ts.SetKernel())


def test_bad_options():
    for options in ({"kernel": "gaussian"}, {"kernel": ts.strings.Spectrum()}, {"outer": ts.Laplace(1.0)}):
        with pytest.raises(ts.OptionError, match=next(iter(options))):
            ts.SetKernel(**options)
    with pytest.raises(ts.InputError, match="bags_a"):
        ts.set_kernel("text")
    with pytest.raises(ts.InputError, match="kernel"):
        ts.set_kernel(bags(2, 0), kernel=ts.SetKernel())


def test_multi_instance_classification_with_scikit_learn():
    """A bag is positive if one of its points is special: the example of docs/structured.md, with a held-out half."""
    svm = pytest.importorskip("sklearn.svm")
    rng = np.random.default_rng(0)
    x = [rng.normal(size=(rng.integers(4, 9), 2)) for _ in range(120)]
    y = np.arange(120) % 2
    for bag in x[1::2]:
        bag[0] += 4.0
    K = ts.set_kernel(x[:60], kernel=ts.Gaussian(1.0))
    machine = svm.SVC(kernel="precomputed", C=100.0).fit(K, y[:60])
    predicted = machine.predict(ts.set_kernel(x[60:], x[:60], kernel=ts.Gaussian(1.0)))
    assert np.mean(predicted == y[60:]) > 0.9


@pytest.mark.parametrize("bag", [np.ones((2, 1)) * 1j, ["1", "2"], [[1.0], [1.0, 2.0]]])
def test_bags_of_what_is_no_number(bag):
    with pytest.raises(ts.InputError, match="Bag 0"):
        ts.mmd_test([bag] * 4, [bag] * 4, kernel=ts.SetKernel())
