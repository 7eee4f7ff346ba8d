"""All costs C_ij between the columns of two tables, by blocks of columns that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.types import Floats
from .columns import Column, Family, Side
from .lines import Inner, inner_products, rounded, without_diagonal
from .overlap import jaccard
from .points import Mask, Places, PointColumns, points_of
from .words import pieces, products, shares

SCALES = (1.0, 4.0, 1 / 32)
"""The kernel of a column of numbers is the mean of Gaussians at these multiples of its median distance: one for the
bulk, one for long tails, one for values that repeat."""

_MEASURED: tuple[Family, ...] = ("number", "date", "time", "duration")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Costs:
    """What is known of all pairs; infinite where columns cannot be compared."""

    total: Floats
    """``(s, t)`` squared effect sizes with the mean of the kernels of both columns; without bias, so they may be
    negative. Categories and text: squared MMD over the sum of the squared norms."""
    mmd: Floats
    """``(s, t)`` MMD_b with one Gaussian for each column: the mean of the two, so that neither table comes first."""
    common: Floats  # (s, t) the share of different values that both columns have; 0 where they cannot be compared
    noise: Floats  # (s, t) 1/m + 1/n for the values that are there


@dataclass(frozen=True, eq=False)
class Measured:
    """The columns of numbers of one side, as weighted points."""

    index: Places  # (c,) which columns
    points: PointColumns  # their points, in that order

    @classmethod
    def of(cls, side: Side) -> Measured:
        """All columns of numbers, dates and times."""
        index = side.of(*_MEASURED)
        return cls(np.array(index, dtype=np.intp), points_of([side.columns[i].values for i in index]))

    def scale(self, column: int) -> float:
        """About the median distance of two rows of a column of the side; 0 for a constant one."""
        return float(self.points.scale[np.searchsorted(self.index, column)])


def all_costs(left: Side, right: Side, a: Measured, b: Measured, progress: Progress | None = None) -> Costs:
    """Costs of all pairs."""
    m, n = (np.array([max(column.present, 1) for column in side.columns]) for side in (left, right))
    noise = 1 / m[:, None] + 1 / n
    costs = Costs(np.full(noise.shape, np.inf), np.full(noise.shape, np.inf), np.zeros(noise.shape), noise)
    if len(a.index) and len(b.index):
        _numbers(costs, left, right, a, b, progress)
    _texts(costs, left, right)
    _categories(costs, left, right)
    return costs


def _numbers(costs: Costs, left: Side, right: Side, a: Measured, b: Measured, progress: Progress | None) -> None:
    x, y = a.points, b.points
    half = len(SCALES) * len(x)
    work = half + len(SCALES) * len(y)
    ours = _at_scales(x, y, _part(progress, 0, work))
    theirs = _at_scales(y, x, _part(progress, half, work))
    parts = [(part.unbiased(x.rows, y.rows), within(part, x.rows, y.rows)) for part in ours]
    parts += [(part.unbiased(y.rows, x.rows).T, within(part, y.rows, x.rows).T) for part in theirs]
    squared, inside = (np.mean([part[k] for part in parts], axis=0) for k in range(2))
    at = np.ix_(a.index, b.index)
    same = _families(left, a.index)[:, None] == _families(right, b.index)[None, :]
    costs.total[at] = np.where(same, squared_effect(squared, 1 - inside), np.inf)
    costs.mmd[at] = np.where(same, np.sqrt((ours[0].biased + theirs[0].biased.T) / 2), np.inf)
    values = [[side.columns[i].values for i in part.index] for side, part in ((left, a), (right, b))]
    costs.common[at] = np.where(same, jaccard(*values), 0.0)


def squared_effect(squared: Floats, spread: Floats) -> Floats:
    """r² of an MMD² at this spread, as in :func:`twosample.embedding.alternative.effect_of`, but below 0 if it is."""
    between = squared / 4
    whole = spread + np.maximum(between, 0.0)
    return np.divide(between, whole, out=np.zeros(between.shape), where=whole > 1e-12)


def within(inner: Inner, m: Places, n: Places) -> Floats:
    """``(s, t)`` the mean kernel value of two rows of one column, over both columns."""
    return (without_diagonal(inner.own, m)[:, None] + without_diagonal(inner.other, n[None, :])) / 2


def _at_scales(x: PointColumns, y: PointColumns, progress: Progress | None) -> list[Inner]:
    """Mean kernel values with each Gaussian of the columns of x."""
    count, scales = len(x), len(SCALES)
    bandwidth = np.concatenate([scale * rounded(x.scale) for scale in SCALES])
    every = inner_products(x.take([*range(count)] * scales), y, bandwidth, progress)
    return [every.take(slice(k * count, (k + 1) * count)) for k in range(scales)]


def _part(progress: Progress | None, before: int, work: int) -> Progress | None:
    """Progress of a part of the work."""
    return None if progress is None else lambda done, _: progress(before + done, work)


def _families(side: Side, index: Places) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    return np.array([side.columns[i].family for i in index])


def _categories(costs: Costs, left: Side, right: Side) -> None:
    """Categories with categories, and with whole numbers of which there are few."""
    ours, theirs = left.of("category"), right.of("category")
    if not ours and not theirs:
        return
    views = [
        {i: levels for i, column in enumerate(side.columns) if (levels := _levels(column, bool(others)))}
        for side, others in ((left, theirs), (right, ours))
    ]
    if not views[0] or not views[1]:
        return
    first, second = (list(view) for view in views)
    table = shares([*views[0].values(), *views[1].values()])
    m, n = (np.array([len(values) for values in view.values()], dtype=np.intp) for view in views)
    inner = products(table[: len(first)], table[len(first) :])
    one, two = np.isin(first, ours)[:, None], np.isin(second, theirs)[None, :]
    chosen = (one & two) | ((one | two) & (inner.cross > 0))  # numbers are categories if they are spelled alike
    _place(costs, first, second, chosen, inner, m, n, [list(view.values()) for view in views])


def _levels(column: Column, wanted: bool) -> tuple[str, ...]:
    if column.family == "category":
        return column.words
    return column.levels() if column.family == "number" and wanted else ()


def _texts(costs: Costs, left: Side, right: Side) -> None:
    """Text with text and with categories."""
    first, second = (side.of("category", "text") for side in (left, right))
    if not first or not second or not (left.of("text") or right.of("text")):
        return
    words = [[side.columns[i].words for i in index] for side, index in ((left, first), (right, second))]
    table, count = pieces([*words[0], *words[1]])
    inner = products(table[: len(first)], table[len(first) :])
    both = np.ones((len(first), len(second)), dtype=bool)
    _place(costs, first, second, both, inner, count[: len(first)], count[len(first) :], words)


def _place(
    costs: Costs,
    rows: list[int],
    columns: list[int],
    chosen: Mask,
    inner: Inner,
    m: Places,
    n: Places,
    words: Sequence[Sequence[Sequence[str]]],
) -> None:
    """Put a block of costs in its place, in units of the norms of both: 0 for the same, 1 for strangers."""
    unit = np.maximum(without_diagonal(inner.own, m), 1 / m)[:, None] + np.maximum(
        without_diagonal(inner.other, n[None, :]), 1 / n
    )
    at = np.ix_(rows, columns)
    values = (inner.unbiased(m, n) / unit, np.sqrt(inner.biased / unit), jaccard(*words))
    for matrix, block in zip((costs.total, costs.mmd, costs.common), values, strict=True):
        matrix[at] = np.where(chosen, block, matrix[at])
