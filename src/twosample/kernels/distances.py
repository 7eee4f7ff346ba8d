"""Distances between rows by their definition (differences, never the expanded square)."""

from __future__ import annotations

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
    result: Floats = cdist(a, b, metric)
    return result


def paired_distances(a: Floats, b: Floats, metric: Metric) -> Floats:
    """``(len(a),)`` distances between a_i and b_i."""
    difference = a - b
    if metric == "cityblock":
        absolute: Floats = np.abs(difference).sum(axis=1)
        return absolute
    square: Floats = np.einsum("ij,ij->i", difference, difference)
    return square if metric == "sqeuclidean" else np.sqrt(square)
