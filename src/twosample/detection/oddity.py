"""The columns that make a row an outlier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.types import Floats
from ..kernels import Gaussian, Kernel, Median
from .conformal import ConformalRanks, allowed

_ROWS = 1000  # of the reference that are looked at: the cost is their square for each column


def odd_columns(
    reference: Mapping[str, Floats], rows: Mapping[str, Floats], kernel: Kernel, level: float, rng: np.random.Generator
) -> list[tuple[tuple[str, ...], bool]]:
    """For each row the columns that make it odd, the oddest first, empty if no single column does; and how they do it.

    Beside the names: whether the values are usual each, and odd together only.

    A column makes a row odd if its value is an outlier by itself, at `level`. If no column's is, then those without
    which the row would be no outlier, its values being usual each and unusual together; of these, the ones whose
    leaving raises the logarithm of the p-value at least half as much as that of the best of them.

    `reference` and `rows` are ``(n, c)`` coordinates of each column, of which `kernel` is that of all together. At most
    1000 rows of the reference are looked at, or as many as the level needs twice, so that the cost is that of about a
    million kernel values for each column.
    """
    names = list(reference)
    size = len(reference[names[0]])
    few = min(size, max(_ROWS, ceil(2 / level)))
    chosen = np.arange(size) if few == size else np.sort(rng.choice(size, few, replace=False))
    usual = {name: reference[name][chosen] for name in names}
    alone = np.stack([_scores(_own_kernel(usual[name], rng), usual[name], rows[name]) for name in names], axis=1)
    threshold = allowed(level, few) / (few + 1)
    found = [_ordered(names, scores, scores < threshold) for scores in alone]
    together = [place for place, columns in enumerate(found) if not columns]
    if together and len(names) > 1:
        parts = {name: rows[name][together] for name in names}
        whole, *without = (_scores(kernel, _side(usual, name), _side(parts, name)) for name in (None, *names))
        for place, own, scores in zip(together, whole, np.stack(without, axis=1), strict=True):
            found[place] = _ordered(names, -scores, scores >= max(threshold, np.sqrt(own * scores.max())))
    usual_each = {*together}
    return [(columns, place in usual_each) for place, columns in enumerate(found)]


def _own_kernel(values: Floats, rng: np.random.Generator) -> Kernel:
    """The default kernel of a single column."""
    return door.fill_bandwidth(Gaussian(), Median(), values, rng)


def _scores(kernel: Kernel, reference: Floats, rows: Floats) -> Floats:
    return ConformalRanks.fit(kernel, reference).scores(rows)


def _side(columns: Mapping[str, Floats], left_out: str | None) -> Floats:
    """The coordinates of all columns, or of all but one."""
    return np.concatenate([values for name, values in columns.items() if name != left_out], axis=1)


def _ordered(names: Sequence[str], scores: Floats, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    """The names that are chosen, the lowest score first."""
    return tuple(names[i] for i in np.argsort(scores, kind="stable") if chosen[i])
