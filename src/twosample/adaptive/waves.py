"""Differences at small scales in one column: cosines of its ranks (:mod:`twosample.embedding.waves`), O(N)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..core.types import Floats
from ..embedding.waves import cosines, top_frequency, wave_weights
from .base import ViewByFeatures


class FineWaves(ViewByFeatures):
    """A Gaussian kernel on the ranks that sees a few neighbours of each row."""

    name = "fine scale"
    vague = 4
    weight = 2.0
    share: ClassVar[tuple[float, float]] = (0.007, 3.5)
    """The width, of all rows; but not fewer rows than that."""

    @cached_property
    def _width(self) -> float:
        share, least = self.share
        return max(share, least / self.pool.size)

    @cached_property
    def _weights(self) -> Floats:
        return wave_weights(np.arange(1.0, top_frequency(self._width) + 1) ** 2, self._width)

    def blocks(self) -> Iterator[slice]:
        yield slice(0, 1)

    def features(self, block: slice, rows: slice) -> Floats:
        return cosines(self.pool.ranks[rows, 0], len(self._weights))[1:].T

    def joined(self, block: slice, squares: Floats) -> Floats:
        return np.asarray(squares @ self._weights)[:, None]

    def direction(self, difference: Floats) -> Floats:
        return np.asarray(difference * self._weights)

    def words(self, block: slice, feature: int, z: float) -> str:
        piece = f"{100 / (feature + 1):.2g} % of all rows"
        return f"{self.pool.columns[0]}: x and y are frequent at other places, which hold about {piece} each"


class MiddleWaves(FineWaves):
    """The same at a wider scale."""

    name = "middle scale"
    weight = 8.0
    share = 0.045, 14.0
