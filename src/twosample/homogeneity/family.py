"""``mmd_test(kernel="adaptive")``: a family of kernels at many scales, joined on one batch of relabellings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from .. import _door as door
from ..core.joining import EARLY, joined, stages, standing
from ..core.labellings import relabellings
from ..core.pvalue import ReplicateLaw
from ..core.types import Floats
from ..engines import Auto, Engine
from ..engines.blocks import Rows, divided
from ..engines.family import KernelFamily, blocked_family, family_statistics
from ..engines.line_family import MOST_ROWS, LineFamily
from ..errors import OptionError
from ..kernels import Gaussian, Laplace, RadialKernel
from ..kernels.bandwidth import distance_quantiles
from ..nulls import Null, Permutation
from ..results import NOTHING, TestResult, conclude
from ..statistics import Statistic, Unbiased

BANDWIDTHS = 10  # for each of the two kinds of kernels

PAIRS = 2 * 10**7
"""All pairs of rows up to so many, 4,500 rows; beyond, so many within random blocks: exact as well, in linear time."""

QUANTILES: Floats = np.array([0.05, 0.95])
"""Of the pooled distances, between which the bandwidths lie, and a factor of two beyond."""

_ORDER = 4.0  # nearly the smallest p-value; ties are broken by the next


def bandwidth_grid(kernel: RadialKernel, low: float, high: float) -> tuple[RadialKernel, ...]:
    """At bandwidths from half the 5 % to twice the 95 % quantile of the pooled distances, in equal ratios."""
    return tuple(replace(kernel, bandwidth=float(h)) for h in np.geomspace(low / 2, 2 * high, BANDWIDTHS))


class Family(Protocol):
    """Kernels that look at two samples, in a unit of their own."""

    @property
    def kernels(self) -> tuple[RadialKernel, ...]:
        """The kernels, with bandwidths."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of x and of y."""

    def statistics(self, count: int, rng: np.random.Generator) -> tuple[Floats, float, bool]:
        """``(K, R)`` MMD² (unbiased) up to factors, the truth first; the rounding error; whether these are all."""


@dataclass(frozen=True, eq=False)
class _OfRows:
    """Rows of several columns: kernels of neighbouring bandwidths share their Gram matrices."""

    families: tuple[KernelFamily, ...]
    z: Floats
    m: int
    blocks: list[Rows]

    @classmethod
    def of(cls, z: Floats, m: int, rng: np.random.Generator) -> _OfRows:
        families = []
        for kernel in (Gaussian(), Laplace()):
            metric = "euclidean" if kernel.metric == "sqeuclidean" else kernel.metric
            low, high = distance_quantiles(z, metric, QUANTILES, rng)
            families.append(KernelFamily.of(bandwidth_grid(kernel, low, high), z, rng))
        return cls(tuple(families), z, m, divided(len(z), PAIRS, rng))

    @property
    def kernels(self) -> tuple[RadialKernel, ...]:
        return tuple(kernel for family in self.families for kernel in family.kernels)

    @property
    def sizes(self) -> tuple[int, int]:
        return self.m, len(self.z) - self.m

    def statistics(self, count: int, rng: np.random.Generator) -> tuple[Floats, float, bool]:
        m, n = self.sizes
        labels = relabellings(m, n, count, rng)
        if self.blocks:
            return *blocked_family(self.families, self.z, labels, self.blocks), labels.exhaustive
        return *family_statistics(self.families, self.z, labels, m, n), labels.exhaustive


@dataclass(frozen=True, eq=False)
class OnLine:
    """Rows of one column, or what sketches know of them: all kernels by one Fourier transform of the labels."""

    family: LineFamily

    @classmethod
    def of(cls, place: Floats, x: Floats, pool: Floats, low: float, high: float) -> OnLine:
        """From rows of x and of both samples at places, and two quantiles of the distances."""
        kernels = [member for kernel in (Gaussian(), Laplace()) for member in bandwidth_grid(kernel, low, high)]
        return cls(LineFamily.of(kernels, place, x, pool))

    @property
    def kernels(self) -> tuple[RadialKernel, ...]:
        return self.family.kernels

    @property
    def sizes(self) -> tuple[int, int]:
        return self.family.sizes

    def statistics(self, count: int, rng: np.random.Generator) -> tuple[Floats, float, bool]:
        labels, exhaustive = self.family.relabelled(count, rng)
        return *self.family.statistics(labels), exhaustive


