"""Level of the adaptive tests under H0: exact, so never above the binomial interval, and in it unless values tie."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import LEVELS, limits
from tests.level.problems import MORE_PROBLEMS, PROBLEMS

TESTS = {
    "views": lambda x, y, seed: ts.two_sample_test(x, y, n=199, rng=seed),
    "views in stages": lambda x, y, seed: ts.two_sample_test(x, y, rng=seed),
    "kernels": lambda x, y, seed: ts.mmd_test(x, y, kernel="adaptive", null=ts.Permutation(199), rng=seed),
    "kernels in stages": lambda x, y, seed: ts.mmd_test(x, y, kernel="adaptive", rng=seed),
    "kernels on sketches": lambda x, y, seed: ts.mmd_test(
        ts.Sketch.fit(x), ts.Sketch.fit(y), kernel="adaptive", null=ts.Permutation(199), rng=seed
    ),
}

TIED = {"bernoulli": "almost every pool has at most two ones, and every labelling of those looks the same"}
"""Problems on which an exact test rejects less often than its level, because its p-values are few."""

ALL = {**PROBLEMS, **MORE_PROBLEMS}
LINES = "ties", "bernoulli", "one column"
"""Problems of one column: sketches of several have one kernel."""

CASES = [
    (test, problem)
    for test in TESTS
    for problem in ALL
    if not (test.startswith("kernels") and problem == "mixed table")
    and not (test == "kernels on sketches" and problem not in LINES)
]


@cache
def pvalues(test: str, problem: str, repetitions: int, seed: int = 1919) -> np.ndarray:
    result = np.empty(repetitions)
    for i in range(repetitions):
        x, y = ALL[problem](np.random.default_rng([seed, i]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ts.SmallSampleWarning)
            result[i] = TESTS[test](x, y, [seed, i, 1]).pvalue
    return result


def _check(test: str, problem: str, repetitions: int, coverage: float) -> None:
    p = pvalues(test, problem, repetitions)
    assert ((p > 0) & (p <= 1)).all()
    for level in LEVELS:
        low, high = limits(level, repetitions, coverage)
        rate = float((p <= level + 1e-12).mean())
        assert rate <= high, f"{test} on {problem} rejects {rate:.4f} at level {level}, more than {high:.4f}"
        if problem not in TIED:
            assert rate >= low, f"{test} on {problem} rejects {rate:.4f} at level {level}, less than {low:.4f}"


@pytest.mark.slow
@pytest.mark.parametrize(("test", "problem"), CASES)
def test_level(test, problem):
    _check(test, problem, 1000, 0.99)


@pytest.mark.parametrize(
    ("test", "problem"),
    [
        ("views", "ties"),
        ("views in stages", "ties"),
        ("views", "bernoulli"),
        ("views", "high dimension"),
        ("views", "mixed table"),
        ("kernels", "ties"),
        ("kernels on sketches", "ties"),
    ],
)
def test_level_small(test, problem):
    _check(test, problem, 100, 0.9999)
