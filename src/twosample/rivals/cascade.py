"""The cascade of Section 8.3: a cheap test of the means first, a kernel test only if it finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil

import numpy as np

from .. import _door as door
from ..core.pvalue import WeightedLaw
from ..errors import OptionError, number_between, options_by_name, unknown_option
from ..homogeneity import mmd_test
from ..nulls import Permutation
from ..nulls.permutation import is_cheap
from ..results import PAPER, TestResult

Test = Callable[..., TestResult]  # A test as test(x, y, level=..., rng=...)


@options_by_name
def cascade_test(
    x: object,
    y: object,
    *,
    first: Test | str = "hotelling",
    second: Test | str = "mmd",
    share: float = 0.5,
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same distribution: a cheap test first, a kernel test only if needed.

    H0: p = q. H1: p ≠ q. The recommendation of Section 8.3 of the paper for large data, as one procedure with one
    controlled level. The first test runs at level :math:`w\alpha`; if it rejects, that is the answer and the second
    test never runs. Otherwise the second test runs at level :math:`(1-w)\alpha`. The p-value is

    .. math:: p = \min(1,\; p_1/w,\; p_2/(1-w)),

    without its last part when the first test has rejected. By the union bound :math:`P(p \le \alpha) \le \alpha` under
    H0 at every :math:`\alpha`, however the two tests depend on each other, if each holds its level.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    first
        'hotelling' (by relabelling while rows times relabellings are at most 10⁷, else by the F law), or any test
        ``f(x, y, level=..., rng=...)`` that returns a TestResult.
    second
        'mmd' (quadratic, permutations), 'mmd-linear' (each row looked at once, normal law), or any such test:
        ``functools.partial(ts.mmd_test, null="spectrum")``.
    share
        w, the share of the level that the first test may spend, strictly between 0 and 1.
    level
        The level of the whole procedure.
    rng
        Seed or generator, handed to both tests. The same seed gives the same answer.

    Returns
    -------
    TestResult
        The statistic, threshold, kernel and null of the stage that spoke (the one with the smaller p), with the p-value
        of the cascade. ``test`` names that stage, the notes give the p-values of both.

    Notes
    -----
    The cost of the first test, O(N d²) for Hotelling, when the means differ; else the sum of both. The price of the
    first look is that the second test works at half the level: where the means are known to agree, call it directly.
    The F law of more than 10,000 rows is too eager for very heavy tails beside samples of very different sizes; relabel
    there: ``first=functools.partial(hotelling_test, null="permutation")``.

    Examples
    --------
    >>> import numpy as np
    >>> from twosample.rivals.cascade import cascade_test
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 2))
    >>> cascade_test(x, x[::-1] + 1, rng=1).test
    'Cascade, decided by stage 1 (Hotelling T² test)'
    >>> cascade_test(x, 2 * x[::-1], rng=1).test
    'Cascade, decided by stage 2 (MMD two-sample test)'
    """
    level = door.check_level(level)
    share = number_between("share", share, 0, 1, example=0.5)
    stages = ((_resolve("first", first, FIRST), share), (_resolve("second", second, SECOND), 1 - share))
    seeds = door.generator(rng).spawn(2)
    results: list[TestResult] = []
    for (test, part), seed in zip(stages, seeds, strict=True):
        result = test(x, y, level=part * level, rng=seed)
        if not isinstance(result, TestResult):
            raise OptionError(f"{test!r} returned {type(result).__name__}; a stage must return a TestResult.")
        results.append(_stage(result, part, level))
        if results[-1].rejected:
            break
    spoke = int(np.argmin([result.pvalue for result in results]))
    return replace(
        results[spoke],
        test=f"Cascade, decided by stage {spoke + 1} ({results[spoke].test})",
        citation=PAPER,
        notes=(_account(results, share), *results[spoke].notes),
    )


def _stage(result: TestResult, share: float, level: float) -> TestResult:
    """The result of a stage in terms of the whole level: rejected exactly when the stage rejects at its share."""
    pvalue = min(1.0, result.pvalue / share)
    if result.rejected:
        pvalue = min(pvalue, level)  # p / share and share * level are rounded apart
    return replace(result, pvalue=pvalue, level=level, law=WeightedLaw(result.law, share))


def _account(results: list[TestResult], share: float) -> str:
    first = f"Stage 1, {results[0].test}, at {share:g} of the level: p = {results[0].pvalue:.4g} after division by it"
    if len(results) == 1:
        return f"{first}; stage 2 was not needed."
    return f"{first}; stage 2, {results[1].test}, at {1 - share:g} of it: p = {results[1].pvalue:.4g}."


def _hotelling(x: object, y: object, *, level: float, rng: door.Seed) -> TestResult:
    """By relabelling where that is quick: the F law is that of normal data."""
    from .hotelling import hotelling_test

    pool, null = door.rows(x, y, centred=True), Permutation(n=max(999, ceil(10 / level)))
    quick = is_cheap(pool.m + pool.n, null.n)
    return hotelling_test(x, y, null=null if quick else "auto", level=level, rng=rng)


def _linear(x: object, y: object, *, level: float, rng: door.Seed) -> TestResult:
    return mmd_test(x, y, statistic="linear", null="normal", level=level, rng=rng)


FIRST: Mapping[str, Test] = {"hotelling": _hotelling}  # aliases of the cheap tests
SECOND: Mapping[str, Test] = {"mmd": mmd_test, "mmd-linear": _linear}  # aliases of the tests that see every difference


def _resolve(name: str, value: Test | str, known: Mapping[str, Test]) -> Test:
    if isinstance(value, str) and value in known:
        return known[value]
    if callable(value) and not isinstance(value, type):
        return value
    raise unknown_option(name, value, known)
