"""What every null promises, over all pairs of a registered statistic and a registered null."""

import copy
import pickle
import re
from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pytest

import twosample as ts
from tests.nulls.made import made
from twosample.core.laws import ContinuousLaw
from twosample.core.pvalue import ReplicateLaw
from twosample.nulls import NULLS
from twosample.statistics import STATISTICS

PUBLIC = {name: getattr(ts, name) for name in ts.__all__}

LEVELS = [0.9, 0.5, 0.2, 0.1, 0.05, 0.01]
PAIRS = [(statistic, null) for statistic in STATISTICS for null in NULLS if statistic in NULLS[null].statistics]
pairs = pytest.mark.parametrize(("statistic", "null"), PAIRS, ids=["-".join(pair) for pair in PAIRS])


def samples(shift, m=40, n=40, seed=0, columns=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, columns)), rng.normal(size=(n, columns)) + shift


def run(x, y, null, **options):
    """The test by a null that is given by its alias."""
    return ts.mmd_test(x, y, null=made(null, len(x), len(y)), **options)


@pairs
@pytest.mark.parametrize("shift", [0.0, 0.4, 3.0])
def test_the_pvalue_is_a_probability_and_the_threshold_says_the_same(statistic, null, shift):
    x, y = samples(shift)
    for level in (0.01, 0.05, 0.3):
        r = run(x, y, null, statistic=statistic, level=level, rng=0)
        assert 0 < r.pvalue <= 1
        assert np.isfinite(r.statistic)
        assert r.rejected == (r.statistic > r.threshold)
        assert r.rejected == (r.pvalue <= level)
        assert r.law.pvalue(r.statistic) == pytest.approx(r.pvalue, rel=1e-12)
        assert r.law.threshold(level) == r.threshold


@pairs
@pytest.mark.parametrize(("m", "n"), [(60, 25), (24, 90)])
def test_unequal_sizes(statistic, null, m, n):
    refused = statistic == "paired" or null == "flips"
    if refused:
        with pytest.raises(ts.InputError, match="as many rows in x"):
            run(*samples(0.0, m, n), null, statistic=statistic)
    for shift in () if refused else (0.0, 3.0):
        r = run(*samples(shift, m, n), null, statistic=statistic, rng=0)
        assert 0 < r.pvalue <= 1
        assert (r.m, r.n) == (m, n)
        assert r.rejected == (r.statistic > r.threshold)


@pairs
def test_the_threshold_falls_as_the_level_rises(statistic, null):
    law = run(*samples(0.2), null, statistic=statistic, rng=0).law
    thresholds = [law.threshold(level) for level in LEVELS]
    assert thresholds == sorted(thresholds)
    assert len(set(thresholds)) == len(thresholds)


@pairs
def test_the_pvalue_falls_as_the_statistic_rises(statistic, null):
    r = run(*samples(0.2), null, statistic=statistic, rng=0)
    top = 3 * max(r.threshold, abs(r.statistic))
    ps = [r.law.pvalue(t) for t in np.linspace(0 if statistic == "biased" else -top, top, 30)]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(ps))
    assert all(0 < p <= 1 for p in ps)


@pairs
def test_the_pvalue_at_the_threshold_is_the_level(statistic, null):
    law = run(*samples(0.2), null, statistic=statistic, rng=0).law
    for level in LEVELS:
        t = law.threshold(level)
        if isinstance(law, ReplicateLaw):
            assert law.pvalue(np.nextafter(t + law.tolerance, np.inf)) <= level < law.pvalue(t - 2 * law.tolerance)
        elif isinstance(law, ContinuousLaw) and law.root and t == 0:
            assert law.pvalue(t) >= level  # MMD_b is never negative
        else:
            assert law.pvalue(t) == pytest.approx(level, rel=1e-6)


