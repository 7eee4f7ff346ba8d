"""Other labellings than relabellings of all rows: swaps within pairs, relabellings within strata, the bootstrap."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from .labellings import Labellings, every_subset, random_subsets, subsets_are_few
from .types import Counts


def pair_swaps(m: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and labellings in which x_i and y_i change places by a fair coin, or all 2^m when that is few."""
    exhaustive = m < 30 and 2**m <= count
    if exhaustive:
        codes = np.arange(2**m, dtype=np.uint32)
        swap = ((codes[None, :] >> np.arange(m, dtype=np.uint32)[:, None]) & 1).astype(np.uint8)
    else:
        swap = np.zeros((m, count + 1), dtype=np.uint8)
        swap[:, 1:] = _random_bits((m, count), rng)
    return Labellings(np.concatenate([1 - swap, swap]), exhaustive=exhaustive)


def stratified_relabellings(of_row: NDArray[np.intp], m: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and `count` relabellings within strata, or every one of them when there are no more than `count`.

    `of_row` is the stratum of each pooled row, of which the first m are x. Strata of the same sizes are drawn together.
    """
    strata = int(of_row.max()) + 1
    x = np.bincount(of_row[:m], minlength=strata)
    y = np.bincount(of_row[m:], minlength=strata)
    order = np.argsort(of_row, kind="stable")  # those of x first in each stratum
    first = np.cumsum(x + y) - (x + y)
    if _products_are_few(x.tolist(), y.tolist(), count):
        every = np.zeros((len(of_row), 1), dtype=np.uint8)
        for s in range(strata):
            own = every_subset(int(x[s]), int(y[s]))
            every = np.tile(every, own.shape[1])
            every[order[first[s] : first[s] + x[s] + y[s]]] = np.repeat(own, every.shape[1] // own.shape[1], axis=1)
        return Labellings(every, exhaustive=True)
    stored = np.zeros((len(of_row), count + 1), dtype=np.uint8)
    stored[:m, 0] = 1
    for a, b in sorted(set(zip(x.tolist(), y.tolist(), strict=True))):
        same = np.flatnonzero((x == a) & (y == b))
        places = order[first[same] + np.arange(a + b)[:, None]]  # (a + b, strata)
        drawn = random_subsets(a, b, count * len(same), rng) if a and b else np.full((a + b, 1), a > 0, dtype=np.uint8)
        stored[places, 1:] = drawn.reshape(a + b, -1, count if a and b else 1)
    return Labellings(stored, exhaustive=False)


def bootstraps(m: int, n: int, count: int, rng: np.random.Generator, keep_places: bool = False) -> Labellings:
    """The truth and `count` resamples in which both samples are drawn from the pool with replacement."""
    total = m + n
    x, y = np.zeros((2, total, count + 1), dtype=np.uint16)
    x[:m, 0] = 1
    y[m:, 0] = 1
    places = np.tile(np.arange(total, dtype=np.int32), (count + 1, 1)) if keep_places else None
    step = max(1, 2_000_000 // total)
    for start in range(1, count + 1, step):
        stop = min(start + step, count + 1)
        drawn = rng.integers(total, size=(stop - start, total))
        x[:, start:stop] = _counts(drawn[:, :m], total)
        y[:, start:stop] = _counts(drawn[:, m:], total)
        if places is not None:
            places[start:stop] = drawn
    return Labellings(x, y, places=places)


def _counts(drawn: NDArray[np.int64], total: int) -> Counts:
    """``(total, rows)``: how often each point occurs in each row of draws."""
    rows = len(drawn)
    shifted = drawn + total * np.arange(rows)[:, None]
    return np.bincount(shifted.ravel(), minlength=rows * total).reshape(rows, total).T.astype(np.uint16)


def _random_bits(shape: tuple[int, int], rng: np.random.Generator) -> Counts:
    size = shape[0] * shape[1]
    packed = np.frombuffer(rng.bytes((size + 7) // 8), dtype=np.uint8)
    return np.unpackbits(packed, count=size).reshape(shape)


def _products_are_few(x: list[int], y: list[int], count: int) -> bool:
    """Whether the product of C(x + y, x) over all strata is at most `count`."""
    total = 1
    for a, b in zip(x, y, strict=True):
        if not subsets_are_few(a, b, count):
            return False
        total *= comb(a + b, a)
        if total > count:
            return False
    return True
