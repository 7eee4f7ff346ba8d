"""From embedded samples to statistic, p-value, effect with interval; and which null distribution, by one rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..core.adjust import holm
from ..core.labellings import Labellings, relabellings
from ..core.laws import ContinuousLaw
from ..core.pvalue import Law
from ..core.types import Floats
from ..nulls import Null, Permutation, Spectrum, is_cheap
from ..nulls.permutation import ENOUGH
from ..statistics import smallest_pvalue
from .alternative import Effect, EmbeddedMoments, cumulants, effect, effect_by, three_moments
from .pair import Embedded, rows_behind_limit

_FINE = 2.0  # a permutation p-value can reach this part of what the smallest adjusted one needs
_COUNTS = 1_000_000  # points times resamples up to which these are drawn as counts
_ROWS = 10**9  # rows from which on they cannot be
_SMALL = 0.02  # p-values that may matter once they are adjusted

LIMIT_ROWS = 50.0
"""On how many rows the limit law of a narrow kernel must rest where rows cannot be relabelled; else it is left out.

Less than for other tests, as it is one of several: docs/compare.md has the levels. See :func:`rows_behind_limit`.
"""


NARROW = 7
"""How many times the part of the level of a narrow kernel is that of the wide one."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The outcome of one test."""

    statistic: float  # MMD²_u and its p-value
    pvalue: float
    effect: Effect  # the effect size with its interval
    null: Null  # what was asked for the null distribution
    law: Law  # what the p-value comes from; by moments where :meth:`Judge.screened` or a design says so
    m: int  # rows
    n: int
    measured: int | None = None  # rows of the smaller sample that the effect rests on, where the test has more

    def rows_needed(self, margin: float, groups: int = 0) -> int | None:
        """About how many rows in each sample would show that the effect is within the margin; None if none would.

        If it may be 0, as if it were 0; else as if it were what it seems. Where rows depend on each other within
        groups, the number of groups, from that of the sample with fewer.
        """
        value = self.effect.value if self.effect.low > 0 else 0.0
        room = margin - value
        if room <= 0.1 * margin or self.effect.high >= 1:
            return None
        return round((groups or self.measured or min(self.m, self.n)) * ((self.effect.high - value) / room) ** 2)


@dataclass(eq=False)
class Judge:
    """How tests are made, the same for all of a comparison."""

    level: float  # the level of the comparison
    tests: int  # how many tests of columns there are: p-values must be able to become so much smaller than the level
    rng: np.random.Generator  # draws the resamples; samples of the same sizes share theirs
    _drawn: dict[tuple[int, int], Labellings] = field(default_factory=dict)

    def __call__(self, pair: Embedded, joint: bool = False) -> Judged:
        """Test two samples, and measure the effect."""
        null, labels = self._null_for(pair, joint)
        return judged(pair, null, self.level, labels)

    def _null_for(self, pair: Embedded, joint: bool = False) -> tuple[Null, Labellings | Floats | None]:
        """The null distribution of two samples, and their resamples if it takes any. By the pooled rows alone.

        Relabelling where it is cheap and its p-values are fine enough, else the limit law; but where that would rest
        on a few rows (:mod:`twosample.nulls.permutation`) and points are few, relabelling again, drawn as counts.
        """
        null = self.null(pair.m + pair.n, joint) if pair.whole else Spectrum()
        if isinstance(null, Permutation):
            return null, self._labels(pair.m, pair.n, null.n)
        if self._counts(pair, joint) and rows_behind_limit(pair) < ENOUGH:
            null = Permutation(n=self.resamples(joint))
            return null, counted_resamples(pair, null.n, self.rng)
        return null, None

    def can_screen(self, pair: Embedded) -> bool:
        """Whether a narrow kernel has a null distribution: resamples, or a limit law that rests on enough rows."""
        return self._of_narrow._has_null(pair) or self._has_null(pair)

    @cached_property
    def _of_narrow(self) -> Judge:
        """The same for narrow kernels, which have a smaller part of the level and so need smaller p-values."""
        return Judge(self.level, NARROW * max(self.tests, 1), self.rng)

    def _has_null(self, pair: Embedded) -> bool:
        relabelled = pair.whole and self.null(pair.m + pair.n).resamples > 0
        return relabelled or self._counts(pair, joint=False) or rows_behind_limit(pair) >= LIMIT_ROWS

    def screened(self, pair: Embedded) -> Judged:
        """The same for one of several narrow kernels; at least four rows each.

        Few of them see anything, so three moments of the statistic come first, which the effect needs in any case. A
        p-value of at most 0.02 is then that of the null distribution of any other test. Where rows are relabelled, it
        is exact, whatever the moments are worth: the argument of :data:`twosample.core.joining.STAGES`.
        """
        by = self._of_narrow if self._of_narrow._has_null(pair) else self
        measured = EmbeddedMoments.of(pair)
        law: Law = ContinuousLaw(
            three_moments(0.0, *cumulants(measured, pair.m, pair.n)), smallest_pvalue(pair.m, pair.n)
        )
        statistic, null = measured.squared, by.null(pair.m + pair.n)
        if law.pvalue(statistic) <= _SMALL:
            null, labels = by._null_for(pair)
            statistic, law = null_of(pair, null, labels)
        found = effect_by(measured, pair, self.level)
        return Judged(statistic, law.pvalue(statistic), found, null, law, pair.m, pair.n)

    def null(self, rows: int, joint: bool = False) -> Null:
        """Relabelling where it is cheap and its p-values are fine enough, else the limit law."""
        count = self.resamples(joint)
        return Permutation(n=count) if count and is_cheap(rows, count) else Spectrum()

    def _counts(self, pair: Embedded, joint: bool) -> bool:
        """Whether there are too many rows to relabel, and so few points that counts can be drawn instead."""
        count, rows = self.resamples(joint), pair.m + pair.n
        return pair.whole and 0 < count * len(pair.x) <= _COUNTS and rows < _ROWS and not is_cheap(rows, count)

    def resamples(self, joint: bool = False) -> int:
        """So many that the smallest p-value is small enough after adjustment; 0 if it takes more than 9999."""
        needed = _FINE * 2 * (1 if joint else max(self.tests, 1)) / self.level
        return next((count for count in (999, 9999) if count + 1 >= needed), 0)

    def _labels(self, m: int, n: int, count: int) -> Labellings:
        if (m, n) not in self._drawn:
            self._drawn[m, n] = relabellings(m, n, count, self.rng)
        return self._drawn[m, n]


