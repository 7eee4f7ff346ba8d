"""Options and samples, resolved: steps 1 and 2 of the path."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import _door as door
from ..engines import Auto, Engine
from ..kernels import CrossMedian, Kernel
from ..nulls import Null
from ..statistics import AverageStatistic, Statistic

_LABELS = (
    "The bandwidth comes from distances between x and y and depends on the labels: p is right for large samples only.",
)


@dataclass(frozen=True, eq=False)
class Request:
    """All options resolved: nothing is checked again behind this."""

    pool: door.Pool
    kernel: Kernel
    alias: str
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

def resolved(
    x: object,
    y: object,
    kernel: door.KernelLike | None,
    bandwidth: door.BandwidthLike | None,
    statistic: Statistic | str,
    engine: Engine | str | None,
    rng: door.Seed,
    null: Null | None,
) -> Request:
    """Options and samples, checked; an engine that was left open stays so until it is planned."""
    formula = door.resolve_kernel("gaussian" if kernel is None else kernel)
    rule = door.resolve_bandwidth("median" if bandwidth is None else bandwidth, formula)
    alias, chosen = door.resolve_statistic(statistic)
    if null is not None:
        door.check_pairing(null, alias)
    way: Engine | None = door.resolve_engine("auto" if engine is None else engine)
    random = door.generator(rng)
    pool = door.pool(x, y, formula)
    notes: tuple[str, ...] = ()
    if formula.domain == "vectors" and not (pool.z != pool.z[0]).any():
        notes = ("All rows of both samples are the same: there is nothing to compare, the statistic is 0 and p is 1.",)
    rule = door.split_bandwidth(rule, formula, pool.m, null)
    warned = _LABELS if isinstance(rule, CrossMedian) and formula.needs_bandwidth else ()
    formula = door.fill_bandwidth(pool.kernel, rule, pool.z, random)
    if isinstance(chosen, AverageStatistic):
        way = None
    return Request(pool, formula, alias, chosen, way, "", random, notes, warned)
