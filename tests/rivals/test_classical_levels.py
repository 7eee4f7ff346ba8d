"""How often the classical tests reject a true H0: never above their level where they claim to be exact."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import limits
from tests.level.problems import PROBLEMS
from tests.rivals.classical import FORMS

EXACT = {name for name, form in FORMS.items() if form.relabels} | {"ks exact", "cross-match", "biau-györfi bound"}
"""Right at every sample size on every problem."""

CONSERVATIVE = {"biau-györfi normal", "biau-györfi equal width", "ks asymptotic", "ks limit"}
"""Approximate, but from above."""

APPROXIMATE = {("hotelling f", "normal"), ("hotelling f", "unequal"), ("hotelling ridge f", "normal"),
               ("hotelling ridge f", "unequal"), ("runs normal", "normal"), ("runs normal", "unequal")}  # fmt: skip
"""Where the assumptions of a limit law hold: at its level, or a little below."""


def draw(problem: str, columns: int, seed: list[int]) -> tuple[np.ndarray, np.ndarray]:
    x, y = PROBLEMS[problem](np.random.default_rng(seed))
    return x[:, :columns], y[:, :columns]


@cache
def pvalues(name: str, problem: str, repetitions: int) -> np.ndarray:
    form = FORMS[name]
    result = np.empty(repetitions)
    for i in range(repetitions):
        x, y = draw(problem, form.most_columns, [1979, i])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ts.SmallSampleWarning)
            result[i] = form.call(x, y, rng=[1979, i, 1]).pvalue
    return result


def check(name: str, problem: str, repetitions: int, coverage: float) -> None:
    p = pvalues(name, problem, repetitions)
    assert ((p > 0) & (p <= 1)).all()
    for level in (0.05, 0.01):
        _, high = limits(level, repetitions, coverage)
        rate = float((p <= level).mean())
        assert rate <= high, f"{name} on {problem} rejects {rate:.4f} at level {level}, more than {high:.4f}"


SMALL = [(name, problem) for name in sorted(EXACT) for problem in ("ties", "bernoulli", "high dimension")]
SMALL += [(name, "unequal") for name in ("runs permutation", "hotelling permutation", "biau-györfi permutation")]


@pytest.mark.parametrize(("name", "problem"), SMALL)
def test_level_small(name, problem):
    check(name, problem, 150, 0.9999)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", sorted(EXACT | CONSERVATIVE))
def test_level(name, problem):
    check(name, problem, 1000, 0.99)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "problem"), sorted(APPROXIMATE))
def test_level_of_limit_laws(name, problem):
    check(name, problem, 1000, 0.999)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, form in FORMS.items() if form.relabels))
def test_level_is_used_up_on_continuous_data(name):
    p = pvalues(name, "normal", 1000)
    low, _ = limits(0.05, 1000, 0.999)
    few_values = "ks" in name or "runs" in name or "biau" in name
    assert (p <= 0.05).mean() >= (0.6 if few_values else 1.0) * low
