r"""How much of one column another one explains: the strength of a dependence as a share that people know.

The rows are cut into groups by x: its categories, or its quantiles if it is a number; missing is a group of its own.
The share of the variation of y that the groups explain, corrected for their number g (Kelley's :math:`\epsilon^2`),

.. math:: 1 - \frac{W / (n - g)}{T / (n - 1)}, \quad T = \sum_i |t_i - \bar t|^2, \quad
    W = \sum_i |t_i - \bar t_{g(i)}|^2,

is the correlation ratio, where t is the rank of a number (as in Spearman's correlation, so that no unit and no outlier
matters), or the indicator vector of a category (then it is Goodman and Kruskal's tau). Below 0 it counts as 0. Rows
without a value of y, if it is a number, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._numbers import share as percent
from ..core.types import Floats
from ..sources import ColumnKind, convert
from ..sources.values import column_of

if TYPE_CHECKING:
    import polars as pl

_MOST_GROUPS = 20  # of a number
_MOST_LEVELS = 50  # of a category; the rarer ones together
_ENTRIES = 1 << 22  # of target coordinates in memory at a time
WEAK, MODERATE, STRONG = 0.01, 0.09, 0.25
"""Shares from which on a dependence is weak, moderate, strong: the squares of Cohen's correlations .1, .3, .5."""


@dataclass(frozen=True, eq=False)
class MeasuredColumn:
    """A column as what explains, and as what is explained."""

    groups: NDArray[np.int64]  # (n,) the group of each row, from 0
    target: Floats  # (n, c) coordinates with mean 0 over the rows that have a value, 0 in others
    present: NDArray[np.bool_]  # (n,) whether there is a value


def measured_columns(frame: pl.DataFrame, kinds: Mapping[str, ColumnKind]) -> dict[str, MeasuredColumn]:
    """The columns of a table that can be measured so, of those that are wanted: all but texts."""
    meant = {name: kind.base or kind.kind for name, kind in kinds.items()}
    converted = convert(frame, meant)
    found = {}
    for name, kind in meant.items():
        series = column_of(converted, name)
        if kind == "categorical":
            found[name] = of_categories(series)
        elif kind != "text":
            found[name] = of_numbers(series.fill_null(0.0).to_numpy(), ~series.is_null().to_numpy())
    return found


def of_numbers(values: Floats, present: NDArray[np.bool_]) -> MeasuredColumn:
    """A column of numbers: quantiles explain, ranks are explained."""
    from scipy.stats import rankdata

    ranks = np.zeros(len(values))
    if present.any():
        ranks[present] = rankdata(values[present])
        ranks[present] -= ranks[present].mean()
    distinct = np.unique(values[present])
    count = int(np.clip(round(len(values) ** (1 / 3)), 5, _MOST_GROUPS))
    if len(distinct) > count:
        edges = np.quantile(values[present], np.arange(1, count) / count)
        groups = np.searchsorted(np.unique(edges), values, side="right")
    else:
        groups = np.searchsorted(distinct, values)
    groups = np.where(present, groups, len(distinct) + 1)
    return MeasuredColumn(np.unique(groups, return_inverse=True)[1].astype(np.int64), ranks[:, None], present)


def of_categories(series: pl.Series) -> MeasuredColumn:
    """A column of categories, missing being one: they explain, and their indicators are explained."""
    codes = series.rank("dense").fill_null(0).to_numpy()
    values, counts = np.unique(codes, return_counts=True)
    rare = values[np.argsort(-counts, kind="stable")[_MOST_LEVELS:]]
    groups = np.unique(np.where(np.isin(codes, rare), -1, codes.astype(np.int64)), return_inverse=True)[1]
    target = np.eye(int(groups.max()) + 1)[groups]
    return MeasuredColumn(groups.astype(np.int64), target - target.mean(axis=0), np.ones(len(groups), dtype=bool))


