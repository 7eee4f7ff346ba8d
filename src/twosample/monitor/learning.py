r"""While there are few batches: rows as the units of a test, and whether that is honest.

With fewer than twenty earlier batches, permuting batches can hardly be significant. If rows are independent and batches
do not differ by themselves, then, given all rows, the counts of a new batch in the cells of a column are a draw without
replacement from those of all (multivariate hypergeometric), and so are the counts of several batches (a random table
with these margins). Both are simulated, so both tests are exact under that assumption. The second test, of whether
batches vary more than such tables do, tells whether the assumption can be held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.adjust import holm
from ..core.pvalue import resampling_pvalue, sequential_pvalue
from ..core.types import Floats
from .columns import ColumnPlan
from .effects import NONE, BatchEffect, Change, largest_effect, parts
from .features import FeaturePlan
from .scan import ENOUGH, Indices, Whitened

LEAST = 20  # earlier batches from which on batches are the units
DOUBT = 0.05  # the level at which batches are said to differ by themselves, or to follow their neighbours

_DRAWS = 199
_MOST_ROWS = 10**9 - 1  # of numpy's hypergeometric draws
_MOST_BATCHES = 60
_AT_ONCE = 2000


@dataclass(frozen=True)
class Dispersion:
    """How much batches vary, compared with random groups of their rows."""

    column: str  # the column in which they do most
    ratio: float  # the variation between batches over that of random groups, there
    pvalue: float  # that rows alone explain it, adjusted for all columns

    @property
    def found(self) -> bool:
        """Whether batches differ by themselves, so that rows must not be the units."""
        return self.pvalue <= DOUBT


def counts_of(plan: ColumnPlan, features: Floats, present: Floats) -> Floats:
    """``(batches, c)`` rows in the cells of present values; 0 where a batch does not say."""
    cells = plan.cells(features)[:, :-1]
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(np.rint(np.where(np.isfinite(shares), shares, 0.0) * present[:, None]).clip(0))


def row_test(
    plan: FeaturePlan, features: Floats, present: Floats, *, level: float, seed: Sequence[int]
) -> tuple[float, Floats, list[BatchEffect]]:
    """The last batch against all before with rows as units: p-value, adjusted ones of columns, and effects.

    `present` has the ``(batches, columns)`` rows with a value. Resamples go on until a p-value at this level,
    Bonferroni's for all columns, is known well.
    """
    rng = np.random.default_rng(list(seed))
    pvalues, effects = [], []
    for number, column in enumerate(plan.columns):
        counts = counts_of(column, features[:, plan.part(number)], present[:, number])
        before, after = counts[:-1].sum(axis=0), counts[-1]
        kernel = column.kernel()[:-1, :-1]
        pvalues.append(_column_pvalue(before, after, kernel, level / len(plan.columns), rng))
        effects.append(_row_effect(before, after, kernel, parts(column)[:-1]))
    adjusted = np.minimum(1.0, np.array(pvalues) * len(pvalues))
    return float(adjusted.min()), adjusted, effects


def _column_pvalue(before: Floats, after: Floats, kernel: Floats, level: float, rng: np.random.Generator) -> float:
    total = before + after
    used = total > 0
    if min(before.sum(), after.sum()) < 1 or used.sum() < 2 or total.sum() > _MOST_ROWS:
        return 1.0
    pool, share, rows = total[used].astype(np.int64), total[used] / total.sum(), int(after.sum())
    inner = kernel[np.ix_(used, used)]

    def squares(counts: Floats) -> Floats:
        difference = counts / rows - share
        return np.asarray(np.einsum("ri,ij,rj->r", difference, inner, difference))

    def drawn() -> Iterator[Floats]:
        size = 100
        while True:
            yield squares(rng.multivariate_hypergeometric(pool, rows, size, method="marginals").astype(np.float64))
            size = min(4 * size, _AT_ONCE)

    observed = float(squares(after[used][None])[0])
    limit = int(np.ceil(2 / level)) - 1
    return sequential_pvalue(observed, drawn(), ENOUGH, limit, 1e-12 + 1e-9 * observed)[0]


def _row_effect(before: Floats, after: Floats, kernel: Floats, starts: Sequence[int]) -> BatchEffect:
    if min(before.sum(), after.sum()) < 2:
        return NONE
    p, q = before / before.sum(), after / after.sum()
    middle = (before + after) / (before + after).sum()
    factor = 1 / before.sum() + 1 / after.sum()
    change = Change(p, q, np.diag(middle) - np.outer(middle, middle), factor)
    return largest_effect(change, kernel, starts)


def dispersion(plan: FeaturePlan, features: Floats, present: Floats, seed: Sequence[int]) -> Dispersion | None:
    """Whether the batches, 60 of them at most, vary more than random groups of their rows; None of fewer than two."""
    if len(features) < 2:
        return None
    rng = np.random.default_rng(list(seed))
    ratios, pvalues = [], []
    for number, column in enumerate(plan.columns):
        counts = counts_of(column, features[-_MOST_BATCHES:, plan.part(number)], present[-_MOST_BATCHES:, number])
        ratio, pvalue = _dispersed(counts, rng)
        ratios.append(ratio)
        pvalues.append(pvalue)
    adjusted = holm(pvalues)
    worst = int(np.lexsort((-np.array(ratios), adjusted))[0])
    return Dispersion(plan.columns[worst].name, float(ratios[worst]), float(adjusted[worst]))


def _dispersed(counts: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """Pearson's statistic of batches by cells over its mean for random tables, and its p-value."""
    from scipy.stats import random_table

    table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(table.shape, default=0) < 2 or table.sum() > _MOST_ROWS:
        return 1.0, 1.0
    rows, cells = (table.sum(axis=axis).astype(np.int64) for axis in (1, 0))
    expected = np.outer(rows, cells) / rows.sum()
    draws = random_table(rows, cells).rvs(_DRAWS, random_state=rng)
    values = ((np.concatenate([table[None], draws]) - expected) ** 2 / expected).sum(axis=(1, 2))
    return float(values[0] / values[1:].mean()), resampling_pvalue(values, 1e-9 * values[0])


def neighbours(plan: FeaturePlan, features: Floats, strata: Indices, seed: Sequence[int]) -> float | None:
    """The p-value of the reference being in no particular order: that neighbours are no more alike than others.

    The statistic is the mean product :math:`z_t'z_{t+1}` of whitened neighbours; the order is permuted within strata.
    None of fewer than ten batches. Seasons and trends make it small; then the promise on false alarms does not hold.
    """
    if len(features) < 10:
        return None
    views = [view for column, view in plan.views if column in (-2, 0)][-1:]
    rows = Whitened.of(features, strata, views).rows
    rng = np.random.default_rng(list(seed))
    values = [float((rows[:-1] * rows[1:]).sum())]
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    for _ in range(_DRAWS):
        order = np.arange(len(rows))
        for group in members:
            order[group] = rng.permutation(group)
        mixed = rows[order]
        values.append(float((mixed[:-1] * mixed[1:]).sum()))
    return resampling_pvalue(np.array(values), 1e-9 * max(abs(values[0]), 1.0))
