"""Level of the stratified test: 2 to 500 strata, strata of two rows, other mixes in both samples."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import LEVELS, limits


def _balanced(rng, strata, each):
    by = np.repeat(np.arange(strata), each)
    shift = rng.normal(size=strata)[by]
    return rng.normal(size=len(by)) + shift, rng.normal(size=len(by)) + shift, by, by


def _other_mix(rng, strata, rows):
    first = rng.dirichlet(np.ones(strata))
    by_x, by_y = rng.choice(strata, size=rows, p=first), rng.choice(strata, size=rows, p=first[::-1])
    by_x[0] = by_y[0] = 0  # so that there is something to compare
    return rng.normal(size=rows) + by_x, rng.normal(size=rows) + by_y, by_x, by_y


PROBLEMS = {
    "2 strata, other mix": lambda rng: _other_mix(rng, 2, 60),
    "10 strata, other mix": lambda rng: _other_mix(rng, 10, 60),
    "30 strata of 2 rows": lambda rng: _balanced(rng, 30, 1),
    "100 strata of 4 rows": lambda rng: _balanced(rng, 100, 2),
    "500 strata of 2 rows": lambda rng: _balanced(rng, 500, 1),
}


def _rates(problem, repetitions, n, statistic):
    p = np.empty(repetitions)
    for i in range(repetitions):
        x, y, by_x, by_y = PROBLEMS[problem](np.random.default_rng([24, i]))
        null = ts.StratifiedPermutation(by_x, by_y, n=n)
        p[i] = ts.mmd_test(x, y, bandwidth=1.0, statistic=statistic, null=null, rng=[24, i, 1]).pvalue
    return p


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_level(problem, statistic):
    p = _rates(problem, 1000, 199, statistic)
    for level in LEVELS:
        low, high = limits(level, len(p), 0.99)
        assert low <= (p <= level).mean() <= high


@pytest.mark.parametrize("problem", [name for name in PROBLEMS if "500" not in name])
def test_level_small(problem):
    p = _rates(problem, 150, 99, "unbiased")
    for level in LEVELS:
        assert (p <= level).mean() <= limits(level, len(p), 0.9999)[1]
