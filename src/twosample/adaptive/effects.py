"""How large a difference is in the eyes of a view: an effect size that does not grow with the sample."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .base import View

Mask = NDArray[np.bool_]

_LEAST_ROWS = 8  # of the smaller sample
_NORMAL = 1.96


class ViewEffect(NamedTuple):
    """An effect size r with its 95 % interval."""

    value: float
    low: float
    high: float


def effect_of(view: View) -> ViewEffect | None:
    r"""The correlation between the label of a row and the witness of the view at it, for rows that it has not seen.

    The witness is computed from every other row and evaluated at the rest, and the other way round; of each,
    :math:`r = d/\sqrt{d^2+4}` for the standardised difference d of its means, as in :func:`effect_size` with a linear
    kernel. The mean of both is not biased upwards: with no difference it is around 0, and negative values are reported
    as 0. The interval is Fisher's for the rows of one half, which is wide rather than narrow; approximate. None for
    fewer than eight rows a sample. Two projections: O(N F), or O(N²) for kernels.
    """
    m, n = view.pool.m, view.pool.n
    if min(m, n) < _LEAST_ROWS:
        return None
    labels = np.arange(m + n) < m
    even = np.concatenate([np.arange(m), np.arange(n)]) % 2 == 0
    found = float(np.mean([_across(view, labels, half) for half in (even, ~even)]))
    rows = 4 * m * n / (m + n)  # as many if the samples were of equal size; both halves see the same inner product
    error = _NORMAL / sqrt(rows / 2 - 3)
    low, high = (max(0.0, tanh(atanh(min(max(found, -0.999), 0.999)) + sign * error)) for sign in (-1, 1))
    return ViewEffect(max(0.0, found), low, high)


def _across(view: View, labels: Mask, half: Mask) -> float:
    """d/sqrt(d²+4) outside the half for the witness of the half."""
    x, y = labels & half, ~labels & half
    values: Floats = view.projection(x / x.sum() - y / y.sum())
    first, second = values[labels & ~half], values[~labels & ~half]
    spread = sqrt((first.var() + second.var()) / 2)
    d = float(first.mean() - second.mean()) / spread if spread > 0 else 0.0
    return d / sqrt(d * d + 4)
