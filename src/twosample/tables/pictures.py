"""Small data for pictures of a column, and the places where it differs most."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np

from ..core.types import Floats
from ..embedding import Levels, Line
from .parts import NumberPicture, Picture, Place, SharePicture
from .subjects import Subject

BINS = 40
SHOWN = 12
"""Categories of a picture."""

_GRID = 121
_FAR = 100.0  # bandwidths beyond which the kernel is 0
_NARROW = 1e-303  # a range over which densities would not be finite
_FINE = 400  # points of a witness
_PLACES = 3
_DAY = 86_400.0


def picture(subject: Subject) -> Picture | None:
    """The two distributions of a column."""
    if subject.kind == "boolean" and subject.line is not None:
        return _shares(_as_levels(subject.line), subject)
    if subject.line is not None:
        return _densities(subject.line, subject.bandwidth or 1.0, subject.kind == "datetime")
    if subject.levels is not None:
        return _shares(subject.levels, subject)
    return _words(subject) if subject.texts and subject.pair is not None else None


def places(subject: Subject, shown: Picture | None) -> tuple[Place, ...]:
    """Where the tables differ most."""
    if isinstance(shown, NumberPicture) and subject.line is not None:
        return _ranges(subject.line, shown)
    if isinstance(shown, SharePicture):
        return tuple(
            Place(f"{label}: {_against(a, b)}", a, b, label=label)
            for label, a, b in zip(shown.labels, shown.shares_a, shown.shares_b, strict=True)
            if a != b
        )[:_PLACES]
    return ()


def missing_place(subject: Subject) -> Place:
    """The missing share as a place."""
    a, b = (gone / rows for gone, rows in zip(subject.missing, subject.rows, strict=True))
    return Place(f"missing: {_against(a, b)} of all rows", a, b)


def _densities(line: Line, bandwidth: float, dates: bool) -> NumberPicture:
    values, heap = line.values, np.cumsum(line.x + line.y)
    low, high = (float(values[np.searchsorted(heap, share * heap[-1])]) for share in (0.005, 0.995))
    if low == high:
        low, high = float(values[0]), float(values[-1])
    if high - low < _NARROW:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    index = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, BINS - 1)
    wide = edges[1] - edges[0]
    first, second = (
        np.bincount(index, weights, minlength=BINS) / (weights.sum() * wide) for weights in (line.x, line.y)
    )
    grid = np.linspace(low, high, _GRID)
    witness = _plain(_witness(line, bandwidth, grid))
    return NumberPicture(tuple(edges.tolist()), _plain(first), _plain(second), tuple(grid.tolist()), witness, dates)


def _witness(line: Line, bandwidth: float, at: Floats) -> Floats:
    """The witness function, of points that are brought together where there are many."""
    places, weights = line.values, line.x / line.x.sum() - line.y / line.y.sum()
    if len(places) > 2 * _FINE:
        index = ((places - places[0]) / (places[-1] - places[0]) * (_FINE - 1)).astype(int)
        count = np.bincount(index, minlength=_FINE)
        weights = np.bincount(index, weights, minlength=_FINE).astype(np.float64)
        places = np.bincount(index, places, minlength=_FINE) / np.maximum(count, 1.0)
    steps = np.clip((at[:, None] - places) / bandwidth, -_FAR, _FAR)
    return np.asarray(np.exp(-0.5 * steps**2) @ weights)


def _ranges(line: Line, shown: NumberPicture) -> tuple[Place, ...]:
    """Stretches over which the witness is above half of its peak, by how much the shares differ there."""
    grid, witness = np.array(shown.grid), np.array(shown.witness)
    strong = np.abs(witness) >= 0.5 * np.abs(witness).max()
    sign = np.where(strong, np.sign(witness), 0.0)
    cuts = [0, *(np.flatnonzero(np.diff(sign)) + 1).tolist(), len(grid)]
    found = []
    for start, stop in pairwise(cuts):
        if sign[start] == 0:
            continue
        low = -np.inf if start == 0 else float(grid[start])
        high = np.inf if stop == len(grid) else float(grid[stop - 1])
        inside = (line.values >= low) & (line.values <= high)
        a, b = (float(w[inside].sum() / w.sum()) for w in (line.x, line.y))
        text = f"{_range(low, high, shown)}: {_against(a, b)}"
        ends = (None if np.isinf(low) else low, None if np.isinf(high) else high)
        found.append(Place(text, a, b, *ends))
    return tuple(sorted(found, key=lambda place: -abs(place.share_a - place.share_b))[:_PLACES])


def _range(low: float, high: float, shown: NumberPicture) -> str:
    wide = shown.edges[-1] - shown.edges[0]
    first, last = (number_text(end, wide, shown.dates) for end in (low, high))
    if np.isinf(low) and np.isinf(high):
        return "everywhere"
    if np.isinf(low):
        return f"up to {last}"
    return f"from {first}" if np.isinf(high) else f"{first} to {last}"


def number_text(value: float, wide: float, dates: bool) -> str:
    """A number with as many digits as the width of the picture needs; seconds as a date, or a time of day."""
    if np.isinf(value):
        return ""
    if dates and -6e10 < value < 2e11:  # years that Python knows
        when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
        form = "%H:%M:%S" if abs(value) <= _DAY else "%Y-%m-%d" if wide > 10 * _DAY else "%Y-%m-%d %H:%M"
        return when.strftime(form)
    digits = max(0, 2 - int(np.floor(np.log10(wide)))) if wide > 0 else 6
    return f"{value:.{digits}f}" if digits <= 6 and abs(value) < 1e12 else f"{value:.6g}"


def _as_levels(line: Line) -> Levels:
    """Zeros and ones as categories."""
    labels = tuple({0.0: "false", 1.0: "true"}.get(place, f"{place:g}") for place in line.values.tolist())
    return Levels(labels, line.x, line.y)


def _shares(levels: Levels, subject: Subject) -> SharePicture:
    missing = [gone / rows for gone, rows in zip(subject.missing, subject.rows, strict=True)]
    one, two = (
        counts / max(float(counts.sum()), 1.0) * (1 - gone)
        for counts, gone in zip((levels.x, levels.y), missing, strict=True)
    )
    order = np.argsort(-np.abs(one - two), kind="stable")[:SHOWN]
    other_a, other_b = (max(0.0, float(share.sum() - share[order].sum())) for share in (one, two))
    labels = tuple(levels.labels[i] for i in order.tolist())
    return SharePicture(labels, _plain(one[order]), _plain(two[order]), other_a, other_b, missing[0], missing[1])


def _words(subject: Subject) -> SharePicture:
    """Words by the share of texts that have them."""
    assert subject.texts is not None
    counts = [Counter(word for text in texts for word in set(text.lower().split())) for texts in subject.texts]
    sizes = [max(1, len(texts)) for texts in subject.texts]
    known = {*counts[0], *counts[1]}
    shares = {word: (counts[0][word] / sizes[0], counts[1][word] / sizes[1]) for word in known}
    top = sorted(known, key=lambda word: (-abs(shares[word][0] - shares[word][1]), word))[:SHOWN]
    missing = [gone / rows for gone, rows in zip(subject.missing, subject.rows, strict=True)]
    first, second = (tuple(shares[word][side] for word in top) for side in (0, 1))
    return SharePicture(tuple(top), first, second, None, None, missing[0], missing[1], words=True)


def _against(a: float, b: float) -> str:
    """Two shares, with as many digits as it takes to tell them apart.

    >>> _against(0.25, 0.5), _against(1.0, 0.9952), _against(0.161, 0.163), _against(0.5, 0.5)
    ('25 % against 50 %', '100.0 % against 99.5 %', '16.1 % against 16.3 %', '50 % against 50 %')
    """
    if a == b or _share(a) != _share(b):
        return f"{_share(a)} against {_share(b)}"
    texts = ((f"{100 * a:.{digits}f} %", f"{100 * b:.{digits}f} %") for digits in range(1, 13))
    return " against ".join(next((pair for pair in texts if pair[0] != pair[1]), (_share(a), _share(b))))


def _share(value: float) -> str:
    percent = 100 * value
    return (
        f"{percent:.0f} %"
        if percent >= 10
        else f"{percent:.1f} %"
        if percent >= 1 or value == 0
        else f"{percent:.2g} %"
    )


def _plain(values: Floats) -> tuple[float, ...]:
    """Numbers as JSON holds them, to six digits of the largest."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or not 1e-200 < largest < 1e200:
        return tuple(values.tolist())
    return tuple(np.round(values, 5 - int(np.floor(np.log10(largest)))).tolist())
