"""What a null is: a frozen option that turns evidence into a law."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ..core.evidence import Evidence
from ..core.labellings import Labellings, observed
from ..core.laws import Law
from ..core.quadratic import QuadraticForm
from ..core.types import Floats
from ..kernels import Kernel

_ENTRIES = 30_000_000
"""Weights that are held in memory at a time."""


class Products(Protocol):
    """A Gram matrix that can be applied."""

    def multiply(self, W: Floats) -> Floats:
        """``K @ W`` for an ``(N, c)`` matrix of weights."""
        ...


@dataclass(frozen=True, eq=False)
class Worlds:
    """A quadratic form in worlds that are not relabellings of single rows, the true world first."""

    values: Floats
    exhaustive: bool = False


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

    def adapted(self, x: Floats, y: Floats, kernel: Kernel) -> Null:
        """The null with what it wants to take from the samples; most want nothing."""
        del x, y, kernel
        return self

    def worlds(self, form: QuadraticForm, gram: Products, diagonal: Floats, rng: np.random.Generator) -> Worlds | None:
        """The quadratic form in worlds that labellings of rows cannot express; None for a null that has none."""
        del form, gram, diagonal, rng
        return None

    @abstractmethod
    def law(self, evidence: Evidence) -> Law:
        """The law of the statistic under H0."""

    def notes(self, evidence: Evidence) -> tuple[str, ...]:
        """What the user should know about this null here."""
        del evidence
        return ()


def batches(points: int, count: int) -> list[int]:
    """`count` worlds of so many points in parts that fit in memory."""
    step = max(1, _ENTRIES // points)
    return [min(step, count - start) for start in range(0, count, step)]
