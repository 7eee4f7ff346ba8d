"""Friedman and Rafsky's multivariate runs and Smirnov tests, both on the minimum spanning tree of the pool."""

from __future__ import annotations

from math import sqrt

import numpy as np

from .. import _door as door
from ..core.laws import ContinuousLaw, Distribution, NormalLaw, PointLaw
from ..core.types import Counts, Floats
from ..errors import options_by_name
from ..nulls import Null
from ..results import TestResult
from ._common import ApproximatelyNormal, columns_at_once, finish, judge, prepare, replicate
from ._smirnov import largest_deviations
from ._tree import Tree, minimum_spanning_tree, traversal_order

CITATION = "Friedman and Rafsky (1979): Multivariate generalizations of the Wald-Wolfowitz and Smirnov two-sample tests"


@options_by_name
def friedman_rafsky_runs_test(
    x: object,
    y: object,
    *,
    null: Null | str = "permutation",
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Wald-Wolfowitz runs test in any dimension: few edges of the minimum spanning tree join x and y if p ≠ q.

    H0: p = q. H1: p ≠ q. Removing the edges between x and y from the minimum spanning tree of the pool leaves R runs,
    one more than edges removed. Few runs are evidence, so the statistic is the standardised shortfall

    .. math:: W = \frac{E[R] - R}{\sqrt{\mathrm{Var}[R \mid C]}}, \qquad E[R] = \frac{2mn}{N} + 1,

    .. math:: \mathrm{Var}[R \mid C] = \frac{2mn}{N(N-1)}\Big\{\frac{2mn-N}{N} +
              \frac{C-N+2}{(N-2)(N-3)}\,[N(N-1) - 4mn + 2]\Big\},

    with C the number of pairs of edges that share a point. The notes give R. In one dimension this is the runs test of
    Wald and Wolfowitz.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    null
        'permutation' (exact; or ``ts.Permutation(n=...)``), or 'normal', the limit law of W given the tree.
    level
        The level of the test.
    rng
        Seed or generator, for relabelling and for breaking ties between distances.

    Returns
    -------
    TestResult
        With W as its statistic; it rejects for large W.

    Notes
    -----
    The tree takes O(N² d) time and O(N d) memory, all labellings together O(N R). Duplicated points are edges of length
    0; equal distances are broken at random, without a look at the labels, so on tied data different seeds give
    different trees and somewhat different p-values, each of them valid. Scale matters: a column in large units
    dominates the distances. In high dimension the test has little power against a difference in variance alone
    (Section 8.1 of the paper); prefer :func:`twosample.mmd_test` there.

    References
    ----------
    J. H. Friedman and L. C. Rafsky (1979): Multivariate generalizations of the Wald-Wolfowitz and Smirnov two-sample
    tests. Annals of Statistics 7, 697-717.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import friedman_rafsky_runs_test
    >>> rng = np.random.default_rng(0)
    >>> r = friedman_rafsky_runs_test(rng.normal(size=(60, 3)), rng.normal(1.0, size=(60, 3)), rng=1)
    >>> r.rejected, r.pvalue
    (True, 0.001)
    """
    task = prepare(x, y, null, ("permutation", "normal"), level, rng)
    tree = minimum_spanning_tree(task.z, task.rng)
    mean, deviation = run_moments(tree, task.m, task.n)

    def shortfall(labels: Counts) -> Floats:
        if deviation == 0:
            return np.zeros(labels.shape[1])
        return (mean - 1 - cross_edges(tree, labels)) / deviation

    standard: Distribution = NormalLaw(0.0, 1.0) if deviation else PointLaw()
    chosen, law, value = judge(task, shortfall, lambda: ApproximatelyNormal(ContinuousLaw(standard, task.least)))
    runs = round(mean - value * deviation)
    count = f"{runs} runs; {mean:.6g} are expected under H0, with standard deviation {deviation:.4g}."
    notes = (count,) if deviation else (f"The tree is a star: every labelling of it has {runs} runs.",)
    return finish(
        task, chosen, law, test="Friedman-Rafsky runs test", citation=CITATION, symbol="W", value=value, notes=notes
    )


@options_by_name
def friedman_rafsky_ks_test(
    x: object,
    y: object,
    *,
    null: Null | str = "permutation",
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Smirnov's test in any dimension: the points are ranked along the minimum spanning tree.

    H0: p = q. H1: p ≠ q. The tree is rooted at an end of a longest path and walked in height-directed preorder: at
    every point the lower subtrees are visited before the higher ones. The order of visits stands for the order of the
    line, and with the empirical distribution functions of the two samples along it the statistic is

    .. math:: D = \max_i \Big|\frac{\#\{x \text{ among the first } i\}}{m} -
              \frac{\#\{y \text{ among the first } i\}}{n}\Big|.

    In one dimension, without ties, this is the Kolmogorov-Smirnov statistic.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    null
        'permutation' (exact), or ``ts.Permutation(n=...)``.
    level
        The level of the test.
    rng
        Seed or generator, for relabelling and for breaking ties between distances.

    Returns
    -------
    TestResult
        With D as its statistic.

    Notes
    -----
    The tree takes O(N² d) time and O(N d) memory, all labellings together O(N R). Sensitive to shifts along the longest
    path of the tree and hardly to differences in scale; in high dimension it fails against a difference in variance
    (Section 8.1 of the paper). For one column use :func:`ks_test`, which knows what to do about ties.

    References
    ----------
    J. H. Friedman and L. C. Rafsky (1979): Multivariate generalizations of the Wald-Wolfowitz and Smirnov two-sample
    tests. Annals of Statistics 7, 697-717.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import friedman_rafsky_ks_test
    >>> rng = np.random.default_rng(0)
    >>> friedman_rafsky_ks_test(rng.normal(size=(60, 3)), rng.normal(1.5, size=(60, 3)), rng=1).rejected
    True
    """
    task = prepare(x, y, null, ("permutation",), level, rng)
    order = traversal_order(minimum_spanning_tree(task.z, task.rng))
    ranks = np.arange(task.total)
    law = replicate(task, task.permutation, lambda labels: largest_deviations(labels, order, ranks, task.m, task.n))
    name = "Friedman-Rafsky Kolmogorov-Smirnov test"
    return finish(task, task.permutation, law, test=name, citation=CITATION, symbol="D", value=float(law.values[0]))


def run_moments(tree: Tree, m: int, n: int) -> tuple[float, float]:
    """Mean and standard deviation of the number of runs over all labellings of this tree."""
    total, product = m + n, 2 * m * n
    shape = (tree.adjacent_pairs - total + 2) * (total * (total - 1) - 2 * product + 2)
    variance = product / (total * (total - 1)) * ((product - total) / total + shape / ((total - 2) * (total - 3)))
    return product / total + 1, sqrt(variance) if variance > 1e-12 else 0.0


def cross_edges(tree: Tree, labels: Counts) -> Floats:
    """``(R,)`` edges whose ends carry different labels, for all labellings at once."""
    total = np.zeros(labels.shape[1], dtype=np.int64)
    edges = tree.edges
    step = min(60_000, columns_at_once(labels.shape[1]))  # a column of that many bits adds up in 16 bits
    for start in range(0, len(edges), step):
        one, other = edges[start : start + step].T
        total += np.add.reduce(labels[one] ^ labels[other], axis=0, dtype=np.uint16)
    return total.astype(np.float64)
