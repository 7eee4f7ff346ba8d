"""The scan from its definition: nothing shared, nothing fast. The oracle of the tests."""

import numpy as np


def windows(batches):
    return [w for w in (1, 2, 3, 5, 8, 13, 21, 34, 55) if w <= batches / 2]


def statistic(features, strata, views):
    """The largest surprise over views and windows of batches in this order."""
    return max(surprise(features, strata, view, w) for view in views for w in windows(len(features)))


def surprise(features, strata, view, w):
    rows = whitened(features, strata, view)
    T = len(rows)
    last, before = rows[T - w :], rows[: T - w]
    # the distance of the two means; both windows together have mean zero, so this is the sum of the last ones, scaled
    difference = (last.mean(axis=0) - before.mean(axis=0)) * w * (T - w) / T
    q = difference @ difference
    lengths = (rows**2).sum(axis=1)
    C = sum(np.outer(row, row) for row in rows) / T
    rest = (T - w) / (T - 1)
    mean = w * rest * np.trace(C)
    excess = max(np.mean(lengths**2) - 2 * np.trace(C @ C) - np.trace(C) ** 2, 0)
    variance = rest**2 * (2 * w**2 * np.trace(C @ C) + w * excess)
    if mean <= 0:
        return -1000.0
    spread = variance / mean**2 / 9  # Wilson and Hilferty: the cube root of a gamma variable is nearly normal
    return ((q / mean) ** (1 / 3) - (1 - spread)) / np.sqrt(spread)


def whitened(features, strata, view):
    rows = np.array(features, dtype=float)[:, view]
    for j in range(rows.shape[1]):
        for stratum in set(strata):
            inside = np.array([s == stratum for s in strata])
            known = inside & ~np.isnan(rows[:, j])
            mean = rows[known, j].mean() if known.any() else 0.0
            rows[inside, j] = np.where(np.isnan(rows[inside, j]), 0.0, rows[inside, j] - mean)
        deviation = np.sqrt(np.mean(rows[:, j] ** 2))
        if deviation > 1e-12:
            rows[:, j] /= deviation
    T, k = rows.shape
    C = (1 - k / (k + T)) * sum(np.outer(row, row) for row in rows) / T + k / (k + T) * np.eye(k)
    return rows @ np.linalg.inv(np.linalg.cholesky(C)).T
