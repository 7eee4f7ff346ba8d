"""Cosines of ranks against their definition, and the judge of narrow kernels against relabelling."""

import numpy as np
import pytest

import twosample as ts
from twosample.embedding import Judge, Line
from twosample.embedding.judge import LIMIT_ROWS
from twosample.embedding.waves import cosines, rank_features, top_frequency


def test_cosines_by_definition():
    u = np.random.default_rng(0).random(20)
    found = cosines(u, 90)
    assert found[0] == pytest.approx(np.ones(20))
    for f in (1, 2, 17, 90):
        assert found[f] == pytest.approx(np.sqrt(2) * np.cos(np.pi * f * u), abs=1e-11)


def test_features_are_means_over_the_piece_of_each_point():
    rows = np.array([1.0, 5.0, 2.0, 12.0])
    found, ends = rank_features(rows, 0.1), np.cumsum(rows) / 20
    assert found.shape == (4, top_frequency(0.1))
    for i, (low, high) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        u = low + (high - low) * (np.arange(4000) + 0.5) / 4000
        for f in range(1, found.shape[1] + 1):
            mean = np.exp(-((np.pi * 0.1 * f) ** 2) / 4) * np.sqrt(2) * np.cos(np.pi * f * u).mean()
            assert found[i, f - 1] == pytest.approx(mean, abs=1e-6)


def test_the_kernel_is_gaussian_between_walls():
    """Far from the walls, up to the constant that a mean of zero takes away and what the last features would add."""
    features = rank_features(np.ones(400), 0.05)
    row = features @ features[200]
    u = (np.arange(400) + 0.5) / 400
    expected = np.exp(-((u - u[200]) ** 2) / (2 * 0.05**2)) / (0.05 * np.sqrt(2 * np.pi)) - 1
    assert np.abs(row - expected).max() < 0.02 * expected.max()


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


def test_where_narrow_kernels_have_a_law():
    few, many = (Judge(0.05, tests, np.random.default_rng(0)) for tests in (1, 10_000))
    assert few.can_screen(30, 40)
    assert not many.can_screen(LIMIT_ROWS - 1, 10_000)
    assert many.can_screen(LIMIT_ROWS, LIMIT_ROWS)


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
