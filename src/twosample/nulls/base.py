"""What a null is: a frozen option that turns evidence into a law."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.evidence import Evidence
from ..core.labellings import Labellings, observed
from ..core.laws import Law


@dataclass(frozen=True)
class Null(ABC):
    """A way to know the law of the statistic under H0."""

    name: ClassVar[str]
    """The alias."""

    statistics: ClassVar[frozenset[str]]
    """Aliases of the statistics that it knows the law of."""

    @property
    def resamples(self) -> int:
        """How many worlds beside the true one it wants to see."""
        return 0

    def labellings(self, m: int, n: int, pairwise: bool, rng: np.random.Generator) -> Labellings:
        """The labellings that it wants the statistic of; column 0 is the truth."""
        del pairwise, rng
        return observed(m, n)

    def batches(self, m: int, n: int, pairwise: bool, rng: np.random.Generator) -> Iterator[Labellings]:
        """The same in batches that fit in memory; only the first has the truth."""
        yield self.labellings(m, n, pairwise, rng)

    @abstractmethod
    def law(self, evidence: Evidence) -> Law:
        """The law of the statistic under H0."""

    def notes(self, evidence: Evidence) -> tuple[str, ...]:
        """What the user should know about this null here."""
        del evidence
        return ()
