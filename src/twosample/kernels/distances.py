"""Distances between rows by their definition (differences, never the expanded square)."""

from __future__ import annotations

from math import frexp
from typing import Literal

import numpy as np

from ..core.types import Floats

Metric = Literal["sqeuclidean", "euclidean", "cityblock"]


def distances(a: Floats, b: Floats, metric: Metric) -> Floats:
    """``(len(a), len(b))`` distances."""
    from scipy.spatial.distance import cdist

    if a.shape[1] == 1:
        D: Floats = np.abs(a - b[:, 0])
        return np.square(D, out=D) if metric == "sqeuclidean" else D
    unit = _unit(a, b) if metric == "euclidean" else 1.0
    result: Floats = cdist(a, b, metric) if unit == 1 else unit * cdist(a / unit, b / unit, metric)
    return result


def paired_distances(a: Floats, b: Floats, metric: Metric) -> Floats:
    """``(len(a),)`` distances between a_i and b_i."""
    difference = a - b
    if metric == "cityblock":
        absolute: Floats = np.abs(difference).sum(axis=1)
        return absolute
    if metric == "euclidean":
        return lengths(difference)
    square: Floats = np.einsum("ij,ij->i", difference, difference)
    return square


def lengths(a: Floats) -> Floats:
    """``(len(a),)`` Euclidean lengths of rows, also of those whose squares a double cannot hold."""
    unit = _unit(a)
    scaled = a if unit == 1 else a / unit
    return np.asarray(unit * np.sqrt(np.einsum("ij,ij->i", scaled, scaled)))


def _unit(*arrays: Floats) -> float:
    """A power of two in which no square of a large entry overflows or vanishes: 1, unless entries are extreme."""
    largest = max(max(float(a.max(initial=0.0)), -float(a.min(initial=0.0))) for a in arrays)
    return 1.0 if largest == 0 or 1e-100 < largest < 1e140 else 2.0 ** (frexp(largest)[1] - 1)
