"""The pooled sample in three scales, none of which depends on the unit of a column or on the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats


@dataclass(frozen=True, eq=False)
class PooledSample:
    """N rows of D coordinates that vary; a column of numbers is one coordinate, a category or a text several."""

    values: Floats  # (N, D) values with mean 0; those of a column of numbers have variance 1
    scores: Floats
    """``(N, D)`` normal scores of the ranks, with mean 0 and variance 1; the values where ranks have no meaning."""
    ranks: Floats  # (N, D) midranks in (0, 1); the values, in the same unit, where ranks have no meaning
    ordered: np.ndarray[tuple[int], np.dtype[np.bool_]]  # (D,) whether ranks have a meaning
    shares: Floats  # (D,) one over the number of coordinates that a coordinate's column has
    columns: tuple[str, ...]  # (D,) what a coordinate is called: by its column, or a level of it
    m: int  # how many rows, the first ones, are x. Nothing here looks at it

    @property
    def size(self) -> int:
        """N."""
        return len(self.values)

    @property
    def n(self) -> int:
        """How many rows are y."""
        return self.size - self.m


RANK_DEVIATION = 12**-0.5  # the standard deviation of ranks in (0, 1)


def pooled_numbers(z: Floats, columns: tuple[str, ...], m: int) -> PooledSample:
    """The pooled sample of columns of numbers; those that are constant are left out. O(N log N) for each column."""
    varies = (z != z[0]).any(axis=0)
    z = z[:, varies]
    ranks = midranks(z)
    return PooledSample(
        values=standardised(z),
        scores=scores_of(ranks),
        ranks=ranks,
        ordered=np.ones(z.shape[1], dtype=bool),
        shares=np.ones(z.shape[1]),
        columns=tuple(name for name, kept in zip(columns, varies, strict=True) if kept),
        m=m,
    )


def scores_of(ranks: Floats) -> Floats:
    """Normal scores with mean 0 and variance 1."""
    from scipy.special import ndtri

    return standardised(ndtri(ranks))


def standardised(z: Floats) -> Floats:
    """Columns with mean 0 and variance 1, whatever their unit; none may be constant.

    The unit is divided out first, by a power of two, so that no square overflows and no digit changes.
    """
    if not z.size:
        return z
    z = z - z[len(z) // 2]
    top = np.abs(z).max(axis=0)
    z = np.ldexp(z, -np.frexp(top)[1])
    z -= z.mean(axis=0)
    return np.asarray(z / z.std(axis=0))


def midranks(z: Floats) -> Floats:
    """``(N, D)`` ranks in (0, 1) within each column, the mean rank for ties."""
    size = len(z)
    if not z.size:
        return z
    order = np.argsort(z, axis=0)  # ties in any order: they get the same rank
    ordered = np.take_along_axis(z, order, axis=0)
    starts = np.ones(z.shape, dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    ends = np.roll(starts, -1, axis=0)  # the last row always ends a run of ties, because the first one starts one
    place = np.arange(size)[:, None]
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=0)
    last = np.minimum.accumulate(np.where(ends, place, size)[::-1], axis=0)[::-1]
    ranks = np.empty(z.shape)
    np.put_along_axis(ranks, order, (first + last + 1) / (2 * size), axis=0)
    return ranks
