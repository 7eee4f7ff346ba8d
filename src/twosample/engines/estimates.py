"""What each engine would cost: models of seconds and bytes in rows, columns, labellings and kernel."""

from __future__ import annotations

from dataclasses import dataclass

from .._reported import Tabled
from ..core.threads import Progress, available_cores
from ..core.types import Floats
from ..kernels import Kernel
from .base import Engine
from .features import Features
from .fourier import MAX_FREQUENCIES, Fourier, direct_frequencies, grids_for, transforms_available
from .lowrank import MAX_RANK, LowRank
from .tiled import Tiled

_LABEL_BYTES = 400e6


@dataclass(frozen=True)
class Plan(Tabled):
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


def explicit_plan(kernel: Kernel, z: Floats, labellings: int) -> Plan:
    """Explicit features of objects."""
    features = kernel.features(z)
    reason = f"{len(z)} objects with {features.shape[1]} explicit features, {features.nnz} of them not 0"
    memory = min(len(z) * labellings, _LABEL_BYTES) + 24.0 * features.nnz + 2e8
    return Plan(Features(), reason, 3e-9 * features.nnz * labellings, memory)


def tiled_plan(kernel: Kernel, z: Floats, labellings: int, progress: Progress | None) -> Plan:
    """All pairs of rows, tile by tile."""
    size, columns = z.shape
    rate = 1.5e10 if kernel.metric == "sqeuclidean" else 5e9
    seconds = size**2 * (columns + labellings + 12.0) / (rate * available_cores())
    memory = min(size * labellings, _LABEL_BYTES) + 16e6 * available_cores() + 8.0 * z.size
    reason = f"{size} pooled points: exact, and K is never stored"
    return Plan(Tiled(progress=progress), reason, seconds, memory)


def fourier_plan(kernel: Kernel, z: Floats, labellings: int, progress: Progress | None) -> Plan | None:
    """Waves, or sorting on a line; None if the kernel is neither or takes too many of them."""
    size, columns = z.shape
    cores = available_cores()
    memory = min(size * labellings, _LABEL_BYTES) + 24.0 * z.size
    engine = Fourier(progress=progress)
    if columns == 1 and kernel.exponential_polynomial is not None:
        seconds = size * (2e-7 + 6e-8 * labellings / cores)
        return Plan(engine, f"{size} points on a line: exact by sorting", seconds, memory)
    outline = grids_for(kernel, z, engine.tolerance)
    if outline is None or outline.count > MAX_FREQUENCIES:
        return None
    count, grids = outline.count, len(outline.shapes)
    if count <= direct_frequencies():
        seconds = size * count * (2e-8 + 2e-10 * labellings) / cores
        memory += 64e6 + 16 * count * labellings
    elif transforms_available():
        each = size * grids * {1: 3e-7, 2: 8e-7, 3: 3e-6}[columns] + 1e-6 * count
        seconds = (2 + labellings) * each / cores + 1e-8 * count * len(outline.mixture.factors)
        memory += 100.0 * size + 300 * count
    else:
        return None
    reason = f"{size} points in {columns} column(s) need only about {count:.0f} frequencies"
    return Plan(engine, reason, seconds, memory)


def lowrank_plan(kernel: Kernel, z: Floats, labellings: int, exact: Plan, progress: Progress | None) -> Plan:
    """A low-rank kernel, unless that takes as long: rough kernels need every rank that they can get."""
    size, rank = len(z), min(len(z), 1000 if kernel.smooth else MAX_RANK)
    seconds = size * rank * (rank + labellings) / (3e10 * available_cores())
    if seconds >= exact.seconds:
        return exact
    reason = f"{size} pooled points: the quickest exact engine would take about {exact.seconds:.0f} s"
    if not kernel.smooth:
        reason += f"; the kernel is rough, and rank {rank} may leave much of it out (see the notes)"
    memory = min(size * labellings, _LABEL_BYTES) + 8.0 * rank * (rank + labellings) + 64e6
    return Plan(LowRank(progress=progress), reason, seconds, memory, exact=False)
