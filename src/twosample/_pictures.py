"""Two distributions as small data that a page or a figure can draw: made here, for comparisons and matchings alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from .core.types import Floats

BINS = 40
SHOWN = 12
"""Categories or words of a picture."""

_GRID = 121
_FAR = 100.0  # bandwidths beyond which the kernel is 0
_NARROW = 1e-303  # a range over which densities would not be finite
_FINE = 400  # points that stand for all in the witness


@dataclass(frozen=True)
class NumberPicture:
    """Two distributions of numbers, to be drawn.

    Parameters
    ----------
    edges
        ``(B + 1,)`` ends of equal bins over the middle of the data; what lies beyond is in the first and last bin.
    density_a, density_b
        ``(B,)`` densities: share of the present rows over bin width.
    grid, witness
        Places, and the witness function there: positive where the first table has more rows, negative where the
        second has.
    dates
        Whether numbers are seconds since 1970 in UTC.
    """

    edges: tuple[float, ...]
    density_a: tuple[float, ...]
    density_b: tuple[float, ...]
    grid: tuple[float, ...]
    witness: tuple[float, ...]
    dates: bool = False
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


def number_picture(values: Floats, a: Floats, b: Floats, bandwidth: float, *, dates: bool = False) -> NumberPicture:
    """Histograms of two samples of numbers, and the witness function of a Gaussian kernel between them.

    Parameters
    ----------
    values
        ``(k,)`` different numbers in ascending order.
    a, b
        ``(k,)`` how many rows of either sample each of them stands for; neither sample is empty.
    bandwidth
        Of the kernel.
    dates
        Whether numbers are seconds since 1970 in UTC.

    Examples
    --------
    >>> drawn = number_picture(np.array([0.0, 1.0, 2.0]), np.array([3.0, 1.0, 0.0]), np.array([0.0, 1.0, 3.0]), 1.0)
    >>> len(drawn.edges), drawn.witness[0] > 0 > drawn.witness[-1]
    (41, True)
    """
    heap = np.cumsum(a + b)
    low, high = (float(values[np.searchsorted(heap, share * heap[-1])]) for share in (0.005, 0.995))
    if low == high:
        low, high = float(values[0]), float(values[-1])
    if high - low < _NARROW:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    index = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, BINS - 1)
    wide = edges[1] - edges[0]
    first, second = (np.bincount(index, rows, minlength=BINS) / (rows.sum() * wide) for rows in (a, b))
    grid = np.linspace(low, high, _GRID)
    heights = _witness(values, a / a.sum() - b / b.sum(), bandwidth, grid)
    return NumberPicture(
        tuple(edges.tolist()), _plain(first), _plain(second), tuple(grid.tolist()), _plain(heights), dates
    )


def share_picture(labels: Sequence[str], a: Floats, b: Floats, missing: tuple[float, float]) -> SharePicture:
    """Shares of categories in two samples, those with the largest difference first.

    Parameters
    ----------
    labels
        The categories.
    a, b
        How many rows of either sample each of them has.
    missing
        Shares of all rows without a value.

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

    Parameters
    ----------
    a, b
        The texts of either sample.
    missing
        Shares of all rows without a text.

    Examples
    --------
    >>> word_picture(["A red door", "a red car"], ["The blue door"], (0.0, 0.0)).labels[:2]
    ('a', 'blue')
    """
    counts = [Counter(word for text in texts for word in set(re.findall(r"\w+", text.lower()))) for texts in (a, b)]
    known = counts[0].keys() | counts[1].keys()
    shares = {word: (counts[0][word] / max(1, len(a)), counts[1][word] / max(1, len(b))) for word in known}
    top = sorted(shares, key=lambda word: (-abs(shares[word][0] - shares[word][1]), word))[:SHOWN]
    first, second = (tuple(shares[word][side] for word in top) for side in (0, 1))
    return SharePicture(tuple(top), first, second, None, None, missing[0], missing[1], words=True)


def _witness(values: Floats, weights: Floats, bandwidth: float, at: Floats) -> Floats:
    """The witness function at some places; points are brought together where there are many."""
    if len(values) > 2 * _FINE:
        index = ((values - values[0]) / (values[-1] - values[0]) * (_FINE - 1)).astype(int)
        count = np.bincount(index, minlength=_FINE)
        weights = np.bincount(index, weights, minlength=_FINE).astype(np.float64)
        values = np.bincount(index, values, minlength=_FINE) / np.maximum(count, 1.0)
    steps = np.clip((at[:, None] - values) / bandwidth, -_FAR, _FAR)
    return np.asarray(np.exp(-0.5 * steps**2) @ weights)


def _plain(values: Floats) -> tuple[float, ...]:
    """Numbers as JSON holds them, to six digits of the largest."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or not 1e-200 < largest < 1e200:
        return tuple(values.tolist())
    return tuple(np.round(values, 5 - int(np.floor(np.log10(largest)))).tolist())
