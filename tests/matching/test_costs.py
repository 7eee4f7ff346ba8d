"""Costs and p-values by short vectors against the definition."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

import twosample as ts
from twosample.core.line_distances import typical_distance
from twosample.matching.columns import Column
from twosample.matching.costs import SCALES
from twosample.matching.judging import drift_test
from twosample.matching.lines import Embeddings, inner_products, rounded
from twosample.matching.points import ColumnPoints

RNG = np.random.default_rng(0)
COLUMNS = {
    "normal": RNG.normal(size=300),
    "other normal": RNG.normal(1.0, 2.0, size=250),
    "skewed": RNG.lognormal(0.0, 1.0, size=280),
    "whole": RNG.integers(0, 6, size=200).astype(float),
    "mostly zero": np.where(RNG.random(300) < 0.7, 0.0, RNG.lognormal(2.0, 1.0, 300)),
    "flag": RNG.integers(0, 2, size=150).astype(float),
    "far away": 1e6 + RNG.normal(size=120),
    "constant": np.full(30, 2.0),
    "wild": RNG.standard_cauchy(260),
    "tiny": 1e-9 * RNG.normal(size=100),
}


def numbers(x):
    return Column.of_numbers("x", "numeric", "number", x)


def words(x, family="category"):
    return Column.of_words("x", family, family, x)


def points(x):
    return ColumnPoints.of(np.sort(x))


def kernel_of(*bandwidths):
    """The mean of the kernels of some columns."""
    parts = [ts.Gaussian(scale * bandwidth) for bandwidth in bandwidths for scale in SCALES]
    return (1 / len(parts)) * sum(parts[1:], start=parts[0])


def squared_effect(x, y, kernel):
    """MMD² / 4 in units of the mean variance of both samples and itself, without bias, from the definition."""
    x, y = x[:, None], y[:, None]
    own, other = ((K.sum() - len(K)) / (len(K) * (len(K) - 1)) for K in (kernel.block(x, x), kernel.block(y, y)))
    between = (own + other - 2 * kernel.block(x, y).mean()) / 4
    return between / (1 - (own + other) / 2 + max(between, 0)) if between else 0.0


def width_of(x):
    return float(rounded(np.array([typical_distance(np.sort(x), 65)]))[0])


@pytest.fixture(scope="module")
def matching():
    return ts.match(list(COLUMNS.values()), list(COLUMNS.values()), force=True)


def test_costs_are_squared_effects_with_the_kernels_of_both(matching):
    columns = list(COLUMNS.values())
    for i, x in enumerate(columns):
        width = width_of(x)
        for j, y in enumerate(columns):
            if max(np.abs(y).max(), np.abs(x).max()) > 1e13 * min(width, width_of(y)):
                continue  # so far out nothing is told apart, and nothing needs to be
            expected = squared_effect(x, y, kernel_of(width, width_of(y)))
            narrow = min(width, width_of(y))
            near = max(np.ptp(x), np.ptp(y)) <= 100 * narrow  # of wide columns the atoms are coarse, and costs large
            assert matching.costs[i, j] == pytest.approx(expected, abs=3e-4 if near else 1e-2)
            both = 0.5 * (ts.Gaussian(width) + ts.Gaussian(width_of(y)))
            plain = ts.mmd(x, y, kernel=both, statistic="biased", engine="dense")
            assert matching.mmd[i, j] ** 2 == pytest.approx(plain**2, abs=1e-6 if near else 1e-2)


@pytest.mark.parametrize("factor", [0.3, 1.0, 7.0, 1e5])
def test_inner_products_are_mean_kernel_values(factor):
    x, y = RNG.normal(size=90), np.concatenate([RNG.normal(3.0, 1.0, size=80), [500.0, 1e7]])
    found = inner_products([points(factor * x)], [points(factor * y), points(factor * x)], np.array([factor]))
    k = ts.Gaussian(1.0)
    assert found.own[0] == pytest.approx(k.block(x[:, None], x[:, None]).mean(), abs=1e-7)
    assert found.cross[0, 0] == pytest.approx(k.block(x[:, None], y[:, None]).mean(), abs=1e-7)
    assert found.other[0, 0] == pytest.approx(k.block(y[:, None], y[:, None]).mean(), abs=1e-7)
    assert found.cross[0, 1] == pytest.approx(found.own[0], abs=1e-12)


def test_scattered_sources_take_the_sparse_way():
    x, y = np.concatenate([RNG.normal(size=50), 1e5 + RNG.normal(size=50)]), RNG.normal(size=60)
    found = inner_products([points(x)], [points(y), points(x)], np.array([1.0]))
    k = ts.Gaussian(1.0)
    for j, other in enumerate((y, x)):
        assert found.cross[0, j] == pytest.approx(k.block(x[:, None], other[:, None]).mean(), abs=1e-7)


def test_points_keep_mass_mean_and_variance():
    x = np.concatenate([RNG.lognormal(0.0, 2.0, size=3000), np.zeros(500)])
    found = points(x)
    assert found.mass.sum() == pytest.approx(1.0)
    assert len(found.mass) < 1000
    assert found.mass @ found.place == pytest.approx(x.mean())
    assert found.mass @ (found.spread**2 + found.place**2) == pytest.approx(np.square(x).mean())
    assert 500 / 3500 in found.mass  # zero is a point of its own


def test_norms_of_embeddings_are_sums_of_their_squares():
    columns = [points(RNG.normal(size=40)), points(np.array([0.0, 7.0, 1e6]))]
    found = Embeddings.of(columns, 0.5)
    for k, (first, last) in enumerate(pairwise([*found.start, len(found.node)])):
        assert (np.diff(found.node[first:last]) > 0).all()
        assert found.value[first:last] @ found.value[first:last] == pytest.approx(found.norms[k])


def test_numbers_of_any_size():
    huge = [1e200 * RNG.normal(size=50), -1e300 * RNG.random(size=50), 1e-300 * RNG.normal(size=50)]
    m = ts.match(huge, huge[::-1], force=True)
    assert np.isfinite(m.costs).all()
    assert m.pairs[2].target == "c0"


@pytest.mark.parametrize("unit", [1e-290, 1e-150, 1e150, 1e290])
def test_units_do_not_matter(unit):
    columns = [RNG.normal(size=300), RNG.gamma(2.0, size=300), RNG.normal(size=300) ** 3]
    halves = [column[:150] for column in columns], [column[150:] for column in columns]
    power = 2.0 ** np.round(np.log2(unit))
    expected = ts.match(*halves)
    found = ts.match(*([power * column for column in half] for half in halves))
    np.testing.assert_allclose(found.costs, expected.costs, rtol=1e-6, atol=1e-9)
    assert [pair.target for pair in found.pairs] == [pair.target for pair in expected.pairs] == ["c0", "c1", "c2"]
    np.testing.assert_allclose([p.pvalue for p in found.pairs], [p.pvalue for p in expected.pairs], rtol=1e-6)


def test_category_costs():
    a, b = ["x"] * 30 + ["y"] * 10, ["x"] * 10 + ["y"] * 25 + ["z"] * 5
    m = ts.match({"a": a}, {"b": b}, force=True)
    own, other = ((30 * 29 + 10 * 9) / (40 * 39), (10 * 9 + 25 * 24 + 5 * 4) / (40 * 39))
    assert m.costs[0, 0] == pytest.approx(ts.mmd(a, b, kernel=ts.Categories()) / (own + other))
    assert drift_test(words(a), words(b)).statistic == pytest.approx(ts.mmd(a, b, kernel=ts.Categories()))


def test_pvalues_agree_with_the_spectrum_test():
    x, y = RNG.normal(size=400), RNG.normal(0.12, 1.0, size=300)
    found = drift_test(numbers(x), numbers(y))
    expected = ts.mmd_test(x, y, kernel=ts.Gaussian(found.bandwidth), null="spectrum")
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=0.02)
    assert found.bandwidth == pytest.approx(ts.mmd_test(x, y, null="spectrum").kernel.bandwidth, rel=2e-3)
    named = [[str(k) for k in RNG.poisson(9, size=n)] for n in (150, 100)]
    expected = ts.mmd_test(*named, kernel=ts.Categories(), null="spectrum", rng=0)
    assert drift_test(*map(words, named)).pvalue == pytest.approx(expected.pvalue, rel=0.05)


LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.lognormal(6, 1, n)),
    "wild": lambda rng, n: rng.standard_cauchy(n),
    "whole": lambda rng, n: rng.poisson(2, n).astype(float),
}


@pytest.mark.parametrize("name", LAWS)
def test_level_of_numbers(name):
    rng, count = np.random.default_rng(1), 60
    pairs = [[LAWS[name](rng, n) for n in (120, 90)] for _ in range(count)]
    rejected = sum(drift_test(*map(numbers, pair)).pvalue <= 0.05 for pair in pairs)
    assert rejected <= binom.ppf(0.999, count, 0.05)


def test_level_of_text_and_power():
    rng = np.random.default_rng(2)
    same = [[words([f"room {k}" for k in rng.integers(0, 50, n)], "text") for n in (60, 50)] for _ in range(30)]
    assert sum(drift_test(*pair).pvalue <= 0.05 for pair in same) <= binom.ppf(0.999, 30, 0.05)
    assert drift_test(same[0][0], words([f"street {k}" for k in range(50)], "text")).pvalue < 1e-6


def test_many_numbers_that_are_huge_beside_small_ones():
    """Squares of their distances from the mean of a point may be beyond doubles."""
    x = np.random.default_rng(0).normal(size=300)
    x[:40] *= 1e200
    with np.errstate(over="raise"):
        found = ColumnPoints.of(np.sort(x))
    assert np.isfinite(found.spread).all()
