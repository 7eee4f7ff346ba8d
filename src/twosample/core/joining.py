r"""Several statistics as one test: their p-values joined, and compared with what they are in every other labelling.

All statistics are evaluated on one batch of labellings, the truth in column 0. Under H0 the columns are exchangeable,
and everything below treats them alike: the law that turns a statistic into a tail probability is fitted to all
columns, the truth included. Hence the joined statistics of all columns are exchangeable too, and the share of columns
that are at least as surprising as the truth is an exact p-value, whatever the statistics are and however they depend
on each other (Westfall and Young 1993; one batch suffices).

They are joined by the weighted mean of 1/p (the harmonic mean of p-values, Good 1958): dominated by the smallest p, so
that one statistic that sees the difference is enough; where two see it, it says more than either, and a tie in the
smallest p, as discrete data have them, is broken by the next smallest and not by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .pvalue import resampling_pvalue
from .types import Floats

Stages = Sequence[tuple[int, float]]

STAGES: Stages = ((99, 0.2), (999, 0.0))
r"""Relabellings, and the p-value above which no further stage follows.

The p-value of the stage that was the last is exact. Let p₁, p₂, ... be those of the stages, each exact for itself, and
:math:`c_1 > c_2 > ...` what a stage has to stay at or below for the next to follow. For a level a let s be the first
stage with :math:`c_s < a`. If an earlier stage is the last, its p-value exceeds its c, which is at least a. Otherwise
stage s is reached; it is the last, or it has :math:`p_s \le c_s < a`. In all, a p-value of at most a was reported only
if :math:`p_s \le a`, and that has probability at most a. How the stages depend on each other does not matter.
"""

EARLY = "99 relabellings were enough to see that p is not small; {} draws so many in any case."
"""A note, with the option that asks for all."""

_COARSE = 0.01  # the smallest p-value of the first stage: it is no help at a smaller level
_GRID = 200  # places of the tail probability between which it is interpolated: any increasing function is exact
_SKEWNESS = 0.05, 8**0.5  # between nearly normal and chi-square with one degree of freedom: no quadratic form has more


@dataclass(frozen=True, eq=False)
class Joined:
    """What several statistics say together."""

    values: Floats  # (R,) the joined statistic of every labelling, the truth first: the log of the weighted mean of 1/p
    tolerance: float  # its rounding error: with it, the values give the exact p-value
    pvalues: Floats  # (K,) the p-value of each statistic alone
    adjusted: Floats
    """``(K,)`` the same after correction for all of them: the share of labellings whose joined statistic is at least
    what this one adds to that of the truth. At most the level for any statistic with probability at most the level."""

    @property
    def pvalue(self) -> float:
        """The exact p-value."""
        return resampling_pvalue(self.values, self.tolerance)


def stages(count: int | None, level: float) -> Stages:
    """How to relabel at this level: in stages, or all of `count` at once if it is given."""
    if count is not None:
        return ((count, 0.0),)
    return STAGES[0 if level >= _COARSE else 1 :]


def joined(statistics: Floats, tolerances: Floats, weights: Sequence[float] | Floats, order: float = 1.0) -> Joined:
    """The test that several statistics make together. O(K R).

    `statistics` are ``(K, R)``, large ones against H0, the truth in column 0, with the rounding error of each;
    `weights` are the share of the level that each may use, up to a factor; `order` is that of the mean of the w/p: 1
    for their sum, the larger, the nearer to the smallest p alone, which is better for many statistics that are much
    alike.
    """
    constant = np.ptp(statistics, axis=1) <= 4 * tolerances  # differs by rounding alone: says nothing
    statistics = np.where(constant[:, None], 0.0, statistics)
    shares = np.log(np.asarray(weights, dtype=np.float64) / np.sum(weights))[:, None]  # (K, 1)
    lowered = statistics[:, :1] - tolerances[:, None]  # the truth, as small as rounding may have made it
    every = surprises(statistics, np.concatenate([statistics, lowered], axis=1)) + shares
    together = np.logaddexp.reduce(order * every, axis=0) / order
    values, least = together[:-1], float(together[-1]) - 1e-12
    return Joined(
        values=values,
        tolerance=float(values[0] - least),
        pvalues=np.array([resampling_pvalue(row, t) for row, t in zip(statistics, tolerances, strict=True)]),
        adjusted=np.array([resampling_pvalue(np.append(low, values[1:]), 1e-12) for low in every[:, -1]]),
    )


def standing(statistics: Floats) -> Floats:
    """``(K,)`` the truth of ``(K, R)`` statistics in their standard deviations from the mean over all labellings."""
    deviation = statistics.std(axis=1)
    return np.asarray((statistics[:, 0] - statistics.mean(axis=1)) / np.where(deviation > 0, deviation, 1.0))


def surprises(fitted: Floats, at: Floats) -> Floats:
    r"""``(K, A)`` minus the log of the tail probability of the values `at`, by a law fitted to each row of `fitted`.

    A shifted gamma law with the mean, variance and skewness of the row: the usual approximation of a quadratic form,
    with one moment more. It need not be right for the test to be exact; the better it is, the fairer the shares of the
    level.
    """
    from scipy.special import gammaincc, gammaln

    mean = fitted.mean(axis=1, keepdims=True)
    deviation = fitted.std(axis=1, keepdims=True)
    scale = np.where(deviation > 0, deviation, 1.0)
    fitted, at = (fitted - mean) / scale, (at - mean) / scale
    shape = 4 / np.clip((fitted**3).mean(axis=1, keepdims=True), *_SKEWNESS) ** 2
    grid = np.linspace(at.min(axis=1), at.max(axis=1), _GRID, axis=1)  # (K, _GRID)
    where = np.maximum(shape + grid * np.sqrt(shape), 1e-12)
    tail = gammaincc(shape, where)
    beyond = where - (shape - 1) * np.log(where) + gammaln(shape)  # the leading term, where the tail underflows
    surprise = np.where(tail > 1e-250, -np.log(np.maximum(tail, 1e-300)), beyond)
    return np.array([np.interp(row, *line) for row, *line in zip(at, grid, surprise, strict=True)])
