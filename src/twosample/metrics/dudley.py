"""The bounded Lipschitz metric of Dudley, by linear programming."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.types import Floats
from ..errors import InputError, TwosampleError, options_by_name
from ..kernels.radial import distances
from ._samples import pooled, spanned
from .witnesses import LipschitzWitness

LARGEST_POOL = 4000
"""With several columns, more distinct pooled points than this are refused: the linear programs take minutes."""

_NEIGHBOURS = 8
"""Constraints per point that the first linear program knows; violated ones are added until there are none."""

Indices = NDArray[np.intp]


@options_by_name
def bounded_lipschitz(x: object, y: object) -> float:
    r"""The bounded Lipschitz metric (Dudley metric), exactly as the paper defines it.

    .. math:: \beta = \sup_{\|f\|_L + \|f\|_\infty \le 1} \Big|\frac1m\sum_i f(x_i) - \frac1n\sum_i f(y_i)\Big|

    the maximum mean discrepancy over bounded Lipschitz functions. Like the Wasserstein metric it sees how far apart
    values lie, but one far outlier moves it by at most 2/m. It depends on the unit of the data, because 1 in the
    constraint weighs a slope against a height: two points at distance d have :math:`\beta = 2d/(2+d)`.

    Parameters
    ----------
    x, y
        Samples of m and n rows with the same columns.

    Returns
    -------
    float
        Between 0 and 2, and never above the Wasserstein metric.

    Notes
    -----
    A linear program (SciPy's HiGHS) in the values of f, its Lipschitz constant and its bound. One column: neighbours
    on the line are enough, O(N) constraints; 2000 points take half a second, 10,000 some ten seconds. More columns:
    pairs (x_i, y_j) are added where they are violated, 8mn bytes; 1000 points take some seconds, more than 4000 are
    refused. For larger samples use :func:`wasserstein` or :func:`energy_distance`. :func:`witness` gives the function
    that attains it.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> round(metrics.bounded_lipschitz([0.0, 0.0], [2.0, 2.0]), 6)
    1.0
    """
    return dudley_witness(pooled(x, y)).value


def dudley_witness(pool: door.Pool) -> LipschitzWitness:
    """The function that attains the metric, and the metric."""
    spanned(pool)
    points, place = np.unique(pool.z, axis=0, return_inverse=True)
    place = place.ravel()
    net = np.bincount(place[: pool.m], minlength=len(points)) * pool.n
    net -= np.bincount(place[pool.m :], minlength=len(points)) * pool.m
    unequal = net != 0  # where both samples have the same share f may be anything between its neighbours
    points, weights = points[unequal], net[unequal] / (pool.m * pool.n)
    if len(points) == 0:
        return LipschitzWitness(pool.z[:1], np.zeros(1), 1.0, 0.0, 0.0)
    if points.shape[1] == 1:
        f, L = _solve_line(points[:, 0], weights)
    else:
        f, L = _solve_space(points, weights)
    return LipschitzWitness(points, f, L, 1 - L, float(weights @ f))


def _solve_line(knots: Floats, weights: Floats) -> tuple[Floats, float]:
    """Values at sorted knots, and the Lipschitz constant; neighbours bound each other in both directions."""
    lower = np.arange(len(knots) - 1)
    gaps = np.diff(knots)
    edges = _Edges(np.r_[lower + 1, lower], np.r_[lower, lower + 1], np.r_[gaps, gaps])
    f, L = _linear_program(weights, edges, float(knots[-1] - knots[0]))
    # Exactly feasible: the largest function below the bound and below f_j + L |t - z_j| for the z_j that y prefers.
    f = np.where(weights < 0, f, 1 - L)
    ahead = np.minimum.accumulate(f - L * knots) + L * knots
    behind = np.minimum.accumulate((f + L * knots)[::-1])[::-1] - L * knots
    return np.minimum(ahead, behind), L


def _solve_space(points: Floats, weights: Floats) -> tuple[Floats, float]:
    """The same in any dimension.

    Only f(x_i) - f(y_j) <= L d(x_i, y_j) can bind, for x_i that x prefers and y_j that y prefers: whatever values f
    has at the y_j, the largest function above is at least as good, and has constant L between all points.
    """
    if len(points) > LARGEST_POOL:
        raise InputError(
            f"The bounded Lipschitz metric of {len(points)} distinct points in {points.shape[1]} columns would take "
            f"minutes; more than {LARGEST_POOL} are refused. Take a random part of the rows, or use wasserstein."
        )
    high, low = np.flatnonzero(weights > 0), np.flatnonzero(weights < 0)
    D = distances(points[high], points[low], "euclidean")
    known = _nearest(D)
    while True:
        i, j = np.nonzero(known)
        f, L = _linear_program(weights, _Edges(high[i], low[j], D[i, j]), float(D.max()))
        excess = f[high][:, None] - f[low] - L * D
        broken = (excess > 1e-9 * L * D.max()) & ~known
        if not broken.any():
            break
        known |= _worst(np.where(broken, excess, -np.inf)) & broken
    own = distances(points[low], points[low], "euclidean")
    f[high] = np.minimum((f[low] + L * D).min(axis=1), 1 - L)
    f[low] = (f[low] + L * own).min(axis=1)
    return f, L


def _nearest(D: Floats) -> NDArray[np.bool_]:
    """For every row and every column of D its smallest entries."""
    return _worst(-D)


def _worst(excess: Floats) -> NDArray[np.bool_]:
    """For every row and every column its largest entries."""
    chosen = np.zeros(excess.shape, dtype=bool)
    for axis in (0, 1):
        count = min(_NEIGHBOURS, excess.shape[axis])
        order = np.argpartition(-excess, count - 1, axis=axis)
        np.put_along_axis(chosen, order.take(range(count), axis=axis), True, axis=axis)
    return chosen


@dataclass(frozen=True, eq=False)
class _Edges:
    """Constraints f_i - f_j <= L d, one for each entry of the three arrays."""

    i: Indices
    j: Indices
    d: Floats


def _linear_program(weights: Floats, edges: _Edges, reach: float) -> tuple[Floats, float]:
    """Maximise weights'f under the edges, |f| <= M and L + M <= 1; gives f and L.

    The weights add up to 0, so f + M, which lies in [0, 2M], has the same objective. The unknowns are measured in
    units in which distances are at most 1 and f about 1, because the solver's tolerances are absolute.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    unit = min(1.0, reach)
    size, count = len(weights), len(edges.d)
    high = np.flatnonzero(weights > 0)
    edge, cap = np.arange(count), count + np.arange(len(high))
    last = count + len(high)
    entries = (
        (edge, edges.i, np.ones(count)), (edge, edges.j, -np.ones(count)),
        (edge, np.full(count, size), -edges.d / reach),
        (cap, high, np.ones(len(high))), (cap, np.full(len(high), size + 1), np.full(len(high), -2.0)),
        (np.full(2, last), np.array([size, size + 1]), np.array([unit / reach, unit])),
    )  # fmt: skip
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    matrix = csr_array((values, (rows, columns)), shape=(last + 1, size + 2))
    limits = np.zeros(last + 1)
    limits[last] = 1
    objective = -np.append(weights, [0.0, 0.0])
    answer = linprog(objective, A_ub=matrix, b_ub=limits, bounds=(0, None), method="highs")  # type: ignore[call-overload]
    if answer.status != 0:
        raise TwosampleError(f"The linear program of the bounded Lipschitz metric was not solved: {answer.message}")
    L, M = float(answer.x[size]) * unit / reach, float(answer.x[size + 1]) * unit
    return (unit * answer.x[:size] - M) / (L + M), L / (L + M)
