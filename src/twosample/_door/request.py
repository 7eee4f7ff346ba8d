"""Two samples and all options of a test, resolved: what everything behind the door may trust."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..engines import Auto, Engine
from ..kernels import CrossMedian, Kernel
from ..nulls import Null
from ..statistics import AverageStatistic, Statistic
from .options import (
    BandwidthLike,
    KernelLike,
    Seed,
    check_pairing,
    fill_bandwidth,
    generator,
    open_kernel,
    resolve_engine,
    resolve_statistic,
    split_bandwidth,
)
from .samples import Pool, pool

_LABELS = (
    "The bandwidth comes from distances between x and y and depends on the labels: p is right for large samples only.",
)


@dataclass(frozen=True, eq=False)
class Request:
    """All options resolved: nothing is checked again behind this.

    Parameters
    ----------
    pool
        The pooled sample.
    kernel
        The kernel, without missing bandwidths.
    statistic
        The statistic.
    engine, reason
        What applies the Gram matrix, and why; None for a statistic that needs no such thing.
    rng
        The source of all randomness.
    notes
        What the user should know about the samples.
    labelled
        A warning about a bandwidth that has seen the labels.
    """

    pool: Pool
    kernel: Kernel
    statistic: Statistic
    engine: Engine | None
    reason: str
    rng: np.random.Generator
    notes: tuple[str, ...]
    labelled: tuple[str, ...]

    def planned(self, labellings: int) -> Request:
        """With the engine for so many labellings, if that was left open."""
        if not isinstance(self.engine, Auto):
            return self
        plan = self.engine.choose(self.kernel, self.pool.z, labellings)
        return replace(self, engine=plan.engine, reason=plan.reason)


def request(
    x: object,
    y: object,
    kernel: KernelLike | None = None,
    bandwidth: BandwidthLike | None = None,
    *,
    statistic: Statistic | str | None = None,
    null: Null | None = None,
    engine: Engine | str | None = None,
    rng: Seed = None,
) -> Request:
    """Two samples and options, checked; an engine that was left open stays so until it is planned.

    Parameters
    ----------
    x, y
        The samples.
    kernel, bandwidth
        None for 'gaussian' and 'median'.
    statistic
        None for 'unbiased', of a caller who has no null to go with it.
    null
        The null, which must know the law of the statistic.
    engine
        None for 'auto'.
    rng
        Seed or generator.
    """
    chosen = open_kernel(kernel, bandwidth)
    alias, formula = resolve_statistic("unbiased" if statistic is None else statistic)
    if null is not None and statistic is not None:
        check_pairing(null, alias)
    way: Engine | None = resolve_engine("auto" if engine is None else engine)
    random = generator(rng)
    both = pool(x, y, chosen.kernel)
    notes: tuple[str, ...] = ()
    if chosen.kernel.domain == "vectors" and not (both.z != both.z[0]).any():
        notes = ("All rows of both samples are the same: there is nothing to compare, the statistic is 0 and p is 1.",)
    rule = split_bandwidth(chosen.rule, chosen.kernel, both.m, null)
    labelled = _LABELS if isinstance(rule, CrossMedian) and chosen.kernel.needs_bandwidth else ()
    filled = fill_bandwidth(both.kernel, rule, both.z, random)
    way = None if isinstance(formula, AverageStatistic) else way
    return Request(both, filled, formula, way, "", random, notes, labelled)
