"""Sums of frozen features, and of their products, over random groups of rows: what all columns together are tested by.

Whole numbers: parts are added up exactly, in whatever order they come. A row's group is drawn by its place, never by
its content: equal rows are drawn independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
        same = _key(self.features) == _key(other.features)
        return replace(self, moments=self.moments + other.moments) if same else None

    def of(self, features: tuple[CodedColumn, ...]) -> GroupSums | None:
        """Those of some of the features; None if they are not among them."""
        names = {column.name for column in features}
        if _key(tuple(column for column in self.features if column.name in names)) != _key(features):
            return None
        widths = [1, *(part.width for part in self.features)]
        mask = np.repeat([True, *(part.name in names for part in self.features)], widths)
        first, second = np.triu_indices(self.width)
        return GroupSums(features, self.moments[:, mask[first] & mask[second] if self.paired else mask])


def _key(features: Sequence[CodedColumn]) -> bytes:
    """The same for the same features."""
    found = sha256()
    for column in features:
        found.update(repr((column.name, column.kind, column.bins, column.levels, column.clock)).encode())
        found.update(column.table.tobytes())
    return found.digest()