def judged(pair: Embedded, null: Null, level: float, labels: Labellings | Floats | None = None) -> Judged:
    """Test two samples by a null distribution, and measure the effect with an interval at level 1 - 2 `level`."""
    statistic, law = null_of(pair, null, labels)
    return Judged(statistic, law.pvalue(statistic), effect(pair, level), null, law, pair.m, pair.n)


def null_of(pair: Embedded, null: Null, labels: Labellings | Floats | None = None) -> tuple[float, Law]:
    """MMD²_u and its null distribution."""
    observed = pair.observed(labels)
    return observed.value, null.law(observed)


def counted_resamples(pair: Embedded, count: int, rng: np.random.Generator) -> Floats:
    """``(R + 1, K)`` rows of the first sample at each point, the truth first, after m rows were drawn from the pool.

    What relabelling gives, without rows: O(K) for each resample, however many rows there are.
    """
    pool = np.round(pair.x + pair.y).astype(np.int64)
    drawn = rng.multivariate_hypergeometric(pool, pair.m, size=count, method="marginals")
    return np.concatenate([pair.x[None], drawn.astype(np.float64)])


JOINT = 1 / 3
"""The part of the level that a joint test has; the rest is that of the columns.

A joint test that sees anything is mostly as sure as its relabellings allow, while few rows of a column leave p-values
that are just small enough: the columns have more use for it.
"""


def adjusted(pvalues: Sequence[float], joint: float | None) -> Floats:
    r"""Adjusted p-values of columns beside a joint test that has a third of the level; None if there is no such test.

    The joint test is made at level α/3. If it rejects, the columns have all of α among them, by Holm; if it does
    not, they have 2α/3. So a column is found at level α if :math:`\tfrac32\tilde p \le \alpha`, or if
    :math:`\tilde p \le \alpha` and :math:`3p_{joint} \le \alpha`, for the p-value :math:`\tilde p` of Holm:

    .. math:: \min(\tfrac32\tilde p, \max(\tilde p, 3p_{joint}))

    The chance of any false finding is at most α: if the joint H0 holds (then all columns' do), α/3 for the joint test
    and 2α/3 for the columns without it; if not, α for the columns by Holm. Without a joint test they have all of it.
    """
    return beside_joint(holm(pvalues), joint)


def beside_joint(plain: Floats, joint: float | None) -> Floats:
    """The same for p-values that are adjusted among themselves already, by Holm or with weights."""
    if joint is None:
        return plain
    return np.asarray(np.minimum(1.0, np.minimum(plain / (1 - JOINT), np.maximum(plain, joint / JOINT))))
