"""Two variables through the door: rows that belong together, a kernel for each, and the way to apply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .. import _door as door
from ..core.threads import available_cores, run
from ..core.types import Floats
from ..engines import Auto, Dense, Engine, Fourier, LowRank, Tiled
from ..engines.fourier import frequencies_needed
from ..errors import InputError
from ..kernels import Kernel
from ..kernels.objects import row_numbers_of
from .factored import FactorPair
from .factors import NEGLIGIBLE, PRECISE_ROWS, ROUNDING, Factor, factor_of, repeated_factor
from .matrices import CentredMatrix, MatrixInMemory
from .pairs import MatrixPair, VariablePair
from .strips import MatrixInStrips

LEAST_ROWS = 4  # the unbiased estimate divides by n (n-3)
SMALL_ROWS = 300  # up to this many rows matrices cost next to nothing
MEMORY_ROWS = 2000  # up to this many rows both matrices are kept (64 MB)
STRIP_ROWS = 4000  # up to this many rows all pairs of rows are looked at unless there are exact features
PATIENT_ROWS = 12_000  # the same where a low-rank kernel would need too high a rank to come near; beyond, it has to do

FEW_VALUES, MANY_VALUES = 64, 500
"""Distinct rows that are preferred to waves, and those that are preferred to a low rank."""

MOST_WAVES = 1000  # features of a smooth kernel on few columns, unless that is more than a quarter of the rows

LONG_LINE, LINE_POINTS = 20_000, 2_000
"""From so many rows on so many order statistics stand for a line when a bandwidth is chosen."""

TABLE_RANK = 500  # the highest rank for a column of a table whose columns are all compared with each other

_PAIR_OF_ROWS, _PAIR_OF_AXES, _SHIFT = 1e-7, 1e-9, 1e-8
"""Seconds for a pair of rows in all permutations; for a row and a pair of axes; for a shift and a pair of axes."""


Made = tuple[Engine, Factor]  # an engine and the factor that it stands for


class Application(NamedTuple):
    """How the kernels are applied: by factors, or (None) by matrices; the engine of each variable, and why."""

    engines: list[Engine]
    reason: str
    factors: list[Factor] | None


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable: points, and the kernel that applies to them."""

    name: str  # x or y, for messages
    z: Floats  # (n, d) numbers, or row numbers
    kernel: Kernel  # the kernel, with its bandwidth

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
    if z.shape[1] > 1 or len(z) < LONG_LINE:
        return z
    step = len(z) // LINE_POINTS
    return np.sort(z[:, 0])[step // 2 :: step, None]


def make_pair(
    x: Variable, y: Variable, engine: Engine, unbiased: bool, rng: np.random.Generator
) -> tuple[VariablePair, Engine, str]:
    """The estimate of HSIC, ready to be computed for any pairing of the rows; the engine of x, and why."""
    for side in (x, y):
        check_size(side)
    engines, reason, factors = _plan((x, y), engine, rng)
    if factors is not None:
        return FactorPair(factors[0], factors[1], unbiased), engines[0], reason
    a, b = (make_matrix(side, way, unbiased) for side, way in zip((x, y), engines, strict=True))
    return MatrixPair(a, b, unbiased), engines[0], reason


def _plan(sides: Sequence[Variable], engine: Engine, rng: np.random.Generator) -> Application:
    """What costs least: exact features where there are some, matrices of few rows, low-rank kernels of many."""
    size = len(sides[0].z)
    least = ROUNDING if size <= PRECISE_ROWS else NEGLIGIBLE
    if isinstance(engine, Dense | Tiled):
        return Application([engine] * len(sides), "", None)
    if not isinstance(engine, Auto):
        return Application(
            [engine] * len(sides), "", [factor_of(s.kernel, s.z, engine, rng, s.name, least) for s in sides]
        )
    if size <= MEMORY_ROWS:
        exact = Application([Dense()] * len(sides), f"{size} rows: both matrices fit in memory", None)
    else:
        exact = Application([Tiled()] * len(sides), f"{size} rows: exact, in strips, no matrix is stored", None)
    if size <= SMALL_ROWS:
        return exact
    made: list[Made] = []
    rank = int(10 * np.sqrt(size))
    for side, own in zip(sides, _exact_factors(sides, rng, least), strict=True):
        found = low_rank(side, rank, rng) if own is None and size > STRIP_ROWS else own
        if found is None or not (found[1].faithful or size > PATIENT_ROWS):
            return exact
        made.append(found)
    factors = [factor for _, factor in made]
    if size <= PATIENT_ROWS and _seconds(factors) > _PAIR_OF_ROWS * size**2:
        return exact
    engines = [way for way, _ in made]
    words = {Dense: "few distinct values", Fourier: "characteristic functions", LowRank: "a low-rank kernel"}
    ways = " and ".join(dict.fromkeys(words[type(way)] for way in engines))
    return Application(engines, f"{size} rows: {ways}, no pairs of rows", factors)


def _seconds(factors: Sequence[Factor]) -> float:
    """About what a test with some thousand permutations takes."""
    axes = float(np.prod([len(factor.values) for factor in factors]))
    return axes * (_PAIR_OF_AXES * factors[0].size + _SHIFT * min(factors[0].size, 2000))


def exact_factor(side: Variable, rng: np.random.Generator, least: float) -> Made | None:
    """A factor that is the kernel's own but for the `least`, and the engine it stands for; None if it is not cheap."""
    levels = repeated_factor(side.kernel, side.z, FEW_VALUES, least)
    if levels is None and side.columns:
        way = Fourier(tolerance=1e-8 if least > ROUNDING or side.columns > 1 else 1e-12)
        if 2 * frequencies_needed(side.kernel, side.z, way.tolerance) <= min(MOST_WAVES, len(side.z) / 4):
            return way, replace(factor_of(side.kernel, side.z, way, rng, side.name, least), notes=())
    if levels is None:
        levels = repeated_factor(side.kernel, side.z, MANY_VALUES, least)
    return None if levels is None else (Dense(), levels)


def low_rank(side: Variable, rank: int, rng: np.random.Generator) -> Made:
    """A factor of a low-rank kernel of at most this rank."""
    way = LowRank(max_rank=rank)
    return way, factor_of(side.kernel, side.z, way, rng, side.name, NEGLIGIBLE)


def table_factors(sides: Sequence[Variable], rng: np.random.Generator) -> list[Factor]:
    """A factor of every column of a table."""
    exact = _exact_factors(sides, rng, NEGLIGIBLE)
    return [(found or low_rank(side, TABLE_RANK, rng))[1] for side, found in zip(sides, exact, strict=True)]


def _exact_factors(sides: Sequence[Variable], rng: np.random.Generator, least: float) -> list[Made | None]:
    """Of each variable; in threads, since nothing is drawn."""
    return run(range(len(sides)), lambda i, _: exact_factor(sides[i], rng, least), available_cores())


def make_matrix(side: Variable, engine: Engine, unbiased: bool) -> CentredMatrix:
    """The centred matrix, in memory or in strips."""
    if isinstance(engine, Tiled):
        return MatrixInStrips(side.kernel, side.z, unbiased, engine.threads)
    return MatrixInMemory.of(side.kernel, side.z, unbiased)


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
