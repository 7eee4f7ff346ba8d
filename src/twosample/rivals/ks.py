"""The Kolmogorov-Smirnov test for one column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import _door as door
from ..core.laws import ContinuousLaw
from ..errors import InputError, options_by_name
from ..nulls import Null, Permutation, Stated
from ..results import TestResult
from ._common import Asymptotic, Exact, ResolvedTest, SmirnovLimit, finish, judge, prepare
from ._smirnov import AsymptoticSmirnov, LimitSmirnov, SmirnovLaw, largest_deviations

CITATION = (
    "Smirnov (1939): On the estimation of the discrepancy between empirical curves of distribution for two samples"
)

EXACT_PRODUCT = 1_000_000
PERMUTED_ROWS = 20_000


@options_by_name
def ks_test(
    x: object,
    y: object,
    *,
    null: Null | str = "auto",
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Kolmogorov-Smirnov test of two samples of one column (Section 2.4 of the paper).

    H0: p = q. H1: p ≠ q, for distributions on the line. The statistic is the largest distance between the empirical
    distribution functions,

    .. math:: D = \sup_t |F_x(t) - F_y(t)|.

    Parameters
    ----------
    x, y
        Samples of one column, m and n values. Never modified.
    null
        'exact': the law of D when there are no ties; with ties it is conservative. 'permutation' (or
        ``ts.Permutation(n=...)``): right with and without ties. 'asymptotic': for large samples, with a correction for
        their size; conservative with ties too. 'limit': Smirnov's limit law without that correction, Equation
        'ks-asympt' of the paper, :math:`P(D \ge t) \approx 2\sum_j (-1)^{j-1} e^{-2 j^2 t^2 mn/N}`: probably what
        the paper's experiments have in one column; the most conservative of them. 'auto': 'permutation' with ties up to
        20,000 values; else 'exact' if m = n or mn is at most a million; else 'asymptotic'.
    level
        The level of the test.
    rng
        Seed or generator; used only by 'permutation'.

    Returns
    -------
    TestResult
        With D as its statistic.

    Notes
    -----
    O(N log N), plus O(N R) for R labellings, or plus O(N min(m, n)) at most for the exact law when m ≠ n. Most
    sensitive in the middle of the distributions; a difference in the tails needs large samples. For several columns
    there is :func:`friedman_rafsky_ks_test`, and :func:`twosample.mmd_test`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import ks_test
    >>> rng = np.random.default_rng(0)
    >>> r = ks_test(rng.normal(size=100), rng.laplace(1.0, size=80))
    >>> r.rejected, r.null
    (True, Exact())
    """
    a, b = (door.points(value, name) for value, name in ((x, "x"), (y, "y")))
    for sample, name in ((a, "x"), (b, "y")):
        if sample.shape[1] != 1:
            raise InputError(
                f"{name} has {sample.shape[1]} columns and ks_test is for one. Test the columns one by one and adjust "
                "the p-values, or use friedman_rafsky_ks_test or mmd_test for all together."
            )
    task = prepare(a, b, null, ("auto", "exact", "asymptotic", "limit", "permutation"), level, rng)
    z = np.concatenate([a, b])[:, 0]  # as given: only the order matters
    order = np.argsort(z, kind="stable")
    ends = np.flatnonzero(np.diff(z[order], append=np.inf))
    ties = len(ends) < task.total
    task = replace(task, null=_choose(task, ties))

    def stated() -> Stated:
        if task.null == "exact":
            return Exact(SmirnovLaw(task.m, task.n))
        if task.null == "limit":
            return SmirnovLimit(ContinuousLaw(LimitSmirnov(task.m, task.n), task.least))
        return Asymptotic(ContinuousLaw(AsymptoticSmirnov(task.m, task.n), task.least))

    chosen, law, value = judge(task, lambda labels: largest_deviations(labels, order, ends, task.m, task.n), stated)
    tied = f"{task.total - len(ends)} values are ties: this law is conservative; null='permutation' is right with ties."
    notes = (tied,) if ties and not chosen.relabels else ()
    return finish(
        task, chosen, law, test="Kolmogorov-Smirnov test", citation=CITATION, symbol="D", value=value, notes=notes
    )


def _choose(task: ResolvedTest, ties: bool) -> Permutation | str:
    if task.null != "auto":
        return task.null
    if ties and task.total <= PERMUTED_ROWS:
        return Permutation()
    return "exact" if task.m == task.n or task.m * task.n <= EXACT_PRODUCT else "asymptotic"
