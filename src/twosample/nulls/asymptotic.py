"""Nulls that approximate the law of the statistic: spectrum, Pearson curves, gamma, normal."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar

import numpy as np

from ..core.centred import Centred
from ..core.laws import ContinuousLaw, Distribution, GammaLaw, Limit, NormalLaw, PointLaw
from ..core.observed import Observed
from ..core.pvalue import Law
from ..core.types import Floats
from ..errors import OptionError
from ..kernels import Kernel
from .base import Null


@dataclass(frozen=True)
class _LimitNull(Null):
    """A law of a quadratic form under H0, from the moments or eigenvalues of the centred kernel."""

    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased", "paired", "hsic"})
    asks: ClassVar[str] = "eigenvalues"

    def law(self, observed: Observed) -> Law:
        limit = observed.limit(self.name)
        law = self._distribution(limit) if limit.point is None else PointLaw(limit.point)
        return ContinuousLaw(law, observed.least, limit.root)

    @abstractmethod
    def _distribution(self, limit: Limit) -> Distribution:
        """The law of the quadratic form when it is not degenerate."""


@dataclass(frozen=True)
class Spectrum(_LimitNull):
    r"""The limit law itself: a weighted sum of chi-squares with the eigenvalues of the centred kernel.

    Theorem 'Asymptotic distribution': :math:`\sum_l \lambda_l(z_l^2 - 2)` with :math:`z_l \sim N(0,2)`; for any m and n
    :math:`\sum_l c\,\lambda_l (\chi^2_{1l} - 1)`, where c makes the variance exact. The tail is computed by numerical
    inversion, not by simulation. Eigenvalues are those of the U-centred pooled matrix, which keeps the law right in
    high dimension too. O(N³) up to 2000 points, beyond that the shape is taken from a random 2000 of the pool and
    the variance from all.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(1).normal(size=(60, 2))
    >>> ts.mmd_test(x, x + 1, null="spectrum").rejected
    True
    """

    name = "spectrum"

    def _distribution(self, limit: Limit) -> Distribution:
        return limit.distribution()


@dataclass(frozen=True)
class Pearson(_LimitNull):
    r"""A Pearson curve through the first moments of the statistic under H0: MMD²_u M of the paper.

    Mean, variance and third moment are those of the appendix, for any m and n. The fourth is by default the paper's
    substitute, :math:`\mathrm{kurt} = \mathrm{skew}^2 + 1` (kurtosis as the excess, as its footnote defines it), or the
    one that the eigenvalues imply, or what the authors' published code has. O(N³) by one matrix product up to 2000
    points (from a random 2000 beyond).

    Parameters
    ----------
    kurtosis
        'bound' for the paper's substitute, 'spectrum' for the fourth moment of the limit law, 'published' for
        :math:`2(\mathrm{skew}^2 + 1)`, not the excess, as in code that the paper's authors have published.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(1).normal(size=(60, 2))
    >>> ts.mmd_test(x, x + 1, null=ts.Pearson(kurtosis="spectrum")).rejected
    True
    """

    kurtosis: str = "bound"
    name = "pearson"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased", "paired"})

    def __post_init__(self) -> None:
        if not isinstance(self.kurtosis, str) or self.kurtosis not in ("bound", "spectrum", "published"):
            raise OptionError(f"Pearson: kurtosis={self.kurtosis!r} must be 'bound', 'spectrum' or 'published'.")

    def _distribution(self, limit: Limit) -> Distribution:
        from ..core.pearson import fit_pearson

        variance = limit.variance
        deviation = float(np.sqrt(variance))
        skewness = limit.third_moment() / variance / deviation
        if self.kurtosis == "bound":
            kurtosis = skewness**2 + 4
        elif self.kurtosis == "published":
            kurtosis = 2 * (skewness**2 + 1)
        else:
            squares = limit.weights() ** 2
            shares = squares / squares.sum()
            kurtosis = 3 + 12 * float(shares @ shares)
            kurtosis = max(kurtosis, skewness**2 + 1.05)
        return fit_pearson(limit.mean, variance, skewness, kurtosis)


@dataclass(frozen=True)
class Gamma(_LimitNull):
    r"""A gamma law with the mean and the variance of the biased statistic, moved to the mean of this one.

    The two-moment approximation: :math:`\mathrm{MMD}_b^2` has mean :math:`(1/m+1/n)E[k(z,z)-k(z,z')]` under H0. O(N²),
    the cheapest of the approximate nulls, and the roughest far out in the tail.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(1).normal(size=(60, 2))
    >>> ts.mmd_test(x, x + 1, null="gamma").rejected
    True
    """

    name = "gamma"
    asks: ClassVar[str] = "moments"

    def _distribution(self, limit: Limit) -> Distribution:
        deviation = float(np.sqrt(limit.variance))
        return GammaLaw(limit.biased_mean, deviation, shift=limit.mean - limit.biased_mean)


@dataclass(frozen=True)
class Normal(Null):
    r"""The central limit theorem for averages: MMD²_l of Section 6 and the block statistic.

    :math:`\mathrm{MMD}^2_l / (s/\sqrt{B})` against N(0,1), with the standard deviation s of the B terms
    (Corollary 'linearstat'). O(N). Needs some tens of terms; with fewer, or with terms that are almost all 0, use
    ``null="permutation"``.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(1).normal(size=(600, 2))
    >>> ts.mmd_test(x, x + 1, statistic="linear", null="normal").rejected
    True
    """

    name = "normal"
    statistics: ClassVar[frozenset[str]] = frozenset({"linear", "block"})
    asks: ClassVar[str] = "error"

    def law(self, observed: Observed) -> Law:
        if observed.error is None:  # nothing is known of its spread, so nothing can be said
            return ContinuousLaw(PointLaw(max(observed.value, 0.0)), 1.0)
        if observed.error <= observed.tolerance:
            return ContinuousLaw(PointLaw(observed.tolerance), observed.least)
        return ContinuousLaw(NormalLaw(0.0, observed.error), observed.least)

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        if observed.terms >= 30:
            return ()
        remedy = "prefer null='permutation'" if observed.rows else "wait for more rows"
        return (f"The normal law needs many terms and there are only {observed.terms}; {remedy}.",)


def rows_that_count(centred: Centred, rows: int, kernel: Kernel, z: Floats) -> float:
    r"""On how many rows of the smaller sample the limit law rests, at least.

    That is :math:`\min(m,n)\sqrt{E\tilde k^2}/\max\tilde k` with the centred kernel :math:`\tilde k`. If all rows are
    alike but for a share p of them, it is half to all of the :math:`p\min(m,n)` that differ: the expected count
    in the old rule for chi-square tests. The limit law leaves out moments of single pairs of rows, such as
    :math:`E\tilde k^3 \le \max\tilde k\,E\tilde k^2`, which can add :math:`\sqrt2` over this number to the skewness of
    MMD²; and where MMD² moves in steps, p-values miss half a step, about one over the root of this number.
    The largest :math:`\tilde k(z,z) = k(z,z) - 2E_{z'}k(z,z') + E k` is bounded by what is known of the kernel. `rows`
    are those of the smaller sample.
    """
    if centred.degenerate:  # nothing varies: p is 1 by any law
        return inf
    low, high = kernel.bounds or (-inf, inf)
    diagonal = np.array([high]) if high < inf else kernel.diagonal(z)
    high = float(diagonal.max())
    mean = max(0.0, float(diagonal.mean()) - centred.spread)  # of k(z, z'), or more
    largest = high + mean + 2 * max(0.0, min(-low, sqrt(high * mean)))
    return rows * sqrt(max(centred.square, 0.0)) / largest
