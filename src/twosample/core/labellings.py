"""Which pooled points count as x and which as y: the truth in column 0, resamples beside it.

Every null distribution that resamples is a way to fill the columns of one ``(N, R)`` matrix; an engine
then treats all columns alike, so the observed statistic and its null come out of the same computation. Relabellings
are kept as bits, which are an eighth of the size and quicker to draw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb, sqrt
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .types import Counts, Floats, Reals

_BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True, eq=False)
class PackedBits:
    """Zeros and ones of many points in many labellings, eight points to a byte."""

    bits: Counts  # (R, bytes): one row for each labelling; bits beyond the last point are 0
    points: int  # how many points there are
    order: NDArray[np.intp] | None = None  # bit i is that of point order[i]; None when it is that of point i

    def block(self, rows: slice) -> Counts:
        """``(R, rows)`` zeros and ones."""
        if self.order is not None:
            place = self._place[rows]
            return np.asarray(self.bits[:, place >> 3] >> (7 - (place & 7)).astype(np.uint8) & 1)
        skip = rows.start % 8
        part = self.bits[:, rows.start // 8 : -(-rows.stop // 8)]
        return np.unpackbits(part, axis=1, count=skip + rows.stop - rows.start)[:, skip:]

    def columns(self, points: NDArray[np.intp] | None = None) -> Counts:
        """``(N, R)`` zeros and ones of all points, or of these."""
        bits = np.ascontiguousarray(np.unpackbits(self.bits, axis=1, count=self.points).T)
        if self.order is not None:
            points = self._place if points is None else self._place[points]
        return bits if points is None else bits[points]

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """``(N,)`` which bit is that of point i."""
        assert self.order is not None
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(place))
        return place


@dataclass(frozen=True, eq=False)
class Labellings:
    """Labellings of ``N = m + n`` pooled points, the first m of which are x."""

    stored: Counts | PackedBits
    """``(N, R)`` counts: how often point i stands in sample x of labelling r; or the same as bits. The truth is 0."""
    y: Counts | None = None  # the same for sample y, or None when y is whatever is not in x (every relabelling)
    exhaustive: bool = False  # True when the columns are all labellings that exist, each once
    places: NDArray[np.int32] | None = None
    """``(R, N)`` which pooled point stands at place i of x (the first m) or of y in each labelling; None when nobody
    asked, or when all have the pairs (x_i, y_i) of the truth."""
    uniform: bool = False
    """True when every column but the truth is a uniform relabelling, drawn independently of all else."""

    @cached_property
    def x(self) -> Counts:
        """``(N, R)`` counts of sample x."""
        return self.stored.columns() if isinstance(self.stored, PackedBits) else self.stored

    def of(self, points: NDArray[np.intp]) -> Counts:
        """``(len(points), R)`` counts of sample x at these points."""
        return self.stored.columns(points) if isinstance(self.stored, PackedBits) else self.stored[points]

    @property
    def count(self) -> int:
        """The number of labellings R."""
        return int(self.stored.bits.shape[0] if isinstance(self.stored, PackedBits) else self.stored.shape[1])

    def without_truth(self) -> Labellings:
        """The resamples alone."""
        if isinstance(self.stored, PackedBits):
            return Labellings(replace(self.stored, bits=self.stored.bits[1:]), uniform=self.uniform)
        return Labellings(
            self.stored[:, 1:],
            None if self.y is None else self.y[:, 1:],
            places=None if self.places is None else self.places[1:],
        )

    def kept(self, which: NDArray[np.bool_]) -> Labellings:
        """Some of the relabellings: ``(R,)`` which."""
        if isinstance(self.stored, PackedBits):
            return Labellings(replace(self.stored, bits=self.stored.bits[which]), exhaustive=self.exhaustive)
        return Labellings(self.stored[:, which], exhaustive=self.exhaustive)

    def along(self, order: NDArray[np.intp], m: int | None) -> Labellings:
        """Uniform relabellings with their bits given to the points in this order, so that neighbours share a byte.

        A uniform subset is one in whatever order points are counted, and nothing has to be moved; only the truth,
        which comes first unless `m` is None, is written anew. Other labellings are left as they are.
        """
        if not (self.uniform and isinstance(self.stored, PackedBits)):
            return self
        bits = self.stored.bits
        if m is not None:
            truth = np.packbits(order < m)
            bits[0, : len(truth)] = truth
        return replace(self, stored=PackedBits(bits, self.stored.points, order))

    def sums(self, rows: slice, features: Reals) -> Floats:
        """``(R, M)`` sums over sample x of the features of these points, by labelling; of sample y below, if given."""
        sums = self.count * (1 if self.y is None else 2)
        total = np.zeros((sums, features.shape[1]))
        step = max(64, _BLOCK_ENTRIES // sums // 8 * 8)
        for start in range(rows.start, rows.stop, step):
            part = slice(start, min(start + step, rows.stop))
            total += self._block(part, features.dtype) @ features[start - rows.start : part.stop - rows.start]
        return total

    def _block(self, rows: slice, dtype: np.dtype[Any]) -> Reals:
        """``(R, rows)`` counts of sample x, and of sample y below, as numbers that a product can use."""
        if isinstance(self.stored, PackedBits):
            return self.stored.block(rows).astype(dtype)
        counts = self.stored if self.y is None else np.concatenate([self.stored[rows], self.y[rows]], axis=1)
        return (counts[rows] if self.y is None else counts).T.astype(dtype)


def observed(m: int, n: int) -> Labellings:
    """The truth alone: one column."""
    return Labellings(_truth(m, n)[:, None])


def relabellings(m: int, n: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and `count` uniform relabellings, or every labelling once when there are no more than `count`."""
    if subsets_are_few(m, n, count):
        return Labellings(every_subset(m, n), exhaustive=True)
    return random_relabellings(m, n, count, rng)


