"""Weighted points against the tests on rows that they stand for."""

from collections import Counter

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import relabellings
from twosample.embedding import Embedded, Levels, Line, effect, missing_pair, text_pair
from twosample.embedding.alternative import EmbeddedMoments
from twosample.embedding.judge import counted_resamples, null_of
from twosample.nulls import Spectrum
from twosample.planning import profile as planning
from twosample.sources import open_table
from twosample.summaries import BinGrid, Scale, bin_values

RNG = np.random.default_rng(5)
SAMPLES = {
    "normal": (RNG.normal(size=150), RNG.normal(0.3, size=90)),
    "heavy": (RNG.standard_cauchy(120), RNG.standard_cauchy(140)),
    "ties": (RNG.poisson(0.7, 130) * 1.0, RNG.poisson(1.0, 110) * 1.0),
    "tiny": (RNG.normal(size=4), RNG.normal(size=5)),
}


def line(x, y):
    scale = Scale.of(np.concatenate([x, y]))
    return Line.of_values(scale.inside(x), scale.inside(y)), scale


def embedded(x, y):
    found, scale = line(x, y)
    return found.embedded(scale.width), scale


@pytest.mark.parametrize("name", SAMPLES)
def test_the_statistic_and_the_limit_law_are_those_of_mmd_test(name):
    x, y = SAMPLES[name]
    found, scale = embedded(x, y)
    observed = found.observed()
    expected = ts.mmd_test(scale.inside(x), scale.inside(y), kernel=ts.Gaussian(scale.width), null="spectrum")
    assert observed.values[0] == pytest.approx(expected.statistic, abs=1e-12)
    if name != "tiny":  # the diagonal is left out by another approximation, which matters for nine rows
        assert Spectrum().law(observed).pvalue(observed.values[0]) == pytest.approx(expected.pvalue, rel=0.03)


def test_resamples_are_those_of_the_rows():
    x, y = SAMPLES["ties"]
    found, scale = embedded(x, y)
    rows = np.sort(x), np.sort(y)
    z = np.concatenate(rows)
    labels = relabellings(len(x), len(y), 20, np.random.default_rng(0))
    values = found.observed(labels).values
    for resample in range(21):
        in_x = labels.x[:, resample].astype(bool)
        expected = ts.mmd(z[in_x], z[~in_x], kernel=ts.Gaussian(scale.width), statistic="unbiased")
        assert values[resample] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["normal", "heavy", "ties"])
def test_moments_are_those_of_a_profile_of_the_rows(name):
    x, y = SAMPLES[name]
    found, scale = embedded(x, y)
    rng = np.random.default_rng(0)
    kernel = ts.Gaussian(scale.width)
    known = planning.profile(planning.estimate(scale.inside(x), scale.inside(y), kernel, "median", "dense", rng), rng)
    ours = EmbeddedMoments.of(found)
    assert ours.sizes == known.sizes
    assert ours.squared == pytest.approx(known.squared, abs=1e-7)
    assert ours.spread == pytest.approx(known.spread, abs=1e-6)
    np.testing.assert_allclose(ours.covariances, known.covariances, atol=1e-7)
    squares, triangles, heaviest = planning._traces_of(kernel, known.pool.x, known.pool.y)  # of all rows
    np.testing.assert_allclose(ours.squares, squares, rtol=0.02)
    np.testing.assert_allclose(ours.triangles, triangles, rtol=0.08)
    single = [np.unique(sample, return_counts=True)[1].max() for sample in (x, y)]  # rows at one point, there one each
    if max(single) == 1:
        np.testing.assert_allclose(ours.heaviest, heaviest, rtol=1e-4)


def test_the_effect_is_that_of_effect_size():
    x, y = SAMPLES["normal"]
    found, scale = embedded(x, y)
    ours = effect(found, 0.05)
    known = ts.effect_size(x, y, 0.9, kernel=ts.Gaussian(scale.width), rng=0)
    assert (ours.value, ours.low, ours.high) == pytest.approx((known.value, known.low, known.high), abs=1e-5)


