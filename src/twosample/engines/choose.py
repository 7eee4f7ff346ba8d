"""Which engine: exact whenever that is affordable, otherwise the best valid one; and the result says why."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.threads import Progress
from ..core.types import Floats
from ..kernels import Kernel
from .base import Dense, Gram
from .estimates import Plan, explicit_plan, fourier_plan, lowrank_plan, tiled_plan

DENSE_POINTS = 1500
"""Up to this many pooled points the Gram matrix is small enough to keep (18 MB) and quicker kept than remade."""

PATIENCE = 60.0  # seconds that an exact engine may be expected to take before a low-rank kernel is used instead


@dataclass(frozen=True)
class Auto:
    """Picks the engine by a model of cost in rows, columns, labellings and kernel.

    'dense' for small pools; 'fourier' for one to three columns where the kernel allows and it is quicker; 'tiled' for
    everything that takes about a minute at most; 'lowrank' beyond. All but the last are exact; the last is a valid
    test of a kernel close to the one asked for, with a bound on the difference in the notes.

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

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> Gram:
        """The Gram matrix of z by the engine that is best for one labelling."""
        return self.choose(kernel, z, 1).engine.gram(kernel, z, rng)

    def choose(self, kernel: Kernel, z: Floats, labellings: int) -> Plan:
        """The engine for so many labellings, the reason for it, and its cost."""
        size = len(z)
        if size <= DENSE_POINTS:
            reason = f"{size} pooled points fit in memory as a matrix"
            return Plan(Dense(), reason, 1e-3 + size**2 * (z.shape[1] + labellings) / 1e10, 16.0 * size**2)
        if kernel.in_memory:
            return Plan(Dense(), "the matrix is already in memory", size**2 * labellings / 1e10, 8.0 * size**2)
        if kernel.has_features:
            return explicit_plan(kernel, z, labellings)
        best = tiled_plan(kernel, z, labellings, self.progress)
        if kernel.domain == "vectors" and z.shape[1] <= 3:
            waves = fourier_plan(kernel, z, labellings, self.progress)
            best = waves if waves is not None and waves.seconds < best.seconds else best
        return best if best.seconds <= PATIENCE else lowrank_plan(kernel, z, labellings, best, self.progress)
