"""The design of rows that depend on each other because they stand in the order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.pvalue import Law
from ..core.types import Floats
from ..nulls import Null, WildBootstrap
from ..nulls.memory import Process
from .designs import ENOUGH, Design, Rows, Shares, by_worth, whole_rows
from .rows import EmbeddedRows, row_memory


@dataclass(frozen=True, eq=False)
class SeriesDesign(Design):
    """Rows of each sample in the order of time, of which neighbours are alike: the wild bootstrap."""

    def part(self, kept: Rows) -> SeriesDesign:
        m = int(kept[: self.m].sum())
        return SeriesDesign(m, int(kept.sum()) - m)

    @property
    def comparable(self) -> bool:
        """Whether there are rows enough for the wild bootstrap."""
        return min(self.m, self.n) >= ENOUGH

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        outcome = WildBootstrap(n=count).judged(EmbeddedRows(features, self.m, rng))
        return outcome.value, outcome.law, outcome.null

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Rows of an autoregression with the memory that the longer one of both has."""
        phi = max(row_memory(features[: self.m]), row_memory(features[self.m :]))
        sizes = [whole_rows(rows * (1 - phi) / (1 + phi), 1) for rows in (self.m, self.n)]
        return np.ones(self.m + self.n), (sizes[0], sizes[1])

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """By Student's law, with the long-run variance by weights of the wild bootstrap; one memory for all."""
        from scipy.special import stdtr

        deviations = holds.std(axis=0)
        scaled = (holds - holds.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
        phi = max(row_memory(scaled[: self.m]), row_memory(scaled[self.m :]))
        block = WildBootstrap(memory=phi).fitted(min(self.m, self.n)).block
        assert block is not None
        parts = holds[: self.m], holds[self.m :]
        variance, degrees = np.zeros(holds.shape[1]), np.inf
        for part in parts:
            process = Process(len(part), block, phi)
            drawn = process.draw(count, rng).T @ (part - part.mean(axis=0)) / len(part)  # (count, V)
            variance += (drawn**2).mean(axis=0)
            degrees = min(degrees, process.degrees)
        a, b = (part.mean(axis=0) for part in parts)
        t = np.abs(a - b) / np.sqrt(np.maximum(variance, 1e-300))
        pvalues = np.clip(2 * stdtr(max(degrees, 1.0), -t), 1e-300, 1.0)
        sizes = [whole_rows(len(part) * (1 - phi) / (1 + phi), 1) for part in parts]
        return by_worth((a, b), pvalues, (sizes[0], sizes[1]))
