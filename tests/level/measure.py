"""How often each test rejects a true H0. The suite and the table in docs/levels.md are made from this."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import binom

import twosample as ts
from tests.level.problems import PROBLEMS

LEVELS = (0.05, 0.01)

NULLS = {
    "permutation": ts.Permutation(n=399),
    "bootstrap": ts.Bootstrap(n=399),
    "pearson": ts.Pearson(),
    "pearson (spectrum)": ts.Pearson(kurtosis="spectrum"),
    "spectrum": ts.Spectrum(),
    "gamma": ts.Gamma(),
    "normal": ts.Normal(),
}

COMBINATIONS = [
    *(("unbiased", null) for null in ("permutation", "bootstrap", "pearson", "pearson (spectrum)")),
    *(("unbiased", null) for null in ("spectrum", "gamma")),
    *(("biased", null) for null in ("permutation", "bootstrap", "pearson", "spectrum", "gamma")),
    *(("paired", null) for null in ("permutation", "pearson", "spectrum", "gamma")),
    *(("linear", null) for null in ("permutation", "normal")),
    *(("block", null) for null in ("permutation", "normal")),
]

EXACT = {"permutation"}
"""Nulls that may reject too rarely (ties) but never too often, on any problem."""


@dataclass(frozen=True)
class Case:
    """One test on one problem."""

    statistic: str
    null: str
    problem: str

    def __str__(self) -> str:
        return f"{self.statistic}-{self.null}-{self.problem}"


def cases() -> list[Case]:
    """Every combination on every problem; the paired statistic needs equal sizes."""
    return [
        Case(statistic, null, problem)
        for problem in PROBLEMS
        for statistic, null in COMBINATIONS
        if not (statistic == "paired" and problem == "unequal")
    ]


@cache
def pvalues(case: Case, repetitions: int, seed: int = 2008) -> np.ndarray:
    """p-values of seeded repetitions under H0."""
    result = np.empty(repetitions)
    for i in range(repetitions):
        x, y = PROBLEMS[case.problem](np.random.default_rng([seed, i]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ts.SmallSampleWarning)
            r = ts.mmd_test(x, y, statistic=case.statistic, null=NULLS[case.null], rng=[seed, i, 1])
        result[i] = r.pvalue
    return result


def limits(level: float, repetitions: int, coverage: float = 0.99) -> tuple[float, float]:
    """The binomial interval of the rejection rate of a test that is exactly at its level."""
    tail = (1 - coverage) / 2
    low, high = binom.ppf([tail, 1 - tail], repetitions, level)
    return float(low / repetitions), float(high / repetitions)
