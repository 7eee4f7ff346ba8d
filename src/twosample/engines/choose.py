"""Which engine: exact whenever that is affordable, otherwise the best valid one; and the result says why."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.threads import Progress, available_cores
from ..core.types import Floats
from ..kernels import Kernel
from .base import Engine, Gram
from .dense import Dense
from .features import Features
from .fourier import MAX_FREQUENCIES, Fourier, direct_frequencies, grids_for, transforms_available
from .lowrank import MAX_RANK, LowRank
from .tiled import Tiled

DENSE_POINTS = 1500
"""Up to this many pooled points the Gram matrix is small enough to keep (18 MB) and quicker kept than remade."""

PATIENCE = 60.0
"""Seconds that an exact engine may be expected to take before a low-rank kernel is used instead."""

_LABEL_BYTES = 400e6


@dataclass(frozen=True)
class Plan:
    """What a test will cost: about, on this machine, before it runs.

    Parameters
    ----------
    engine
        The engine that would be used.
    reason
        Why.
    seconds
        Expected time; within a factor of three or so.
    bytes
        Expected peak of memory beyond the data.
    exact
        Whether the statistic is that of the kernel asked for (to 1e-12), or of a close one.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> ts.plan(np.zeros((100, 2)), np.ones((100, 2))).engine
    Dense()
    """

    engine: Engine
    reason: str
    seconds: float
    bytes: float
    exact: bool = True

    def __str__(self) -> str:
        kind = "exact" if self.exact else "a valid test of a nearby kernel"
        return (
            f"{self.engine!r} ({kind}): {self.reason}. "
            f"About {self.seconds:.2g} s and {self.bytes / 1e6:.3g} MB beyond the data."
        )


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
            return self._explicit(kernel, z, labellings)
        plans = [self._tiled(kernel, z, labellings)]
        if kernel.domain == "vectors" and z.shape[1] <= 3:
            plans += self._fourier(kernel, z, labellings)
        best = min(plans, key=lambda plan: plan.seconds)
        return best if best.seconds <= PATIENCE else self._lowrank(kernel, z, labellings, best)

    def _explicit(self, kernel: Kernel, z: Floats, labellings: int) -> Plan:
        features = kernel.features(z)
        reason = f"{len(z)} objects with {features.shape[1]} explicit features, {features.nnz} of them not 0"
        memory = min(len(z) * labellings, _LABEL_BYTES) + 24.0 * features.nnz + 2e8
        return Plan(Features(), reason, 3e-9 * features.nnz * labellings, memory)

    def _tiled(self, kernel: Kernel, z: Floats, labellings: int) -> Plan:
        size, columns = z.shape
        rate = 1.5e10 if kernel.metric == "sqeuclidean" else 5e9
        seconds = size**2 * (columns + labellings + 12.0) / (rate * available_cores())
        memory = min(size * labellings, _LABEL_BYTES) + 16e6 * available_cores() + 8.0 * z.size
        reason = f"{size} pooled points: exact, and K is never stored"
        return Plan(Tiled(progress=self.progress), reason, seconds, memory)

    def _fourier(self, kernel: Kernel, z: Floats, labellings: int) -> list[Plan]:
        size, columns = z.shape
        cores = available_cores()
        memory = min(size * labellings, _LABEL_BYTES) + 24.0 * z.size
        engine = Fourier(progress=self.progress)
        if columns == 1 and kernel.exponential_polynomial is not None:
            seconds = size * (2e-7 + 6e-8 * labellings / cores)
            return [Plan(engine, f"{size} points on a line: exact by sorting", seconds, memory)]
        outline = grids_for(kernel, z, engine.tolerance)
        if outline is None or outline.count > MAX_FREQUENCIES:
            return []
        count, grids = outline.count, len(outline.shapes)
        if count <= direct_frequencies():
            seconds = size * count * (2e-8 + 2e-10 * labellings) / cores
            memory += 64e6 + 16 * count * labellings
        elif transforms_available():
            each = size * grids * {1: 3e-7, 2: 8e-7, 3: 3e-6}[columns] + 1e-6 * count
            seconds = (2 + labellings) * each / cores + 1e-8 * count * len(outline.mixture.factors)
            memory += 100.0 * size + 300 * count
        else:
            return []
        reason = f"{size} points in {columns} column(s) need only about {count:.0f} frequencies"
        return [Plan(engine, reason, seconds, memory)]

    def _lowrank(self, kernel: Kernel, z: Floats, labellings: int, exact: Plan) -> Plan:
        """A low-rank kernel, unless that takes as long: rough kernels need every rank that they can get."""
        size, rank = len(z), min(len(z), 1000 if kernel.smooth else MAX_RANK)
        seconds = size * rank * (rank + labellings) / (3e10 * available_cores())
        if seconds >= exact.seconds:
            return exact
        reason = f"{size} pooled points: the quickest exact engine would take about {exact.seconds:.0f} s"
        if not kernel.smooth:
            reason += f"; the kernel is rough, and rank {rank} may leave much of it out (see the notes)"
        memory = min(size * labellings, _LABEL_BYTES) + 8.0 * rank * (rank + labellings) + 64e6
        return Plan(LowRank(progress=self.progress), reason, seconds, memory, exact=False)
