"""From options and samples to the evidence that a null looks at: steps 1 to 5 of the path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.distributions import PointLaw
from ..core.evidence import Evidence
from ..core.labellings import Labellings, observed
from ..core.laws import ContinuousLaw, Law
from ..core.sums import BlockSums
from ..core.types import Floats
from ..engines import Auto, Engine, Gram
from ..kernels import CrossMedian, Kernel
from ..nulls import Null
from ..statistics import AverageStatistic, QuadraticStatistic, Statistic

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

    @property
    def powers_fit(self) -> bool:
        """Whether powers of kernel values, which the limit laws take, stay within the range of doubles."""
        return door.values_fit(_largest(self.kernel, self.pool.z), len(self.pool.z), powers=True)

    def evidence(self, null: Null | None) -> Evidence:
        """What the null wants to see of the statistic; None: the observed value alone."""
        if isinstance(self.statistic, QuadraticStatistic):
            return _quadratic(self, self.statistic, null)
        return _average(self, self.statistic, null)


def resolved(
    x: object,
    y: object,
    kernel: door.KernelLike,
    bandwidth: door.BandwidthLike,
    statistic: Statistic | str,
    engine: Engine | str,
    rng: door.Seed,
    null: Null | None,
) -> Request:
    """Options and samples, checked; an engine that was left open stays so until it is planned."""
    formula = door.resolve_kernel(kernel)
    rule = door.resolve_bandwidth(bandwidth, formula)
    alias, chosen = door.resolve_statistic(statistic)
    if null is not None:
        door.check_pairing(null, alias)
    way: Engine | None = door.resolve_engine(engine)
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


def _quadratic(request: Request, statistic: QuadraticStatistic, null: Null | None) -> Evidence:
    """Steps 3 to 5 of the path: labellings, block sums, one formula."""
    pool, kernel, rng = request.pool, request.kernel, request.rng
    form = statistic.form(pool.m, pool.n)
    _check_size(kernel, pool.z, null is None or bool(null.resamples))
    assert request.engine is not None
    gram: Gram = request.engine.gram(kernel, pool.z, rng)
    batches: Iterable[Labellings] = [observed(pool.m, pool.n)]
    if null is not None:
        batches = null.batches(pool.m, pool.n, statistic.pairwise, rng)
    exhaustive, parts, values = False, [], []
    for labels in batches:
        exhaustive |= labels.exhaustive
        parts.append(gram.block_sums(labels, pool.m, pool.n))
        values.append(form.value(parts[-1], _paired(pool, kernel, labels, parts[-1]) if form.skips_pairs else 0.0))
    sums, squares = BlockSums.concatenate(parts), np.concatenate(values)
    tolerance = form.tolerance(sums)
    worlds = None if null is None else null.worlds(form, gram, kernel.diagonal(pool.z), rng)
    if worlds is not None:
        squares, exhaustive = worlds.values, worlds.exhaustive
    notes = _rounding_of(request, squares, tolerance) + gram.notes(pool.m, pool.n)
    if statistic.root:  # a tie in the square is a tie in the root, and what is rounding alone has the root 0
        squares = np.where(squares <= 1e-3 * tolerance, 0.0, squares)
        tolerance = _root_tolerance(squares, tolerance)
    return Evidence(
        values=statistic.of_form(squares),
        tolerance=tolerance,
        exhaustive=exhaustive,
        m=pool.m,
        n=pool.n,
        kernel=repr(kernel),
        bounds=kernel.bounds,
        term_count=min(pool.m, pool.n) // 2,
        form=form,
        root=statistic.root,
        centred=cache(lambda: gram.centred(rng)),
        spread=sums.spread,
        notes=notes,
        least=statistic.least_pvalue(pool.m, pool.n),
    )


def _paired(pool: door.Pool, kernel: Kernel, labels: Labellings, sums: BlockSums) -> Floats | float:
    """The sum of k(x_i, y_i) in every world, or in all of them if they have the same pairs.

    An engine may have summed k(x, y) + f(x) + f(y), and what that adds here is half of what it adds to the diagonal.
    """
    diagonal = kernel.diagonal(pool.z)
    if labels.places is None or labels.y is None:
        lift = (sums.dx[0] + sums.dy[0] - diagonal.sum()) / 2
        return float(kernel.pairs(pool.x, pool.y).sum() + lift)
    drawn = labels.places
    paired = [kernel.pairs(pool.z[row[: pool.m]], pool.z[row[pool.m :]]).sum() for row in drawn]
    own: Floats = diagonal[drawn].sum(axis=1)
    return np.array(paired) + (sums.dx + sums.dy - own) / 2


def _average(request: Request, statistic: AverageStatistic, null: Null | None) -> Evidence:
    """The same for a mean of independent terms: one pass over the rows, no Gram matrix."""
    pool, kernel = request.pool, request.kernel
    _check_size(kernel, pool.z, null is None or bool(null.resamples))
    terms = statistic.terms(kernel, pool.x, pool.y, 0 if null is None else null.resamples, request.rng)
    count, top = len(terms.observed), float(np.abs(terms.observed).max(initial=0.0))
    size, unit = max(top, float(np.abs(kernel.diagonal(pool.x[:50])).max())), top or 1.0
    return Evidence(
        values=terms.values,
        tolerance=1e-12 * size,
        exhaustive=False,
        m=pool.m,
        n=pool.n,
        kernel=repr(kernel),
        bounds=kernel.bounds,
        term_count=count,
        notes=_rounding_of(request, terms.values, 1e-12 * size),
        error=unit * float((terms.observed / unit).std(ddof=1)) / sqrt(count) if count > 1 else None,
        least=statistic.least_pvalue(pool.m, pool.n),
    )


def _check_size(kernel: Kernel, z: Floats, sums_only: bool) -> None:
    """Refuse data or multiples for which a kernel overflows; no kernel value exceeds the largest k(z, z).

    Resampling takes sums of kernel values only; laws take powers of them, which may vanish too.
    """
    door.check_values(kernel, _largest(kernel, z), len(z), powers=not sums_only)


def _largest(kernel: Kernel, z: Floats) -> float:
    """The largest absolute kernel value."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = kernel.diagonal(z) if kernel.bounds is None else np.array(kernel.bounds)
        return float(np.abs(values).max())


