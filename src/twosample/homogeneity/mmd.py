"""The maximum mean discrepancy test: the one path through the house."""

from __future__ import annotations

from .. import _door as door
from ..engines import Engine
from ..errors import OptionError, options_by_name
from ..nulls import Null
from ..results import TestResult, conclude
from ..statistics import QuadraticStatistic, Statistic
from .family import family_test
from .observed import ObservedForm, ObservedMMD
from .observed_average import ObservedAverage
from .observed_weights import ObservedWeighted
from .sketches import Sketch, compare_sketches
from .sketches.elsewhere import in_memory_or_sketched


@options_by_name
def mmd_test(  # noqa: PLR0913 - the front door of the house
    x: object,
    y: object,
    *,
    kernel: door.KernelLike | None = None,
    bandwidth: door.BandwidthLike | None = None,
    statistic: Statistic | str = "unbiased",
    null: Null | str | None = None,
    level: float = 0.05,
    engine: Engine | str | None = None,
    weights_x: object = None,
    weights_y: object = None,
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same distribution, by the maximum mean discrepancy.

    H0: p = q. H1: p ≠ q. With a characteristic kernel (the default) every difference is found if the samples are large
    enough. The statistic estimates

    .. math:: \mathrm{MMD}^2 = E k(x,x') - 2 E k(x,y) + E k(y,y')

    and is compared with its law under H0. By default that law comes from relabelling the pooled sample, which is exact
    at every sample size, in every dimension, and whatever the ties. For very many rows of one column it is the limit
    law, which is as good there and much quicker.

    Parameters
    ----------
    x, y
        Samples: arrays (or anything that becomes one) of m and n rows with the same columns; 1-d is one column.
        At least two rows each, no missing values. Never modified. Or two lists of graphs, strings, bags of points or
        records, with a kernel for those. Or two :class:`Sketch`. Or frames of Spark, Dask, Ibis, DuckDB, or queries of
        polars: beyond 20,000 rows sketches of all rows are made where they are.
    kernel
        'gaussian' (the default), 'laplace', 'matern-3/2', 'energy', ...; a kernel such as ``ts.Gaussian(0.5)``; sums
        and products of those; one for objects, such as ``ts.graphs.WeisfeilerLehman()`` or ``ts.strings.Spectrum(3)``;
        ``ts.Precomputed(K, m=...)``; or a function ``k(A, B)`` that returns a block of values. Sketches of several
        columns bring theirs. 'adaptive': ten Gaussian and ten Laplace kernels at once, from half the 5 % to twice the
        95 % quantile of the pooled distances, joined on one batch of relabellings; exact, for a difference at an
        unknown scale. Without `null` 99 relabellings come first, and 999 others unless these give p > 0.2.
    bandwidth
        For kernels that leave it open: 'median' (of the pooled distances; the default), 'quantiles' (the mean kernel
        over a grid), a number, or a rule such as ``ts.QuantileGrid(0.1, 0.9, 5)``. ``ts.CrossMedian()`` only with nulls
        that do not relabel.
    statistic
        'unbiased' (MMD²_u for any m, n), 'biased' (MMD_b), 'paired' (the paper's one-sample U-statistic, m = n),
        'linear' (MMD²_l), 'block'.
    null
        'auto' (the default): 999 relabellings, or 'spectrum' if there are more than 10,010 rows of one column and not
        only a few of them matter (the notes say why); sketches take 'spectrum' for one column and permute groups of
        rows for several. Or what it shall be: 'permutation', 'bootstrap', 'pearson', 'spectrum', 'gamma', 'normal',
        'mcdiarmid', 'hoeffding', 'flips', 'wild', or one with its parameters: ``ts.Permutation(n=9999)``.
    level
        The level of the test.
    engine
        'auto' (the default), 'dense' and 'tiled' (exact), 'fourier' (exact to a tolerance), 'lowrank' and 'features' (a
        valid test of a nearby kernel), or one with its parameters. They differ in time and memory.
    weights_x, weights_y
        Weights of the rows of x and of y: finite, not negative; 0 leaves a row out. With 'permutation' a row takes its
        weight along as it stands, on one scale for both samples (H0: rows and their weights have the same
        distribution; exact); 'wild' keeps every weight where it is, relative to its sample (weights of a survey's
        design; H0: the weighted samples have). Bandwidth rules do not look at weights. For 'unbiased' and 'biased';
        see docs/fair.md.
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
    adaptive = door.is_adaptive(kernel)
    if door.is_elsewhere(x) or door.is_elsewhere(y):
        x, y = in_memory_or_sketched(x, y, kernel, bandwidth)
        if isinstance(x, Sketch) and x.columns > 1:
            kernel = bandwidth = None  # the sketches have them
    if isinstance(x, Sketch) or isinstance(y, Sketch):
        if weights_x is not None or weights_y is not None:
            raise OptionError("weights_x and weights_y are for rows, and sketches have none; leave them out.")
        if engine not in (None, "auto"):
            raise OptionError(f"engine={engine!r} applies a kernel to rows, and sketches have none; leave it out.")
        return compare_sketches(
            x, y, kernel=kernel, bandwidth=bandwidth, statistic=statistic, null=null, level=level, rng=rng
        )
    # 1. Options become objects, and the samples one pooled array; 2. with it the kernel gets its bandwidth.
    null = door.resolve_null("auto" if null is None else null)
    level = door.check_level(level)
    door.check_resamples(null, level)
    alias, _ = door.resolve_statistic(statistic)
    weighted = weights_x is not None or weights_y is not None
    if weighted:
        door.check_weightable(alias)
    if adaptive:
        if weighted:
            raise OptionError("kernel='adaptive' does not take weights_x and weights_y; give a kernel.")
        return family_test(x, y, bandwidth, statistic, null, level, engine, rng)
    request = door.request(x, y, kernel, bandwidth, statistic=statistic, null=null, engine=engine, rng=rng)
    # 3. The null asks the observed statistic, 4. which asks the engine for block sums; 5. a form of them is the value.
    weights: door.Weights | None = None
    if weighted:
        rows = request.pool.m
        request, weights = door.weighted(request, weights_x, weights_y)
        null = null.kept(weights.kept, rows)
    observed, notes = _observed(request, 1 + null.resamples, weights, null.relabels)
    outcome = null.judged(observed)
    judged = outcome.observed  # what was asked in the end: null='auto' may have taken another engine
    assert isinstance(judged, ObservedMMD)
    # 6. The law of the outcome gives p-value and threshold; 7. the result keeps everything.
    return conclude(
        outcome.law,
        statistic=outcome.value,
        level=level,
        m=observed.m,
        n=observed.n,
        test="MMD two-sample test",
        symbol=request.statistic.symbol,
        columns=request.columns,
        kernel=request.kernel.source,
        null=outcome.null,
        engine=judged.engine,
        reason=judged.reason,
        notes=notes + judged.notes(outcome.law) + outcome.notes + request.labelled,
    )


@options_by_name
def mmd(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    statistic: Statistic | str = "unbiased",
    engine: Engine | str = "auto",
    weights_x: object = None,
    weights_y: object = None,
    rng: door.Seed = None,
) -> float:
    """The estimate alone: MMD for ``statistic="biased"``, MMD² for the others (which may be negative).

    Parameters
    ----------
    x, y, kernel, bandwidth, statistic, engine, weights_x, weights_y, rng
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
    request = door.request(x, y, kernel, bandwidth, statistic=statistic, engine=engine, rng=rng)
    weights: door.Weights | None = None
    if weights_x is not None or weights_y is not None:
        door.check_weightable(door.resolve_statistic(statistic)[0])
        request, weights = door.weighted(request, weights_x, weights_y)
    return _observed(request, 1, weights)[0].value


def _observed(
    request: door.Request, labellings: int, weights: door.Weights | None, moving: bool = True
) -> tuple[ObservedMMD, tuple[str, ...]]:
    """The statistic of a request, which will be looked at in so many labellings, and what weights leave of the rows.

    Weights that are `moving` with their rows are left as they stand, since nothing but the pool may choose a scale.
    """
    notes: tuple[str, ...] = ()
    if weights is not None:
        notes = tuple(
            f"{name}: {rows} weighted rows are worth {size:.5g} of equal weight (Kish's effective sample size)."
            for name, rows, size in zip("xy", (request.pool.m, request.pool.n), weights.effective, strict=True)
        )
        if not weights.equal:
            weights, notes = (weights, notes + weights.notes) if moving else (weights.by_sample, notes)
            return ObservedWeighted(request, labellings, weights), notes
    quadratic = isinstance(request.statistic, QuadraticStatistic)
    return (ObservedForm if quadratic else ObservedAverage)(request, labellings), notes
