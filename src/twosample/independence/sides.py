"""Two variables through the door: rows that belong together, a kernel for each, and the way to apply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..engines import Auto, Dense, Engine, Fourier, LowRank, Tiled
from ..engines.fourier import frequencies_needed
from ..engines.grid import DIRECT_FREQUENCIES
from ..errors import InputError
from ..kernels import Kernel
from ..kernels.objects import row_numbers_of
from .factored import FactorPair
from .factors import Factor, factor_of
from .matrices import CentredMatrix, MatrixInMemory, MatrixInStrips
from .pairs import MatrixPair, Pair

LEAST_ROWS = 4
"""The unbiased estimate divides by n (n-3)."""

MEMORY_ROWS = 2000
"""Up to this many rows both matrices are kept (64 MB)."""

STRIP_ROWS = 12_000
"""Up to this many rows all pairs of rows are looked at; beyond that a low-rank kernel is used."""

LINE_POINTS = 10_000
"""Order statistics of a longer line that stand for it when a bandwidth is chosen."""

SMOOTH = Fourier(tolerance=1e-8)
"""Features for Gaussian kernels on few columns; as exact as the truncation of pairs of axes makes sense of."""


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable: points, and the kernel that applies to them.

    Parameters
    ----------
    name
        x or y, for messages.
    z
        ``(n, d)`` numbers, or row numbers.
    kernel
        The kernel, with its bandwidth.
    """

    name: str
    z: Floats
    kernel: Kernel

    @property
    def columns(self) -> int:
        """Columns, 0 when the points are not vectors."""
        return self.z.shape[1] if self.kernel.domain == "vectors" else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """A word about a variable that does not vary."""
        if self.columns and not (self.z != self.z[0]).any():
            return (f"All rows of {self.name} are the same: it depends on nothing, HSIC is 0 and p is 1.",)
        return ()


def variables(
    x: object,
    y: object,
    kernels: tuple[door.KernelLike, door.KernelLike | None],
    bandwidth: door.BandwidthLike,
    rng: np.random.Generator,
    as_given: bool = False,
) -> tuple[Variable, Variable]:
    """Both variables, with as many rows each, and their kernels filled in; unless `as_given`, moved to their middle."""
    first = door.resolve_kernel(kernels[0])
    second = first if kernels[1] is None else door.resolve_kernel(kernels[1], "kernel_y")
    rule = door.resolve_bandwidth(bandwidth, first if first.needs_bandwidth else second)
    sides = [_points(value, name, kernel) for value, name, kernel in ((x, "x", first), (y, "y", second))]
    rows = [len(z) for z, _ in sides]
    if rows[0] != rows[1]:
        raise InputError(
            f"x has {rows[0]} rows and y has {rows[1]}. A test of independence needs pairs: row i of x belongs to "
            "row i of y. To compare two samples of different sizes use mmd_test."
        )
    if not as_given:
        sides = [(z - door.middle(z) if kernel.translation_free else z, kernel) for z, kernel in sides]
    made = [
        Variable(name, z, door.fill_bandwidth(kernel, rule, thinned(z), rng))
        for name, (z, kernel) in zip(("x", "y"), sides, strict=True)
    ]
    return made[0], made[1]


def _points(value: object, name: str, kernel: Kernel) -> tuple[Floats, Kernel]:
    if kernel.domain == "objects":
        listed = door.objects(value, name, LEAST_ROWS)
        return row_numbers_of(listed), kernel.on(listed)
    return checked_points(value, name, kernel, LEAST_ROWS), kernel


def checked_points(value: object, name: str, kernel: Kernel, least: int) -> Floats:
    """Rows of numbers, or row numbers."""
    if kernel.domain == "indices":
        return door.row_numbers(value, name, kernel, least)
    z = door.points(value, name, least)
    with np.errstate(over="ignore"):
        if not np.isfinite(np.ptp(z, axis=0)).all():
            raise InputError(f"{name} holds values so large that their differences overflow; rescale it.")
    return z


def thinned(z: Floats) -> Floats:
    """What a bandwidth rule needs of a long line: evenly spaced order statistics, whatever the order of the rows."""
    step = len(z) // LINE_POINTS
    return z if z.shape[1] > 1 or step < 2 else np.sort(z[:, 0])[step // 2 :: step, None]


def choose_engines(sides: Sequence[Variable], engine: Engine) -> tuple[list[Engine], str]:
    """The engine for each variable, and why."""
    if not isinstance(engine, Auto):
        return [engine] * len(sides), ""
    size = len(sides[0].z)
    if size <= MEMORY_ROWS:
        return [Dense()] * len(sides), f"{size} rows: both matrices fit in memory"
    smooth = [few_frequencies(side) for side in sides]
    if all(smooth):
        return [SMOOTH] * len(sides), f"{size} rows, few columns: characteristic functions, no pairs of rows"
    if size <= STRIP_ROWS:
        return [Tiled()] * len(sides), f"{size} rows: exact, in strips, no matrix is stored"
    ways: list[Engine] = [SMOOTH if few else LowRank() for few in smooth]
    return ways, f"{size} rows: all pairs of them would take too long"


def make_pair(x: Variable, y: Variable, engines: Sequence[Engine], unbiased: bool, rng: np.random.Generator) -> Pair:
    """The estimate of HSIC, ready to be computed in any world."""
    for side in (x, y):
        check_size(side)
    if is_exact(engines):
        matrices = [make_matrix(side, engine, unbiased) for side, engine in zip((x, y), engines, strict=True)]
        return MatrixPair(matrices[0], matrices[1], unbiased)
    factors = [make_factor(side, engine, rng) for side, engine in zip((x, y), engines, strict=True)]
    return FactorPair(factors[0], factors[1], unbiased)


def make_matrix(side: Variable, engine: Engine, unbiased: bool) -> CentredMatrix:
    """The centred matrix, in memory or in strips."""
    if isinstance(engine, Tiled):
        return MatrixInStrips(side.kernel, side.z, unbiased, engine.threads)
    return MatrixInMemory.of(side.kernel, side.z, unbiased)


def make_factor(side: Variable, engine: Engine, rng: np.random.Generator) -> Factor:
    """The features of one variable in their principal axes."""
    return factor_of(side.kernel, side.z, engine, rng, side.name)


def is_exact(engines: Sequence[Engine]) -> bool:
    """Whether all of them look at all pairs of rows."""
    return all(isinstance(engine, Dense | Tiled) for engine in engines)


def few_frequencies(side: Variable) -> bool:
    """Whether the kernel is smooth and the data span few enough bandwidths for features on a grid."""
    return side.columns > 0 and frequencies_needed(side.kernel, side.z, SMOOTH.tolerance) <= DIRECT_FREQUENCIES


def check_size(side: Variable) -> None:
    """Refuse data on which an unbounded kernel overflows, or vanishes."""
    if side.kernel.bounds is not None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        largest = float(np.abs(side.kernel.diagonal(side.z)).max())
    if not largest < 1e140 / len(side.z):
        raise InputError(f"{side.name} holds values too large for {side.kernel!r}: its sums overflow. Rescale it.")
    if 0 < largest < 1e-140:
        raise InputError(f"{side.name} holds values too small for {side.kernel!r}: its products vanish. Rescale it.")
