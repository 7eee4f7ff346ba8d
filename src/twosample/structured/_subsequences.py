"""Common subsequences of all pairs of strings, by dynamic programming on many pairs at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..core.types import Floats
from ._texts import Codes

_CELLS = 1 << 18


def common_subsequences(strings: Sequence[Codes], length: int, decay: float) -> Floats:
    """``(N, N)`` sums over common subsequences of decay^(letters left out in either string)."""
    order = np.argsort([len(string) for string in strings], kind="stable")
    K = np.zeros((len(strings), len(strings)))
    for place, i in enumerate(order):
        s = strings[i]
        if len(s) < length:
            continue
        for batch in _batches(order[: place + 1], strings, len(s), length):
            values = _against_many(s, [strings[j] for j in batch], length, decay)
            K[i, batch] = values
            K[batch, i] = values
    return K


def _batches(order: Codes, strings: Sequence[Codes], rows: int, length: int) -> Iterator[Codes]:
    """Runs of strings of about the same length, so many that their cells stay in the cache."""
    start = next((p for p, j in enumerate(order) if len(strings[j]) >= length), len(order))
    while start < len(order):
        count = max(1, _CELLS // (rows * len(strings[order[min(start + 64, len(order) - 1)]])))
        yield order[start : start + count]
        start += count


def _against_many(s: Codes, others: Sequence[Codes], length: int, decay: float) -> Floats:
    """One string against many.

    S[a, b] sums over the pairs of equal subsequences that end at s_a and t_b. A longer one ends there if the letters
    agree and a shorter one ends before in both, each letter left out costing a factor: two running sums.
    """
    width = max(len(t) for t in others)
    t = np.full((width, len(others)), -1, dtype=np.int64)
    for column, other in enumerate(others):
        t[: len(other), column] = other
    equal = s[:, None, None] == t  # (|s|, |t|, pairs)
    S = equal.astype(np.float64)
    for _ in range(length - 1):
        _earlier(S, decay)
        _earlier(S.swapaxes(0, 1), decay)
        S *= equal
    return np.asarray(S.sum(axis=(0, 1)))


def _earlier(S: Floats, decay: float) -> None:
    """In place along the first axis: the sum over all earlier entries, decay^(entries between)."""
    running = np.zeros_like(S[0])
    for row in S:
        following = decay * running
        following += row
        row[...] = running
        running = following
