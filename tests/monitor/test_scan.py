"""The scan against its definition, and its level on streams in which nothing changes."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom, kstest, norm

from twosample.monitor.scan import Whitened, relabelled, scan, windows_of

from . import naive
from .streams import KINDS, quiet, views


def random_history(seed, T=13, k=5, gaps=True):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(T, k)) * 10.0 ** rng.integers(-3, 4, k) + 5.0
    features[:, 2] = 7.0  # a feature that never varies
    features[:, 4] = 3.0  # one that varied once
    features[seed % T, 4] = 4.0
    features[(3 * seed) % T, 1] += 1e5  # and an odd batch
    if gaps:
        features[rng.random((T, k)) < 0.1] = np.nan
    return features, rng.integers(0, 2, T)


VIEWS = [np.array([0]), np.array([0, 1]), np.array([2]), np.arange(5), np.array([4]), np.array([2, 4])]


@pytest.mark.parametrize("seed", range(6))
def test_every_surprise_is_that_of_the_definition(seed):
    features, strata = random_history(seed, T=11 + 3 * seed)
    history = Whitened.of(features, strata, VIEWS)
    windows = windows_of(len(features))
    assert list(windows) == naive.windows(len(features))
    found = history.surprises(history.observed(max(windows))[None], windows)[0]
    expected = [[naive.surprise(features, strata, view, w) for w in windows] for view in VIEWS]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_a_surprise_is_a_normal_score():
    """Of a view of independent normal features, about as large as the tail of its chi-square says."""
    rows = np.random.default_rng(0).normal(size=(3000, 4))
    history = Whitened.of(rows, np.zeros(3000, dtype=np.intp), [np.arange(4)])
    drawn = relabelled(np.zeros(3000, dtype=np.intp), 8, 20_000, np.random.default_rng(1))
    scores = history.surprises(drawn, (8,)).ravel()
    for level in (0.1, 0.01, 0.001):
        assert (scores >= norm.isf(level)).mean() == pytest.approx(level, rel=0.4)


def test_a_far_surprise_has_no_overflow():
    features = np.random.default_rng(0).normal(size=(4000, 1))
    features[-50:] += 30.0
    view = [np.array([0])]
    found = scan(features, np.zeros(4000, dtype=np.intp), view, level=0.01, seed=(1,))
    assert np.isfinite(found.surprise)
    assert found.surprise > 15
    assert found.length == 50


@pytest.mark.parametrize("seed", range(4))
def test_relabelling_is_permuting_the_batches(seed):
    """What a relabelling looks up among the batches is what the definition gives for the permuted history."""
    features, strata = random_history(seed)
    history, windows = Whitened.of(features, strata, VIEWS), windows_of(len(features))
    rng = np.random.default_rng(seed)
    for order in relabelled(strata, max(windows), 5, rng):
        rest = [i for i in range(len(features)) if i not in set(order.tolist())]
        permuted = np.empty(len(features), dtype=int)
        permuted[::-1][: len(order)] = order
        for stratum in (0, 1):  # the others go to the places that are left, stratum by stratum
            places = [t for t in range(len(features) - len(order)) if strata[t] == stratum]
            permuted[places] = [i for i in rest if strata[i] == stratum]
        assert (strata[permuted] == strata).all()
        found = history.surprises(order[None], windows).max()
        assert found == pytest.approx(naive.statistic(features[permuted], strata, VIEWS), rel=1e-6)


def test_relabellings_are_uniform_over_all_orders():
    strata = np.array([0, 1, 0, 0, 1, 0])
    drawn = relabelled(strata, 3, 24_000, np.random.default_rng(0))
    # last places have strata 0, 1, 0: 4 * 3 ordered pairs of the first, 2 of the second
    orders, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 24
    assert (strata[orders] == [0, 1, 0]).all()
    assert (np.abs(counts - 1000) < 5 * np.sqrt(1000)).all()


def test_the_pvalue_is_that_of_all_orders():
    features, _ = random_history(3, T=6, gaps=False)
    strata = np.zeros(6, dtype=np.intp)
    truth = naive.statistic(features, strata, VIEWS)
    values = [naive.statistic(features[list(order)], strata, VIEWS) for order in permutations(range(6))]
    share = np.mean(np.array(values) >= truth - 1e-9)
    many = [scan(features, strata, VIEWS, level=0.001, seed=(seed,)).pvalue for seed in range(60)]
    assert np.mean(many) == pytest.approx(share, abs=4 * np.std(many) / np.sqrt(60) + 0.02)


def test_the_change_is_found_where_it_is():
    rng = np.random.default_rng(1)
    features, strata = quiet(rng, 60)
    features[-7:, 1] += 1.0
    found = scan(features, strata, views(), level=0.001, seed=(0,))
    assert found.pvalue <= 0.001
    assert found.shortest <= 7 <= found.longest
    assert found.longest <= 12
    assert found.view_pvalues[1] <= 0.001
    assert found.view_pvalues[[0, 2]].min() > 0.01


def test_nothing_moves_with_the_scale_of_a_feature():
    features, strata = random_history(2)
    one = scan(features, strata, VIEWS, level=0.01, seed=(5,))
    two = scan(features * 1e6 - 3.0, strata, VIEWS, level=0.01, seed=(5,))
    assert one.pvalue == two.pvalue
    np.testing.assert_array_equal(one.view_pvalues, two.view_pvalues)


def test_an_odd_batch_of_the_past_hides_nothing():
    """A glitch in a column, and one day in a constant one, cost hardly any power at a level far below one in T."""
    rng = np.random.default_rng(4)
    features, strata = quiet(rng, 80, vary=0.02, rows=200)
    features = np.column_stack([features, np.zeros(80)])
    features[-5:, 1] += 0.5
    sets = [*views(), np.array([6])]
    clean = scan(features, strata, sets, level=0.001, seed=(0,))
    features[20, [0, 3]] += 1000.0
    features[30, 6] = 1.0
    spoiled = scan(features, strata, sets, level=0.001, seed=(0,))
    assert clean.pvalue <= 0.001
    assert spoiled.pvalue <= 0.001
    assert spoiled.length == clean.length == 5


def test_a_constant_that_comes_to_life_is_seen_at_the_third_batch():
    rng = np.random.default_rng(5)
    features, strata = quiet(rng, 150)
    features = np.column_stack([features, np.full(150, 0.25)])
    features[-3:, 6] = 0.26
    found = scan(features, strata, [*views(), np.array([6])], level=0.001, seed=(0,))
    assert found.pvalue <= 0.001
    assert found.length == 3


def looks(kind, streams, batches, first, seed, level):
    """p-values of every look at quiet streams from batch `first` on."""
    found = []
    for number in range(streams):
        features, strata = quiet(np.random.default_rng([seed, number]), batches, **KINDS[kind])
        for t in range(first, batches + 1):
            found.append(scan(features[:t], strata[:t], views(), level=level, seed=(number, t)).pvalue)
    return np.array(found)


@pytest.mark.parametrize("kind", KINDS)
def test_level_on_quiet_streams(kind):
    """One look at each of many streams: p-values are uniform or larger."""
    last = []
    for number in range(250):
        features, strata = quiet(np.random.default_rng([7, number]), 24 + number % 12, **KINDS[kind])
        last.append(scan(features, strata, views(), level=0.05, seed=(number,)).pvalue)
    pvalues = np.array(last)
    for level in (0.05, 0.1, 0.25, 0.5):
        assert (pvalues <= level).sum() <= binom.ppf(0.9995, len(pvalues), level)
    assert kstest(pvalues, "uniform").statistic < 0.15  # and not much larger: the test is not asleep


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_level_of_many_looks(kind):
    """5,000 looks of each kind: alarms at most as often as promised, up to five deviations of clusters of ten."""
    pvalues = looks(kind, streams=50, batches=140, first=41, seed=11, level=0.01)
    assert len(pvalues) == 5000
    for level in (0.01, 0.05, 0.1):
        assert (pvalues <= level).mean() <= level + 5 * np.sqrt(10 * level / len(pvalues))
