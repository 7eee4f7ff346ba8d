"""Which pooled points count as x and which as y: the truth in column 0, resampled worlds beside it.

Every null distribution that resamples is a way to fill the columns of one ``(N, R)`` matrix; an engine
then treats all columns alike, so the observed statistic and its null come out of the same computation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from .types import Counts


@dataclass(frozen=True, eq=False)
class Labellings:
    """Labellings of ``N = m + n`` pooled points, the first m of which are x.

    Parameters
    ----------
    x
        ``(N, R)`` counts: how often point i stands in sample x of world r. Column 0 is the truth.
    y
        The same for sample y, or None when y is whatever is not in x (every relabelling).
    exhaustive
        True when the columns are all labellings that exist, each once.
    """

    x: Counts
    y: Counts | None = None
    exhaustive: bool = False

    @property
    def count(self) -> int:
        """The number of columns R."""
        return int(self.x.shape[1])

    def without_truth(self) -> Labellings:
        """The resampled columns alone."""
        return Labellings(self.x[:, 1:], None if self.y is None else self.y[:, 1:])


def observed(m: int, n: int) -> Labellings:
    """The truth alone: one column."""
    return Labellings(_truth(m, n)[:, None])


def relabellings(m: int, n: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and `count` uniform relabellings, or every labelling once when there are no more than `count`."""
    if comb(m + n, m) <= count:
        return Labellings(_every_subset(m, n), exhaustive=True)
    return random_relabellings(m, n, count, rng)


def random_relabellings(m: int, n: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and `count` uniform relabellings, repeats allowed."""
    x = np.empty((m + n, count + 1), dtype=np.uint8)
    x[:, 0] = _truth(m, n)
    x[:, 1:] = random_subsets(m, n, count, rng)
    return Labellings(x)


def pair_swaps(m: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and worlds in which x_i and y_i change places by a fair coin, or all 2^m when that is few."""
    exhaustive = m < 30 and 2**m <= count
    if exhaustive:
        codes = np.arange(2**m, dtype=np.uint32)
        swap = ((codes[None, :] >> np.arange(m, dtype=np.uint32)[:, None]) & 1).astype(np.uint8)
    else:
        swap = np.zeros((m, count + 1), dtype=np.uint8)
        swap[:, 1:] = _random_bits((m, count), rng)
    return Labellings(np.concatenate([1 - swap, swap]), exhaustive=exhaustive)


def bootstraps(m: int, n: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and `count` worlds in which both samples are drawn from the pool with replacement."""
    total = m + n
    x, y = np.zeros((2, total, count + 1), dtype=np.uint16)
    x[:m, 0] = 1
    y[m:, 0] = 1
    step = max(1, 2_000_000 // total)
    for start in range(1, count + 1, step):
        stop = min(start + step, count + 1)
        drawn = rng.integers(total, size=(stop - start, total))
        x[:, start:stop] = _counts(drawn[:, :m], total)
        y[:, start:stop] = _counts(drawn[:, m:], total)
    return Labellings(x, y)


def _counts(drawn: NDArray[np.int64], total: int) -> Counts:
    """``(total, rows)``: how often each point occurs in each row of draws."""
    rows = len(drawn)
    shifted = drawn + total * np.arange(rows)[:, None]
    return np.bincount(shifted.ravel(), minlength=rows * total).reshape(rows, total).T.astype(np.uint16)


def random_subsets(m: int, n: int, count: int, rng: np.random.Generator) -> Counts:
    """``(N, count)`` zeros and ones; each column is a uniform subset of m of the N points.

    Independent coin flips are first drawn for all entries at once. Given its number of ones such a column is a
    uniform subset of that size, and it stays uniform while uniformly chosen ones are cleared or zeros are set until
    there are m. The coin is a little unfair towards too few ones when m/N is far from 1/2, because setting a zero
    is then the cheaper correction.
    """
    if m > n:
        flipped: Counts = 1 - random_subsets(n, m, count, rng)
        return flipped
    total = m + n
    if 2 * m == total:
        labels = _random_bits((total, count), rng)
    else:
        share = m / total
        share -= 3 * sqrt(share * (1 - share) / total)
        limit = max(0, int(share * 65536))
        labels = (rng.integers(0, 65536, size=(total, count), dtype=np.uint16) < limit).view(np.uint8)
    _correct_counts(labels, m, rng)
    return labels


def _correct_counts(labels: Counts, m: int, rng: np.random.Generator) -> None:
    """Set or clear uniformly chosen entries, in place, until every column has m ones.

    Every round proposes, for each column, as many uniform rows as it has ones too many or too few, and flips those
    that hold the surplus value. Given how many distinct rows were hit, they are a uniform subset; about half of the
    proposals hit, so the rounds shrink geometrically.
    """
    total, count = labels.shape
    excess = labels.sum(axis=0, dtype=np.int64) - m
    while (need := np.abs(excess)).any():
        columns = np.repeat(np.arange(count), need)
        proposals = np.sort(rng.integers(total, size=columns.size) * count + columns)
        proposals = proposals[np.diff(proposals, prepend=-1) > 0]
        rows, columns = proposals // count, proposals % count
        hit = labels[rows, columns] == (excess[columns] > 0)
        rows, columns = rows[hit], columns[hit]
        labels[rows, columns] ^= 1
        excess -= np.sign(excess) * np.bincount(columns, minlength=count)


def _random_bits(shape: tuple[int, int], rng: np.random.Generator) -> Counts:
    size = shape[0] * shape[1]
    packed = np.frombuffer(rng.bytes((size + 7) // 8), dtype=np.uint8)
    return np.unpackbits(packed, count=size).reshape(shape)


def _truth(m: int, n: int) -> Counts:
    return np.concatenate([np.ones(m, dtype=np.uint8), np.zeros(n, dtype=np.uint8)])


def _every_subset(m: int, n: int) -> Counts:
    """All subsets of size m as columns; the truth {0, ..., m-1} comes first in lexicographic order."""
    members = np.array(list(combinations(range(m + n), m)), dtype=np.intp)  # (R, m)
    x = np.zeros((m + n, len(members)), dtype=np.uint8)
    x[members.T, np.arange(len(members))] = 1
    return x
