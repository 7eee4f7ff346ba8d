"""The L1 partition test of Biau and Györfi."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, log1p, pi, sqrt

import numpy as np

from .. import _door as door
from ..core.laws import ContinuousLaw, NormalLaw
from ..core.types import Counts, Floats
from ..errors import InputError, OptionError, options_by_name, whole_number
from ..nulls import Null, Stated
from ..results import TestResult
from ._common import ApproximatelyNormal, LargeDeviation, columns_at_once, finish, judge, prepare
from ._tree import Indices

CITATION = "Biau and Györfi (2005): On the asymptotic properties of a nonparametric L1-test statistic of homogeneity"

BERRY_ESSEEN = 0.7655  # the constant of the authors' correction for finite cells


@options_by_name
def biau_gyorfi_test(
    x: object,
    y: object,
    *,
    null: Null | str = "normal",
    grid: str = "quantile",
    cells: int | None = None,
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""L1 distance between two histograms on a grid, for low dimensions (Biau and Györfi 2005).

    H0: p = q. H1: p ≠ q. With the shares :math:`\mu_m, \nu_n` of x and y in each of the K cells of the grid,

    .. math:: T = \sum_{j=1}^K |\mu_m(A_j) - \nu_n(A_j)| \in [0, 2].

    The grid cuts every column into :math:`\lfloor\min(m,n)^{1/(d+2)}\rfloor` parts, and at least two; so K/n → 0 and
    the grid gets finer, as the theory asks.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same few columns. Never modified.
    null
        'normal': rejects if :math:`T > \sqrt{2/\pi}\sqrt{K(1/m+1/n)} + CK/\min(m,n) +
        \sqrt{(1-2/\pi)(1/m+1/n)}\,\Phi^{-1}(1-\alpha)` with C = 0.7655: the authors' test, whose asymptotic level is at
        most α; for m = n the constants are theirs, :math:`2/\sqrt\pi` and :math:`\sigma^2 = 2(1-2/\pi)`.
        'bound': distribution-free at every sample size. T is twice the largest of the :math:`2^K - 2` differences
        between the shares of a union of cells, and with Hoeffding's bound (Serfling's, because cells from the pool make
        the x a draw without replacement) :math:`P(T > t) \le (2^K-2)\exp(-\frac{mn}{2N}\frac{M}{M+1} t^2)`,
        M = max(m, n). The authors' strongly consistent test, :math:`T > c\sqrt{K/n}` with c > 2√(ln 2), is this bound
        with a level that shrinks with n.
        'permutation' (or ``ts.Permutation(n=...)``): exact, and the most powerful of the three.
    grid
        'quantile': cuts at quantiles of the pooled sample, and K counts the cells that hold a point. 'equal-width':
        cuts the range of the pooled sample into parts of the same width, and K counts all cells. That is the paper's
        grid, by its numbers: its text does not say. Empty cells raise the threshold and change no T, and a column with
        far outliers falls into one cell: prefer 'quantile' but for repeating the paper.
    cells
        Parts per column, instead of the rule.
    level
        The level of the test.
    rng
        Seed or generator; used only by 'permutation'.

    Returns
    -------
    TestResult
        With T as its statistic; the notes give the grid.

    Raises
    ------
    InputError
        When there are so many columns that even a coarse grid has more cells than points.

    Notes
    -----
    O(N d log N), and O(N R) for R labellings. The number of cells is exponential in d: beyond about five columns use
    :func:`twosample.mmd_test`. 'normal' and 'bound' are conservative, 'bound' very.

    References
    ----------
    G. Biau and L. Györfi (2005): On the asymptotic properties of a nonparametric L1-test statistic of homogeneity. IEEE
    Transactions on Information Theory 51, 3965-3973.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import biau_gyorfi_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(300, 2)), rng.normal(1.0, size=(300, 2))
    >>> biau_gyorfi_test(x, y).rejected, biau_gyorfi_test(x, y, null="bound").rejected
    (True, True)
    """
    if not isinstance(grid, str) or grid not in CUTS:
        raise OptionError(f"grid={grid!r} is not known: say 'quantile' or 'equal-width' (the paper's).")
    task = prepare(x, y, null, ("normal", "bound", "permutation"), level, rng)
    m, n = task.m, task.n
    parts = _parts(cells, m, n, task.z.shape[1])
    order, starts = cells_of(task.z, parts, CUTS[grid])
    K = len(starts) if grid == "quantile" else parts ** task.z.shape[1]

    def distances(labels: Counts) -> Floats:
        return histogram_distances(labels, order, starts, m, n)

    def stated() -> Stated:
        if task.null == "bound":
            return LargeDeviation(UnionBound(K, m, n))
        mean = sqrt(2 / pi * K * (1 / m + 1 / n)) + BERRY_ESSEEN * K / min(m, n)
        normal = NormalLaw(mean, sqrt((1 - 2 / pi) * (1 / m + 1 / n)))
        return ApproximatelyNormal(ContinuousLaw(normal, task.least))

    chosen, law, value = judge(task, distances, stated)
    where = "at pooled quantiles" if grid == "quantile" else f"of equal width, {K} cells in all"
    notes = (f"Grid of {parts} parts per column {where}; {len(starts)} cells hold points.",)
    return finish(
        task, chosen, law, test="Biau-Györfi L1 test", citation=CITATION, symbol="T", value=value, notes=notes
    )


