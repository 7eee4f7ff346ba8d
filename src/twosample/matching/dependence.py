"""How the columns of one table depend on each other."""

from __future__ import annotations

import numpy as np

from ..core.types import Floats
from .columns import Column, Side

_ROWS = 2000  # evenly spaced, that are looked at; of many columns so few that there are as many values in all:
_VALUES = 500_000
_LEAST = 500


def rank_correlations(side: Side) -> Floats:
    """``(c, c)`` Spearman's correlations, NaN for text; categories in the order of the alphabet.

    A missing value counts as the middle rank.
    """
    at = rows_used(side)
    ranks = np.array([_ranks(column, at) for column in side.columns])
    length = np.sqrt(np.square(ranks).sum(axis=1, keepdims=True))
    ranks = ranks / np.where(length > 0, length, 1.0)
    return np.asarray(ranks @ ranks.T)


def rows_used(side: Side) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The rows that are looked at."""
    rows = min(side.rows, _ROWS, max(_VALUES // max(len(side.columns), 1), _LEAST))
    return np.unique(np.linspace(0, side.rows - 1, rows).astype(np.intp))


def _ranks(column: Column, at: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    if column.family in ("text", "none"):
        return np.full(len(at), np.nan)
    values = column.ordered()[at]
    there = np.isfinite(values)
    ranks = np.zeros(len(at))
    if there.any():
        known = values[there]
        order = np.sort(known)
        below = np.searchsorted(order, known, "left") + np.searchsorted(order, known, "right")
        ranks[there] = below - below.mean()
    return ranks
