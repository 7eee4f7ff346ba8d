"""The linear assignment problem with columns that may stay alone, and the semi-metric between tables."""

from __future__ import annotations

import numpy as np

from ..core.types import Floats
from .points import Mask, Places

_ALONE = 1e3
"""What staying alone costs: more than any pair, so that as many columns as can be are matched."""


def assign(costs: Floats, allowed: Mask | None = None) -> list[tuple[int, int]]:
    """Pairs (i, j) of least total cost, as many as can be; those with infinite costs or not allowed stay apart.

    O(n³) time by a shortest augmenting path method (Crouse 2016) in place of Kuhn's.
    """
    from scipy.optimize import linear_sum_assignment

    possible = np.isfinite(costs)
    if allowed is not None:
        possible &= allowed
    if not possible.any():
        return []
    unit = max(1.0, float(np.abs(costs[possible]).max()))
    padded = np.where(possible, costs, _ALONE * unit)
    rows, columns = linear_sum_assignment(padded)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if possible[i, j]]


def semi_metric(mmd: Floats) -> float:
    """Δ of the paper: the least sum of MMDs over the ways to match all columns of the narrower table.

    Symmetric if `mmd` is, that is if the kernel of a pair does not ask which side is the first.
    Columns that cannot be compared are at the distance √2, the largest of a kernel between 0 and 1. NaN if a table has
    no columns.
    """
    from scipy.optimize import linear_sum_assignment

    if not mmd.size:
        return float("nan")
    known = np.where(np.isfinite(mmd), mmd, np.sqrt(2.0))
    rows, columns = linear_sum_assignment(known)
    return float(known[rows, columns].sum())


def margins(mmd: Floats, pairs: list[tuple[int, int]]) -> list[float]:
    """For each pair how much farther the next best target of the source is; infinite if there is none."""
    result = []
    for i, j in pairs:
        others = np.delete(mmd[i], j)
        others = others[np.isfinite(others)]
        result.append(float(others.min() - mmd[i, j]) if len(others) else float("inf"))
    return result


def nearest(total: Floats, count: int) -> Places:
    """The `count` cheapest targets, cheapest first; those that cannot be compared are left out."""
    order = np.argsort(total, kind="stable")[:count]
    return order[np.isfinite(total[order])]
