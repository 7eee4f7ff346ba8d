"""What Tables 2 and 3 share: data sets of attributes or tables, split into two halves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments import data


@dataclass(frozen=True)
class Attributes:
    """Columns of one table, each an attribute."""

    rows: int
    load: Callable[[], np.ndarray]
    columns: Sequence[int] | None = None

    def halves(self, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The attributes in two disjoint samples of rows."""
        table = self.load()
        chosen = rng.choice(len(table), 2 * self.rows, replace=False)
        keep = slice(None) if self.columns is None else list(self.columns)
        A, B = table[chosen[: self.rows]][:, keep], table[chosen[self.rows :]][:, keep]
        return list(np.ascontiguousarray(A.T)), list(np.ascontiguousarray(B.T))


@dataclass(frozen=True)
class ForestTables:
    """The two most frequent types of forest, each a table of ten columns."""

    rows: int = 1000

    def halves(self, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Two disjoint samples of each type."""
        table, types = data.forest(), data.forest_types()
        A, B = [], []
        for kind in (1, 2):
            chosen = rng.choice(np.flatnonzero(types == kind), 2 * self.rows, replace=False)
            A.append(table[chosen[: self.rows]])
            B.append(table[chosen[self.rows :]])
        return A, B


SETS: dict[str, Attributes | ForestTables] = {
    "BIO": Attributes(377, data.bio, range(6)),
    "FOREST": Attributes(538, data.forest),
    "CNUM": Attributes(386, data.cnum),
    "FOREST10D": ForestTables(),
}

QUICK: dict[str, Attributes | ForestTables] = {
    "BIO": Attributes(60, data.bio, range(3)),
    "FOREST10D": ForestTables(550),
}
"""Small forms of two of them."""


def generator(seed: int, experiment: int, name: str, number: int) -> list[int]:
    """The seed of one repetition."""
    return [seed, experiment, sum(map(ord, name)), number]
