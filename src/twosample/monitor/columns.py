"""One column of a batch as a few numbers: shares of its rows in cells that were chosen beforehand.

Edges of cells are dyadic (whole multiples of a power of two), as are the bins of summaries, so that shares below them
are counts, not estimates, wherever the bins are narrow enough; within a wider bin rows are taken to lie evenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log2
from typing import Literal

import numpy as np

from .._numbers import duration
from ..core.types import Floats
from ..summaries import BinnedColumn, ColumnSummary

_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0)
_TESTED = (0.0, 0.5, 1.0, 2.0, 4.0)
_SPIKE = 0.1  # share of the rows in one bin from which on it is a cell of its own
_FEW = 16  # values of which each is a cell
_LEVELS = 10
_KNOWN = 2000  # different values up to which new ones are told from them
NEW, OTHERS = "new values", "all others"  # cells of categories
_FIRST = 3  # features before the shares: place, spread, missing

Form = Literal["numeric", "categorical", "text"]


@dataclass(frozen=True)
class ColumnPlan:
    """What of a column becomes features.

    Features of numbers: the mean of a bounded score u of place, of its square, the share of missing rows, and the
    shares of present rows below each edge. Of categories: missing, the shares of the levels, and that of new values. Of
    text: missing.
    """

    name: str  # the column
    form: Form  # whether it is numbers, categories or other text
    centre: float = 0.0  # of numbers: u = t / √(1 + t²) with t = (x - centre) / scale
    scale: float = 1.0
    edges: tuple[float, ...] = ()  # of numbers: increasing
    tested: tuple[int, ...] = ()  # which edges are tested; the others only show where a difference is
    places: tuple[float, ...] = ()  # of numbers: for each cell between edges the mean of the rows that chose the plan
    width: float = 1.0
    """Of numbers: the bandwidth of effects, their median distance; 0 for a constant, which is like nothing else."""
    deviation: float = 0.0  # of numbers: their standard deviation
    levels: tuple[str, ...] = ()  # of categories: the most frequent
    known: tuple[str, ...] = ()  # of categories: all that the plan was chosen from, unless they are too many
    spans: bool = False  # whether numbers are durations in seconds

    def edge(self, at: int, digits: int = 6) -> str:
        """One of its edges in words."""
        return duration(self.edges[at]) if self.spans else f"{self.edges[at]:.{digits}g}"

    @property
    def size(self) -> int:
        """How many features it has."""
        if self.form == "numeric":
            return _FIRST + len(self.edges)
        return 1 + len(self.levels) + bool(self.known)

    @property
    def missing_at(self) -> int:
        """Which of its features is the share of missing rows."""
        return _FIRST - 1 if self.form == "numeric" else 0

    @property
    def views(self) -> tuple[tuple[int, ...], ...]:
        """Sets of its features that are tested: missing; place, or new values; everything."""
        if self.form == "text":
            return ((0,),)
        if self.form == "categorical":
            return ((0,), self.core, *([(self.size - 1,)] if self.known else []))
        return ((2,), (0,), (0, 1, 2, *(_FIRST + edge for edge in self.tested)))

    @property
    def core(self) -> tuple[int, ...]:
        """Its part in the view of all columns together."""
        return tuple(range(min(self.size, _FIRST) if self.form == "numeric" else 1 + len(self.levels)))

    def features(self, column: ColumnSummary | None, rows: int) -> Floats:
        """``(size,)`` of a batch; NaN where it does not say."""
        result = np.full(self.size, np.nan)
        if column is None or rows == 0:
            return result
        if self.form == "numeric":
            bins = numbers_of(column)
            if bins is None:
                return result
            result[2] = 1 - bins.rows / rows
            if bins.rows:
                score, mass = self._scores(bins)
                result[:2] = score @ mass, (score**2) @ mass
                result[_FIRST:] = shares_below(bins, self.edges)
            return result
        result[0] = column.missing / rows
        present = rows - column.missing
        if self.levels and present and column.counts is not None and column.counts.values is not None:
            counts, end = column.counts.values, 1 + len(self.levels)
            result[1:end] = [counts.get(level, 0) / present for level in self.levels]
            result[end:] = 1 - sum(counts.get(level, 0) for level in self.known) / present
        return result

    def _scores(self, bins: BinnedColumn) -> tuple[Floats, Floats]:
        places, mass, _ = bins.points()
        return bounded((places - self.centre) / self.scale), mass / mass.sum()

    def cells(self, features: Floats) -> Floats:
        """``(..., c)`` shares of all rows in the cells, the missing ones last, from ``(..., size)`` features."""
        if self.form == "text":
            missing = features[..., :1]
            return np.concatenate([1 - missing, missing], axis=-1)
        if self.form == "numeric":
            missing, below = features[..., 2:3], features[..., _FIRST:]
            shares = np.diff(below, axis=-1, prepend=0.0, append=1.0)
        else:
            end = 1 + len(self.levels)
            missing, levels, new = features[..., :1], features[..., 1:end], features[..., end:]
            rest = 1 - levels.sum(axis=-1, keepdims=True) - new.sum(axis=-1, keepdims=True)
            shares = np.concatenate([levels, np.maximum(rest, 0.0), new], axis=-1)
        gone = missing >= 1  # no row has a value: shares are unknown, and empty
        shares = np.where(gone, 0.0, shares)
        return np.concatenate([shares * (1 - missing), missing], axis=-1)

    def kernel(self) -> Floats:
        """``(c, c)`` how alike the cells are: Gaussian in the distance of their places; categories are all unlike."""
        if self.form != "numeric":
            return np.eye(len(self.cell_names()))
        places = np.asarray(self.places)
        result = np.eye(len(places) + 1)
        if self.width == 0:
            return result
        result[:-1, :-1] = np.exp(-(((places[:, None] - places) / self.width) ** 2) / 2)
        return result

    def cell_names(self) -> list[str]:
        """The cells in words."""
        if self.form == "text":
            return ["present", "missing"]
        if self.form == "categorical":
            return [*self.levels, OTHERS, *([NEW] if self.known else []), "missing"]
        if not self.edges:
            return ["any value", "missing"]
        ends = [self.edge(at) for at in range(len(self.edges))]
        bin_wide = np.diff(self.edges) == np.diff(self.edges).min(initial=np.inf)
        single = bin_wide & (np.asarray(self.places[1:-1]) == self.edges[:-1])  # all rows were at its lower end
        middle = [low if one else f"{low} to {high}" for one, (low, high) in zip(single, pairwise(ends), strict=True)]
        return [f"below {ends[0]}", *middle, f"{ends[-1]} and more", "missing"]


def bounded(t: Floats) -> Floats:
    """A score between -1 and 1 that grows with t and hardly listens to outliers."""
    return np.asarray(t / np.hypot(1.0, t))


def numbers_of(column: ColumnSummary) -> BinnedColumn | None:
    """The numbers of a column, or the dates that its text spells."""
    if column.bins is None or column.dates is None:
        return column.bins
    return column.dates if column.dates.rows > column.bins.rows else column.bins


def shares_below(bins: BinnedColumn, edges: Sequence[float]) -> Floats:
    """``(len(edges),)`` shares of the rows with a number that are less than each edge."""
    inside = np.concatenate([[0.0], np.cumsum(bins.counts.astype(np.float64))])
    at = np.ldexp(np.asarray(edges), -bins.grid.unit) - bins.grid.start
    counts = np.interp(at, np.arange(bins.grid.size + 1.0), inside) + np.where(at >= 0, bins.below, 0)
    return np.asarray(counts / max(bins.rows, 1))


def numeric_plan(name: str, bins: BinnedColumn) -> ColumnPlan:
    """Cells around the middle of a column, in steps of its spread; each of few values is a cell of its own."""
    places, mass, _ = bins.points()
    left = np.ldexp(np.floor(np.ldexp(places, -bins.grid.unit)), bins.grid.unit)  # ends of the bins that have rows
    if len(places) == 0:
        return ColumnPlan(name, "text")
    step = 2.0**bins.grid.unit
    middle, low, high = (quantile(places, mass, share) for share in (0.5, 0.25, 0.75))
    scale = max((high - low) / 1.35, _typical(places, mass, middle) if high == low else 0.0, 4 * step)
    scale = 2.0 ** floor(log2(scale) + 0.5)
    if len(places) <= _FEW:
        edges = {float(end) for end in left} | {float(left[-1] + step)}
        tested = edges
    else:
        spikes = left[mass >= _SPIKE * mass.sum()]
        ends = {float(end) for end in (*spikes, *(spikes + step))}
        centre = round(middle / scale * 4) * scale / 4
        edges = ends | {centre + sign * s * scale for s in _STEPS for sign in (-1, 1)}
        tested = ends | {centre + sign * s * scale for s in _TESTED for sign in (-1, 1)}
    ordered = tuple(sorted(edges))
    chosen = tuple(i for i, edge in enumerate(ordered) if edge in tested)
    width = _median_distance(places, mass) or (scale if len(places) > 1 else 0.0)
    means = _cell_places(places, mass, ordered)
    share = mass / mass.sum()
    deviation = float(np.sqrt(share @ (places - share @ places) ** 2))
    return ColumnPlan(name, "numeric", middle, scale, ordered, chosen, means, width, deviation)


def categorical_plan(name: str, column: ColumnSummary) -> ColumnPlan:
    """The most frequent levels, and all that are known."""
    counts = column.counts.values if column.counts is not None else None
    if not counts:
        return ColumnPlan(name, "text")
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    levels = tuple(level for level, _ in ranked)
    return ColumnPlan(name, "categorical", levels=levels[:_LEVELS], known=levels if len(levels) <= _KNOWN else ())


def quantile(places: Floats, mass: Floats, share: float) -> float:
    """The place below which a share of weighted points lies."""
    return float(places[np.searchsorted(np.cumsum(mass), share * mass.sum())])


def _typical(places: Floats, mass: Floats, middle: float) -> float:
    """The median distance from the middle of the rows that do not lie there; 0 if all do."""
    away = np.abs(places - middle)
    order = np.argsort(away[away > 0])
    if not len(order):
        return 0.0
    return quantile(away[away > 0][order], mass[away > 0][order], 0.5)


def _median_distance(places: Floats, mass: Floats) -> float:
    """Of two random rows, by 200 quantiles."""
    part = np.array([quantile(places, mass, share) for share in (np.arange(200) + 0.5) / 200])
    return float(np.median(np.abs(part[:, None] - part)[np.triu_indices(200, 1)]))


def _cell_places(places: Floats, mass: Floats, edges: Sequence[float]) -> tuple[float, ...]:
    """The mean of the rows in each cell; the nearer edge, or the middle between edges, where there are none."""
    cell = np.searchsorted(np.asarray(edges), places, side="right")
    rows = np.bincount(cell, mass, len(edges) + 1)
    sums = np.bincount(cell, mass * places, len(edges) + 1)
    ends = np.asarray([edges[0], *edges, edges[-1]])
    middles = (ends[:-1] + ends[1:]) / 2
    return tuple(float(v) for v in np.where(rows > 0, sums / np.maximum(rows, 1e-300), middles))
