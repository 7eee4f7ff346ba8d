"""The pooled sample in three scales, none of which depends on the unit of a column or on the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.ranks import midranks, scores_of, standardised
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
