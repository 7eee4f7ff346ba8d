"""What views say of single columns and of pairs of them, true of the samples themselves.

Views measure about the middle of the pool, where a difference of means looks like one of spread. So words about spread
and correlation are said only where those about the samples' own means make up at least half of what was seen.
"""

from __future__ import annotations

import numpy as np

from ..core.types import Floats
from .pooled import PooledSample


def side(z: float) -> str:
    """Which sample has more of it."""
    return "x" if z > 0 else "y"


def of_spread(pool: PooledSample, i: int, z: float) -> str:
    """Of a coordinate whose squared scores are larger in one sample; z is the difference, x less y."""
    name, sign = pool.columns[i], 1.0 if z > 0 else -1.0
    if not pool.ordered[i]:  # a level or a part of a text, which is there or not
        a, b = _own(pool, pool.values, i)
        spread, far = sign * (a.var() - b.var()), sign * ((a**2).mean() - (b**2).mean())
        varies = spread >= far / 2 and spread > 0
        return f"{name}: varies more in {side(z)}" if varies else f"{name}: more often in {side(a.mean() - b.mean())}"
    gone = of_missing(pool, i, pool.scores[:, i] ** 2, sign)
    if gone:
        return gone
    (a, b), (c, d) = (_own(pool, X, i) for X in (pool.scores, pool.values))
    spread, far = sign * (a.var() - b.var()), sign * ((a**2).mean() - (b**2).mean())
    if spread >= far / 2 and sign * (c.std() - d.std()) > 0:
        return f"{name}: {side(z)} spreads wider"
    return f"{name}: {side(z)} lies farther from the middle of both together"


def of_pair(pool: PooledSample, i: int, j: int, z: float) -> str:
    """Of two coordinates whose scores have a larger mean product in one sample; z is the difference, x less y."""
    name, sign = f"{pool.columns[i]} × {pool.columns[j]}", 1.0 if z > 0 else -1.0
    empty = [said for k in (i, j) if (said := _empty(pool, k))]
    if empty:
        return empty[0]
    parts = [pool.scores[rows][:, [i, j]] for rows in (slice(pool.m), slice(pool.m, None))]
    products = [float((part[:, 0] * part[:, 1]).mean()) for part in parts]
    covariances = [p - float(np.prod(part.mean(axis=0))) for p, part in zip(products, parts, strict=True)]
    spreads = [float(np.prod(part.std(axis=0))) for part in parts]
    r, s = (c / spread if spread > 1e-12 else 0.0 for c, spread in zip(covariances, spreads, strict=True))
    seen, own = sign * (products[0] - products[1]), sign * (covariances[0] - covariances[1])
    if own < seen / 2 or sign * (r - s) <= 0:
        return f"{name}: more often on the same side of the middle of both together in {side(z)}"
    if abs(r) == abs(s) or side(abs(r) - abs(s)) == side(z):
        return f"{name}: more correlated in {side(z)}"
    return f"{name}: more negatively correlated in {side(-z)}"


def of_missing(pool: PooledSample, i: int, feature: Floats, sign: float) -> str:
    """That a sample has no values, or that what is missing makes up most of what was seen; empty if it does not."""
    missing, m = _gaps(pool, i), pool.m
    if not missing.any():
        return ""
    if said := _empty(pool, i):
        return said
    a, b = feature[:m], feature[m:]
    if sign * (a[~missing[:m]].mean() - b[~missing[m:]].mean()) >= sign * (a.mean() - b.mean()) / 2:
        return ""
    return f"{pool.columns[i]}: more is missing in {side(missing[:m].mean() - missing[m:].mean())}"


def _empty(pool: PooledSample, i: int) -> str:
    parts = zip("xy", _own(pool, pool.values, i), strict=True)
    return next((f"{pool.columns[i]}: {name} has no values" for name, part in parts if not len(part)), "")


def _own(pool: PooledSample, X: Floats, i: int) -> tuple[Floats, Floats]:
    """What x and y have of a coordinate, without what is missing."""
    present = ~_gaps(pool, i)
    return X[: pool.m, i][present[: pool.m]], X[pool.m :, i][present[pool.m :]]


def _gaps(pool: PooledSample, i: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """``(N,)`` where a column of numbers is missing: the coordinate after it says so, if any is."""
    known = i + 1 < len(pool.columns) and pool.ordered[i] and not pool.ordered[i + 1]
    if not known or pool.columns[i + 1] != f"{pool.columns[i]} is missing":
        return np.zeros(pool.size, dtype=bool)
    return np.asarray(pool.values[:, i + 1] > 0)
