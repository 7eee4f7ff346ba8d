"""How often comparisons by strata, weights, groups and time call tables different that are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import twosample as ts
from tests.level.measure import limits


def _columns(rng, base):
    rows = len(base)
    return {
        "v": rng.normal(size=rows) + base,
        "k": rng.poisson(np.exp(0.3 * np.clip(base, -2, 2))),
        "c": np.where(rng.random(rows) < 1 / (1 + np.exp(-base)), "A", rng.choice(["B", "C"], rows)),
    }


def strata(count, rows):
    """Strata that differ, in another mix in either table."""

    def tables(rng):
        shift = rng.normal(size=count)
        mix = rng.dirichlet(np.full(count, 3.0))
        return [
            {"by": (s := rng.choice(count, size=rows, p=p)).astype(str), **_columns(rng, shift[s])}
            for p in (mix, mix[::-1])
        ], {"by": "by"}

    return tables


def pairs(count, each):
    """Strata of a few rows."""

    def tables(rng):
        by = np.repeat(np.arange(count), each)
        shift = rng.normal(size=count)[by]
        return [{"by": by.astype(str), **_columns(rng, shift)} for _ in range(2)], {"by": "by"}

    return tables


def weights(rng):
    """Rows and weights of the same distribution in both, unequal sizes."""
    found = []
    for rows in (150, 90):
        base = rng.normal(size=rows)
        found.append({"w": np.exp(0.5 * base), **_columns(rng, base)})
    return found, {"weights": "w"}


def groups(rng):
    found = []
    for first, count in ((0, 25), (100, 18)):
        own = np.repeat(np.arange(count), rng.integers(1, 12, count))
        found.append({"g": (first + own).astype(str), **_columns(rng, rng.normal(size=count)[own])})
    return found, {"groups": "g"}


def weighted_strata(rng):
    """Rows, weights and strata that go together, in another mix in either table."""
    found, shift = [], rng.normal(size=12)
    for rows, mix in ((150, rng.dirichlet(np.full(12, 3.0))), (100, rng.dirichlet(np.full(12, 3.0)))):
        by = rng.choice(12, size=rows, p=mix)
        base = rng.normal(size=rows)
        found.append({"by": by.astype(str), "w": np.round(np.exp(0.7 * base), 1), **_columns(rng, base + shift[by])})
    return found, {"by": "by", "weights": "w"}


def groups_in_strata(rng):
    found, shift = [], rng.normal(size=4)
    for first, count in ((0, 24), (100, 16)):
        own = np.repeat(np.arange(count), rng.integers(1, 9, count))
        base = rng.normal(size=count)[own] + shift[own % 4]
        weights = np.exp(0.4 * rng.normal(size=len(own)))
        found.append({"g": (first + own).astype(str), "by": (own % 4).astype(str), "w": weights, **_columns(rng, base)})
    return found, {"by": "by", "groups": "g", "weights": "w"}


def informative(rng):
    """Rows of the first table were taken with chances that depend on their values: weights of a design."""
    found = []
    for rows, slope in ((600, 1.0), (400, 0.0)):
        base = rng.normal(size=4 * rows)
        chance = np.maximum(1 / (1 + np.exp(-slope * base)), 0.1)
        kept = np.flatnonzero(rng.random(4 * rows) < chance)[:rows]
        found.append({"w": 1 / chance[kept], **_columns(rng, base[kept])})
    return found, {"design_weights": "w"}


def informative_in_strata(rng):
    """The same, with strata of another mix, which differ, and of which some have more missing values."""
    found, shift = [], 2 * rng.normal(size=6)
    for rows, slope in ((600, 1.0), (300, 0.0)):
        by = rng.choice(6, size=4 * rows, p=rng.dirichlet(np.full(6, 3.0)))
        base = rng.normal(size=4 * rows)
        chance = np.maximum(1 / (1 + np.exp(-slope * base)), 0.1)
        kept = np.flatnonzero(rng.random(4 * rows) < chance)[:rows]
        columns = _columns(rng, (base + shift[by])[kept])
        columns["v"] = np.where(rng.random(rows) < 0.1 + 0.3 * (by[kept] < 3), np.nan, columns["v"])
        found.append({"by": by[kept].astype(str), "w": 1 / chance[kept], **columns})
    return found, {"by": "by", "design_weights": "w"}


def series(rng):
    found = []
    for rows in (200, 250):
        base = lfilter([1], [1, -0.7], rng.normal(size=rows + 50))[50:]
        found.append({"t": np.arange(rows), **_columns(rng, base)})
    return found, {"time": "t"}


def mostly_zero(option, sizes):
    """Amounts that few rows have, in tables of very unequal sizes; weights say nothing of values."""

    def tables(rng):
        found = []
        for rows in sizes:
            some = rng.random((rows, 2)) < [0.06, 0.03]
            a, b = (rng.lognormal(6, 1, size=(rows, 2)) * some).round().T
            weights = np.exp(0.6 * rng.normal(size=rows))
            found.append({"w": weights, "t": np.arange(rows), "a": a, "b": b, **_columns(rng, rng.normal(size=rows))})
            del found[-1]["t" if option == "design_weights" else "w"]
        return found, {option: "w" if option == "design_weights" else "t"}

    return tables


PROBLEMS = {
    "2 strata": strata(2, 120),
    "20 strata": strata(20, 150),
    "30 strata of 2 rows": pairs(30, 1),
    "100 strata of 4 rows": pairs(100, 2),
    "500 strata of 2 rows": pairs(500, 1),
    "weights": weights,
    "strata and weights": weighted_strata,
    "groups": groups,
    "groups in strata, weighted": groups_in_strata,
    "weights of a design": informative,
    "weights of a design in strata": informative_in_strata,
    "series": series,
    "weights of a design, mostly 0": mostly_zero("design_weights", (1500, 60)),
    "weights of a design, mostly 0, few rows": mostly_zero("design_weights", (300, 60)),
    "series, mostly 0": mostly_zero("time", (300, 30)),
}


def measured(problem, repetitions):
    """The share of comparisons that say different, and the p-values of the joint test and of the columns' values."""
    different, joint, kernels = 0, [], []
    for i in range(repetitions):
        (a, b), options = PROBLEMS[problem](np.random.default_rng([20, i]))
        c = ts.compare(a, b, rng=i, **options)
        different += c.verdict == "different"
        joint.append(c.joint.pvalue)
        kernels += [column.kernel_pvalue for column in c.columns]
    return different, np.array(joint), np.array(kernels)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS)
def test_level(problem):
    runs = 300
    different, joint, kernels = measured(problem, runs)
    wide = 1.6 if problem == "series" else 1.0  # the wild bootstrap is approximate: docs/dependent.md has its rates
    assert different <= wide * limits(0.05, runs, 0.999)[1] * runs
    assert (joint <= 0.05).mean() <= wide * limits(0.05, runs, 0.999)[1]
    assert (kernels <= 0.05).mean() <= wide * limits(0.05, runs, 0.999)[1]


@pytest.mark.parametrize("problem", [name for name in PROBLEMS if "500" not in name])
def test_level_small(problem):
    different, joint, _ = measured(problem, 20)
    assert different <= 5  # 1 in 300 at a level of 0.05
    assert (joint <= 0.05).sum() <= 5
