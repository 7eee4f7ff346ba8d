"""The maximum mean discrepancy test: the one path through the house."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
from ..errors import OptionError
from ..kernels import CrossMedian, Kernel
from ..nulls import Null
from ..results import TestResult, conclude
from ..statistics import AverageStatistic, QuadraticStatistic, Statistic
from .sketches import Sketch, compare_sketches


def mmd_test(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    statistic: Statistic | str = "unbiased",
    null: Null | str = "permutation",
    level: float = 0.05,
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same distribution, by the maximum mean discrepancy.

    H0: p = q. H1: p ≠ q. With a characteristic kernel (the default) every difference is found if the samples are large
    enough. The statistic estimates

    .. math:: \mathrm{MMD}^2 = E k(x,x') - 2 E k(x,y) + E k(y,y')

    and is compared with its law under H0. The default, all relabellings of the pooled sample, is exact at every
    sample size, in every dimension, and whatever the ties.

    Parameters
    ----------
    x, y
        Samples: arrays (or anything that becomes one) of m and n rows with the same columns; 1-d is one column.
        At least two rows each, no missing values. Never modified. Or two lists of graphs, strings, bags of points or
        records, with a kernel for those. Or two :class:`Sketch`, which bring their own null
        (for one column 'spectrum', for several a permutation of groups of rows).
    kernel
        'gaussian', 'laplace', 'matern-3/2', 'energy', ...; a kernel such as ``ts.Gaussian(0.5)``; sums and products of
        those; one for objects, such as ``ts.graphs.WeisfeilerLehman()`` or ``ts.strings.Spectrum(3)``;
        ``ts.Precomputed(K, m=...)``; or a function ``k(A, B)`` that returns a block of values.
    bandwidth
        For kernels that leave it open: 'median' (of the pooled distances), 'quantiles' (the mean kernel over a grid),
        a number, or a rule such as ``ts.QuantileGrid(0.1, 0.9, 5)``. ``ts.CrossMedian()`` only with nulls that do not
        relabel.
    statistic
        'unbiased' (MMD²_u for any m, n), 'biased' (MMD_b), 'paired' (the paper's one-sample U-statistic, m = n),
        'linear' (MMD²_l), 'block'.
    null
        'permutation', 'bootstrap', 'pearson', 'spectrum', 'gamma', 'normal', 'mcdiarmid', 'hoeffding', or one of these
        with its parameters: ``ts.Permutation(n=9999)``.
    level
        The level of the test.
    engine
        'auto', 'dense' and 'tiled' (exact), 'fourier' (exact to a tolerance), 'lowrank' and 'features' (a valid test of
        a nearby kernel), or one with its parameters. They differ in time and memory.
    rng
        Seed or generator, for anything random. The same seed gives the same answer.

    Returns
    -------
    TestResult
        ``statistic, pvalue, threshold, rejected, level, kernel, engine, null, m, n, notes`` and more.

    Notes
    -----
    Time O((m+n)² (d + R)) for R labellings, memory O((m+n) R) beyond 1500 points; 'linear' takes O(m+n). Not for rows
    that depend on each other (time series, groups), where relabelling rows is not what H0 allows. For millions of rows
    use ``statistic="linear"``.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(200, 2)), rng.laplace(size=(200, 2))
    >>> r = ts.mmd_test(x, y, rng=1)
    >>> r.rejected, r.pvalue <= 0.02
    (True, True)
    """
    if isinstance(x, Sketch) or isinstance(y, Sketch):
        if engine != "auto":
            raise OptionError(f"engine={engine!r} applies a kernel to rows, and sketches have none; leave it out.")
        return compare_sketches(
            x,
            y,
            kernel=None if isinstance(kernel, str) and kernel == "gaussian" else kernel,
            bandwidth=bandwidth,
            statistic=statistic,
            null=None if isinstance(null, str) and null == "permutation" else null,
            level=level,
            rng=rng,
        )
    null = door.resolve_null(null)
    level = door.check_level(level)
    door.check_resamples(null, level)
    request = _request(x, y, kernel, bandwidth, statistic, engine, rng, null)
    null = null.adapted(request.pool.x, request.pool.y, request.kernel)
    if isinstance(request.statistic, QuadraticStatistic):
        evidence = _quadratic_evidence(request, request.statistic, null)
    else:
        evidence = _average_evidence(request, request.statistic, null)
    law = null.law(evidence)
    return conclude(
        law,
        statistic=float(evidence.values[0]),
        level=level,
        m=request.pool.m,
        n=request.pool.n,
        test="MMD two-sample test",
        symbol=request.statistic.symbol,
        columns=request.pool.z.shape[1] if request.kernel.domain == "vectors" else 0,
        kernel=request.kernel.source,
        null=null,
        engine=request.engine,
        reason=request.reason,
        notes=(request.notes or _hidden(request, law, evidence))
        + evidence.notes
        + null.notes(evidence)
        + request.labelled,
    )


