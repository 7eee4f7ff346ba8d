"""Bickel's multivariate Smirnov test: the largest difference between two joint distribution functions."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.types import Counts, Floats
from ..errors import InputError, OptionError, options_by_name
from ..nulls import Null
from ..results import TestResult
from ._common import columns_at_once, finish, prepare, replicate

CITATION = "Bickel (1969): A distribution free version of the Smirnov two sample test in the p-variate case"

AT = ("auto", "everywhere", "points")
AUTO_WORK = 200_000_000
"""Up to so many cells of the lattice, over all labellings, 'auto' looks everywhere: some seconds."""

MOST_CELLS = 50_000_000
_BLOCK = 2_000_000

Ranks = NDArray[np.intp]


@options_by_name
def bickel_test(
    x: object,
    y: object,
    *,
    at: str = "auto",
    null: Null | str = "permutation",
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Smirnov's test in any dimension, by the joint distribution functions.

    H0: p = q. H1: p ≠ q. With :math:`F_x(t)` the share of rows of x at most t in every column, the statistic is

    .. math:: D = \sup_{t \in \mathbb R^d} |F_x(t) - F_y(t)|,

    and its law is that of all relabellings of the pooled rows, which is what makes it free of the distribution. In one
    column it is the statistic of :func:`ks_test`.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    at
        Where the functions are compared: 'everywhere' (on the lattice of all values of the columns, where the supremum
        is), at the pooled 'points' only, which costs far less and finds less, or 'auto': everywhere if that takes a
        few seconds at most. The notes say which. Either way the test is exact.
    null
        'permutation' (exact), or ``ts.Permutation(n=...)``.
    level
        The level of the test.
    rng
        Seed or generator, for relabelling.

    Returns
    -------
    TestResult
        With D as its statistic.

    Notes
    -----
    O(N^d) time for each labelling everywhere, O(N²) at the points. Only the order within each column matters: units
    do not, nor do increasing maps of single columns, and ties are no trouble. But directions do: turning a column round
    changes D, because only lower orthants are looked at. Not for many columns, of which hardly any point is below
    another in all: then D cannot vary and p is near 1. Up to three columns, and for differences in location; otherwise
    :func:`twosample.mmd_test`.

    References
    ----------
    P. J. Bickel (1969): A distribution free version of the Smirnov two sample test in the p-variate case. Annals of
    Mathematical Statistics 40, 1-23.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(80, 2))
    >>> y = rng.multivariate_normal([0, 0], [[1, -0.9], [-0.9, 1]], size=80)  # the same margins
    >>> ts.rivals.bickel_test(x, y, null=ts.Permutation(n=199), rng=0).rejected
    True
    """
    if not isinstance(at, str) or at not in AT:
        raise OptionError(f"at={at!r} must be 'auto', 'everywhere' or 'points'.")
    task = prepare(x, y, null, ("permutation",), level, rng)
    ranks = _ranks(np.concatenate([door.points(x, "x"), door.points(y, "y")]))  # as given: only the order matters
    cells = prod((ranks.max(axis=0) + 1).tolist())
    everywhere = at == "everywhere" or (at == "auto" and cells * (task.permutation.n + 1) <= AUTO_WORK)
    if everywhere and cells > MOST_CELLS:
        raise InputError(
            f"x and y have {cells:.3g} combinations of values of their columns, too many to look at. Use at='points'."
        )
    suprema = _on_the_lattice if everywhere else _at_the_points
    law = replicate(task, task.permutation, lambda labels: suprema(labels, ranks, task.m, task.n))
    where = f"all {cells:,} combinations of values of the columns" if everywhere else "the pooled points only"
    return finish(
        task, task.permutation, law, test="Bickel's multivariate Smirnov test", citation=CITATION, symbol="D",
        value=float(law.values[0]), notes=(f"The distribution functions were compared at {where}.",),
    )  # fmt: skip


def _ranks(z: Floats) -> Ranks:
    """``(N, d)`` the place of each value among the different ones of its column."""
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in z.T])


def _on_the_lattice(labels: Counts, ranks: Ranks, m: int, n: int) -> Floats:
    """``(R,)`` the largest difference over all combinations of values: running sums along every column."""
    shape = tuple((ranks.max(axis=0) + 1).tolist())
    cells, place = np.unique(np.ravel_multi_index(tuple(ranks.T), shape), return_inverse=True)
    values = np.empty(labels.shape[1])
    width = columns_at_once(prod(shape))
    for start in range(0, labels.shape[1], width):
        steps = _steps(labels[:, start : start + width], m, n)
        sums = np.zeros((steps.shape[1], len(cells)), dtype=np.int64)
        np.add.at(sums.T, place, steps)
        heights = np.zeros((steps.shape[1], prod(shape)), dtype=np.int32 if m * n < 2**31 else np.int64)
        heights[:, cells] = sums
        heights = heights.reshape(-1, *shape)
        for axis in range(1, heights.ndim):
            np.cumsum(heights, axis=axis, dtype=heights.dtype, out=heights)
        flat = heights.reshape(len(heights), -1)
        values[start : start + width] = np.maximum(flat.max(axis=1), -flat.min(axis=1))
    return values / (m * n)


def _at_the_points(labels: Counts, ranks: Ranks, m: int, n: int) -> Floats:
    """``(R,)`` the largest difference over the pooled points, from the matrix that says which is below which."""
    steps = _steps(labels, m, n).astype(np.float64)  # whole numbers below 2**53: exact
    values = np.zeros(labels.shape[1])
    points = np.unique(ranks, axis=0)
    width = max(1, _BLOCK // max(len(ranks), labels.shape[1]))
    for start in range(0, len(points), width):
        part = points[start : start + width]
        below = np.ones((len(part), len(ranks)), dtype=bool)
        for column in range(ranks.shape[1]):
            below &= ranks[:, column] <= part[:, column, None]
        np.maximum(values, np.abs(below.astype(np.float64) @ steps).max(axis=0), out=values)
    return values / (m * n)


def _steps(labels: Counts, m: int, n: int) -> NDArray[np.int64]:
    """``(N, R)`` by how much each row lifts mn (F_x - F_y): n if it is in x, -m if not."""
    return np.asarray(labels.astype(np.int64) * (m + n) - m)