@dataclass(frozen=True)
class UnionBound:
    """``P(T > t) <= (2^K - 2) exp(-rate t²)`` read both ways."""

    cells: int
    m: int
    n: int

    @property
    def sets(self) -> float:
        """Logarithm of the number of unions of cells that are neither empty nor everything."""
        return self.cells * log(2) + log1p(-(2.0 ** (1 - self.cells))) if self.cells > 1 else 0.0

    @property
    def rate(self) -> float:
        """The constant in the exponent."""
        m, n = self.m, self.n
        return m * n / (2 * (m + n)) * max(m, n) / (max(m, n) + 1)

    @property
    def least(self) -> float:
        """The bound at the largest value of T, which is 2."""
        return self.pvalue(2.0)

    def pvalue(self, t: float) -> float:
        """The bound at t."""
        return exp(min(0.0, max(self.sets - self.rate * t * t, log(1e-300))))

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        return sqrt((self.sets + log(1 / level)) / self.rate)


def _quantile_cuts(column: Floats, parts: int) -> Floats:
    """``(parts - 1,)`` values of the column that split it into parts of about as many points."""
    return np.sort(column)[(np.arange(1, parts) * len(column)) // parts]


def _even_cuts(column: Floats, parts: int) -> Floats:
    """``(parts - 1,)`` values that split the range of the column into parts of the same width."""
    return np.linspace(column.min(), column.max(), parts + 1)[1:-1]


CUTS: dict[str, Callable[[Floats, int], Floats]] = {"quantile": _quantile_cuts, "equal-width": _even_cuts}


def cells_of(z: Floats, parts: int, cuts: Callable[[Floats, int], Floats]) -> tuple[Indices, Indices]:
    """The points in the order of their cells, and where each cell that holds a point begins."""
    cell = np.zeros(len(z), dtype=np.int64)
    for column in z.T:
        cell = cell * parts + np.searchsorted(cuts(column, parts), column, side="right")
    order = np.argsort(cell, kind="stable")
    return order, np.flatnonzero(np.diff(cell[order], prepend=-1))


def histogram_distances(labels: Counts, order: Indices, starts: Indices, m: int, n: int) -> Floats:
    """``(R,)`` the L1 distances between the histograms of x and y."""
    values = np.empty(labels.shape[1])
    sizes = np.diff(starts, append=len(order))[:, None]  # (K, 1)
    width = columns_at_once(len(order))
    for start in range(0, len(values), width):
        block = slice(start, start + width)
        counts = np.add.reduceat(labels[order, block], starts, axis=0, dtype=np.int64)  # (K, R) of x
        values[block] = np.abs(counts * (m + n) - sizes * m).sum(axis=0)
    return values / (m * n)


def _parts(cells: int | None, m: int, n: int, d: int) -> int:
    parts = max(2, int(min(m, n) ** (1 / (d + 2)) + 1e-9)) if cells is None else whole_number("cells", cells, least=2)
    if d * log(parts) > log(m + n):
        raise InputError(
            f"x and y have {d} columns: a grid with {parts} parts per column has {parts}^{d} cells for only {m + n} "
            "points, and a histogram says nothing then. Test fewer columns or a projection, "
            f"{'give fewer cells, ' if parts > 2 else ''}or use a test without a grid, such as mmd_test or "
            "friedman_rafsky_runs_test."
        )
    return parts
