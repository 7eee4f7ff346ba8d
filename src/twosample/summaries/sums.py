"""Sums of frozen features, and of their products, over random groups of rows: what all columns together are tested by.

Whole numbers: parts are added up exactly, in whatever order they come. A row's group is drawn by its place, never by
its content: equal rows are drawn independently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from .coded import CodedColumn

GROUPS = 128
"""Groups of the rows of a table."""

FEATURES = 64
"""Of all columns together; with more columns than that only sums of features are kept, not of their products."""


def width_of(features: Sequence[CodedColumn]) -> int:
    """Features of some columns, and the number of rows, which is the first of them."""
    return 1 + sum(column.width for column in features)


def moments_of(width: int) -> int:
    """How many sums a group has: of all products of two, or of the features alone."""
    return width * (width + 1) // 2 if width <= 1 + FEATURES else width


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums over the rows of each group."""

    features: tuple[CodedColumn, ...]
    moments: NDArray[np.int64]
    """``(G, ·)`` of the products of every two of 1 and the features, row by row of the upper triangle; or of 1 and the
    features alone."""

    @cached_property
    def key(self) -> bytes:
        """The same for the same features."""
        found = sha256()
        for column in self.features:
            found.update(repr((column.name, column.kind, column.bins, column.levels, column.clock)).encode())
            found.update(column.table.tobytes())
        return found.digest()

    @property
    def width(self) -> int:
        """Features, and one more."""
        return width_of(self.features)

    @property
    def paired(self) -> bool:
        """Whether there are sums of products."""
        return len(self.moments[0]) > self.width

    @property
    def rows(self) -> NDArray[np.int64]:
        """``(G,)`` rows of each group."""
        return self.moments[:, 0]

    def without_empty(self) -> GroupSums:
        """The groups that have rows."""
        return replace(self, moments=self.moments[self.rows > 0])

    def merged(self, other: GroupSums) -> GroupSums | None:
        """Of the rows of both; None if their features are not the same."""
        return replace(self, moments=self.moments + other.moments) if self.key == other.key else None

    def only(self, wanted: Callable[[CodedColumn], bool]) -> GroupSums:
        """Those of some columns."""
        kept = tuple(column for column in self.features if wanted(column))
        own = [np.ones(1, dtype=bool), *(np.full(part.width, wanted(part)) for part in self.features)]
        mask = np.concatenate(own)
        first, second = np.triu_indices(self.width)
        columns = mask[first] & mask[second] if self.paired else mask
        return GroupSums(kept, self.moments[:, columns])
