"""Problems of fair comparisons and dependent rows, under H0 and beside it: p-values for the suite and for the page.

A case draws data and tests them. `python tools/fair.py` makes docs/fair-levels.md of all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.signal import lfilter

import twosample as ts

Generator = np.random.Generator
Test = Callable[[Generator, int], Any]

N = 199
"""Resamples of each test."""

_WILD = ts.WildBootstrap(memory=0, n=N)


@dataclass(frozen=True)
class Case:
    """One test on one problem."""

    section: str
    problem: str
    pvalue: Test
    """From a generator and a seed."""
    careful: bool = False  # whether it may reject less often than its level
    differs: bool = False  # whether H0 is false, so that rejections are power

    def __str__(self) -> str:
        return f"{self.section}: {self.problem}"


# -- strata


def balanced(strata: int, each: int) -> Callable[[Generator], tuple[Any, ...]]:
    """Strata with means of their own, of as many rows in either sample."""

    def draw(rng: Generator) -> tuple[Any, ...]:
        by = np.repeat(np.arange(strata), each)
        shift = rng.normal(size=strata)[by]
        return rng.normal(size=len(by)) + shift, rng.normal(size=len(by)) + shift, by, by

    return draw


def other_mix(strata: int, rows: int) -> Callable[[Generator], tuple[Any, ...]]:
    """Strata with means of their own, in another mix in either sample."""

    def draw(rng: Generator) -> tuple[Any, ...]:
        first = rng.dirichlet(np.ones(strata))
        by_x, by_y = rng.choice(strata, size=rows, p=first), rng.choice(strata, size=rows, p=first[::-1])
        by_x[0] = by_y[0] = 0  # so that there is something to compare
        return rng.normal(size=rows) + by_x, rng.normal(size=rows) + by_y, by_x, by_y

    return draw


def stratified(
    draw: Callable[[Generator], tuple[Any, ...]], weighted: bool = False, statistic: str = "unbiased"
) -> Test:
    def pvalue(rng: Generator, seed: int) -> float:
        x, y, by_x, by_y = draw(rng)
        weights = {}
        if weighted:
            weights = {
                f"weights_{name}": np.exp(0.5 * (part - by) + 0.5 * rng.normal(size=len(part)))
                for name, part, by in (("x", x, by_x), ("y", y, by_y))
            }
        null = ts.StratifiedPermutation(by_x, by_y, n=N)
        return ts.mmd_test(x, y, bandwidth=1.0, statistic=statistic, null=null, rng=seed, **weights).pvalue

    return pvalue


def groups_in_strata(weighted: bool) -> Test:
    """Sites of some rows, randomised within regions."""

    def pvalue(rng: Generator, seed: int) -> float:
        found, regions = [], rng.normal(size=4)
        for first, count in ((0, 24), (100, 16)):
            own = np.repeat(np.arange(count), rng.integers(1, 9, count))
            found.append((first + own, own % 4, (rng.normal(size=count) + regions[np.arange(count) % 4])[own]))
        (x_groups, by_x, x), (y_groups, by_y, y) = found
        x, y = x + 0.3 * rng.normal(size=len(x)), y + 0.3 * rng.normal(size=len(y))
        w = {"weights_x": rng.lognormal(size=len(x)), "weights_y": rng.lognormal(size=len(y))} if weighted else {}
        null = ts.GroupPermutation(x_groups, y_groups, by_x=by_x, by_y=by_y, n=N)
        return ts.mmd_test(x, y, bandwidth=1.0, null=null, rng=seed, **w).pvalue

    return pvalue


STRATA = [
    *(Case("Strata", f"{s} strata, another mix in either, {m} + {m} rows", stratified(other_mix(s, m)))
      for s, m in ((2, 60), (10, 60), (100, 300))),
    *(Case("Strata", f"{s} strata of {2 * k} rows", stratified(balanced(s, k)))
      for s, k in ((30, 1), (100, 2), (500, 1))),
    Case("Strata", "10 strata, another mix, biased estimate", stratified(other_mix(10, 60), statistic="biased")),
    Case("Strata", "10 strata, another mix, weights that go with the values", stratified(other_mix(10, 60), True)),
    Case("Strata", "500 strata of 2 rows, weights that go with the values", stratified(balanced(500, 1), True)),
    Case("Strata", "24 + 16 groups of rows in 4 strata", groups_in_strata(False)),
    Case("Strata", "24 + 16 groups of rows in 4 strata, weighted", groups_in_strata(True)),
]  # fmt: skip


# -- several samples


def several(sizes: tuple[int, ...], by: int = 0, weighted: bool = False, wild: bool = False) -> Test:
    """One distribution within strata, whose mix is another one in each sample; or one wild sample besides.

    With a wild sample it is the smallest adjusted p-value of the pairs of the others.
    """

    def pvalue(rng: Generator, seed: int) -> float:
        samples, labels, weights = [], [], []
        for size in sizes:
            own = rng.choice(max(by, 1), size=size, p=rng.dirichlet(np.ones(max(by, 1))))
            noise = rng.normal(size=size)
            samples.append(noise + 2 * own)
            labels.append(own)
            weights.append(np.exp(0.5 * noise + 0.5 * rng.normal(size=size)))
        if wild:
            samples.append(rng.normal(30, 0.01, size=sizes[0]))
        options = {"by": labels} if by else {}
        options |= {"weights": weights} if weighted else {}
        r = ts.ksample_test(samples, pairs=wild, n=N, rng=seed, bandwidth=1.0, **options)
        if not wild:
            return r.pvalue
        return min(pair.adjusted_pvalue for pair in r.pairs if pair.b != str(len(samples)))

    return pvalue


SEVERAL = [
    Case("Several samples", "3 of 12, 20 and 15 rows", several((12, 20, 15))),
    Case("Several samples", "10 of 20 rows", several((20,) * 10)),
    Case("Several samples", "4 of 40 rows in 3 strata, another mix in each", several((40,) * 4, by=3)),
    Case("Several samples", "3 of 60 rows in 30 strata, another mix in each", several((60,) * 3, by=30)),
    Case("Several samples", "4 of 40 rows, weights that go with the values", several((40,) * 4, weighted=True)),
    Case("Several samples", "4 of 40 rows in 3 strata, weighted", several((40,) * 4, by=3, weighted=True)),
    Case("Several samples", "pairs of 3 that are alike, beside a wild one", several((12, 20, 15), wild=True), True),
]


# -- the relative test


def relative(draw: Callable[[Generator], tuple[Any, Any, Any]]) -> Test:
    return lambda rng, seed: ts.relative_test(*draw(rng), rng=seed).pvalue


def moved(rows: int, share: float, other: int | None = None) -> Callable[[Generator], tuple[Any, Any, Any]]:
    """Bounliphone and others: normal samples around (-2, -2) and (2, 2), the reference on its way between them."""

    def draw(rng: Generator) -> tuple[Any, Any, Any]:
        x, y, r = (rng.normal(size=(size, 2)) for size in (rows, other or rows, rows))
        return x - 2, y + 2, r + 4 * share - 2

    return draw


def alike(columns: int) -> Callable[[Generator], tuple[Any, Any, Any]]:
    return lambda rng: tuple(rng.normal(size=(3, 60, columns)))  # type: ignore[return-value]


def few_of_the_reference(rng: Generator) -> tuple[Any, Any, Any]:
    return rng.normal(-1, size=200), rng.normal(1, size=200), rng.normal(size=10)


def rare(sizes: tuple[int, int, int]) -> Callable[[Generator], tuple[Any, Any, Any]]:
    """Shares of ones of which that of the reference lies in the middle."""

    def draw(rng: Generator) -> tuple[Any, Any, Any]:
        x, y, r = (rng.random(size) < share for size, share in zip(sizes, (0.05, 0.25, 0.15), strict=True))
        return x, y, r

    return draw


_RELATIVE = "Which of two is closer"
RELATIVE = [
    *(Case(_RELATIVE, f"equally far in opposite directions, {rows} rows each", relative(moved(rows, 0.5)), True)
      for rows in (100, 250, 500)),
    Case(_RELATIVE, "the same, 500, 250 and 500 rows", relative(moved(500, 0.5, 250)), True),
    Case(_RELATIVE, "equally far on a line, 200, 200 and 10 rows", relative(few_of_the_reference), True),
    *(Case(_RELATIVE, f"5, 25 and 15 % ones, {sizes[0]}, {sizes[1]} and {sizes[2]} rows", relative(rare(sizes)), True)
      for sizes in ((10, 200, 10), (10, 200, 50), (100, 100, 100))),
    *(Case(_RELATIVE, f"all three alike, 60 rows of {d} column{'s' if d > 1 else ''}", relative(alike(d)), True)
      for d in (1, 2, 5)),
    *(Case(_RELATIVE, f"the reference {share:.0%} of the way from x to y, 250 rows each",
           relative(moved(250, share)), True, True) for share in (0.51, 0.52, 0.55)),
]  # fmt: skip


# -- weights


def drawn(kind: str, rows: int, rng: Generator) -> tuple[Any, Any]:
    """Rows and weights of one sample. Weights of 'chosen' undo a selection, the others have nothing to do with rows."""
    if kind == "chosen":
        z = rng.normal(size=4 * rows)
        z = z[rng.random(4 * rows) < np.where(z > 0, 0.8, 0.4)][:rows]
        return z, np.where(z > 0, 1.0, 2.0)
    if kind == "mostly 0":
        return np.where(rng.random(rows) < 0.94, 0.0, rng.lognormal(size=rows)), rng.lognormal(0, 0.5, rows)
    return rng.normal(size=rows), rng.lognormal(0, 1.0 if kind == "skewed weights" else 0.5, rows)


def of_design(kind: str, sizes: tuple[int, int], shift: float = 0.0) -> Test:
    def pvalue(rng: Generator, seed: int) -> float:
        (x, a), (y, b) = (drawn(kind, rows, rng) for rows in sizes)
        return ts.mmd_test(x, y + shift, weights_x=a, weights_y=b, null=_WILD, rng=seed).pvalue

    return pvalue


def of_rows(null: Any, design: bool) -> Test:
    """Weights that belong to rows (the same law of both in either sample), or those of a selection in x alone."""

    def pvalue(rng: Generator, seed: int) -> float:
        if design:
            z = rng.normal(size=400)
            x = z[rng.random(400) < np.where(z > 0, 0.4, 0.2)]
            y, a, b = rng.normal(size=100), np.where(x > 0, 1.0, 2.0), np.ones(100)
        else:
            x, y = rng.normal(size=60), rng.normal(size=60)
            a, b = np.exp(0.5 * x + rng.normal(size=60)), np.exp(0.5 * y + rng.normal(size=60))
        return ts.mmd_test(x, y, bandwidth=1.0, weights_x=a, weights_y=b, null=null, rng=seed).pvalue

    return pvalue


def steep(rows: int) -> Test:
    """Weights of which half are ten times the others in a small sample, all 1 in a large one; both with a mean of 1.

    Relabelled with their rows, which is wrong for a design.
    """

    def pvalue(rng: Generator, seed: int) -> float:
        x, y = rng.normal(size=rows), rng.normal(size=10 * rows)
        a = np.where(rng.random(rows) < 0.5, 2 / 11, 20 / 11)
        return ts.mmd_test(x, y, weights_x=a, weights_y=np.ones(len(y)), null=ts.Permutation(N), rng=seed).pvalue

    return pvalue


WEIGHTS = [
    Case("Weights", "relabelled with their rows, 60 + 60", of_rows(ts.Permutation(N), False)),
    Case("Weights", "wild, a selection in x alone, about 120 + 100", of_rows(_WILD, True), True),
    *(Case("Weights", f"wild, {kind}, {m} + {n}", of_design(kind, (m, n)), True)
      for m, n in ((300, 30), (60, 60)) for kind in ("mostly 0", "normal", "skewed weights", "chosen")),
    *(Case("Weights", f"wild, normal shifted by 0.6, {m} + {n}", of_design("normal", (m, n), 0.6), True, True)
      for m, n in ((300, 30), (60, 60))),
]  # fmt: skip

MISUSED = [
    Case("Weights", f"weights of a design, relabelled against better advice, {rows} + {10 * rows}", steep(rows), True)
    for rows in (80, 150)
]
"""Not expected to keep any level."""


# -- series


def series(phi: float, size: int, rng: Generator) -> Any:
    """An autoregression with unit variance."""
    return lfilter([1], [1, -phi], rng.normal(size=size + 100))[100:] * np.sqrt(1 - phi**2)


def timed(phi: float, size: int, null: Any, shift: float = 0.0) -> Test:
    def pvalue(rng: Generator, seed: int) -> float:
        x, y = series(phi, size, rng), series(phi, size, rng) + shift
        return ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), null=null, rng=seed).pvalue

    return pvalue


def mostly_zero(sizes: tuple[int, int]) -> Test:
    """Amounts that few rows have, in the order of time."""

    def pvalue(rng: Generator, seed: int) -> float:
        x, y = (np.where(rng.random(rows) < 0.94, 0.0, rng.lognormal(size=rows)) for rows in sizes)
        return ts.mmd_test(x, y, null=ts.WildBootstrap(n=N), rng=seed).pvalue

    return pvalue


def filtered(forward: list[float], back: list[float], size: int = 200) -> Test:
    """Series with another kind of memory: noise through a filter."""

    def pvalue(rng: Generator, seed: int) -> float:
        x, y = lfilter(forward, [1, *back], rng.normal(size=(2, size + 100)))[:, 100:]
        return ts.mmd_test(x, y, kernel=ts.Gaussian(float(x.std())), null=ts.WildBootstrap(n=N), rng=seed).pvalue

    return pvalue


MEMORIES, LENGTHS = (0.0, 0.3, 0.5, 0.8, 0.9), (100, 200, 500)

OTHER_SERIES = [
    *(Case("Series", f"rows of which 94 % are 0, {m} + {n}", mostly_zero((m, n)), True)
      for m, n in ((300, 30), (60, 60), (1500, 60))),
    Case("Series", "moving average of eight, 200 + 200", filtered([1.0] * 8, []), True),
    Case("Series", "oscillation (coefficients 1.2, -0.7), 200 + 200", filtered([1.0], [-1.2, 0.7]), True),
    Case("Series", "neighbours of opposite sign (coefficient -0.6), 200 + 200", filtered([1.0], [0.6]), True),
]  # fmt: skip

LONG = [
    Case("Series", f"coefficients 0.6, 0.3: memory longer than its first correlation says, {rows} + {rows}",
         filtered([1.0], [-0.6, -0.3], rows), True)
    for rows in (100, 200)
]  # fmt: skip
"""Known to reject too often."""

CASES = [*STRATA, *SEVERAL, *RELATIVE, *WEIGHTS, *OTHER_SERIES]


@cache
def pvalues(test: Test, repetitions: int) -> Any:
    """p-values of seeded repetitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.SmallSampleWarning)
        return np.array([test(np.random.default_rng([24, i]), i) for i in range(repetitions)])