def random_relabellings(m: int, n: int, count: int, rng: np.random.Generator) -> Labellings:
    """The truth and `count` uniform relabellings, repeats allowed."""
    bits = _packed_subsets(m, n, count, rng, truths=1)
    bits[0] = np.packbits(np.arange(8 * bits.shape[1]) < m)
    return Labellings(PackedBits(bits, m + n), uniform=True)


def contrasts(values: Floats) -> Labellings:
    """``(N, R)`` real numbers in the place of counts, each column of sum 0: engines give ``xx = u'Ku`` for m = 0."""
    return Labellings(cast("Counts", values))


def random_subsets(m: int, n: int, count: int, rng: np.random.Generator) -> Counts:
    """``(N, count)`` zeros and ones; each column is a uniform subset of m of the N points."""
    return PackedBits(_packed_subsets(m, n, count, rng), m + n).columns()


def _packed_subsets(m: int, n: int, count: int, rng: np.random.Generator, truths: int = 0) -> Counts:
    """``(count, bytes)``: each row the bits of a uniform subset of m of the N points; `truths` empty rows before them.

    Independent coin flips are first drawn for all entries at once. Given its number of ones such a row is a
    uniform subset of that size, and it stays uniform while uniformly chosen ones are cleared or zeros are set until
    there are m. The coin is a little unfair towards too few ones when m/N is far from 1/2, because setting a zero
    is then the cheaper correction.
    """
    total, fewer = m + n, min(m, n)
    width = 8 * -(-total // 64)
    inside = np.packbits(np.arange(8 * width) < total)
    bits = np.empty((truths + count, width), dtype=np.uint8)
    excess = np.empty(count, dtype=np.int64)
    step = max(1, _BLOCK_ENTRIES // width if m == n else (1 << 22) // (8 * width))
    for start in range(0, count, step):  # what was just drawn is in the cache, and fresh memory is dear
        part = bits[truths:][start : start + step]
        np.bitwise_and(_coins(fewer, total, part.shape, rng), inside, out=part)
        np.bitwise_count(part.view(np.uint64)).sum(axis=1, dtype=np.int64, out=excess[start : start + step])
    _correct_counts(bits[truths:], excess - fewer, total, rng)
    if m > n:
        bits ^= inside
    return bits


def _coins(m: int, total: int, shape: tuple[int, ...], rng: np.random.Generator) -> Counts:
    """``(rows, bytes)`` bits: fair coins if m is half of all, else 1 a little less often than m of all times."""
    if 2 * m == total:
        return rng.integers(0, 1 << 64, size=(shape[0], shape[1] // 8), dtype=np.uint64).view(np.uint8)
    share = m / total
    share -= 3 * sqrt(share * (1 - share) / total)
    drawn = rng.integers(0, 65536, size=(shape[0], 8 * shape[1]), dtype=np.uint16)
    return np.packbits(drawn < max(0, int(share * 65536)), axis=1)


def _correct_counts(bits: Counts, excess: NDArray[np.int64], total: int, rng: np.random.Generator) -> None:
    """Set or clear uniformly chosen bits, in place, until no row has more or fewer ones than it should.

    Every round proposes, for each row, as many uniform points as it has ones too many or too few, and flips those
    that hold the surplus value. Given how many distinct points were hit, they are a uniform subset; about half of the
    proposals hit, so the rounds shrink geometrically.
    """
    count, flat, shift = len(bits), bits.reshape(-1), total.bit_length()
    while (need := np.abs(excess)).any():
        drawn = np.repeat(np.arange(count) << shift, need)  # labelling and point in one number
        drawn |= rng.integers(total, size=drawn.size)
        drawn.sort()
        proposals = drawn[_firsts(drawn)]
        labelling, points = proposals >> shift, proposals & ((1 << shift) - 1)
        place, mask = labelling * bits.shape[1] + (points >> 3), (128 >> (points & 7)).astype(np.uint8)
        held = flat[place]
        hit = np.flatnonzero(((held & mask) > 0) == (excess > 0)[labelling])
        if not len(hit):
            continue
        place, mask, held = place[hit], mask[hit], held[hit]
        first = np.flatnonzero(_firsts(place))  # points of one byte stand together
        flat[place[first]] = held[first] ^ np.bitwise_or.reduceat(mask, first)
        excess -= np.sign(excess) * np.bincount(labelling[hit], minlength=count)


def _firsts(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where sorted values differ from the one before."""
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first


def subsets_are_few(m: int, n: int, count: int) -> bool:
    """Whether C(m + n, m) is at most `count`, without the million digits that it may have."""
    return (m + n) ** min(m, n, 2) // 4 <= count and comb(m + n, m) <= count


def _truth(m: int, n: int) -> Counts:
    return np.concatenate([np.ones(m, dtype=np.uint8), np.zeros(n, dtype=np.uint8)])


def every_subset(m: int, n: int) -> Counts:
    """All subsets of size m as columns; the truth {0, ..., m-1} comes first in lexicographic order."""
    members = np.array(list(combinations(range(m + n), m)), dtype=np.intp)  # (R, m)
    x = np.zeros((m + n, len(members)), dtype=np.uint8)
    x[members.T, np.arange(len(members))] = 1
    return x
