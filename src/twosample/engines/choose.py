"""Which engine: exact whenever it is affordable, and the result says why."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.types import Floats
from ..kernels import Kernel
from .base import Engine, Gram, Progress
from .dense import Dense
from .tiled import Tiled

DENSE_POINTS = 1500
"""Up to this many pooled points the Gram matrix is small enough to keep (18 MB) and quicker kept than remade."""


@dataclass(frozen=True)
class Auto:
    """Picks the engine: `dense` for small pools and precomputed matrices, `tiled` otherwise. Both are exact.

    Parameters
    ----------
    progress
        Called with (steps done, steps in all) on long work.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd_test([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], level=0.2, engine=ts.Auto()).engine
    Dense()
    """

    progress: Progress | None = field(default=None, repr=False)
    name = "auto"

    def gram(self, kernel: Kernel, z: Floats) -> Gram:
        """The Gram matrix of z by the engine that was picked."""
        engine, _ = self.choose(kernel, z)
        return engine.gram(kernel, z)

    def choose(self, kernel: Kernel, z: Floats) -> tuple[Engine, str]:
        """The engine and the reason for it."""
        if len(z) <= DENSE_POINTS:
            return Dense(), f"{len(z)} pooled points fit in memory as a matrix"
        if kernel.domain == "indices":
            return Dense(), "the matrix is already in memory"
        return Tiled(progress=self.progress), f"{len(z)} pooled points: exact, and K is never stored"
