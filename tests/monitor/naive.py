"""The scan from its definition: nothing shared, nothing fast. The oracle of the tests."""

import numpy as np
from scipy.stats import hypergeom, norm


def windows(batches):
    return [w for w in (1, 2, 3, 5, 8, 13, 21, 34, 55) if w <= batches / 2]


def statistic(features, strata, views):
    """The largest surprise over views and windows of batches in this order."""
    return max(surprise(features, strata, view, w) for view in views for w in windows(len(features)))


def surprise(features, strata, view, w):
    T = len(features)
    part = np.array(features, dtype=float)[:, view]
    middle = middles(part)
    limits = [1e-9 * max(abs(m), 1e-3) for m in middle]
    usual = np.array([np.isnan(row) | (np.abs(row - middle) <= limits) for row in part])
    others = ~usual.all(axis=1)
    if 0 < others.sum() <= 0.1 * T:  # nearly all batches are the same: how many of the last are not?
        tail = hypergeom.sf(others[T - w :].sum() - 1, T, others.sum(), w)
        return norm.isf(min(tail, 1 - 1e-9))
    rows = tamed(features, strata, view)
    last, before = rows[T - w :], rows[: T - w]
    # the distance of the two means; all together have mean zero, so this is the sum of the last ones, scaled
    difference = (last.mean(axis=0) - before.mean(axis=0)) * w * (T - w) / T
    q = difference @ difference
    lengths = (rows**2).sum(axis=1)
    C = sum(np.outer(row, row) for row in rows) / T
    rest = (T - w) / (T - 1)
    mean = w * rest * np.trace(C)
    excess = max(np.mean(lengths**2) - 2 * np.trace(C @ C) - np.trace(C) ** 2, 0)
    variance = rest**2 * (2 * w**2 * np.trace(C @ C) + w * excess)
    if mean <= 1e-12:
        return -1000.0
    spread = variance / mean**2 / 9  # Wilson and Hilferty: the cube root of a gamma variable is nearly normal
    return ((q / mean) ** (1 / 3) - (1 - spread)) / np.sqrt(spread)


def middles(part):
    return [np.median(column[~np.isnan(column)]) for column in part.T]


def tamed(features, strata, view):
    """Standardised, whitened by calm rows, shortened, and centred within strata again."""
    rows = np.array(features, dtype=float)[:, view]
    for j in range(rows.shape[1]):
        rows[:, j] = centred(rows[:, j], strata)
        deviation = np.sqrt(np.mean(rows[:, j] ** 2))
        if deviation > 1e-12:
            rows[:, j] /= deviation
    calm = [row * factor for row, factor in zip(rows, shortening(whitened(rows, rows)), strict=True)]
    white = whitened(rows, np.array(calm))
    short = np.array([row * factor for row, factor in zip(white, shortening(white), strict=True)])
    return np.column_stack([centred(column, strata) for column in short.T])


def centred(values, strata):
    result = np.zeros(len(values))
    for stratum in set(strata):
        inside = np.array([s == stratum for s in strata])
        known = inside & ~np.isnan(values)
        if known.any():
            result[known] = values[known] - values[known].mean()
    return result


def whitened(rows, like):
    T, k = rows.shape
    C = (1 - k / (k + T)) * sum(np.outer(row, row) for row in like) / T + k / (k + T) * np.eye(k)
    return rows @ np.linalg.inv(np.linalg.cholesky(C)).T


def shortening(rows):
    """Normal rows are as long as the limit in a case of 300: normal score 2.7, by Wilson and Hilferty."""
    lengths = np.array([row @ row for row in rows])
    k = max(sum(np.any(column != 0) for column in rows.T), 1)
    middle = max(np.median(lengths), 0.1 * np.mean(lengths))
    share = 1 - 2 / (9 * k)
    limit = middle * ((share + 2.7 * np.sqrt(2 / (9 * k))) / share) ** 3
    return [1.0 if length <= limit else np.sqrt(limit / length) for length in lengths]
