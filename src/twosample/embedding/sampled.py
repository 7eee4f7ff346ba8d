r"""Rows with weights of a design: one over the chance with which a row was taken. They stay where they are.

H0: the weighted distributions are the same, however rows were selected. Weights and rows may then go together in one
sample and not in the other, so that relabelling is wrong; the wild bootstrap with independent normal weights of mean 0
is right for large samples. Given the rows, its resamples are lengths of normal vectors, so that none has to be drawn.

Strata are standardised: both samples get one mix, so that what differs is what all strata share. Variances are those of
whole samples, to which differences between strata belong: too large, if anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.laws import ContinuousLaw, Distribution
from ..core.pvalue import Law
from ..core.strata import Strata
from ..core.types import Floats
from ..nulls import Null, WildBootstrap
from ..statistics import smallest_pvalue
from .alternative import three_moments
from .designs import ENOUGH, Design, Rows, Shares, by_worth, effective, kish
from .stratified import error_shares


@dataclass(frozen=True, eq=False)
class SampledDesign(Design):
    """Rows that were taken with known chances."""

    given: Floats  # (N,) one over these chances, up to a factor for each sample
    strata: Strata | None = None  # whose mix may differ

    def part(self, kept: Rows) -> SampledDesign:
        m = int(kept[: self.m].sum())
        strata = None if self.strata is None else self.strata.part(kept)
        return SampledDesign(m, int(kept.sum()) - m, self.given[kept], strata)

    @property
    def mix(self) -> tuple[Floats, Floats]:
        """``(S,)`` of either sample: what the rows of each stratum are worth, their share of Kish's size."""
        assert self.strata is not None
        places, count = self.strata.of_row, len(self.strata.names)
        found = []
        for part in self._parts:
            w = self.given[part]
            sums = np.bincount(places[part], w, minlength=count).astype(np.float64)
            found.append(sums * (kish(w) / max(float(w.sum()), 1e-300)))
        return found[0], found[1]

    @cached_property
    def weights(self) -> Floats:
        r"""``(N,)`` the weights with which each stratum has the share :math:`h_s/\sum_t h_t` in both samples.

        As in the statistic of strata, :math:`h_s = m_s n_s/(m_s + n_s)`, with what rows are worth for m and n, so that
        no row weighs much that few stand for; 0 where only one sample has rows.
        """
        if self.strata is None:
            return self.given
        x, y = self.mix
        h = x * y / np.where(x + y > 0, x + y, 1.0)
        factors = (h / np.where(own > 0, own, np.inf) for own in (x, y))
        return np.concatenate([
            self.given[part] * factor[self.strata.of_row[part]]
            for part, factor in zip(self._parts, factors, strict=True)
        ])  # fmt: skip

    @property
    def comparable(self) -> bool:
        """Whether samples are worth enough for a law of large ones."""
        return min(effective(self.weights[part]) for part in self._parts) >= ENOUGH

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        r""":math:`\|\bar x - \bar y\|^2` of weighted means less its mean under H0, and the law of that.

        With shares p of the weight, e what is left of features when the weighted mean of their sample is taken away,
        the means have the covariance :math:`A = \sum s^2ee'` over both samples, where s is p times a factor for the
        mean that was estimated (:func:`error_shares`); the statistic is
        :math:`\|\bar x - \bar y\|^2 - \mathrm{tr}\,A`, and :math:`\sum_l \lambda_l(\chi^2_l - 1)` with the eigenvalues
        of A under H0: the gamma law through three moments, without the diagonal.

        Of this law and that of :func:`one_covariance` the one with the larger p-value is taken.
        """
        means, left = zip(*(self._left(features, part) for part in self._parts), strict=True)
        delta, sizes = means[0] - means[1], self.worth(features)[1]
        rows = np.array(sizes, dtype=np.float64)
        free = 1 / rows
        welch = float(free.sum()) ** 2 / float(free**2 @ (1 / np.maximum(rows - 1.0, 1.0)))
        laws = [_law(np.concatenate([error_shares(p)[:, None] * e for p, e in left]), welch, sizes)]
        laws.append(one_covariance(left, sizes))
        square = float(delta @ delta)
        trace, law = max(laws, key=lambda own: own[1].pvalue(square - own[0]))
        return square - trace, law, WildBootstrap(memory=0.0, n=count)

    @property
    def _parts(self) -> tuple[slice, slice]:
        return slice(0, self.m), slice(self.m, self.m + self.n)

    def _left(self, features: Floats, part: slice) -> tuple[Floats, tuple[Floats, Floats]]:
        """The weighted mean of a sample; shares of its weight, and what is left of its rows."""
        p = self.weights[part] / self.weights[part].sum()
        mean = p @ features[part]
        return mean, (p, features[part] - mean)

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Kish's effective sizes."""
        x, y = (effective(self.weights[part]) for part in self._parts)
        return self.weights, (x, y)

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """By Student's law, with the variance of weighted shares."""
        from scipy.special import stdtr

        (a, left), (b, right) = (self._left(holds, part) for part in self._parts)
        variance = np.sum([error_shares(p) ** 2 @ e**2 for p, e in (left, right)], axis=0)
        t = np.abs(a - b) / np.sqrt(np.where(variance > 1e-30, variance, np.inf))
        sizes = self.worth(holds)[1]
        degrees = max(min(sizes) - 1, 1)
        pvalues = np.clip(2 * stdtr(degrees, -t), 1e-300, 1.0)
        return by_worth((a, b), pvalues, sizes)


