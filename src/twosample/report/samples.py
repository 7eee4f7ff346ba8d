"""Pictures of two columns of samples, for results that keep samples and not pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import isfinite

import numpy as np

from ..core.types import Floats
from ..homogeneity import witness
from ..matching.columns import Column
from ..tables.parts import NumberPicture, Picture, SharePicture

_BINS = 40
_GRID = 80
_MOST_ROWS = 1000  # of each column, for the witness
_MOST_LABELS = 12
_LINE = ("number", "date", "time", "duration")


def pair_picture(source: Column, target: Column, map_: tuple[float, float] | None) -> Picture | None:
    """Two columns, the first as it looks after a + b · x if there is such a map; None if there is nothing to draw."""
    if source.family in _LINE and target.family in _LINE:
        shift, factor = map_ or (0.0, 1.0)
        return _numbers(shift + factor * source.values, target.values, dates=target.family == "date")
    if "text" in (source.family, target.family):
        return _shares(source, target, [[*map(_words, column.levels())] for column in (source, target)], words=True)
    return _shares(source, target, [[(level,) for level in column.levels()] for column in (source, target)])


def _numbers(a: Floats, b: Floats, dates: bool) -> NumberPicture | None:
    if not len(a) or not len(b):
        return None
    low, high = (float(end) for end in np.quantile(np.concatenate([a, b]), [0.005, 0.995]))
    if not (isfinite(low) and isfinite(high) and high > low):
        return None
    edges = np.linspace(low, high, _BINS + 1)
    densities = [np.histogram(v.clip(low, high), bins=edges)[0] / (len(v) * (edges[1] - edges[0])) for v in (a, b)]
    grid = np.linspace(low, high, _GRID)
    few = [v[:: -(-len(v) // _MOST_ROWS)] for v in (a, b)]
    heights = witness(*few, rng=0)(grid)
    return NumberPicture(
        edges=_plain(edges),
        density_a=_plain(densities[0]),
        density_b=_plain(densities[1]),
        grid=_plain(grid),
        witness=_plain(heights),
        dates=dates,
    )


def _shares(
    source: Column, target: Column, sets: list[list[Iterable[str]]], words: bool = False
) -> SharePicture | None:
    count_a, count_b = (Counter(label for labels in rows for label in labels) for rows in sets)
    rows_a, rows_b = (max(1, column.rows) for column in (source, target))
    shares = {name: (count_a[name] / rows_a, count_b[name] / rows_b) for name in {**count_a, **count_b}}
    kept = sorted(shares, key=lambda name: (-abs(shares[name][0] - shares[name][1]), -sum(shares[name]), name))
    rest = [shares[name] for name in kept[_MOST_LABELS:]]
    kept = kept[:_MOST_LABELS]
    if not kept:
        return None
    return SharePicture(
        labels=tuple(kept),
        shares_a=tuple(shares[name][0] for name in kept),
        shares_b=tuple(shares[name][1] for name in kept),
        other_a=None if words else sum(a for a, _ in rest),
        other_b=None if words else sum(b for _, b in rest),
        missing_a=source.missing / rows_a,
        missing_b=target.missing / rows_b,
        words=words,
    )


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(map(float, values))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
