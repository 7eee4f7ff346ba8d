r"""The exact scan, which asks whether the last batches differ from all before them.

History is a matrix, one row of features for each batch, in the order of time. For every view (a set of features) and
every number w of last batches the statistic is the whitened distance

.. math:: q_{v,w} = S_{v,w}'\,\hat\Sigma_v^{-1} S_{v,w}, \qquad S_{v,w} = \sum_{t > T - w} (z_t - \bar z_{s(t)}),

where :math:`\bar z_s` is the mean of all batches of stratum s and :math:`\hat\Sigma_v` their shrunken covariance. All
rows add up to zero, so S is also, up to a factor, the difference of the means of the last w batches and the rest. Rows
that are far longer than most are shortened first, so that a few odd batches of the past hide nothing.
Each q becomes a surprise, the normal score of its upper tail in a gamma distribution with the moments that relabelling
would give (by the cube root of Wilson and Hilferty). Where nearly all batches are the same in a view, a constant column
say, the surprise is that of the number of others among the last w (hypergeometric). The largest surprise is tested by
permuting the order of the batches within strata. Nothing that is estimated changes when batches are permuted, so the
p-value is exact at every time if the batches of one stratum are exchangeable, whatever the rows inside them do.

A relabelling needs only the batches that fall into the longest window: its cost does not depend on how many came
before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.pvalue import sequential_pvalue
from ..core.types import Floats

WINDOWS = (1, 2, 3, 5, 8, 13, 21, 34, 55)
"""Numbers of last batches that are tested, as far as they are no more than half of all."""

ENOUGH = 10  # relabellings at least as extreme as what was seen, after which it is clear that nothing was seen

_ROUNDING = 1e-9
_CLOSE = 3.0  # of log-likelihood, within which another beginning of the change explains the batches about as well
_FAR = 2.7  # the normal score beyond which single rows are shortened
_MODE = 0.9  # share of batches that are the same in a view from which on the others are only counted
_NOTHING = -1e3  # the surprise of what never varies
_MOST = 512  # relabellings at once

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class ScanResult:
    """What one look at the batches so far says."""

    pvalue: float  # of the largest surprise over all views and windows
    draws: int  # relabellings that were drawn
    surprise: float  # the largest
    view: int  # the number of the view that it belongs to
    view_pvalues: Floats
    """For each view its p-value, adjusted for the other views: of its own largest surprise against the largest of
    all."""
    view_surprises: Floats  # for each view its largest surprise, and the number of last batches that it belongs to
    view_windows: Indices
    length: int  # how many of the last batches are most likely the changed ones
    shortest: int  # the numbers of last batches that explain it about as well
    longest: int


def windows_of(batches: int) -> tuple[int, ...]:
    """The windows that are tested when there are so many batches."""
    return tuple(w for w in WINDOWS if 2 * w <= batches)


def scan(
    features: Floats, strata: Indices, views: Sequence[Indices], *, level: float, seed: Sequence[int]
) -> ScanResult:
    """One look at ``(T, k)`` features of at least two batches in the order of time; NaN where a batch does not say.

    Batches are exchanged within their strata; a view is the numbers of its features. Relabellings go on until a p-value
    at this level is known well, or clearly not reached.
    """
    history = Whitened.of(features, strata, views)
    windows = windows_of(len(features))
    seen = history.surprises(history.observed(max(windows))[None], windows)[0]  # (views, windows)
    best = seen.max(axis=1)
    largest: list[Floats] = []

    def drawn() -> Iterator[Floats]:
        rng, size = np.random.default_rng(list(seed)), 64
        while True:
            order = relabelled(strata, max(windows), size, rng)
            largest.append(history.surprises(order, windows).max(axis=(1, 2)))
            yield largest[-1]
            size = min(2 * size, _MOST)

    limit = int(np.ceil(5 / level)) - 1
    pvalue, draws = sequential_pvalue(float(best.max()), drawn(), ENOUGH, limit, _ROUNDING)
    view = int(best.argmax())
    exceeded = (np.concatenate(largest)[:draws, None] >= best - _ROUNDING).sum(axis=0)
    adjusted = np.maximum((exceeded + 1) / (draws + 1), pvalue)
    lengths = np.array(windows)[seen.argmax(axis=1)]
    change = history.change(view, max(windows))
    return ScanResult(pvalue, draws, float(best[view]), view, adjusted, best, lengths, *change)


def relabelled(strata: Indices, last: int, count: int, rng: np.random.Generator) -> Indices:
    """``(count, last)`` batches in the last places, the very last first, of random orders within strata.

    Floyd's way to draw without replacement, so that the cost does not depend on the number of batches.
    """
    places = strata[::-1][:last]
    result = np.empty((count, last), dtype=np.intp)
    for stratum in np.unique(places):
        members, at = np.flatnonzero(strata == stratum), np.flatnonzero(places == stratum)
        chosen = np.empty((count, len(at)), dtype=np.intp)
        for step in range(len(at)):
            top = len(members) - len(at) + step
            pick = rng.integers(0, top + 1, count)
            taken = (chosen[:, :step] == pick[:, None]).any(axis=1)
            chosen[:, step] = np.where(taken, top, pick)
        result[:, at] = members[rng.permuted(chosen, axis=1)]
    return result


@dataclass(frozen=True, eq=False)
class Whitened:
    """Batches in coordinates in which the features of each view vary alike and independently."""

    rows: Floats  # (T, K) coordinates of all views side by side, centred within strata
    starts: Indices  # where each view begins
    moments: Floats
    """``(views, 3)``: of the squared length of a row in each view: trace of the covariance, trace of its square, and
    mean fourth power."""
    odd: Indices
    """``(views,)`` how many batches are not as nearly all are, in views where the coordinate tells just that; else
    0."""

    @classmethod
    def of(cls, features: Floats, strata: Indices, views: Sequence[Indices]) -> Whitened:
        """Centre, scale and whiten; nothing here depends on the order of the batches within strata."""
        groups = np.unique(strata, return_inverse=True)[1]
        standard, usual = standardised(features, groups), _usual(features)
        parts, odd = [], []
        for view in views:
            others = np.asarray(~usual[:, view]).any(axis=1).astype(np.float64)
            rare = 0 < others.sum() <= (1 - _MODE) * len(features)
            parts.append(np.asarray(others)[:, None] if rare else _tamed(standard[:, view], groups))
            odd.append(int(others.sum()) if rare else 0)
        sizes = [part.shape[1] for part in parts]
        moments = np.array([_moments(part) for part in parts])
        return cls(np.concatenate(parts, axis=1), np.cumsum([0, *sizes[:-1]]), moments, np.array(odd, dtype=np.intp))

    def observed(self, last: int) -> Indices:
        """The batches in the last places as they came, the very last first."""
        return np.arange(len(self.rows))[::-1][:last]

    def surprises(self, order: Indices, windows: Sequence[int]) -> Floats:
        """``(R, views, windows)`` from ``(R, last)`` batches in the last places, the very last first."""
        total = np.zeros((len(order), self.rows.shape[1]))
        squares = np.empty((len(order), len(self.starts), len(windows)))
        for column, (start, stop) in enumerate(zip((0, *windows), windows, strict=False)):
            total += self.rows[order[:, start:stop]].sum(axis=1)
            squares[:, :, column] = np.add.reduceat(total**2, self.starts, axis=1)
        return self._surprise(squares, np.asarray(windows))

    def change(self, view: int, last: int) -> tuple[int, int, int]:
        """The number of last batches with the largest surprise in a view, and the range of those about as large."""
        lengths = np.arange(1, last + 1)
        part = slice(view, view + 1)
        one = Whitened(self.view(view), np.zeros(1, dtype=np.intp), self.moments[part], self.odd[part])
        found = one.surprises(self.observed(last)[None], lengths.tolist())[0, 0]
        evidence = np.maximum(found, 0.0) ** 2 / 2
        close = lengths[evidence >= evidence.max() - _CLOSE]
        return int(lengths[found.argmax()]), int(close[0]), int(close[-1])

    def view(self, number: int) -> Floats:
        """``(T, k_v)`` the coordinates of one view."""
        stop = self.starts[number + 1] if number + 1 < len(self.starts) else self.rows.shape[1]
        return self.rows[:, self.starts[number] : stop]

    def _surprise(self, squares: Floats, windows: NDArray[Any]) -> Floats:
        """Normal scores by the moments under relabelling; those of views in which nothing varies are far below 0."""
        count = len(self.rows)
        trace, trace_of_square, fourth = (self.moments[:, i, None] for i in range(3))
        rest = (count - windows) / (count - 1.0)
        mean = windows * rest * trace
        excess = fourth - 2 * trace_of_square - trace**2
        variance = rest**2 * (2 * windows**2 * trace_of_square + windows * np.maximum(excess, 0.0))
        varies = mean > 1e-12
        mean = np.where(varies, mean, 1.0)
        spread = np.where(varies, variance / mean**2 / 9, 1.0)
        roots = np.cbrt(squares / mean)
        result = np.where(varies, (roots - (1 - spread)) / np.sqrt(spread), _NOTHING)
        for view in np.flatnonzero(self.odd):
            scores = _count_scores(count, int(self.odd[view]), windows)
            for column, found in enumerate(np.sqrt(squares[:, view]).astype(np.intp).T):
                result[:, view, column] = scores[column][found]
        return np.asarray(result)


def _count_scores(batches: int, odd: int, windows: NDArray[Any]) -> list[Floats]:
    """For each window the normal scores of finding 0, 1, 2, ... odd batches or more in it."""
    from scipy.special import ndtri

    sums = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, batches + 1)))])  # logarithms of factorials

    def choose(n: Any, k: Any) -> Floats:
        return np.asarray(sums[n] - sums[k] - sums[n - k])

    result = []
    for window in windows.tolist():
        found = np.arange(max(0, window + odd - batches), min(odd, window) + 1)
        mass = np.exp(choose(odd, found) + choose(batches - odd, window - found) - choose(batches, window))
        tail = np.minimum(np.cumsum(mass[::-1])[::-1], 1 - 1e-9)
        result.append(np.concatenate([np.full(found[0], _NOTHING), -ndtri(tail)]))
    return result


def _usual(features: Floats) -> NDArray[Any]:
    """Whether a batch has the median of a feature, as far as doubles tell; where it does not say, it counts as so."""
    from warnings import catch_warnings, simplefilter

    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # a feature that no batch has
        middle = np.nanmedian(features, axis=0)
    return np.logical_not(np.asarray(np.abs(features - middle) > 1e-9 * np.maximum(np.abs(middle), 1e-3)))


def _centred(values: Floats, known: NDArray[np.bool_], groups: Indices) -> Floats:
    """Values without the means of their groups; 0 where there is none."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sums, counts = (np.add.reduceat(part[order], starts, axis=0) for part in (values, known.astype(np.float64)))
    return np.asarray(np.where(known, values - (sums / np.maximum(counts, 1))[groups], 0.0))


