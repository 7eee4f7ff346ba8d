"""The statistics that look at every pair of points, and what they say about themselves to a null distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import lgamma, log, sqrt
from typing import ClassVar

import numpy as np

from ..core.centred import Centred
from ..core.laws import Limit
from ..core.observed import Observed, Resampler
from ..core.pvalue import Law, ReplicateLaw
from ..core.sums import BlockSums, QuadraticForm
from ..core.types import Floats
from ..errors import InputError


@dataclass(frozen=True)
class QuadraticStatistic(ABC):
    """An estimate of MMD or MMD² from all pairs, O(N²)."""

    symbol: ClassVar[str]
    """How results write it."""

    root: ClassVar[bool] = False
    """Whether the statistic is the square root of its quadratic form."""

    pairwise: ClassVar[bool] = False
    """Whether x_i and y_i belong together, so that only swaps within pairs leave the statistic comparable."""

    @abstractmethod
    def form(self, m: int, n: int) -> QuadraticForm:
        """The coefficients at these sample sizes."""

    def least_pvalue(self, m: int, n: int) -> float:
        """The smallest p-value of relabelling: swapping all of x and y leaves the statistic as it is when m = n."""
        if self.pairwise:
            return 2.0 ** (1 - m)
        return smallest_pvalue(m, n) * (2 if m == n else 1)

    def law(self, squares: Floats, tolerance: float, exhaustive: bool = False, floor: float = 0.0) -> ReplicateLaw:
        """The law over resamples, from values of the quadratic form and their rounding error, the truth first.

        A tie in the square is a tie in the root, and rounding has the root 0.
        """
        if self.root:
            squares = np.where(squares <= 1e-3 * tolerance, 0.0, squares)
            first = max(float(squares[0]), 0.0)
            tolerance = sqrt(first) - sqrt(max(first - tolerance, 0.0))
            squares = np.sqrt(squares)
        return ReplicateLaw(squares, tolerance, exhaustive, floor)


@dataclass(frozen=True)
class Biased(QuadraticStatistic):
    r"""MMD_b of Equation 'mmd-e-rkhs': the distance between the two mean embeddings, all pairs included.

    Never negative, biased upwards by at most :math:`\sqrt{K(1/m+1/n)}` under H0. It estimates MMD, not MMD².

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd([0.0, 1.0], [0.0, 1.0], kernel=ts.Gaussian(1.0), statistic=ts.Biased())
    0.0
    """

    symbol = "MMD_b"
    root = True

    def form(self, m: int, n: int) -> QuadraticForm:
        return QuadraticForm(m, n, 1 / m**2, 1 / (m * n), 1 / n**2, 1 / m**2, 1 / n**2)


@dataclass(frozen=True)
class Unbiased(QuadraticStatistic):
    r"""MMD²_u in its minimum-variance form, for any m and n.

    .. math::

        \frac{1}{m(m-1)}\sum_{i\ne j}k(x_i,x_j) - \frac{2}{mn}\sum_{i,j}k(x_i,y_j)
        + \frac{1}{n(n-1)}\sum_{i\ne j}k(y_i,y_j)

    The two-sample U-statistic that the paper calls the minimum variance estimate after Lemma 'rkhs-mmd'; it differs
    from the paper's one-sample U-statistic (:class:`Paired`) by keeping the terms k(x_i, y_i). Negative values are
    possible and harmless: it is unbiased for a quantity that is 0 under H0.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd([0.0, 1.0], [0.0, 1.0], kernel=ts.Gaussian(1.0), statistic=ts.Unbiased()) < 0
    True
    """

    symbol = "MMD²_u"

    def form(self, m: int, n: int) -> QuadraticForm:
        return QuadraticForm(m, n, 1 / (m * (m - 1)), 1 / (m * n), 1 / (n * (n - 1)))


@dataclass(frozen=True)
class Paired(QuadraticStatistic):
    r"""MMD²_u exactly as in Equation 'mmd-e-rkhs-unbiased': the one-sample U-statistic of the pairs z_i = (x_i, y_i).

    Needs m = n and leaves the terms k(x_i, y_i) out. Its permutation null swaps x_i and y_i within pairs, which is
    exact also for paired data (before and after). Without pairing prefer :class:`Unbiased`.

    Examples
    --------
    >>> import twosample as ts
    >>> round(ts.mmd([0.0, 2.0], [1.0, 3.0], kernel=ts.Linear(), statistic=ts.Paired()), 6)
    1.0
    """

    symbol = "MMD²_u (paired)"
    pairwise = True

    def form(self, m: int, n: int) -> QuadraticForm:
        if m != n:
            raise InputError(
                f"statistic='paired' takes x_i and y_i as pairs and needs as many rows in x ({m}) as in y ({n}). "
                "Use statistic='unbiased' for samples of different sizes."
            )
        a = 1 / (m * (m - 1))
        return QuadraticForm(m, n, a, a, a, skips_pairs=True)


@dataclass(frozen=True, eq=False)
class ObservedSums(Observed):
    """A quadratic statistic of block sums, for nulls to ask."""

    statistic: QuadraticStatistic  # biased or unbiased
    sums: BlockSums  # the observed block sums first, then those of resamples, if the null wants any
    centred: Callable[[], Centred] | None = None
    """Gives the centred kernel of the pool, for nulls that take the limit law; None if it is not known."""
    exhaustive: bool = False  # whether the sums stand for every labelling there is

    @cached_property
    def m(self) -> int:
        """Rows of the first sample."""
        return self.sums.m

    @cached_property
    def n(self) -> int:
        """Rows of the second sample."""
        return self.sums.n

    @cached_property
    def form(self) -> QuadraticForm:
        """The statistic as a quadratic form."""
        return self.statistic.form(self.m, self.n)

    @cached_property
    def squares(self) -> Floats:
        """``(R,)`` values of the form, the observed one first."""
        return self.form.value(self.sums)

    @cached_property
    def _law(self) -> ReplicateLaw:
        return self.statistic.law(self.squares, self.form.tolerance(self.sums), self.exhaustive)

    @property
    def values(self) -> Floats:
        """``(R,)`` values of the statistic, the observed one first."""
        return self._law.values

    @property
    def value(self) -> float:
        return float(self.values[0])

    @property
    def tolerance(self) -> float:
        """Rounding error of the statistic."""
        return self._law.tolerance

    @cached_property
    def least(self) -> float:
        """By the statistic."""
        return self.statistic.least_pvalue(self.m, self.n)

    def resampled(self, null: Resampler) -> Law:
        return replace(self._law, floor=null.floor(self))

    def limit(self, null: str) -> Limit:
        if self.centred is None:
            raise self.refused(null)
        return self.form.limit(
            self.centred(), float(self.squares[0]), self.form.tolerance(self.sums), self.statistic.root
        )


def smallest_pvalue(m: int, n: int) -> float:
    """One over the number of labellings, ``1 / C(m+n, m)``: no valid test can honestly report less.

    Approximate laws are cut off here, so that they never report 0.
    """
    logarithm = lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1)
    return float(np.exp(max(logarithm, log(1e-300))))
