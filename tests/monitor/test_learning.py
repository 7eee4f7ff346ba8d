"""While there are few batches: exact over rows where rows are exchangeable, and honest where they are not."""

import numpy as np
import pytest
from scipy.stats import binom

import twosample as ts
from twosample.monitor.features import plan_features
from twosample.monitor.learning import counts_of, dispersion, neighbours, row_test


def stream(rng, batches, vary=0.0, rows=60, shift=0.0):
    frames = []
    for t in range(batches):
        level = rng.normal(0, vary) + shift * (t == batches - 1)
        frames.append({"x": rng.normal(level, 1, rows), "city": rng.choice(["Oslo", "Rome", "Lima"], rows)})
    return frames


@pytest.fixture(scope="module")
def plan():
    return plan_features([ts.summarize(frame) for frame in stream(np.random.default_rng(0), 2, rows=500)])


def embedded(plan, frames):
    summaries = [ts.summarize(frame) for frame in frames]
    return np.array([plan.features(s) for s in summaries]), np.array([plan.present(s) for s in summaries])


def test_counts_are_rows(plan):
    frames = stream(np.random.default_rng(1), 3)
    features, present = embedded(plan, frames)
    city = counts_of(plan.columns[1], features[:, plan.part(1)], present[:, 1])
    assert (city.sum(axis=1) == 60).all()
    named = list(plan.columns[1].levels)
    np.testing.assert_array_equal(city[0][:3], [(frames[0]["city"] == level).sum() for level in named])
    numbers = counts_of(plan.columns[0], features[:, plan.part(0)], present[:, 0])
    assert (numbers.sum(axis=1) == 60).all()


def test_level_over_rows(plan):
    """Independent rows: p-values of the new batch are uniform or larger."""
    pvalues = []
    for run in range(150):
        features, present = embedded(plan, stream(np.random.default_rng([2, run]), 4))
        pvalues.append(row_test(plan, features, present, level=0.05, seed=(run,))[0])
    for level in (0.05, 0.1, 0.3):
        assert np.sum(np.array(pvalues) <= level) <= binom.ppf(0.9995, 150, level)
    assert np.mean(np.array(pvalues) <= 0.5) > 0.2  # and it is not asleep


def test_a_shift_is_seen_over_rows(plan):
    features, present = embedded(plan, stream(np.random.default_rng(3), 4, shift=1.5))
    pvalue, adjusted, effects = row_test(plan, features, present, level=0.001, seed=(0,))
    assert pvalue <= 0.001
    assert adjusted[0] == pvalue
    assert effects[0].low > 0.05
    assert adjusted[1] > 0.01


def test_dispersion_is_found_where_it_is(plan):
    quiet = [dispersion(plan, *embedded(plan, stream(np.random.default_rng([4, run]), 8)), (run,)) for run in range(60)]
    assert sum(found.found for found in quiet) <= binom.ppf(0.999, 60, 0.05)
    assert 0.5 < np.mean([found.ratio for found in quiet]) < 2
    varied = dispersion(plan, *embedded(plan, stream(np.random.default_rng(5), 8, vary=1.0)), (0,))
    assert varied.found
    assert varied.column == "x"
    assert varied.ratio > 3
    assert dispersion(plan, *embedded(plan, stream(np.random.default_rng(6), 1)), (0,)) is None


def test_neighbours(plan):
    rng = np.random.default_rng(7)
    waves = [{"x": rng.normal(np.sin(t / 4), 1, 60), "city": rng.choice(["Oslo", "Rome"], 60)} for t in range(40)]
    features, _ = embedded(plan, waves)
    strata = np.zeros(40, dtype=np.intp)
    assert neighbours(plan, features, strata, (0,)) <= 0.01
    mixed = [neighbours(plan, features[rng.permutation(40)], strata, (run,)) for run in range(40)]
    assert sum(pvalue <= 0.05 for pvalue in mixed) <= binom.ppf(0.999, 40, 0.05)
    assert neighbours(plan, features[:5], strata[:5], (0,)) is None