def standardised(features: Floats, groups: Indices) -> Floats:
    """Features without the means of their strata, in units of their deviation; 0 where a batch does not say."""
    known = np.isfinite(features)
    filled = np.where(known, features, 0.0)
    centred = _centred(filled, known, groups)
    deviation = np.sqrt((centred**2).mean(axis=0))
    size = np.abs(filled).max(axis=0)
    varies = deviation > 1e-9 * np.maximum(size, 1e-300)
    return np.asarray(np.where(varies, centred / np.where(varies, deviation, 1.0), 0.0))


def _tamed(rows: Floats, groups: Indices) -> Floats:
    """Rows in whitened coordinates, those that are far longer than most shortened, centred again within strata."""
    calm = rows * _shortening(_whitened(rows, rows))
    whitened = _whitened(rows, calm)
    short = whitened * _shortening(whitened)
    return _centred(short, np.ones(short.shape, dtype=np.bool_), groups)


def _whitened(rows: Floats, like: Floats) -> Floats:
    """Rows in coordinates in which the covariance of others, shrunk towards independence, is the identity."""
    count, width = rows.shape
    share = width / (width + count)
    covariance = (1 - share) * (like.T @ like) / count + share * np.eye(width)
    return np.asarray(np.linalg.solve(np.linalg.cholesky(covariance), rows.T).T)


def _shortening(rows: Floats) -> Floats:
    """``(T, 1)`` factors that leave no row longer than normal ones are in one of 300 cases, by their median length."""
    squares = (rows**2).sum(axis=1)
    width = max(int((np.abs(rows).max(axis=0) > 0).sum()), 1)
    spread = 2 / (9 * width)
    middle = max(float(np.median(squares)), 0.1 * float(squares.mean()))
    limit = middle * (1 + _FAR * np.sqrt(spread) / (1 - spread)) ** 3
    return np.asarray(np.sqrt(np.minimum(1.0, limit / np.maximum(squares, 1e-300))))[:, None]


def _moments(rows: Floats) -> tuple[float, float, float]:
    covariance = rows.T @ rows / len(rows)
    lengths = (rows**2).sum(axis=1)
    return float(np.trace(covariance)), float((covariance**2).sum()), float((lengths**2).mean())
