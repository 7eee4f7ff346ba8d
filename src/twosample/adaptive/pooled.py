"""The pooled sample in three scales, none of which depends on the unit of a column or on the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats


@dataclass(frozen=True, eq=False)
class PooledSample:
    """N rows of D coordinates that vary; a column of numbers is one coordinate, a category or a text several.

    Parameters
    ----------
    values
        ``(N, D)`` values with mean 0; those of a column of numbers have variance 1.
    scores
        ``(N, D)`` normal scores of the ranks, with mean 0 and variance 1; the values where ranks have no meaning.
    ranks
        ``(N, D)`` midranks in (0, 1); the values, in the same unit, where ranks have no meaning.
    ordered
        ``(D,)`` whether ranks have a meaning.
    columns
        ``(D,)`` the name of the column that a coordinate belongs to.
    m
        How many rows, the first ones, are x. Nothing here looks at it.
    """

    values: Floats
    scores: Floats
    ranks: Floats
    ordered: np.ndarray[tuple[int], np.dtype[np.bool_]]
    columns: tuple[str, ...]
    m: int

    @property
    def size(self) -> int:
        """N."""
        return len(self.values)

    @property
    def n(self) -> int:
        """How many rows are y."""
        return self.size - self.m


def pooled_numbers(z: Floats, columns: tuple[str, ...], m: int) -> PooledSample:
    """The pooled sample of columns of numbers; those that are constant are left out. O(N log N) for each column."""
    from scipy.special import ndtri

    varies = (z != z[0]).any(axis=0)
    z = z[:, varies]
    ranks = np.column_stack([midranks(column) for column in z.T]) if z.size else np.empty((len(z), 0))
    return PooledSample(
        values=standardised(z),
        scores=standardised(ndtri(ranks)),
        ranks=ranks,
        ordered=np.ones(z.shape[1], dtype=bool),
        columns=tuple(name for name, kept in zip(columns, varies, strict=True) if kept),
        m=m,
    )


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


def midranks(column: Floats) -> Floats:
    """``(N,)`` ranks in (0, 1), the mean rank for ties."""
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - 0.5 * counts)[inverse] / len(column))
