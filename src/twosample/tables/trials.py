"""Tests of atoms, and what they say together: p-values adjusted for each other, effects, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..core.adjust import holm
from ..core.labellings import Labellings, relabellings
from ..core.laws import Law
from ..core.types import Floats
from ..nulls import Null, Permutation, Spectrum, is_cheap
from .moments import Atoms, Effect, effect
from .parts import Verdict

_FINE = 2.0  # a permutation p-value can reach this part of what the smallest adjusted one needs


@dataclass(eq=False)
class Judge:
    """How tests are made, the same for all of a comparison.

    Parameters
    ----------
    level
        The level of the comparison.
    tests
        How many tests of columns there are: p-values must be able to become so much smaller than the level.
    rng
        Draws the worlds; samples of the same sizes share theirs.
    """

    level: float
    tests: int
    rng: np.random.Generator
    _worlds: dict[tuple[int, int], Labellings] = field(default_factory=dict)

    def null(self, rows: int, joint: bool = False) -> Null:
        """Permutation where it is affordable and its p-values are fine enough, else the limit law."""
        needed = _FINE * 2 * (1 if joint else max(self.tests, 1)) / self.level
        for worlds in (999, 9999):
            if worlds + 1 >= needed and is_cheap(rows, worlds):
                return Permutation(n=worlds)
        return Spectrum()

    def try_(self, atoms: Atoms, joint: bool = False) -> Trial:
        """Test atoms, and measure the effect."""
        null = self.null(atoms.m + atoms.n, joint) if atoms.countable else Spectrum()
        labels = self._labels(atoms.m, atoms.n, null.resamples) if null.resamples else None
        evidence = atoms.evidence(labels)
        law = null.law(evidence)
        statistic = float(evidence.values[0])
        return Trial(statistic, law.pvalue(statistic), effect(atoms, self.level), null, law, atoms.m, atoms.n)

    def _labels(self, m: int, n: int, count: int) -> Labellings:
        if (m, n) not in self._worlds:
            self._worlds[m, n] = relabellings(m, n, count, self.rng)
        return self._worlds[m, n]


@dataclass(frozen=True, eq=False)
class Trial:
    """The outcome of one test.

    Parameters
    ----------
    statistic, pvalue
        MMD²_u and its p-value.
    effect
        The effect size with its interval.
    null, law
        What the p-value comes from.
    m, n
        Rows.
    """

    statistic: float
    pvalue: float
    effect: Effect
    null: Null
    law: Law
    m: int
    n: int

    def verdict(self, adjusted: float, level: float, margin: float) -> Verdict:
        """Same if surely within the margin; else different if significant; else undecided."""
        if self.effect.high < margin:
            return "same"
        return "different" if adjusted <= level else "undecided"

    def rows_needed(self, margin: float) -> int | None:
        """About how many rows in each table would show that the effect is within the margin; None if none would.

        If it may be 0, as if it were 0; else as if it were what it seems.
        """
        value = self.effect.value if self.effect.low > 0 else 0.0
        room = margin - value
        if room <= 0.1 * margin or self.effect.high >= 1:
            return None
        return round(min(self.m, self.n) * ((self.effect.high - value) / room) ** 2)


def adjusted(pvalues: Sequence[float], joint: float | None) -> Floats:
    r"""Adjusted p-values of columns beside a joint test that has half of the level.

    The joint test is made at level α/2. If it rejects, the columns have all of α among them, by Holm; if it does
    not, they have α/2. So a column is found at level α if :math:`2\tilde p \le \alpha`, or if
    :math:`\tilde p \le \alpha` and :math:`2p_{joint} \le \alpha`, for the p-value :math:`\tilde p` of Holm:

    .. math:: \min(2\tilde p, \max(\tilde p, 2p_{joint}))

    The chance of any false finding is at most α: if the joint H0 holds (then all columns' do), α/2 for the joint
    test and α/2 for the columns without it; if not, α for the columns by Holm.

    Parameters
    ----------
    pvalues
        Of the columns.
    joint
        Of the joint test; None if there is none, and the columns have all of the level.
    """
    plain = holm(pvalues)
    if joint is None:
        return plain
    return np.asarray(np.minimum(1.0, np.minimum(2 * plain, np.maximum(plain, 2 * joint))))
