"""Categories, missing shares and texts as weighted points: the delta kernel on categories, common letters of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..structured import Text
from .pair import Embedded

TEXTS = 5000
"""Texts of each sample that are looked at, evenly spaced if there are more."""
_MOST = 400  # categories that are points of their own; rarer ones share a hundred points by rank


@dataclass(frozen=True, eq=False)
class Levels:
    """Categories and how often each occurs in either sample."""

    labels: tuple[str, ...]  # the categories, most frequent first
    x: Floats  # (L,) rows of either sample
    y: Floats

    @classmethod
    def of(cls, x: Mapping[str, int], y: Mapping[str, int]) -> Levels:
        """Match the counts of two samples by category; all categories of both must have been counted.

        Otherwise those left out would be chosen by the noise of each sample, and samples would differ by that alone.
        """
        names = sorted({**x, **y}, key=lambda name: (-x.get(name, 0) - y.get(name, 0), name))
        first, second = (np.array([float(part.get(name, 0)) for name in names]) for part in (x, y))
        return cls(tuple(names), first, second)

    def embedded(self) -> Embedded:
        """The delta kernel on categories; rare ones share points."""
        x, y = self.x, self.y
        if len(x) > _MOST + 100:
            group = np.arange(len(x))
            group[_MOST:] = _MOST + (group[_MOST:] % 100)
            x, y = (np.bincount(group, counts).astype(np.float64) for counts in (x, y))
        used = x + y > 0
        return Embedded.of(np.eye(int(used.sum())), x[used], y[used])


def missing_pair(rows: tuple[int, int], missing: tuple[int, int]) -> Embedded:
    """Missing or not."""
    counts = np.array([[total - gone, gone] for total, gone in zip(rows, missing, strict=True)], dtype=float)
    return Embedded.of(np.eye(2), counts[0], counts[1])


def text_pair(x: Sequence[str], y: Sequence[str]) -> Embedded:
    """Texts by the letters they share: the cosine of their counts of three letters in a row; 5000 of each at most."""
    x, y = (texts[:: max(1, -(-len(texts) // TEXTS))] for texts in (x, y))
    present: NDArray[np.bool_] = np.zeros(len(x) + len(y), dtype=bool)
    features = Text().rows([*x, *y], present) * np.sqrt(2)
    first = np.arange(len(features)) < len(x)
    return Embedded.of(features, first.astype(float), (~first).astype(float))