def test_categories_are_the_delta_kernel():
    x, y = RNG.choice(list("abcd"), 60), RNG.choice(list("abc"), 80)
    pair = Levels.of(Counter(x.tolist()), Counter(y.tolist())).embedded()
    expected = ts.mmd_test(list(x), list(y), kernel=ts.Categories(), null="spectrum")
    observed = pair.observed()
    assert observed.values[0] == pytest.approx(expected.statistic, abs=1e-12)
    assert Spectrum().law(observed).pvalue(observed.values[0]) == pytest.approx(expected.pvalue, rel=0.05)
    known = ts.effect_size(list(x), list(y), 0.9, kernel=ts.Categories(), rng=0)
    ours = effect(pair, 0.05)
    assert (ours.value, ours.low, ours.high) == pytest.approx((known.value, known.low, known.high), abs=3e-3)


def test_a_share_that_moves_has_half_of_its_standardised_difference_as_effect():
    pair = missing_pair((10**6, 10**6), (500_000, 550_000))
    assert effect(pair, 0.05).value == pytest.approx(0.05 / (2 * np.sqrt(0.525 * 0.475)), rel=0.01)


def test_the_witness_is_that_of_the_rows():
    x, y = SAMPLES["normal"]
    found, scale = line(x, y)
    w = ts.witness(x, y, kernel=ts.Gaussian(scale.width))
    ours, expected = found.embedded(scale.width).witness(), w(found.values)
    np.testing.assert_allclose(ours - ours.mean(), expected - expected.mean(), atol=1e-5)


def test_where_nothing_varies_few_rows_prove_little():
    def high(rows):
        return effect(Embedded.of(np.eye(1), np.array([rows]), np.array([rows])), 0.05).high

    assert high(10.0) > 0.3
    assert high(10_000.0) < 0.02
    assert effect(Embedded.of(np.eye(2), np.array([3.0, 0]), np.array([3.0, 0])), 0.05).high == 1  # fewer than four


def test_two_constants_are_as_far_apart_as_can_be():
    found = effect(Embedded.of(np.eye(2), np.array([50.0, 0]), np.array([0, 50.0])), 0.05)
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - -np.log(0.05) / 50)  # other rows may be there that 50 did not show


def test_texts_are_compared_by_their_letters():
    a, b = ["red apple", "red plum", "red pear"] * 20, ["blue sky", "blue sea", "blue ink"] * 20
    assert effect(text_pair(a, b), 0.05).low > 0.3
    assert effect(text_pair(a, a), 0.05).value == 0


@pytest.mark.parametrize("kind", ["normal", "heavy", "skewed", "integers", "mostly zero", "dates", "huge"])
def test_bins_say_what_the_rows_say(kind):
    rng = np.random.default_rng(1)
    x, y = {
        "normal": lambda: (rng.normal(size=4000), rng.normal(0.1, size=3000)),
        "heavy": lambda: (rng.standard_cauchy(4000), 1.1 * rng.standard_cauchy(3000)),
        "skewed": lambda: (rng.lognormal(0, 3, 4000), rng.lognormal(0.2, 3, 3000)),
        "integers": lambda: (rng.poisson(2, 4000) * 1.0, rng.poisson(2.1, 3000) * 1.0),
        "mostly zero": lambda: (
            rng.lognormal(size=4000) * (rng.random(4000) < 0.004),
            rng.lognormal(size=3000) * (rng.random(3000) < 0.02),
        ),
        "dates": lambda: (1.7e9 + 1e6 * rng.normal(size=4000), 1.7e9 + 1e6 * rng.normal(0.1, size=3000)),
        "huge": lambda: (1e100 * rng.normal(size=4000), 1e100 * rng.normal(0.1, size=3000)),
    }[kind]()
    scale = Scale.of(np.concatenate([x, y]))
    a, b = (open_table({"v": values}).binned_moments({"v": scale.grid})["v"] for values in (x, y))
    ends = scale.grid.edges[[0, -1]]
    exact = Line.of_values(np.clip(x, *ends), np.clip(y, *ends)).embedded(scale.width)
    binned = Line.of_bins(a, b).embedded(scale.width)
    assert (binned.m, binned.n) == (4000, 3000)
    assert scale.grid.size <= 6000
    one, two = effect(exact, 0.05), effect(binned, 0.05)
    assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high), abs=1e-6)
    (s, law), (t, other) = (null_of(part, Spectrum()) for part in (exact, binned))
    assert t == pytest.approx(s, abs=1e-9)
    assert np.log(other.pvalue(t)) == pytest.approx(np.log(law.pvalue(s)), abs=1e-5 * max(1.0, -np.log(law.pvalue(s))))


