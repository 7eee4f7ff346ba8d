"""Sums over all alignments of two series, in logarithms, by dynamic programming on many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.types import Floats
from ..kernels.radial import distances

_CELLS, _DIAGONAL = 1 << 22, 1 << 13  # memory, and what stays in the cache


def log_alignments(series: Sequence[Floats], bandwidth: float, triangle: int) -> Floats:
    """``(N, N)`` logarithms of the global alignment kernel; -inf where no alignment stays inside the triangle."""
    order = np.argsort([len(one) for one in series], kind="stable")
    K = np.full((len(series), len(series)), -np.inf)
    for place, i in enumerate(order):
        start = 0
        while start <= place:
            widest = len(series[order[min(start + 64, place)]])
            count = max(1, min(_DIAGONAL // len(series[i]), _CELLS // (len(series[i]) * widest)))
            batch = order[start : min(place + 1, start + count)]
            values = _against_many(series[i], [series[j] for j in batch], bandwidth, triangle)
            K[i, batch] = values
            K[batch, i] = values
            start += len(batch)
    return K


def _against_many(x: Floats, others: Sequence[Floats], bandwidth: float, triangle: int) -> Floats:
    """One series against many that are no longer.

    M[i, j] = κ(x_i, y_j) (M[i-1, j] + M[i, j-1] + M[i-1, j-1]), along antidiagonals i + j = s, in which no cell
    depends on another. Row 0 and column 0 of M stand for the outside: nothing but the corner.
    """
    rows, lengths = len(x), np.array([len(y) for y in others])
    local = _log_local(x, others, bandwidth, triangle)  # (|x|, longest |y|, pairs)
    before = np.full((rows + 1, len(others)), -np.inf)  # antidiagonal s - 2, by i
    last = before.copy()
    before[0] = 0.0  # the corner M[0, 0] = 1
    result = np.full(len(others), -np.inf)
    reach = triangle or rows + local.shape[1]  # |i - j| < reach
    for s in range(2, rows + local.shape[1] + 1):
        first = max(1, s - local.shape[1], (s - reach) // 2 + 1)
        end = min(rows, s - 1, (s + reach - 1) // 2) + 1
        here, above = slice(first, end), slice(first - 1, end - 1)
        i = np.arange(first, end)
        new = np.full_like(last, -np.inf)
        new[here] = local[i - 1, s - i - 1] + _log_sum(last[above], last[here], before[above])
        before, last = last, new
        done = np.flatnonzero(lengths == s - rows)
        result[done] = last[rows, done]
    return result


def _log_local(x: Floats, others: Sequence[Floats], bandwidth: float, triangle: int) -> Floats:
    """Logs of κ = w k / (2 - w k), k the Gaussian and w the triangle: κ / (1 + κ) = w k / 2 is positive definite."""
    widest = max(len(y) for y in others)
    points = np.zeros((widest, len(others), x.shape[1]))
    for column, y in enumerate(others):
        points[: len(y), column] = y
    with np.errstate(over="ignore"):  # infinitely far is far
        squares = distances(x / bandwidth, points.reshape(-1, x.shape[1]) / bandwidth, "sqeuclidean")
    logs = -0.5 * squares.reshape(len(x), widest, len(others))
    if triangle:
        apart = np.abs(np.arange(len(x))[:, None] - np.arange(widest))
        with np.errstate(divide="ignore"):
            logs = logs + np.log(np.maximum(1 - apart / triangle, 0.0))[:, :, None]
    return np.asarray(logs - np.log(2 - np.exp(logs)))


def _log_sum(a: Floats, b: Floats, c: Floats) -> Floats:
    """log(exp(a) + exp(b) + exp(c)); -inf where all are."""
    top = np.maximum(np.maximum(a, b), c)
    np.maximum(top, -1e300, out=top)  # so that -inf - top is -inf and not NaN
    total = np.exp(a - top)
    total += np.exp(b - top)
    total += np.exp(c - top)
    with np.errstate(divide="ignore"):
        np.log(total, out=total)
    total += top
    return total
