"""Level of strata, groups, weights, several samples, the relative test and series, as in docs/fair-levels.md."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from tests.level.fair import CASES, LENGTHS, MEMORIES, Case, N, pvalues, timed
from tests.level.measure import LEVELS, limits

HEAVY = "500 ", "300 + 300", "1500", "250 rows each"
"""In the names of problems that take too long for the quick suite."""


def check(case: Case, repetitions: int, coverage: float) -> None:
    """Exact tests keep both ends of the interval; those that are careful by their law may reject less often."""
    p = pvalues(case.pvalue, repetitions)
    assert ((p > 0) & (p <= 1)).all()
    for level in LEVELS:
        low, high = limits(level, repetitions, coverage)
        rate = float((p <= level + 1e-12).mean())
        assert rate <= high, f"{case} rejects {rate:.4f} at level {level}, more than {high:.4f}"
        if not case.careful:
            assert rate >= low, f"{case} rejects {rate:.4f} at level {level}, less than {low:.4f}"


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if not case.differs], ids=str)
def test_level(case):
    check(case, 1000, 0.999)


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.differs and not any(part in case.problem for part in HEAVY)], ids=str
)
def test_level_small(case):
    check(case, 100, 0.9999)


@pytest.mark.parametrize("case", [case for case in CASES if "55%" in case.problem or "by 0.6" in case.problem], ids=str)
def test_power(case):
    assert (pvalues(case.pvalue, 60) <= 0.05).mean() > 0.4


@pytest.mark.slow
@pytest.mark.parametrize("size", LENGTHS)
@pytest.mark.parametrize("phi", MEMORIES)
def test_series_with_memory(phi, size):
    """Relabelled rows of series with memory are called different far too often."""
    wild = pvalues(timed(phi, size, ts.WildBootstrap(n=N)), 300)
    assert (wild <= 0.05).mean() <= limits(0.05, 300, 0.999)[1]
    if phi >= 0.5:
        assert (pvalues(timed(phi, size, ts.Permutation(N)), 100) <= 0.05).mean() > 0.15


def test_power_of_the_relative_test_grows_with_the_difference():
    rates = [
        (pvalues(case.pvalue, 40) <= 0.05).mean() for case in CASES if case.differs and "of the way" in case.problem
    ]
    assert rates == sorted(rates)
    assert np.ptp(rates) > 0.5
