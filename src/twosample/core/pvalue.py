"""The p-value of a resampling test. There is no other place in the package that counts exceedances.

What a test makes of a statistic under H0 is a law: a p-value for a value, a threshold for a level.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .types import Floats


class Law(Protocol):
    """What every null gives."""

    def pvalue(self, t: float) -> float:
        """Probability under H0 of a statistic of at least t (an upper bound of it, for the bounds). Never 0."""

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""

    @property
    def least(self) -> float:
        """The smallest p-value that can occur at all with these sample sizes."""


@dataclass(frozen=True, eq=False)
class ReplicateLaw:
    """The statistic and its resamples, the observed one first."""

    values: Floats = field(repr=False)  # (R,) statistics, the observed one first
    tolerance: float  # absolute rounding error of the values
    exhaustive: bool = False  # whether these are all labellings there are
    floor: float = 0.0  # the smallest p-value that all labellings together could give

    @property
    def least(self) -> float:
        """The smallest p-value that can occur."""
        return max(self.floor, 1 / len(self.values))

    def pvalue(self, t: float) -> float:
        """Share of resamples at or above t, one of them being t itself."""
        return resampling_pvalue(np.concatenate([[t], self.values[1:]]), self.tolerance)

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        return resampling_threshold(self.values, self.tolerance, level)


@dataclass(frozen=True, eq=False)
class WeightedLaw:
    """A law of which only a part of the level is spent: p-values divided by that part (weighted Bonferroni)."""

    law: Law
    part: float  # its part of the level, between 0 and 1

    @property
    def least(self) -> float:
        """The smallest p-value that can occur."""
        return min(1.0, self.law.least / self.part)

    def pvalue(self, t: float) -> float:
        """That of the law, divided by its part."""
        return min(1.0, self.law.pvalue(t) / self.part)

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        return self.law.threshold(level * self.part)


def resampling_pvalue(values: Floats, tolerance: float) -> float:
    r"""Share of resamples at least as large as the observed statistic, which is counted as one of them.

    .. math:: p = \frac{\#\{r : t_r \ge t_0 - \text{tolerance}\}}{R}

    Column 0 of the ``(R,)`` values is the truth, so with B resamples this is ``(b + 1) / (B + 1)``, never 0, and valid
    at every level for any statistic and any ties. The tolerance, absolute, makes values that differ by rounding alone
    count as tied. NaN must have been refused at the door.
    """
    return float(np.count_nonzero(values >= values[0] - tolerance) / values.size)


def resampling_threshold(values: Floats, tolerance: float, level: float) -> float:
    """The value above which the observed statistic would be rejected at `level`, given the resamples.

    With k the largest count that ``k / R <= level`` allows, this is the k-th largest of the resampled values: the
    p-value is at most the level exactly when the observed statistic exceeds it (by more than the tolerance). Infinite
    when no value could.
    """
    others = values[1:]
    k = round(level * values.size)
    while k / values.size > level:  # the largest count whose share, as a p-value is computed, is within the level
        k -= 1
    if k < 1 or others.size == 0:
        return float("inf")
    if k > others.size:
        return float("-inf")
    return float(np.partition(others, others.size - k)[others.size - k] + tolerance)


def sequential_pvalue(
    observed: float, draws: Iterable[Floats], enough: int, limit: int, tolerance: float
) -> tuple[float, int]:
    r"""The p-value from as many resamples as the answer needs (Besag and Clifford 1991), and their number.

    Resamples come, in arrays without end, until `enough` of them are at least as large as the observed value: with the
    last of these the l-th draw, :math:`p = h / l`. If `limit` draws have fewer, b, then
    :math:`p = (b + 1) / (\text{limit} + 1)`. Valid at every level: P(p <= a) <= a under H0.

    Examples
    --------
    >>> sequential_pvalue(2.0, [np.array([1.0, 3.0, 2.0, 0.0])], enough=2, limit=99, tolerance=0.0)
    (0.6666666666666666, 3)
    """
    drawn = exceeded = 0
    for values in draws:
        hits = np.flatnonzero(values[: limit - drawn] >= observed - tolerance)
        if exceeded + len(hits) >= enough:
            drawn += int(hits[enough - exceeded - 1]) + 1
            return enough / drawn, drawn
        exceeded, drawn = exceeded + len(hits), min(drawn + len(values), limit)
        if drawn == limit:
            break
    return (exceeded + 1) / (drawn + 1), drawn
