"""Two distributions as small data that a page or a figure can draw: made here, for comparisons and matchings alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import erfc, exp, pi, sqrt
from typing import Literal

import numpy as np

from .core.types import Floats

BINS = 40
SHOWN = 12  # categories or words of a picture

_GRID = 121
_FAR, _CLIP = 9.0, 100.0  # bandwidths beyond which the kernel is next to 0, and 0
_NARROW = 1e-303  # a range over which densities would not be finite
_FINE, _POINTS = 16, 2000  # points in a bandwidth, and in all, that stand for the rows in the witness
_CLOCK = (86_400.0, 3600.0, 60.0, 1.0)
_DECIMALS, _EXACT = 4, 1e12
_TAIL = 5.0  # distances between quartiles beyond these where tails are cut off
_VALUES = 60  # different values that have a bar each


@dataclass(frozen=True)
class NumberPicture:
    """Two distributions of numbers, to be drawn.

    Parameters
    ----------
    edges
        ``(B + 1,)`` ends of equal bins over the middle of the data; of whole numbers, each bin holds as many of them.
    density_a, density_b
        ``(B,)`` densities: share of the present rows over bin width.
    grid, witness
        Places, and the witness function there: positive where the first table has more rows, negative where the
        second has.
    dates
        Whether numbers are seconds since 1970 in UTC.
    beyond_a, beyond_b
        Shares of the present rows below the first and above the last edge.
    band
        How far from 0 chance alone would carry the witness at each place of the grid, the whole curve with a
        probability of 95 %; empty if not known.
    step
        What all numbers are multiples of: 1 for whole numbers; 0 if nothing.
    ends
        The smallest and the largest number of both tables, how far beyond the axis they may be.
    spans
        Whether numbers are durations in seconds.
    """

    edges: tuple[float, ...]
    density_a: tuple[float, ...]
    density_b: tuple[float, ...]
    grid: tuple[float, ...]
    witness: tuple[float, ...]
    dates: bool = False
    beyond_a: tuple[float, float] = (0.0, 0.0)
    beyond_b: tuple[float, float] = (0.0, 0.0)
    band: tuple[float, ...] = ()
    step: float = 0.0
    ends: tuple[float, float] = (0.0, 0.0)
    spans: bool = False
    kind: Literal["number"] = field(default="number", init=False)


@dataclass(frozen=True)
class SharePicture:
    """Shares of categories in both tables, to be drawn as pairs of bars.

    Parameters
    ----------
    labels
        Categories, those with the largest difference first; of a text column, words.
    shares_a, shares_b
        Their shares of all rows (of a text column: of the sampled rows that have the word).
    other_a, other_b
        Shares of all other categories together; None for words.
    missing_a, missing_b
        Shares of missing values.
    words
        Whether labels are words of texts, whose shares do not add up to one.
    """

    labels: tuple[str, ...]
    shares_a: tuple[float, ...]
    shares_b: tuple[float, ...]
    other_a: float | None
    other_b: float | None
    missing_a: float
    missing_b: float
    words: bool = False
    kind: Literal["shares"] = field(default="shares", init=False)

    @property
    def differences(self) -> tuple[float, ...]:
        """Share in the second table less share in the first."""
        return tuple(b - a for a, b in zip(self.shares_a, self.shares_b, strict=True))


Picture = NumberPicture | SharePicture


@dataclass(frozen=True, eq=False)
class WeightedNumbers:
    """The finite numbers of one sample as weighted points."""

    values: Floats  # (k,) ascending
    rows: Floats  # (k,) how many rows each stands for
    reach: Floats  # (k,) how far its rows lie on either side of it, evenly; 0 for single values

    @classmethod
    def of_values(cls, values: Floats) -> WeightedNumbers:
        """Rows themselves; infinite ones are left out."""
        found, counts = np.unique(values[np.isfinite(values)], return_counts=True)
        return cls(found, counts.astype(np.float64), np.zeros(len(found)))

    @classmethod
    def of_counts(cls, values: Floats, rows: Floats) -> WeightedNumbers:
        """Different numbers, ascending, and what each of them counts for."""
        used = rows > 0
        return cls(values[used], rows[used], np.zeros(int(used.sum())))

    @property
    def total(self) -> float:
        """Rows."""
        return float(self.rows.sum())

    def quantiles(self, shares: Floats, step: float = 0.0) -> Floats:
        """Linear interpolation between the two rows next to each share, as NumPy and pandas do it.

        `step`: what all numbers are multiples of; rows of bins are taken to be at such places.
        """
        heap = np.cumsum(self.rows)
        ranks = shares * (heap[-1] - 1)
        lower = np.floor(ranks + 1e-9)
        low, high = self._row(lower, heap, step), self._row(np.minimum(lower + 1, heap[-1] - 1), heap, step)
        return np.asarray(low + (high - low) * np.clip(ranks - lower, 0.0, 1.0))

    def _row(self, rank: Floats, heap: Floats, step: float) -> Floats:
        """The values of rows by their ranks from 0."""
        at = np.minimum(np.searchsorted(heap, rank + 0.5, side="left"), len(heap) - 1)
        inner = (rank + 0.5 - (heap[at] - self.rows[at])) / self.rows[at]
        found = self.values[at] + self.reach[at] * (2 * np.clip(inner, 0.0, 1.0) - 1)
        return np.asarray(np.where(self.reach[at] > 0, np.rint(found / step) * step, found) if step else found)

    def below(self, edges: Floats) -> Floats:
        """The share of the rows below each edge."""
        low, high = self.values - self.reach, self.values + self.reach
        heap = np.concatenate([[0.0], np.cumsum(self.rows)]) / self.total
        at = np.searchsorted(self.values, edges, side="left")
        share = heap[at]
        for near in (at - 1, at):  # bins that an edge cuts through
            own = np.clip(near, 0, len(self.values) - 1)
            cut = (near == own) & (low[own] < edges) & (edges < high[own])
            part = (edges - low[own]) / np.where(cut, high[own] - low[own], 1.0)
            share = np.where(cut, heap[own] + self.rows[own] / self.total * part, share)
        return np.asarray(share)


def number_picture(
    a: WeightedNumbers,
    b: WeightedNumbers,
    bandwidth: float,
    *,
    dates: bool = False,
    step: float = 0.0,
    spans: bool = False,
) -> NumberPicture:
    """Histograms of two samples of numbers, and the witness function of a Gaussian kernel between them.

    `dates` says that numbers are seconds since 1970 in UTC; `step` is what all are multiples of, 0 if nothing; `spans`
    that they are durations in seconds.

    Examples
    --------
    >>> a, b = (WeightedNumbers.of_values(np.array(part)) for part in ([0.0, 0.0, 1.0], [1.0, 2.0, 2.0]))
    >>> drawn = number_picture(a, b, 1.0, step=1.0)
    >>> drawn.edges, drawn.density_a, drawn.witness[0] > 0 > drawn.witness[-1]
    ((-0.5, 0.5, 1.5, 2.5), (0.666667, 0.333333, 0.0), True)
    """
    ends = _range(a, b)
    edges = _edges(*ends, step, dates) if step else _even_edges(a, b, *ends)
    wide = edges[1] - edges[0]
    reach = np.append(edges[:-1], np.nextafter(edges[-1], np.inf))  # the largest is in the last bin
    parts = [sample.below(reach) for sample in (a, b)]
    first, second = (np.maximum(np.diff(part), 0.0) / wide for part in parts)
    beyond = [(float(part[0]), max(0.0, float(1 - part[-1]))) for part in parts]
    grid = np.linspace(edges[0], edges[-1], _GRID)
    heights, band = _witness(a, b, bandwidth, grid)
    return NumberPicture(
        tuple(edges.tolist()), _plain(first), _plain(second), tuple(grid.tolist()), _plain(heights), dates,
        _clean(beyond[0]), _clean(beyond[1]), _plain(band), step,
        (float(min(a.values[0], b.values[0])), float(max(a.values[-1], b.values[-1]))), spans,
    )  # fmt: skip


def step_of(values: Floats, *, dates: bool = False) -> float:
    """What all numbers are multiples of: 1, 0.1, ...; of dates days, hours, minutes or seconds; 0 if nothing.

    >>> step_of(np.array([3.0, 5.0])), step_of(np.array([0.5, 0.25])), step_of(np.array([0.1, np.pi]))
    (1.0, 0.01, 0.0)
    """
    known = np.unique(values)
    known = known[np.isfinite(known)]
    if not len(known) or np.abs(known).max() > _EXACT:
        return 0.0
    if dates:
        return next((step for step in _CLOCK if not (known % step).any()), 0.0)
    for decimals in range(_DECIMALS + 1):
        scaled = known * 10.0**decimals
        if (np.abs(scaled - np.rint(scaled)) <= 1e-7 * np.abs(scaled)).all():
            return float(10.0**-decimals)
    return 0.0


def _range(a: WeightedNumbers, b: WeightedNumbers) -> tuple[float, float]:
    """What is drawn: everything, but for tails that would leave no room for the middle."""
    shares = np.array([0.0, 0.005, 0.25, 0.75, 0.995, 1.0])
    both = np.stack([sample.quantiles(shares) for sample in (a, b)])
    least, low, lower = both[:, :3].min(axis=0).tolist()
    upper, high, most = both[:, 3:].max(axis=0).tolist()
    middle = upper - lower
    if middle > 0:
        low, high = max(low, lower - _TAIL * middle), min(high, upper + _TAIL * middle)
    if low == high:
        low, high = least, most
    near = 0.5 * (high - low)
    low, high = least if least >= low - near else low, most if most <= high + near else high
    return (low, high) if high - low >= _NARROW else (low - 0.5, high + 0.5)


def _edges(low: float, high: float, step: float, dates: bool) -> Floats:
    """Equal bins with as many multiples of a step in each."""
    if (high - low) / step > 1e9:
        return np.linspace(low, high, BINS + 1)
    count = round((high - low) / step) + 1
    size = 1 if count <= _VALUES else _in_each(count)
    start = np.floor(low / step + 1e-9) * step
    shift = 0.0 if dates else 0.5 * step  # a value stands in the middle of its bar
    return np.asarray(start - shift + np.arange(-(-count // size) + 1) * (size * step))


def _even_edges(a: WeightedNumbers, b: WeightedNumbers, low: float, high: float) -> Floats:
    """Equal bins; one for each value if these are few and lie at even distances."""
    values = np.union1d(a.values, b.values)
    values = values[(values >= low) & (values <= high)]
    if 2 <= len(values) <= _VALUES and not (a.reach.any() or b.reach.any()):
        gap = max(float(np.diff(values).min()), _NARROW)
        count = (values[-1] - values[0]) / gap
        uneven = np.abs(np.diff(values) / gap - np.rint(np.diff(values) / gap)).max()
        if 1 <= count < _VALUES and uneven * count < 0.5:
            return np.asarray(values[0] + (np.arange(round(count) + 2) - 0.5) * (values[-1] - values[0]) / round(count))
    return np.linspace(low, high, BINS + 1)


def _in_each(count: int) -> int:
    """How many values to put into each bin, so that the last one is filled as far as possible."""
    sizes = {-(-count // bins) for bins in range(BINS // 2, BINS + 1)}
    return min(sizes, key=lambda size: (-count % size / size, size))


def _clean(pair: tuple[float, float]) -> tuple[float, float]:
    return tuple(0.0 if part < 1e-12 else part for part in pair)  # type: ignore[return-value]


def share_picture(labels: Sequence[str], a: Floats, b: Floats, missing: tuple[float, float]) -> SharePicture:
    """Shares of categories in two samples, those with the largest difference first.

    `a` and `b` are rows of each category in either sample, `missing` shares of all rows without a value.

    Examples
    --------
    >>> share_picture(["Oslo", "Rome"], np.array([1.0, 3.0]), np.array([4.0, 4.0]), (0.0, 0.2)).shares_b
    (0.4, 0.4)
    """
    one, two = (rows / max(float(rows.sum()), 1.0) * (1 - gone) for rows, gone in zip((a, b), missing, strict=True))
    order = np.argsort(-np.abs(one - two), kind="stable")[:SHOWN]
    rest = [max(0.0, float(share.sum() - share[order].sum())) for share in (one, two)]
    names = tuple(labels[i] for i in order.tolist())
    return SharePicture(names, _plain(one[order]), _plain(two[order]), rest[0], rest[1], missing[0], missing[1])


def word_picture(a: Sequence[str], b: Sequence[str], missing: tuple[float, float]) -> SharePicture:
    """Words by the share of texts that have them, those with the largest difference first.

    `missing` are shares of all rows without a text.

    Examples
    --------
    >>> word_picture(["A red door", "a red car"], ["The blue door"], (0.0, 0.0)).labels[:2]
    ('a', 'blue')
    """
    one, two = (_texts_with(texts) for texts in (a, b))
    shares = {word: (one.get(word, 0) / max(1, len(a)), two.get(word, 0) / max(1, len(b))) for word in one | two}
    top = sorted(shares, key=lambda word: (-abs(shares[word][0] - shares[word][1]), word))[:SHOWN]
    first, second = (tuple(shares[word][side] for word in top) for side in (0, 1))
    return SharePicture(tuple(top), first, second, None, None, missing[0], missing[1], words=True)


def _texts_with(texts: Sequence[str]) -> dict[str, int]:
    """How many texts have each word."""
    import polars as pl

    words = pl.Series("v", texts, dtype=pl.String).str.to_lowercase().str.extract_all(r"\w+").list.unique()
    return dict(words.explode().drop_nulls().value_counts(name="n").iter_rows())


def _witness(a: WeightedNumbers, b: WeightedNumbers, bandwidth: float, at: Floats) -> tuple[Floats, Floats]:
    """The witness function at some places, and how far chance alone would carry it."""
    values, m, n = np.concatenate([a.values, b.values]), a.total, b.total
    first = np.concatenate([a.rows, np.zeros(len(b.rows))])
    second = np.concatenate([np.zeros(len(a.rows)), b.rows])
    low, high = float(at[0]) - _FAR * bandwidth, float(at[-1]) + _FAR * bandwidth
    near = (values >= low) & (values <= high)  # the kernel of all others is 0
    wide = max(bandwidth / _FINE, (high - low) / _POINTS)
    steps = (values[near] - low) / wide
    index = steps.astype(np.intp)
    parts = [np.bincount(index, rows[near]).astype(np.float64) for rows in (first, second)]
    sums = np.bincount(index, (first + second)[near] * steps)
    used = (parts[0] + parts[1]) > 0
    one, two = (part[used] for part in parts)
    places = low + wide * (sums[used] / (one + two))
    kernel = np.exp(-0.5 * np.clip((at[:, None] - places) / bandwidth, -_CLIP, _CLIP) ** 2)
    return np.asarray(kernel @ (one / m - two / n)), chance_band(kernel, (one + two) / (m + n), m, n)


def chance_band(kernel: Floats, pooled: Floats, m: float, n: float) -> Floats:
    r"""How far chance alone would carry a witness function, the whole curve with a probability of 95 %.

    If both samples have one distribution, the witness at t has variance :math:`\sigma^2(t)(1/m + 1/n)` with the
    variance :math:`\sigma^2(t)` of :math:`k(t, Z)` over pooled rows. Divided by its deviation it is a Gaussian process,
    whose place on the unit sphere is a curve of length L, and by the tube formula (Hotelling 1939, Naiman 1986)

    .. math:: P(\max |\cdot| > c) \le 2\Phi(-c) + \frac{L}{\pi}\, e^{-c^2/2}.

    `kernel` is ``(G, k)`` of places along the curve and points, `pooled` the ``(k,)`` shares of all rows at these
    points; where they do not add up to 1, the kernel of the others is 0.
    """
    mean = kernel @ pooled
    rest = max(0.0, 1.0 - float(pooled.sum()))  # rows too far to be seen
    variance = np.maximum((kernel - mean[:, None]) ** 2 @ pooled + rest * mean**2, 0.0)
    deviation = np.sqrt(variance)
    safe = np.where(deviation > 1e-12, deviation, np.inf)[:, None]
    curve = np.concatenate([np.sqrt(pooled) * (kernel - mean[:, None]), -np.sqrt(rest) * mean[:, None]], axis=1) / safe
    length = float(np.sqrt((np.diff(curve, axis=0) ** 2).sum(axis=1)).sum())
    return np.asarray(_reach(length) * deviation * np.sqrt(1 / m + 1 / n))


def _reach(length: float, level: float = 0.05) -> float:
    """What the largest of a Gaussian process on a curve of that length passes with the probability `level`, at most.

    >>> round(_reach(0.0), 2), round(_reach(10.0), 2)
    (1.96, 3.0)
    """
    low, high = 0.0, 10.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        large = erfc(middle / sqrt(2)) + length / pi * exp(-0.5 * middle**2) > level
        low, high = (middle, high) if large else (low, middle)
    return high


def _plain(values: Floats) -> tuple[float, ...]:
    """Numbers as JSON holds them, to six digits of the largest."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or not 1e-200 < largest < 1e200:
        return tuple(values.tolist())
    return tuple(np.round(values, 5 - int(np.floor(np.log10(largest)))).tolist())