def one_covariance(left: Sequence[tuple[Floats, Floats]], sizes: tuple[int, int]) -> tuple[float, Law]:
    """The trace of the covariance of the difference of means, if both samples have one, and the law of the statistic.

    A sample of few rows may have hardly any of those that are seldom (amounts that are mostly 0), and a covariance of
    its own is then far too small. If weights say nothing of values, that of the difference is
    :math:`(1/n_x + 1/n_y)C` with effective sizes n and one C for both, which the larger sample knows well.

    `left` has of either sample its shares of weight, and what is left of its rows without their weighted mean; `sizes`
    are what either is worth in independent rows of equal weight.
    """
    rows = np.array(sizes, dtype=np.float64)
    degrees = max(float(rows.sum()) - 2, 1.0)
    scale = float((1 / rows).sum()) / degrees
    a = [np.sqrt(p * size * scale)[:, None] * e for (p, e), size in zip(left, rows, strict=True)]
    return _law(np.concatenate(a), degrees, sizes)


def _law(a: Floats, degrees: float, sizes: tuple[int, int]) -> tuple[float, Law]:
    """The trace of :math:`A = a'a`, known with so many degrees of freedom, and the law of the statistic under H0."""
    own = np.einsum("ij,ij->i", a, a)
    A, trace = a.T @ a, float(own.sum())
    square = max(float((A**2).sum()) - float(own @ own), 0.0)
    cube = float(np.vdot(A @ A, A)) - 3 * float(own @ np.einsum("ij,ij->i", a @ A, a)) + 2 * float((own**3).sum())
    cube = min(max(cube, 0.0), square**1.5)
    return trace, ContinuousLaw(_estimated(trace, square, cube, degrees), smallest_pvalue(*sizes))


def _estimated(trace: float, square: float, cube: float, degrees: float) -> Distribution:
    r"""The law of :math:`Q\nu/\chi^2_\nu - \mathrm{tr}\,A` for :math:`Q = \sum_l \lambda_l\chi^2_l`.

    A is an estimate, and Q is to be as wide as F is beside chi-square: with the degrees of freedom of a variance, times
    the number of equal directions that would have the skewness of Q, as :func:`twosample.nulls.memory.studentised` has
    it.
    """
    if not square > 0:
        return three_moments(0.0, 0.0, 0.0)
    nu = max(degrees * max(1.0, square**3 / max(cube, 1e-9 * square**1.5) ** 2), 8.0)
    first = nu / (nu - 2)
    second = first * nu / (nu - 4)
    third = second * nu / (nu - 6)
    raw = [trace, 2 * square + trace**2, 8 * cube + 6 * square * trace + trace**3]  # moments of Q
    mean, two, three = raw[0] * first, raw[1] * second, raw[2] * third
    return three_moments(mean - trace, two - mean**2, three - 3 * mean * two + 2 * mean**3)
