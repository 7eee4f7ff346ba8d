"""What Tables 2 and 3 share: data sets of attributes or tables, split into two halves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments import data


@dataclass(frozen=True)
class Attributes:
    """Columns of one table, each an attribute: those that are named, so many random ones, or all."""

    rows: int
    load: Callable[[], np.ndarray]
    columns: Sequence[int] | None = None
    random: int = 0

    def halves(self, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The attributes in two disjoint samples of rows."""
        table = self.load()
        keep = np.arange(table.shape[1]) if self.columns is None else np.array(self.columns)
        if self.random:
            keep = np.sort(rng.choice(keep, self.random, replace=False))
        chosen = rng.choice(len(table), 2 * self.rows, replace=False)
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
    "BIO": Attributes(377, data.bio, range(11, 17)),
    "FOREST": Attributes(538, data.forest),
    "CNUM": Attributes(386, data.cnum),
    "FOREST10D": ForestTables(),
    "BIO random": Attributes(377, data.bio, random=6),
}
"""Samples of ⌊√(N/2)⌋ rows, with N the rows of the whole file; of forest tables 1000. BIO has f12 to f17."""

QUICK: dict[str, Attributes | ForestTables] = {
    "BIO": Attributes(60, data.bio, range(11, 14)),
    "FOREST10D": ForestTables(550),
}
"""Small forms of two of them."""


def generator(seed: int, experiment: int, name: str, number: int) -> list[int]:
    """The seed of one repetition."""
    return [seed, experiment, sum(map(ord, name)), number]
