"""The semi-metric between tables, and what is nearest."""

from __future__ import annotations

import numpy as np

from ..core.types import Floats
from .points import Places


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


def gaps(mmd: Floats, pairs: list[tuple[int, int]]) -> list[float]:
    """For each pair how much farther the next best target of the source is; infinite if there is none.

    Minus infinity for a pair that cannot be compared.
    """
    result = []
    for i, j in pairs:
        if not np.isfinite(mmd[i, j]):
            result.append(float("-inf"))
            continue
        others = np.delete(mmd[i], j)
        others = others[np.isfinite(others)]
        result.append(float(others.min() - mmd[i, j]) if len(others) else float("inf"))
    return result


def best(confidence: Floats, count: int) -> Places:
    """The `count` likeliest partners, likeliest first; those of which nothing is known are left out."""
    order = np.argsort(-confidence, kind="stable")[:count]
    return order[confidence[order] > 0]
