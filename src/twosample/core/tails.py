"""Tails of many weighted sums of chi-square variables at once, to six digits.

As in ``inversion.py`` a tail is the density of a tilted law at its saddlepoint. Here the path through it is a parabola
with the curvature of steepest descent, on which the trapezoid rule converges geometrically; every law has the same
nodes in units of its own width, so that a whole batch is a few operations on arrays. The rule with every other node
tells where that is not good enough, as with very few weights: there the careful inversion does the work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .inversion import ChiSquareSum
from .types import Floats

_STEP, _NODES = 0.4, 28  # the last node is eleven standard deviations away
_AGREED, _OVER = 3e-4, 1e-7  # the rule against one with every other node, whose error is the root of its own; the end
_LEAST = 1e-300


def weighted_tails(values: Floats, counts: Floats, t: Floats) -> Floats:
    """``(P,)`` probabilities that ``sum_j values[p, j] * chi2(counts[p, j]) >= t[p]``.

    Every law has a weight that is not 0; degrees of freedom are positive, and that of a weight 0 does not matter.
    """
    scale = np.sqrt((counts * values**2).sum(axis=1))
    values, t = values / scale[:, None], t / scale
    upper = t >= (counts * values).sum(axis=1)
    sign = np.where(upper, 1.0, -1.0)
    values, t = sign[:, None] * values, sign * t
    tails, good = _upper_tails(values, counts, t)
    for p in np.flatnonzero(~good):
        real, order = np.abs(values[p]) > 1e-100, np.argsort(values[p], kind="stable")
        order = order[real[order]]
        tails[p] = np.exp(ChiSquareSum(values[p, order], counts[p, order]).log_tail(float(t[p])))
    return np.where(upper, tails, 1.0 - tails)


def _upper_tails(values: Floats, counts: Floats, t: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Tails beyond the mean, and where they can be trusted."""
    with np.errstate(all="ignore"):  # what goes wrong is told by the second answer
        c = _saddlepoints(values, counts, t)
        rest = 1.0 - 2.0 * c[:, None] * values
        height = -0.5 * (counts * np.log(rest)).sum(axis=1) - c * t - np.log(c)
        w = np.concatenate([values / rest, -0.5 / c[:, None]], axis=1)  # the pole is one more weight, taken twice
        k = np.concatenate([counts, np.full((len(c), 1), 2.0)], axis=1)
        second, third = 2 * (k * w**2).sum(axis=1), 8 * (k * w**3).sum(axis=1)
        bend, width = third / (6 * second), 1 / np.sqrt(second)
        v = width[:, None] * (_STEP * np.arange(_NODES + 1))  # (P, nodes)
        x = bend[:, None] * v**2
        real, imaginary = 1 - 2 * x[..., None] * w[:, None], -2 * v[..., None] * w[:, None]
        size = np.einsum("pnl,pl->pn", np.log(real * real + imaginary * imaginary), -0.25 * k) - x * t[:, None]
        angle = np.einsum("pnl,pl->pn", np.arctan2(imaginary, real), -0.5 * k) - v * t[:, None]
        terms = np.exp(size) * (np.cos(angle) + 2 * bend[:, None] * v * np.sin(angle))  # imaginary part of e^psi du
        terms[:, 0] *= 0.5
        fine, coarse = terms.sum(axis=1), 2 * terms[:, ::2].sum(axis=1)
        tails = np.exp(height) * fine * _STEP * width / np.pi
        good = (np.abs(fine - coarse) <= _AGREED * fine) & (np.exp(size[:, -1]) <= _OVER) & (tails > _LEAST)
    return tails, good


def _saddlepoints(values: Floats, counts: Floats, t: Floats) -> Floats:
    """``(P,)`` zeros of K'(s) - t - 1/s between 0 and 1 / (2 max w), roughly, by bisection on a logarithmic scale."""
    top = values.max(axis=1)
    limit = np.where(top > 0, 0.5 / np.where(top > 0, top, 1.0), np.inf)
    low, high = np.full(len(t), -40.0), np.full(len(t), 40.0)

    def place(y: Floats) -> Floats:
        return np.where(np.isinf(limit), np.exp(y), np.where(np.isinf(limit), 1.0, limit) / (1.0 + np.exp(-y)))

    for _ in range(14):
        middle = 0.5 * (low + high)
        s = place(middle)
        above = (counts * values / (1.0 - 2.0 * s[:, None] * values)).sum(axis=1) - t - 1.0 / s > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return place(0.5 * (low + high))