def mmd(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    statistic: Statistic | str = "unbiased",
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> float:
    """The estimate alone: MMD for ``statistic="biased"``, MMD² for the others (which may be negative).

    Parameters
    ----------
    x, y, kernel, bandwidth, statistic, engine, rng
        As for :func:`mmd_test`; `rng` matters only for the bandwidth of large samples.

    Returns
    -------
    float
        The estimate.

    Notes
    -----
    Time O((m+n)² d), or O((m+n) d) for 'linear'. The value depends on kernel and bandwidth: compare values only at the
    same kernel with a fixed bandwidth.

    Examples
    --------
    >>> import twosample as ts
    >>> round(ts.mmd([0.0, 1.0], [0.0, 2.0], kernel=ts.Gaussian(1.0), statistic="biased"), 6)
    0.4436
    """
    request = _request(x, y, kernel, bandwidth, statistic, engine, rng, None)
    if isinstance(request.statistic, QuadraticStatistic):
        return float(_quadratic_evidence(request, request.statistic, None).values[0])
    return float(_average_evidence(request, request.statistic, None).values[0])


_LABELS = (
    "The bandwidth comes from distances between x and y and depends on the labels: p is right for large samples only.",
)


@dataclass(frozen=True, eq=False)
class _Request:
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


def _request(
    x: object,
    y: object,
    kernel: door.KernelLike,
    bandwidth: door.BandwidthLike,
    statistic: Statistic | str,
    engine: Engine | str,
    rng: door.Seed,
    null: Null | None,
) -> _Request:
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
    reason = ""
    if isinstance(chosen, AverageStatistic):
        way, reason = None, ""
    elif isinstance(way, Auto):
        plan = way.choose(formula, pool.z, 1 + (null.resamples if null else 0))
        way, reason = plan.engine, plan.reason
    return _Request(pool, formula, alias, chosen, way, reason, random, notes, warned)


def _quadratic_evidence(request: _Request, statistic: QuadraticStatistic, null: Null | None) -> Evidence:
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
        centred=lambda: gram.centred(rng),
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


def _average_evidence(request: _Request, statistic: AverageStatistic, null: Null | None) -> Evidence:
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
    with np.errstate(over="ignore", invalid="ignore"):
        values = kernel.diagonal(z) if kernel.bounds is None else np.array(kernel.bounds)
        largest = float(np.abs(values).max())
    door.check_values(kernel, largest, len(z), powers=not sums_only)


def _hidden(request: _Request, law: Law, evidence: Evidence) -> tuple[str, ...]:
    """The note of :func:`_rounding` for a law that is a point because of it."""
    if not (isinstance(law, ContinuousLaw) and isinstance(law.distribution, PointLaw)):
        return ()
    if evidence.form is None and not evidence.error:  # terms that are all the same, or only one
        return ()
    return _rounding(request.kernel, evidence.tolerance, evidence.error or 0.0)


def _rounding_of(request: _Request, values: Floats, tolerance: float) -> tuple[str, ...]:
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
