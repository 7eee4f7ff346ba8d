"""All costs C_ij between the columns of two tables, by blocks of columns that can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from .columns import Column, Family, Side
from .laws import categories_centred, numbers_price, price, text_centred
from .lines import Inner, inner_products, rounded, without_diagonal
from .points import Mask, Places, PointColumns, points_of
from .words import pieces, products, shares

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SCALES = (1.0, 4.0, 1 / 32)
"""The kernel of a column of numbers is the mean of Gaussians at these multiples of its median distance: one for the
bulk, one for long tails, one for values that repeat."""

_CATEGORIES = 500  # the most frequent ones, from which the price of a column of categories comes
_GENEROUS = 1.5  # prices are thresholds of an approximate law; p-values decide
_MEASURED: tuple[Family, ...] = ("number", "date", "time", "duration")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Costs:
    """What the assignment needs to know of all pairs; infinite where columns cannot be compared.

    Parameters
    ----------
    total
        ``(s, t)`` squared MMD with the mean of the kernels of both columns, unbiased: what is minimised.
    plain
        ``(s, t)`` the same with one Gaussian for each column: the mean of the two, so that neither table comes first.
    mmd
        ``(s, t)`` MMD_b with the kernel of `plain`.
    limit
        ``(s, t)`` the price: pairs with a larger `plain` value cannot have one distribution.
    """

    total: Floats
    plain: Floats
    mmd: Floats
    limit: Floats

    @property
    def allowed(self) -> Mask:
        """``(s, t)`` pairs that may have one distribution, as far as the price says."""
        return self.plain <= self.limit + 1e-9


@dataclass(frozen=True, eq=False)
class Measured:
    """The columns of numbers of one side, as weighted points.

    Parameters
    ----------
    index
        ``(c,)`` which columns.
    points
        Their points, in that order.
    """

    index: Places
    points: PointColumns

    @classmethod
    def of(cls, side: Side) -> Measured:
        """All columns of numbers, dates and times."""
        index = side.of(*_MEASURED)
        return cls(np.array(index, dtype=np.intp), points_of([side.columns[i].values for i in index]))

    def scale(self, column: int) -> float:
        """About the median distance of two rows of a column of the side; 0 for a constant one."""
        return float(self.points.scale[np.searchsorted(self.index, column)])


def all_costs(
    left: Side, right: Side, a: Measured, b: Measured, level: float, progress: Progress | None = None
) -> Costs:
    """Costs and prices of all pairs."""
    shape = (len(left.columns), len(right.columns))
    total, plain, root = (np.full(shape, np.inf) for _ in range(3))
    costs = Costs(total, plain, root, np.full(shape, -np.inf))
    tests = level / max(min(shape), 1)
    if len(a.index) and len(b.index):
        _numbers(costs, left, right, a, b, tests, progress)
    _texts(costs, left, right, tests)
    _categories(costs, left, right, tests)
    return costs


def _numbers(
    costs: Costs, left: Side, right: Side, a: Measured, b: Measured, level: float, progress: Progress | None
) -> None:
    x, y = a.points, b.points
    half = len(SCALES) * len(x)
    work = half + len(SCALES) * len(y)
    ours = _at_scales(x, y, _part(progress, 0, work))
    theirs = _at_scales(y, x, _part(progress, half, work))
    unbiased = [part.unbiased(x.rows, y.rows) for part in ours], [part.unbiased(y.rows, x.rows).T for part in theirs]
    squares = ours[0].biased + theirs[0].biased.T
    at = np.ix_(a.index, b.index)
    same = _families(left, a.index)[:, None] == _families(right, b.index)[None, :]
    costs.plain[at] = np.where(same, (unbiased[0][0] + unbiased[1][0]) / 2, np.inf)
    costs.total[at] = np.where(same, (sum(unbiased[0]) + sum(unbiased[1])) / (2 * len(SCALES)), np.inf)
    costs.mmd[at] = np.where(same, np.sqrt(squares / 2), np.inf)
    costs.limit[at] = _limits(_prices(x, y, level), _prices(y, x, level), x.rows, y.rows)


def _prices(x: PointColumns, y: PointColumns, level: float) -> Prices:
    """What each column of x may differ from one more sample of its own, as long as a typical one of y."""
    typical = int(np.median(y.rows))
    width = rounded(x.scale)
    values = [numbers_price(x.take([k]), float(width[k]), typical, level) for k in range(len(x))]
    return Prices(np.array(values), typical)


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


@dataclass(frozen=True, eq=False)
class Prices:
    """Of the columns of one side, for so many rows on the other."""

    values: Floats
    rows: int

    def scaled(self, m: Places, n: Places) -> Floats:
        """``(s, t)`` for other numbers of rows: they go with 1/m + 1/n."""
        factor = (1 / m[:, None] + 1 / n[None, :]) / (1 / m + 1 / self.rows)[:, None]
        return np.asarray(_GENEROUS * self.values[:, None] * factor)


def _limits(ours: Prices, theirs: Prices, m: Places, n: Places) -> Floats:
    """``(s, t)`` the larger price of the two: a column in which a rare value happens to be missing knows no other."""
    return np.maximum(ours.scaled(m, n), theirs.scaled(n, m).T)


def _categories(costs: Costs, left: Side, right: Side, level: float) -> None:
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
    sources, targets = table[: len(first)], table[len(first) :]
    m, n = (np.array([len(values) for values in view.values()], dtype=np.intp) for view in views)
    limits = _limits(_category_prices(sources, m, n, level), _category_prices(targets, n, m, level), m, n)
    inner = products(sources, targets)
    one, two = np.isin(first, ours)[:, None], np.isin(second, theirs)[None, :]
    chosen = (one & two) | ((one | two) & (inner.cross > 0))  # numbers are categories if they are spelled alike
    _place(costs, first, second, chosen, inner, m, n, limits)


def _category_prices(table: csr_array, m: Places, n: Places, level: float) -> Prices:
    typical = int(np.median(n))
    values = []
    for k, rows in enumerate(m.tolist()):
        shares_here = np.sort(table[[k]].data)[::-1][:_CATEGORIES]
        values.append(price(rows, typical, categories_centred(shares_here, rows + typical), level))
    return Prices(np.array(values), typical)


def _levels(column: Column, wanted: bool) -> tuple[str, ...]:
    if column.family == "category":
        return column.words
    return column.levels() if column.family == "number" and wanted else ()


def _texts(costs: Costs, left: Side, right: Side, level: float) -> None:
    """Text with text and with categories."""
    first, second = (side.of("category", "text") for side in (left, right))
    if not first or not second or not (left.of("text") or right.of("text")):
        return
    words = [side.columns[i].words for side, index in ((left, first), (right, second)) for i in index]
    table, count = pieces(words)
    sources, targets = table[: len(first)], table[len(first) :]
    m, n = count[: len(first)], count[len(first) :]
    limits = _limits(_text_prices(left, first, m, n, level), _text_prices(right, second, n, m, level), m, n)
    both = np.ones((len(first), len(second)), dtype=bool)
    _place(costs, first, second, both, products(sources, targets), m, n, limits)


def _text_prices(side: Side, index: list[int], m: Places, n: Places, level: float) -> Prices:
    typical = int(np.median(n))
    values = np.full(len(index), np.inf)
    for k, i in enumerate(index):
        law = text_centred(side.columns[i].words)
        if law is not None:
            values[k] = price(int(m[k]), typical, law, level)
    return Prices(values, typical)


def _place(
    costs: Costs, rows: list[int], columns: list[int], chosen: Mask, inner: Inner, m: Places, n: Places, limit: Floats
) -> None:
    """Put a block of costs in its place, in units of the norms of both: 0 for the same, 1 for strangers."""
    unit = np.maximum(without_diagonal(inner.own, m), 1 / m)[:, None] + np.maximum(
        without_diagonal(inner.other, n[None, :]), 1 / n
    )
    at = np.ix_(rows, columns)
    plain = inner.unbiased(m, n) / unit
    root = np.sqrt(inner.biased / unit)
    blocks = ((costs.plain, plain), (costs.total, plain), (costs.mmd, root), (costs.limit, limit / unit))
    for matrix, values in blocks:
        matrix[at] = np.where(chosen, values, matrix[at])
