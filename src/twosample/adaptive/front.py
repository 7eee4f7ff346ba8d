"""The adaptive two-sample test: several views of the data, one exact p-value."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from .. import _door as door
from ..core.blas import single_threaded_blas
from ..core.joining import EARLY, Stages, joined, stages, standing
from ..core.labellings import Labellings, relabellings
from ..core.pvalue import ReplicateLaw
from ..core.types import Floats
from ..errors import InputError, options_by_name
from ..homogeneity import Sketch
from ..nulls import Permutation
from ..results import NOTHING, conclude
from ..statistics import smallest_pvalue
from .base import PooledView, ViewByFeatures, statistics_of
from .local import concentration
from .pairs import Fine, ManyCovariances, Middle
from .pooled import PooledSample, pooled_numbers
from .results import AdaptiveResult, ViewResult
from .tables import in_other_order, is_table, pooled_table
from .views import (
    FEW_COLUMNS,
    Columns,
    Covariance,
    Directions,
    FineWaves,
    Mean,
    MiddleWaves,
    Radius,
    Shapes,
)

CITATION = "Westfall and Young (1993): Resampling-Based Multiple Testing; Good (1958): Significance tests in parallel"

_FEW_ROWS = 10_000

_NOTHING_LEFT = "There is nothing to compare: no column that could be compared has more than one value."


@options_by_name
def two_sample_test(
    x: object, y: object, *, level: float = 0.05, n: int | None = None, rng: door.Seed = None
) -> AdaptiveResult:
    r"""Test whether two samples come from the same distribution, whatever the scale and kind of the difference.

    H0: p = q. Several views look at the pooled rows: means, means in all directions, covariances, distances from the
    middle, single columns, shapes of single columns, and kernels of local width. Each gives one statistic T_k(v) for
    every labelling v of the rows. All of them see one batch of relabellings; their p-values p_k(v), by a law fitted to
    all labellings alike, are joined to

    .. math:: S(v) = \log \sum_k w_k / p_k(v),

    and p is the share of labellings whose S is at least the observed one: exact at every sample size, in every
    dimension and whatever the ties, because nothing but S looks at the labels. There is nothing to tune, no split of
    the data, and no dependence on the unit of any column.

    Parameters
    ----------
    x, y
        Samples: arrays or data frames of m and n rows with the same columns; 1-d is one column. At least two rows each.
        Frames and dictionaries of columns may hold categories, dates (as numbers) and text (by the letters that values
        share); a missing value is a level of its own. Never modified. Summaries (:func:`summarize`) are tested by the
        rows that they keep, a uniform sample.
    level
        The level of the test.
    n
        Number of random relabellings. The smallest p-value is 1/(n+1). If there are fewer, all are used. None: 99 at
        first, and, unless these give a p-value above 0.2, then 999 others; the p-value is exact all the same.
    rng
        Seed or generator. The same seed gives the same answer.

    Returns
    -------
    AdaptiveResult
        ``pvalue, rejected, views, explain(), plot()`` and the other fields of :class:`TestResult`.

    Notes
    -----
    Time O((m+n)² (d + n) + (m+n) d² n): about twice that of one :func:`mmd_test`. Beyond 7,000 rows kernels look at
    5·10⁷ pairs within random blocks, and the time is linear in the rows; still exact. Not for rows that depend on each
    other (time series, groups). If the kernel is given by the problem, or MMD itself is to be estimated, use
    :func:`mmd_test`; a single kernel of the right scale has a little more power than the views together.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 100, 4)) * [1, 10, 100, 1000]
    >>> y[:, 1] = 8 * y[:, 0] + 0.6 * y[:, 1]  # correlated with another column, both in small units
    >>> r = ts.two_sample_test(x, y, rng=1)
    >>> r.rejected, r.strongest.name, r.strongest.sees
    (True, 'covariance', 'column 1 × column 2: more correlated in y')
    """
    level = door.check_level(level)
    batches = stages(None if n is None else Permutation(n).n, level)
    door.check_resamples(Permutation(batches[-1][0]), level)
    random = door.generator(rng)
    for name, sample in (("x", x), ("y", y)):
        if isinstance(sample, Sketch):
            raise InputError(
                f"{name} is a Sketch, which keeps no rows: use ts.mmd_test(x, y, kernel='adaptive'), "
                "and for sketches of several columns leave kernel out."
            )
    if is_table(x) or is_table(y) or in_other_order(x, y):
        return tested(*pooled_table(x, y), batches, level, random)
    pooled = door.rows(x, y, centred=True)
    names = door.column_names(x) or tuple(f"column {i + 1}" for i in range(pooled.z.shape[1]))
    return tested(pooled_numbers(pooled.z, names, pooled.m), len(names), (), batches, level, random)


def views_of(pool: PooledSample, rng: np.random.Generator) -> list[PooledView]:
    """All views of a pool; those that would repeat another one are left out."""
    columns = len(pool.columns)
    few = columns * (columns + 1) // 2 <= max(pool.size, 100)
    covariance = Covariance(pool) if few else ManyCovariances(pool, rng)
    views: list[PooledView] = [Mean(pool), covariance, Radius(pool), Columns(pool), Shapes(pool)]
    if columns == 1:
        return [*views, FineWaves(pool), MiddleWaves(pool)]
    views += [Fine(pool, rng), Middle(pool, rng)] if columns <= FEW_COLUMNS else [Fine(pool, rng)]
    return [*views, Directions(pool)]


def weights_of(views: list[PooledView], rng: np.random.Generator) -> list[float]:
    """Shares of the level, up to a factor: those of views that look at neighbours grow with the concentration."""
    near = concentration(views[0].pool, rng)
    return [view.weight * (near if view.local else 1.0) for view in views]


def tested(
    pool: PooledSample,
    columns: int,
    notes: tuple[str, ...],
    batches: Stages,
    level: float,
    rng: np.random.Generator,
) -> AdaptiveResult:
    """The test of a pool that has been prepared: stage by stage, until a p-value is above what a stage allows."""
    m, n = pool.m, pool.n
    views = views_of(pool, rng) if pool.columns else []
    weights = weights_of(views, rng) if views else [1.0]
    for count, most in batches:
        labels = relabellings(m, n, count, rng)
        values, tolerances = _statistics(views, labels, single=pool.size <= _FEW_ROWS)
        together = joined(values, tolerances, weights)
        if labels.exhaustive or together.pvalue > most:
            break
    law = ReplicateLaw(together.values, together.tolerance, labels.exhaustive, smallest_pvalue(m, n))
    scores = standing(values)
    result = conclude(
        law,
        statistic=float(together.values[0]),
        level=level,
        m=m,
        n=n,
        kind=AdaptiveResult,
        test="Adaptive two-sample test",
        symbol="log mean 1/p",
        columns=columns,
        null=Permutation(count),
        citation=CITATION,
        notes=notes + _remarks(views, most > 0 and not labels.exhaustive, bool(notes)),
        views=tuple(
            ViewResult(view.name, float(score), float(alone), float(adjusted), view)
            for view, score, alone, adjusted in zip(views, scores, together.pvalues, together.adjusted, strict=False)
        ),
    )
    assert isinstance(result, AdaptiveResult)
    return result


def _statistics(views: list[PooledView], labels: Labellings, single: bool) -> tuple[Floats, Floats]:
    """``(K, R)`` what the views say, and their rounding errors; one row of zeros if there are none."""
    with single_threaded_blas() if single else nullcontext():  # waking threads costs more than it saves
        by_features = [view for view in views if isinstance(view, ViewByFeatures)]
        known: dict[PooledView, tuple[Floats, float]] = dict(
            zip(by_features, statistics_of(by_features, labels), strict=True)
        )
        found = [known.get(view) or view.statistic(labels) for view in views] or [(np.zeros(labels.count), 0.0)]
    return np.array([value for value, _ in found]), np.array([error for _, error in found])


def _remarks(views: list[PooledView], early: bool, some_left_out: bool) -> tuple[str, ...]:
    if not views:
        return (_NOTHING_LEFT if some_left_out else NOTHING,)
    return (EARLY.format("n=999"),) if early else ()
