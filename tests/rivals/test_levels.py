"""How often the rivals reject a true H0: never above their level where they claim to be exact."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import twosample as ts
from tests.level.measure import limits
from tests.level.problems import PROBLEMS
from tests.rivals.forms import FORMS, PROBLEMS_ALL


@cache
def pvalues(name: str, problem: str, repetitions: int) -> np.ndarray:
    form = FORMS[name]
    result = np.empty(repetitions)
    for i in range(repetitions):
        x, y = PROBLEMS[problem](np.random.default_rng([form.seed, i]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ts.SmallSampleWarning)
            result[i] = form.call(x[:, : form.columns], y[:, : form.columns], rng=[form.seed, i, 1]).pvalue
    assert ((result > 0) & (result <= 1)).all()
    return result


def check(name: str, problem: str, repetitions: int, coverage: float) -> None:
    p = pvalues(name, problem, repetitions)
    for level in (0.05, 0.01):
        high = limits(level, repetitions, coverage)[1]
        rate = float((p <= level).mean())
        assert rate <= high, f"{name} on {problem} rejects {rate:.4f} at level {level}, more than {high:.4f}"


def with_level(*levels: str) -> list[str]:
    return [name for name, form in FORMS.items() if form.level in levels]


QUICK = [(name, problem) for name in with_level("exact") for problem in FORMS[name].small]
QUICK += [(name, "unequal") for name in ("runs permutation", "hotelling permutation", "biau-györfi permutation")]
QUICK += [(name, "unequal") for name in ("energy", "classifier held out")]


def test_every_form_has_its_level_checked():
    assert set(PROBLEMS_ALL) == set(PROBLEMS)
    assert {form.level for form in FORMS.values()} == {"exact", "conservative", "approximate"}
    unchecked = [name for name in with_level("approximate") if not FORMS[name].admitted]
    assert unchecked == ["hotelling chi2"]  # for large samples only: tests/rivals/test_hotelling.py


@pytest.mark.parametrize(("name", "problem"), QUICK)
def test_level_small(name, problem):
    check(name, problem, 150, 0.9999)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", with_level("exact", "conservative"))
def test_level(name, problem):
    check(name, problem, 1000, 0.99)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "problem"), [(name, problem) for name, form in FORMS.items() for problem in form.admitted]
)
def test_level_of_approximate_laws(name, problem):
    p = pvalues(name, problem, 1000)
    for level, admitted in zip((0.05, 0.01), FORMS[name].admitted[problem], strict=True):
        rate = float((p <= level).mean())
        assert rate <= admitted, f"{name} on {problem} rejects {rate:.4f} at level {level}, more than {admitted}"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in with_level("exact") if FORMS[name].relabels])
def test_level_is_used_up_on_continuous_data(name):
    p = pvalues(name, "normal", 1000)
    low, _ = limits(0.05, 1000, 0.999)
    few_values = any(word in name for word in ("ks", "runs", "biau", "classifier"))
    assert (p <= 0.05).mean() >= (0.6 if few_values else 1.0) * low