def test_bins_of_other_widths_hold_the_same_values():
    """A table of few rows is put into the common bins, one of many comes from narrower ones, and rounds otherwise."""
    rng = np.random.default_rng(2)
    x, y = (np.round(rng.gamma(3, 0.3, rows), 2) for rows in (800, 900))
    grid = Scale.of(np.concatenate([x, y])).grid
    whole = bin_values(x, grid)
    for steps in (1, 2, 7):
        narrow = BinGrid(grid.unit - steps, grid.start << steps, grid.size << steps)
        assert_line_of_values(Line.of_bins(whole, bin_values(y, narrow).regridded(grid)), x, y)


def assert_line_of_values(found, x, y):
    exact = Line.of_values(x, y)
    np.testing.assert_allclose(found.values, exact.values, rtol=1e-9)
    np.testing.assert_array_equal([found.x, found.y], [exact.x, exact.y])


def test_values_just_below_an_edge_stay_in_their_bin():
    below = 1 - 1e-11  # rounded to the edge
    x, y = np.repeat([below, 0.3, 0.31], [50, 20, 30]), np.repeat([below, 0.9, 0.3, 0.31], [50, 1, 20, 30])
    grid = BinGrid(-3, 0, 9)
    _, _, one, two = Line.of_bins(bin_values(x, grid), bin_values(y, grid)).bins
    assert (one.tolist(), two.tolist()) == ([50.0, 50.0], [50.0, 51.0])


def test_the_bandwidth_is_about_the_median_distance():
    rng = np.random.default_rng(2)
    for values in (rng.normal(size=5000), rng.exponential(size=777), rng.integers(0, 6, 3000) * 1.0):
        distances = np.abs(values[:1000, None] - values[:1000])[np.triu_indices(min(len(values), 1000), 1)]
        assert Scale.of(values).width == pytest.approx(np.median(distances), rel=0.08)
    rare = np.zeros(100_000)
    rare[:7] = [3, 4, 5, 6, 7, 8, 9]
    assert Scale.of(rare).width == 6
    assert Scale.of(np.full(10, 3.0)).width == 3
    assert Scale.of(np.empty(0)).width == 1


def test_rare_categories_share_points():
    many = {f"c{i}": 2000 - i for i in range(1500)}
    pair = Levels.of(many, many).embedded()
    assert len(pair.x) == 500
    assert pair.m == sum(many.values())


def test_resamples_drawn_as_counts_are_relabellings_of_the_rows():
    pair = Levels.of({"a": 30, "b": 12, "c": 1}, {"a": 40, "b": 5}).embedded()
    rng = np.random.default_rng(0)
    counts = counted_resamples(pair, 4000, rng)
    np.testing.assert_array_equal(counts[0], pair.x)
    assert (counts.sum(axis=1) == 43).all()
    assert (counts <= pair.x + pair.y).all()
    rows = pair.observed(relabellings(43, 45, 4000, rng)).values[1:]
    drawn = pair.observed(counts).values[1:]
    assert pair.observed(counts).values[0] == pytest.approx(pair.observed().values[0], abs=1e-15)
    for level in (0.5, 0.9, 0.95):
        assert np.mean(drawn <= np.quantile(rows, level)) == pytest.approx(level, abs=0.04)