def explained_shares(columns: Sequence[MeasuredColumn | None], others: Sequence[MeasuredColumn | None]) -> Floats:
    """``(columns, others)`` the share of the variation of each of `others` that each of `columns` explains.

    NaN beside None, which stands for a column that cannot be measured.
    """
    shares = np.full((len(columns), len(others)), np.nan)
    for block in _blocks(others):
        known = [(j, part) for j in block if (part := others[j]) is not None]
        if not known:
            continue
        targets = np.concatenate([part.target for _, part in known], axis=1)
        present = np.stack([part.present for _, part in known], axis=1).astype(np.float64)
        starts = np.cumsum([0, *(part.target.shape[1] for _, part in known[:-1])])
        places = [j for j, _ in known]
        total = np.add.reduceat((targets**2).sum(axis=0), starts)
        for i, column in enumerate(columns):
            if column is not None:
                shares[i, places] = _shares(column.groups, targets, present, starts, total)
    return shares


def _shares(
    groups: NDArray[np.int64], targets: Floats, present: Floats, starts: NDArray[np.int64], total: Floats
) -> Floats:
    """The share of every target that one grouping explains."""
    members = np.zeros((int(groups.max()) + 1, len(groups)))
    members[groups, np.arange(len(groups))] = 1.0
    counts = members @ present  # (groups, targets)
    sums = np.add.reduceat((members @ targets) ** 2, starts, axis=1)
    between = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0).sum(axis=0)
    rows, cells = counts.sum(axis=0), (counts > 0).sum(axis=0)
    known = (rows > cells) & (total > 0)
    within = (total - between) / np.where(known, rows - cells, 1) / np.where(known, total / np.maximum(rows - 1, 1), 1)
    return np.where(known, np.clip(1 - within, 0.0, 1.0), np.nan)


def _blocks(columns: Sequence[MeasuredColumn | None]) -> list[range]:
    """Columns in runs whose coordinates fit in memory."""
    runs, start, entries = [], 0, 0
    for j, column in enumerate(columns):
        size = 0 if column is None else column.target.size
        if entries + size > _ENTRIES and j > start:
            runs.append(range(start, j))
            start, entries = j, 0
        entries += size
    return [*runs, range(start, len(columns))]


@dataclass(frozen=True)
class Explained:
    """How much two columns explain of each other.

    Examples
    --------
    >>> found = Explained("temp", "power", 0.83, 0.01)
    >>> found.share, found.word, found.words
    (0.83, 'strong', 'temp explains 83 % of power')
    """

    x: str
    y: str
    of_y: float | None  # the share of the variation of y that x explains; None if it is not known, as for texts
    of_x: float | None  # and the other way round

    @property
    def share(self) -> float | None:
        """The larger of the two."""
        known = [part for part in (self.of_y, self.of_x) if part is not None]
        return max(known) if known else None

    @property
    def word(self) -> str:
        """Strong from 25 %, moderate from 9 %, weak from 1 % on; below that, the means do not depend."""
        if self.share is None:
            return "not measured"
        words = ((STRONG, "strong"), (MODERATE, "moderate"), (WEAK, "weak"))
        return next((word for least, word in words if self.share >= least), "not in the mean")

    @property
    def words(self) -> str:
        """The larger share in a sentence."""
        if self.share is None:
            return "not measured for texts"
        if self.share < WEAK:
            return "neither explains the mean of the other"
        one, other = (self.x, self.y) if self.of_y == self.share else (self.y, self.x)
        return f"{one} explains {percent(self.share)} of {other}"


def explained_pairs(
    measured: Mapping[str, MeasuredColumn], first: Sequence[str], second: Sequence[str]
) -> dict[tuple[str, str], Explained]:
    """How much every column of one side and every column of the other explain of each other."""
    sides = [[measured.get(name) for name in names] for names in (first, second)]
    of_second = explained_shares(sides[0], sides[1])
    of_first = of_second if first == second else explained_shares(sides[1], sides[0])
    return {
        (x, y): Explained(x, y, _known(of_second[i, j]), _known(of_first[j, i]))
        for i, x in enumerate(first)
        for j, y in enumerate(second)
        if x != y
    }


def _known(share: float) -> float | None:
    return None if np.isnan(share) else float(share)
