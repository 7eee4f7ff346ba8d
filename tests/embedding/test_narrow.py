"""Narrow kernels on ranks: both samples in the same places, and the judge against relabelling."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.ranks import rank_features
from twosample.embedding import Embedded, Judge, Line
from twosample.embedding.judge import LIMIT_ROWS, counted_resamples, null_of
from twosample.embedding.pair import rows_behind_limit


def test_bins_are_points_whatever_the_sample():
    """Both samples have a place in every bin; which of them lies lower must not matter."""
    x, y = np.random.default_rng(1).normal(size=(2, 3000))
    line = Line.of_many_values(x, y, 1.0)
    pair = line.on_ranks(0.07)
    a = line.bins[2]
    assert (pair.m, pair.n) == (3000, 3000)
    assert len(pair.x) == len(a) < len(line.place)
    turned = Line.of_many_values(y, x, 1.0).on_ranks(0.07)
    assert turned.features == pytest.approx(pair.features)
    by_values = Line.of_values(x, y).on_ranks(0.07)
    one, other = (float(p.difference @ p.difference) for p in (pair, by_values))
    assert one == pytest.approx(other, rel=0.02)


def test_small_p_values_of_narrow_kernels_are_those_of_relabelling():
    rng = np.random.default_rng(2)
    x, y = rng.random(60), rng.random(50) ** 1.5
    pair = Line.of_values(x, y).on_ranks(0.07)
    found = Judge(0.05, 1, np.random.default_rng(3)).screened(pair)
    ranks = np.argsort(np.argsort(np.concatenate([x, y])))
    K = (pair.features @ pair.features.T)[np.ix_(ranks, ranks)]
    expected = ts.mmd_test(range(60), range(60, 110), kernel=ts.Precomputed(K), null=ts.Permutation(999), rng=3)
    assert found.pvalue <= 0.02
    assert found.null == ts.Permutation(999)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.pvalue == pytest.approx(expected.pvalue, abs=0.006)


def test_large_ones_are_by_moments_and_about_right():
    x, y = np.random.default_rng(5).normal(size=(2, 400))
    pair = Line.of_values(x, y).on_ranks(0.02)
    found = Judge(0.05, 1, np.random.default_rng(3)).screened(pair)
    labels = Judge(0.05, 1, np.random.default_rng(3))(pair)
    assert found.pvalue > 0.02
    assert found.pvalue == pytest.approx(labels.pvalue, abs=0.04)
    assert found.effect == labels.effect


def mostly_tied(m: int, n: int, share: float) -> np.ndarray:
    """Pooled rows of 61 points: all but a share of them at one, the others anywhere."""
    untied = round(share * (m + n))
    spread = np.bincount(np.random.default_rng(7).integers(0, 60, untied), minlength=60)
    return np.concatenate([[m + n - untied], spread])


def dealt(pool: np.ndarray, m: int, rng: np.random.Generator, width: float = 0.07) -> Embedded:
    """The pooled rows, m of them at random in the first sample."""
    x = rng.multivariate_hypergeometric(pool, m, method="marginals").astype(float)
    return Embedded.of(rank_features(pool.astype(float), width), x, pool - x)


def test_where_narrow_kernels_have_a_law():
    """Rows that can be relabelled, or counted; else enough of them behind the limit law, which ties do not add to."""
    rng = np.random.default_rng(0)
    few, some, many = (Judge(0.05, tests, rng) for tests in (1, 100, 10_000))
    small, large = dealt(np.ones(70, dtype=int), 30, rng), dealt(np.ones(2000, dtype=int), 1000, rng)
    tied = dealt(mostly_tied(400, 100_000, 0.01), 400, rng)
    assert [few.can_screen(pair) for pair in (small, large, tied)] == [True, True, True]
    assert [some.can_screen(pair) for pair in (small, large, tied)] == [True, True, True]
    assert [many.can_screen(pair) for pair in (small, large, tied)] == [False, True, False]
    assert rows_behind_limit(tied) < LIMIT_ROWS < rows_behind_limit(large)


@pytest.mark.parametrize("width", [0.07, 0.02])
def test_where_most_rows_are_tied_small_p_values_are_those_of_counts(width):
    """12 of 400 rows are not tied, where 4 are expected: the limit law says 0.00016, relabelling 0.0005."""
    pool, rng = mostly_tied(400, 100_000, 0.01), np.random.default_rng(1)
    x = np.zeros(61)
    x[0], x[1::5] = 388, 1
    pair = Embedded.of(rank_features(pool.astype(float), width), x, pool - x)
    found = Judge(0.05, 100, rng).screened(pair)
    counted = [null_of(pair, ts.Permutation(9999), counted_resamples(pair, 9999, rng)) for _ in range(4)]
    relabelled = np.mean([law.pvalue(value) for value, law in counted])
    value, law = null_of(pair, ts.Spectrum())
    assert law.pvalue(value) < 0.5 * relabelled
    assert found.null == ts.Permutation(9999)
    assert found.statistic == pytest.approx(value)
    assert found.pvalue == pytest.approx(relabelled, abs=3 * (relabelled / 10_000) ** 0.5 * 1.25**0.5)
    assert found.pvalue > 1.5 * law.pvalue(value)


@pytest.mark.parametrize(
    ("draw", "m", "n"),
    [
        (lambda rng, k: np.round(rng.normal(size=k), 1), 150, 150),
        (lambda rng, k: np.where(rng.random(k) < 0.5, 0.0, rng.exponential(size=k)), 120, 120),
        (lambda rng, k: rng.normal(size=k), 40, 400),
    ],
    ids=["rounded", "half zeros", "unequal"],
)
def test_level_of_narrow_kernels(draw, m, n):
    """At 0.02, where relabelling decides; 200 runs reject at most 12 times with probability 0.999."""
    rejections = np.zeros(2, dtype=int)
    for i in range(200):
        rng = np.random.default_rng([31, i])
        line, judge = Line.of_values(draw(rng, m), draw(rng, n)), Judge(0.05, 1, rng)
        rejections += [judge.screened(line.on_ranks(width)).pvalue <= 0.02 for width in (0.07, 0.02)]
    assert (rejections <= 12).all()


@pytest.mark.slow
def test_level_of_narrow_kernels_where_most_rows_are_tied():
    """Far out, where p-values of many columns must hold: 30,000 runs reject at most 15 times at 0.0002 (0.9995).

    By the limit law, 27 times.
    """
    pool, rng = mostly_tied(400, 100_000, 0.01), np.random.default_rng(5)
    judge = Judge(0.05, 100, rng)
    pvalues = np.array([judge.screened(dealt(pool, 400, rng)).pvalue for _ in range(30_000)])
    assert np.count_nonzero(pvalues <= 0.0002) <= 15
    assert np.count_nonzero(pvalues <= 0.002) <= 86  # 60 and 3.3 standard deviations


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.07, 0.02])
def test_level_of_the_limit_law_where_it_rests_on_as_few_rows_as_it_may(width):
    """200,000 relabellings of rows of which 99 % are tied: at most 1.5 times too many p-values below 0.0005."""
    pool, rng = mostly_tied(5500, 220_000, 0.01), np.random.default_rng(11)
    pair = dealt(pool, 5500, rng, width)
    assert LIMIT_ROWS <= rows_behind_limit(pair) < 1.2 * LIMIT_ROWS
    _, law = null_of(pair, ts.Spectrum())
    values = np.concatenate([pair.observed(counted_resamples(pair, 20_000, rng)).values[1:] for _ in range(10)])
    largest = np.sort(values)[-400:]  # 100 of them are expected below 0.0005
    assert 70 < np.count_nonzero([law.pvalue(value) <= 0.0005 for value in largest]) < 150
