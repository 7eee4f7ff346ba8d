"""``mmd_test(kernel="adaptive")``: a family of kernels at many scales, joined on one batch of relabellings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import _door as door
from ..core.joining import joined
from ..core.labellings import relabellings
from ..core.pvalue import ReplicateLaw
from ..core.types import Floats
from ..engines import Auto, Engine
from ..engines.blocks import divided
from ..engines.family import KernelFamily, blocked_family, family_statistics
from ..errors import OptionError
from ..kernels import Gaussian, Laplace, RadialKernel
from ..kernels.bandwidth import distance_quantiles
from ..nulls import Null
from ..results import TestResult, conclude
from ..statistics import Statistic, Unbiased

BANDWIDTHS = 10
"""For each of the two kinds of kernels."""

PAIRS = 2 * 10**7
"""All pairs of rows up to so many, 4,500 rows; beyond, so many within random blocks: exact as well, in linear time."""

_ORDER = 4.0  # nearly the smallest p-value; ties are broken by the next


def bandwidth_grid(z: Floats, kernel: RadialKernel, rng: np.random.Generator) -> tuple[RadialKernel, ...]:
    """At bandwidths from half the 5 % to twice the 95 % quantile of the pooled distances, in equal ratios."""
    metric = "euclidean" if kernel.metric == "sqeuclidean" else kernel.metric
    low, high = distance_quantiles(z, metric, np.array([0.05, 0.95]), rng)
    return tuple(replace(kernel, bandwidth=float(h)) for h in np.geomspace(low / 2, 2 * high, BANDWIDTHS))


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
    _check(bandwidth, statistic, null, engine)
    relabel = null.expected(rows=0, quick=False)
    random = door.generator(rng)
    pool = door.rows(x, y, centred=True)
    m, n = pool.m, pool.n
    unit = int(np.frexp(np.abs(pool.z).max())[1])  # a power of two: no digit changes, and no square overflows
    z = np.ldexp(pool.z, -unit)
    families = [KernelFamily.of(bandwidth_grid(z, kernel, random), z, random) for kernel in (Gaussian(), Laplace())]
    labels = relabellings(m, n, relabel.resamples, random)
    blocks = divided(m + n, PAIRS, random)
    values, error = (
        blocked_family(families, z, labels, blocks) if blocks else family_statistics(families, z, labels, m, n)
    )
    kernels = [kernel for family in families for kernel in family.kernels]
    both = joined(values, np.full(len(values), error), np.ones(len(values)), order=_ORDER)
    spread = values.std(axis=1)
    best = kernels[int(np.argmax((values[:, 0] - values.mean(axis=1)) / np.where(spread > 0, spread, 1.0)))]
    best = replace(best, bandwidth=float(np.ldexp(best.scale, unit)))
    law = ReplicateLaw(both.values, both.tolerance, labels.exhaustive, Unbiased().least_pvalue(m, n))
    return conclude(
        law,
        statistic=float(both.values[0]),
        level=level,
        m=m,
        n=n,
        test="MMD two-sample test, adaptive",
        symbol="log mean 1/p",
        columns=pool.z.shape[1],
        kernel=best,
        null=relabel,
        reason="",
        notes=(f"{len(kernels)} Gaussian and Laplace kernels were joined; {best!r} saw most.",),
    )


def _check(
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