def hidden_by_rounding(request: Request, law: Law, evidence: Evidence) -> tuple[str, ...]:
    """The note of :func:`_rounding` for a law that is a point because of it."""
    if not (isinstance(law, ContinuousLaw) and isinstance(law.distribution, PointLaw)):
        return ()
    if evidence.form is None and not evidence.error:  # terms that are all the same, or only one
        return ()
    return _rounding(request.kernel, evidence.tolerance, evidence.error or 0.0)


def _rounding_of(request: Request, values: Floats, tolerance: float) -> tuple[str, ...]:
    """The note for the values of several worlds; if they are all exactly the same, that is no matter of rounding."""
    spread = float(np.ptp(values))
    return _rounding(request.kernel, tolerance, spread) if spread > 0 and not request.notes else ()


def _rounding(kernel: Kernel, tolerance: float, spread: float) -> tuple[str, ...]:
    """What to say if rounding is not small beside the differences between worlds, so that values count as ties."""
    if tolerance <= 0.05 * spread:
        return ()
    if kernel.bounds is None and kernel.domain == "vectors":
        cause = "Kernel values are large where there are outliers, or an offset that both samples share: remove those."
    else:
        cause = "The kernel hardly tells rows apart, as with far too wide or narrow a bandwidth: choose another one."
    return (
        f"Rounding of MMD², up to {tolerance:.2g}, is not small beside the differences between worlds, {spread:.2g}: "
        f"values so close count as ties, and p may be too large. {cause}",
    )


def _root_tolerance(squares: Floats, tolerance: float) -> float:
    top = float(np.sqrt(max(squares[0], 0.0)))
    return top - float(np.sqrt(max(squares[0] - tolerance, 0.0)))
