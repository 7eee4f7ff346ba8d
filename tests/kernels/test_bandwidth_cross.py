"""The median of the distances between the samples: its value, where it is taken, and why relabelling refuses it."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import twosample as ts
from tests import naive

TWO = np.random.default_rng(0).normal(size=(2, 30, 2)).round(1)


def cross_median(x, y, metric="euclidean"):
    distances = cdist(x, y, metric)
    return np.median(distances[distances > 0])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_value(metric, scale):
    x, y = TWO
    rule = ts.CrossMedian(m=len(x))
    found = rule.bandwidths(scale * np.concatenate([x, y]), metric, np.random.default_rng(0))
    assert found == pytest.approx([scale * cross_median(x, y, metric)], rel=1e-12)


def test_distances_of_zero_do_not_count():
    z = np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [3.0]])
    assert ts.CrossMedian(m=3).bandwidths(z, "euclidean", np.random.default_rng(0)) == [3.0]
    assert ts.CrossMedian(m=3).bandwidths(z[:5], "euclidean", np.random.default_rng(0)) == [1.0]


def test_large_samples_by_a_part():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(3000, 1)), rng.normal(1.0, size=(5000, 1))
    found = ts.CrossMedian(m=3000).bandwidths(np.concatenate([x, y]), "euclidean", rng)[0]
    assert found == pytest.approx(cross_median(x, y), rel=0.05)


@pytest.mark.parametrize("null", ["bootstrap", "pearson", "spectrum", "gamma", "mcdiarmid", "hoeffding"])
def test_it_is_the_bandwidth_of_the_kernel_and_the_result_warns(null):
    x, y = TWO
    statistic = "biased" if null == "mcdiarmid" else "unbiased"
    r = ts.mmd_test(x, y, bandwidth=ts.CrossMedian(factor=0.5), null=null, statistic=statistic, rng=0)
    assert r.kernel.bandwidth == pytest.approx(0.5 * cross_median(x, y), rel=1e-12)
    assert "depends on the labels" in r.notes[-1]
    assert "depends on the labels" not in " ".join(ts.mmd_test(x, y, null=null, statistic=statistic, rng=0).notes)
    assert ts.mmd(x, y, bandwidth=ts.CrossMedian()) == ts.mmd(x, y, bandwidth=float(cross_median(x, y)))


def test_sums_of_kernels_with_other_distances():
    x, y = TWO
    r = ts.mmd_test(x, y, kernel=ts.Gaussian() + ts.Laplace(), bandwidth=ts.CrossMedian(), null="gamma")
    found = [part.bandwidth for part in r.kernel.parts]
    assert found == pytest.approx([cross_median(x, y), cross_median(x, y, "cityblock")])


@pytest.mark.parametrize("null", ["permutation", ts.Permutation(n=99), ts.PairFlips()], ids=repr)
def test_nulls_that_relabel_refuse_it(null):
    x, y = TWO
    for call in (ts.mmd_test, ts.plan):
        with pytest.raises(ts.OptionError, match=r"CrossMedian.*which rows are x.*'median'.*'pearson'"):
            call(x, y, bandwidth=ts.CrossMedian(), null=null)


def test_why_they_refuse_it():
    """All 70 labellings of eight points: with the kernel of the true labels in every world too many p-values are small.

    With a kernel found anew in every world none of the levels is exceeded.
    """
    z = np.random.default_rng(3).normal(size=8) * np.array([1, 1, 1, 1, 1, 1, 6, 6])
    worlds = [(z[list(chosen)], np.delete(z, chosen)) for chosen in combinations(range(8), 4)]

    def value(world, width):
        return naive.mmd2_unbiased(*world, lambda a, b: np.exp(-((a - b) ** 2) / (2 * width**2)))

    widths = [cross_median(x[:, None], y[:, None]) for x, y in worlds]
    table = np.array([[value(world, width) for world in worlds] for width in widths])  # (true labels, worlds)
    observed = np.diag(table)
    as_if_true = (table >= observed[:, None] - 1e-12).mean(axis=1)
    anew = (observed >= observed[:, None] - 1e-12).mean(axis=1)
    levels = np.unique(np.concatenate([as_if_true, anew]))
    assert any((as_if_true <= level).mean() > level + 1e-9 for level in levels)
    assert all((anew <= level).mean() <= level + 1e-9 for level in levels)


def test_elsewhere_it_is_refused():
    x, y = TWO
    with pytest.raises(ts.OptionError, match="sketches have none"):
        ts.mmd_test(ts.Sketch.fit(x[:, 0]), ts.Sketch.fit(y[:, 0]), bandwidth=ts.CrossMedian())
    with pytest.raises(ts.OptionError, match="for mmd_test, mmd and witness"):
        ts.hsic_test(x, y, bandwidth=ts.CrossMedian())
    assert ts.witness(x, y, bandwidth=ts.CrossMedian()).kernel == ts.Gaussian(cross_median(x, y))  # no test: harmless
    with pytest.raises(ts.OptionError, match="rows of numbers"):
        ts.mmd_test([[1.0], [2.0]], [[1.0], [3.0]], kernel=ts.SetKernel(), bandwidth=ts.CrossMedian(), null="gamma")


@pytest.mark.parametrize("options", [{"factor": 0}, {"factor": "x"}, {"m": 0}, {"m": 1.5}])
def test_wrong_options(options):
    with pytest.raises(ts.OptionError, match=next(iter(options))):
        ts.CrossMedian(**options)