@pairs
@pytest.mark.parametrize("size", [4, 5, 6, 8])
@pytest.mark.filterwarnings("ignore::twosample.SmallSampleWarning")
def test_small_samples_keep_the_promises(statistic, null, size):
    """Down to a few rows: the p-value stays honest and the threshold agrees with it."""
    for shift in (0.0, 50.0):
        r = run(*samples(shift, size, size, columns=1), null, statistic=statistic, level=0.05, rng=0)
        assert 0 < r.pvalue <= 1
        assert r.rejected == (r.statistic > r.threshold)


@pairs
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.filterwarnings("ignore::twosample.SmallSampleWarning")
def test_the_smallest_samples_keep_the_promises(statistic, null, size):
    if statistic == "block":
        with pytest.raises(ts.OptionError, match="needs at least 2"):  # needs two blocks of two rows
            ts.mmd_test(*samples(0.0, size, size, columns=1), statistic=statistic, null=null)
    for level in (0.05, 0.2) if statistic != "block" else ():
        for shift in (0.0, 50.0):
            r = run(*samples(shift, size, size, columns=1), null, statistic=statistic, level=level, rng=0)
            assert 0 < r.pvalue <= 1
            assert r.rejected == (r.statistic > r.threshold)


@pairs
def test_far_samples_are_rejected_and_equal_ones_are_not(statistic, null):
    """At 300 rows even the bounds see a shift of 20 standard deviations."""
    x = np.random.default_rng(1).normal(size=300)
    y = np.random.default_rng(2).permutation(x)
    assert run(x, y + 20, null, statistic=statistic, rng=0, bandwidth=5.0).rejected
    assert not run(x, y, null, statistic=statistic, rng=0, bandwidth=5.0, level=0.001).rejected


@pairs
def test_same_seed_same_law(statistic, null):
    x, y = samples(0.2)
    a, b = (run(x, y, null, statistic=statistic, rng=7) for _ in range(2))
    assert (a.pvalue, a.threshold, a.statistic) == (b.pvalue, b.threshold, b.statistic)


@pytest.mark.parametrize("name", NULLS)
def test_nulls_are_frozen_options(name):
    null = made(name, 10, 12)
    assert null.name == name
    assert null == copy.deepcopy(null) == pickle.loads(pickle.dumps(null))
    assert hash(null) == hash(made(name, 10, 12))
    assert null.statistics <= {*STATISTICS, "hsic"}
    assert null.asks in {"resamples", "moments", "eigenvalues", "bound", "error"}
    assert bool(null.resamples) == (null.asks == "resamples") or name == "circular-shift"  # which may take all
    with pytest.raises(FrozenInstanceError):
        null.n = 5
    if null.needs:  # what it needs is too long to show
        with pytest.raises(ts.OptionError, match=re.escape(f"null={name!r} alone does not say enough")):
            ts.mmd_test(*samples(0.0), null=name)
        return
    shown = eval(repr(null), PUBLIC)  # noqa: S307
    assert shown == getattr(null, "relabelling", null)  # auto shows how to ask for relabelling


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_are_frozen_options(name):
    statistic = STATISTICS[name]()
    assert statistic == copy.deepcopy(statistic) == pickle.loads(pickle.dumps(statistic))
    assert eval(repr(statistic), PUBLIC) == statistic  # noqa: S307
    assert statistic.symbol.startswith("MMD")
    with pytest.raises(FrozenInstanceError):
        statistic.size = 5
    assert any(name in null.statistics for null in NULLS.values())


@pytest.mark.parametrize("kind", [ts.Permutation, ts.Bootstrap])
@pytest.mark.parametrize("n", [0, -1, 1.5, "many", True, None])
def test_bad_numbers_of_resamples(kind, n):
    with pytest.raises(ts.OptionError, match=rf"{kind.__name__}: n="):
        kind(n)


def test_bad_kurtosis():
    with pytest.raises(ts.OptionError, match=r"kurtosis='normal'.*'bound'.*'spectrum'"):
        ts.Pearson(kurtosis="normal")
