"""Columns as atoms: numbers by bins or values, categories by counts, texts by the letters they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..sources import CategoryCounts
from ..structured import Text
from ..summaries import BinnedColumn, Scale
from .moments import Atoms

LEVELS = 400
"""Categories that are atoms of their own; rarer ones share a hundred atoms by rank."""

COUNTED = 10_000
"""Categories of a table that are counted one by one; where there are more, samples are compared."""

_TRACE = 1e-7  # of the kernel that features may leave
_RANK = 160


@dataclass(frozen=True, eq=False)
class Line:
    """Numbers as atoms.

    Parameters
    ----------
    places
        ``(A,)`` where they are, ascending.
    atoms
        Features and rows.
    scale
        What they were measured by.
    exact
        Whether places are the values themselves, and not the ends of bins.
    """

    places: Floats
    atoms: Atoms
    scale: Scale
    exact: bool


def line_of_values(a: Floats, b: Floats, scale: Scale) -> Line:
    """Atoms at the values themselves, those beyond the range at its ends."""
    places, index = np.unique(np.concatenate([scale.inside(a), scale.inside(b)]), return_inverse=True)
    first, second = (_counted(part, len(places)) for part in (index[: len(a)], index[len(a) :]))
    return Line(places, Atoms.of(line_features(places, first + second, scale.width), first, second), scale, True)


def _counted(index: NDArray[np.intp], size: int) -> Floats:
    return np.bincount(index, minlength=size).astype(np.float64)


def line_of_bins(columns: Sequence[BinnedColumn], scale: Scale) -> Line:
    """Atoms at the ends of bins: features are interpolated within a bin, so that counts and sums are all it takes."""
    first, second = map(_ends, columns)
    used = first + second > 0
    places, first, second = columns[0].grid.edges[used], first[used], second[used]
    return Line(places, Atoms.of(line_features(places, first + second, scale.width), first, second), scale, False)


def _ends(bins: BinnedColumn) -> Floats:
    """``(size + 1,)`` rows at the ends of bins, each row shared by the two ends of its bin."""
    count, first = bins.moments[0], bins.moments[1]
    right = np.clip(0.5 * count + first, 0.0, count)
    result = np.zeros(len(count) + 1)
    result[:-1] += count - right
    result[1:] += right
    low, high = bins.ends
    result[low] += bins.below
    result[high] += bins.above
    return result


def line_features(places: Floats, mass: Floats, width: float) -> Floats:
    """``(A, D)`` features of the Gaussian kernel: pivoted Cholesky, until next to nothing of it is left."""
    scaled = (places - places[0]) / width
    residual = np.ones(len(places))
    columns = np.empty((min(_RANK, len(places)), len(places)))
    enough, rank = _TRACE * float(mass.sum()), 0
    while rank < len(columns):
        left = mass * residual
        if float(left.sum()) <= enough:
            break
        pivot = int(np.argmax(left))
        column = np.exp(-0.5 * (scaled - scaled[pivot]) ** 2) - columns[:rank, pivot] @ columns[:rank]
        column /= np.sqrt(residual[pivot])
        columns[rank] = column
        residual = np.maximum(residual - column**2, 0.0)
        residual[pivot] = 0.0
        rank += 1
    return np.ascontiguousarray(columns[: max(rank, 1)].T)


@dataclass(frozen=True, eq=False)
class Levels:
    """Categories and their counts in both tables.

    Parameters
    ----------
    labels
        The categories, most frequent first.
    a, b
        ``(L,)`` rows of either table.
    """

    labels: tuple[str, ...]
    a: Floats
    b: Floats

    @classmethod
    def of(cls, a: CategoryCounts, b: CategoryCounts) -> Levels:
        """Match the counts of two tables by category; all categories of both must have been counted.

        Otherwise those left out would be chosen by the noise of each table, and tables would differ by that alone.
        """
        left, right = dict(a.values), dict(b.values)
        names = sorted({**left, **right}, key=lambda name: (-left.get(name, 0) - right.get(name, 0), name))
        x, y = (np.array([float(side.get(name, 0)) for name in names]) for side in (left, right))
        return cls(tuple(names), x, y)

    def atoms(self) -> Atoms:
        """The delta kernel on categories; rare ones share atoms."""
        a, b = self.a, self.b
        if len(a) > LEVELS + 100:
            group = np.arange(len(a))
            group[LEVELS:] = LEVELS + (group[LEVELS:] % 100)
            a, b = (np.bincount(group, counts).astype(np.float64) for counts in (a, b))
        used = a + b > 0
        return Atoms.of(np.eye(int(used.sum())), a[used], b[used])


def missing_atoms(rows: tuple[int, int], missing: tuple[int, int]) -> Atoms:
    """Missing or not."""
    counts = np.array([[total - gone, gone] for total, gone in zip(rows, missing, strict=True)], dtype=float)
    return Atoms.of(np.eye(2), counts[0], counts[1])


def text_atoms(a: Sequence[str], b: Sequence[str]) -> Atoms:
    """Texts by the letters they share: the cosine of their counts of three letters in a row."""
    present: NDArray[np.bool_] = np.zeros(len(a) + len(b), dtype=bool)
    features = Text().rows([*a, *b], present) * np.sqrt(2)
    first = np.arange(len(features)) < len(a)
    return Atoms.of(features, first.astype(float), (~first).astype(float))