def family_test(
    x: object,
    y: object,
    bandwidth: door.BandwidthLike | None,
    statistic: Statistic | str,
    null: Null,
    level: float,
    engine: Engine | str | None,
    rng: door.Seed,
) -> TestResult:
    """The test of :func:`mmd_test` with all kernels of the family at once; options that make no sense are refused."""
    check_options(bandwidth, statistic, null, engine)
    random = door.generator(rng)
    pool = door.rows(x, y, centred=True)
    unit = int(np.frexp(np.abs(pool.z).max())[1])  # a power of two: no digit changes, and no square overflows
    z = np.ldexp(pool.z, -unit)
    if z.shape[1] == 1 and len(z) < MOST_ROWS:
        low, high = distance_quantiles(z, "euclidean", QUANTILES, random)
        first = (np.arange(len(z)) < pool.m).astype(np.float64)
        family: Family = OnLine.of(z[:, 0], first, np.ones(len(z)), low, high)
    else:
        family = _OfRows.of(z, pool.m, random)
    constant = not (z != z[0]).any()
    return joined_test(
        family, null, level, random, columns=z.shape[1], unit=unit, test="MMD two-sample test", constant=constant
    )


def joined_test(
    family: Family,
    null: Null,
    level: float,
    rng: np.random.Generator,
    *,
    columns: int,
    unit: int,
    test: str,
    constant: bool,
    notes: tuple[str, ...] = (),
) -> TestResult:
    """The kernels joined, stage by stage unless the null says how often to relabel.

    `unit` is their power of two, `constant` whether all rows are the same.
    """
    for count, most in stages(null.expected(rows=0, quick=False).resamples if null.name != "auto" else None, level):
        values, error, exhaustive = family.statistics(count, rng)
        both = joined(values, np.full(len(values), error), np.ones(len(values)), order=_ORDER)
        if exhaustive or both.pvalue > most:
            break
    m, n = family.sizes
    best = family.kernels[int(np.argmax(standing(values)))]
    best = replace(best, bandwidth=float(np.ldexp(best.scale, unit)))
    seen = f"{len(family.kernels)} Gaussian and Laplace kernels were joined; {best!r} saw most."
    early = (EARLY.format("null=ts.Permutation(999)"),) if most and not exhaustive else ()
    return conclude(
        ReplicateLaw(both.values, both.tolerance, exhaustive, Unbiased().least_pvalue(m, n)),
        statistic=float(both.values[0]),
        level=level,
        m=m,
        n=n,
        test=f"{test}, adaptive",
        symbol="log mean 1/p",
        columns=columns,
        kernel=best,
        null=Permutation(count),
        reason="",
        notes=(*((NOTHING,) if constant else (seen, *early)), *notes),
    )


def check_options(
    bandwidth: door.BandwidthLike | None, statistic: Statistic | str, null: Null, engine: Engine | str | None
) -> None:
    """Refuse what the family decides itself."""
    if bandwidth is not None:
        raise OptionError(
            f"bandwidth={bandwidth!r} has no use: kernel='adaptive' is a grid of bandwidths. Leave it out."
        )
    if statistic != "unbiased" and not isinstance(statistic, Unbiased):
        raise OptionError(f"statistic={statistic!r} does not go with kernel='adaptive'; it takes 'unbiased'.")
    if null.name not in ("permutation", "auto"):
        raise OptionError(f"null={null!r} does not go with kernel='adaptive'; it relabels: use ts.Permutation(n=...).")
    if engine not in (None, "auto") and not isinstance(engine, Auto):
        raise OptionError(f"engine={engine!r} does not go with kernel='adaptive', which has its own; leave it out.")
