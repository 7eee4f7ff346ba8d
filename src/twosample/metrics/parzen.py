"""The L1 distance between Parzen window estimates: D_1 of Section 7.1 of the paper."""

from __future__ import annotations

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..errors import options_by_name, whole_number
from ._samples import pooled, spanned
from .kernel import window_width

_REACH = 9.0  # windows beyond which a Gaussian window has less than 1e-18 of its mass
_STEP = 1 / 16  # windows
_CELLS = 2_000_000  # values at a time


@options_by_name
def parzen_l1(
    x: object, y: object, *, bandwidth: float | str = "silverman", draws: int = 20_000, rng: door.Seed = None
) -> float:
    r"""The L1 distance between the Parzen window estimates of the two densities, with Gaussian windows.

    .. math:: D_1 = \int |\hat p(z) - \hat q(z)|\, dz, \quad
              \hat p(z) = \frac1m \sum_i (2\pi h^2)^{-d/2} e^{-\|x_i - z\|^2/(2h^2)}

    The D_r of Section 7.1 of the paper at r = 1, which it calls the Lévy distance: twice the total variation distance
    between the smoothed samples, from 0 to 2, whatever the unit of the data. Unlike D_2 it is no MMD in an RKHS.

    Parameters
    ----------
    x, y
        Samples of m and n rows with the same columns.
    bandwidth
        The width h of the windows in the units of the data, or 'silverman', as for :func:`parzen_l2`.
    draws
        Random points, for two columns and more; one column needs none.
    rng
        Seed or generator, for the same.

    Returns
    -------
    float
        D_1. A metric when h is given; the rule makes h depend on both samples.

    Notes
    -----
    One column: areas between the zeros of the difference, right to about 1e-6, in O(N) for each window that the data
    span. More columns: half of the points are drawn from either estimate, and D_1 is the sum of the two means of
    :math:`|\hat p-\hat q|/(\hat p+\hat q)`, with a standard error of at most one over the root of `draws`;
    O(draws N d).

    The windows decide: with narrow ones any two samples are 2 apart, also under H0, so compare values only at one h,
    and with the values that relabelled rows give. With more than a few columns everything is far from everything: use
    MMD.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> round(metrics.parzen_l1([0.0, 0.0], [2.0, 2.0], bandwidth=1.0), 4)  # 2 (2 Φ(1) - 1)
    1.3654
    >>> metrics.parzen_l1([0.0, 0.0], [99.0, 99.0], bandwidth=1.0)
    2.0
    """
    count = whole_number("draws", draws, least=2)
    random = door.generator(rng)
    pool = spanned(pooled(x, y))
    h = window_width(pool.z, pool.m, bandwidth)
    if pool.z.shape[1] == 1:
        weights = np.concatenate([np.full(pool.m, 1 / pool.m), np.full(pool.n, -1 / pool.n)])
        return min(2.0, _on_the_line(pool.z[:, 0], weights, h))
    points = [_drawn(side, count // 2, h, random) for side in (pool.x, pool.y)]
    return sum(float(np.abs(np.tanh(_log_ratio(part, pool, h) / 2)).mean()) for part in points)


def _on_the_line(z: Floats, weights: Floats, h: float) -> float:
    """The integral of |Σ w_i φ_h(t - z_i)|, cluster by cluster of points whose windows meet."""
    order = np.argsort(z, kind="stable")
    t, w = z[order], weights[order]
    start = np.flatnonzero(np.diff(t, prepend=-np.inf) > 2 * _REACH * h)
    end = np.append(start[1:], len(t))
    single = t[start] == t[end - 1]
    total = float(np.abs(np.add.reduceat(w, start))[single].sum())
    for i, j in zip(start[~single], end[~single], strict=True):
        total += _cluster((t[i:j] - t[i]) / h, w[i:j])
    return total


def _cluster(u: Floats, w: Floats) -> float:
    """The same for ascending points, in windows, on nodes 1/16 apart."""
    from scipy.special import ndtr

    nodes = _STEP * np.arange(-_REACH / _STEP, np.ceil((u[-1] + _REACH) / _STEP) + 1)
    total, first = 0.0, 0
    while first < len(nodes) - 1:
        low, high = np.searchsorted(u, [nodes[first] - _REACH, nodes[min(first + 64, len(nodes) - 1)] + _REACH])
        last = min(first + max(1, min(64, _CELLS // max(high - low, 1))), len(nodes) - 1)
        apart = nodes[first : last + 1, None] - u[low:high]
        mass = ndtr(apart) @ w[low:high]
        density = np.exp(-0.5 * np.square(apart)) @ w[low:high] / np.sqrt(2 * np.pi)
        total += _areas(mass, density)
        first = last
    return total


def _areas(mass: Floats, density: Floats) -> float:
    """The integral of the absolute density, where it changes its sign by way of the cubic through masses and slopes."""
    rise, left, right = np.diff(mass), _STEP * density[:-1], _STEP * density[1:]
    turns = (left * right < 0) & (np.abs(right - left) > 1e-30)  # what is less is nothing
    total = float(np.abs(rise[~turns]).sum())
    rise, left, right = rise[turns], left[turns], right[turns]
    square, cube = 3 * rise - 2 * left - right, left + right - 2 * rise
    root = np.sqrt(np.maximum(square**2 - 3 * cube * left, 0.0))
    at = np.clip(left / np.where(right > left, -(root + square), root - square), 0.0, 1.0)  # where the slope is 0
    top = at * (left + at * (square + at * cube))
    return total + float((np.abs(top) + np.abs(rise - top)).sum())


def _drawn(side: Floats, count: int, h: float, rng: np.random.Generator) -> Floats:
    """Points from the Parzen estimate of one sample."""
    return np.asarray(side[rng.integers(len(side), size=count)] + h * rng.normal(size=(count, side.shape[1])))


def _log_ratio(points: Floats, pool: door.Pool, h: float) -> Floats:
    """The logarithm of p^ / q^ at the points."""
    from scipy.spatial.distance import cdist
    from scipy.special import logsumexp

    result = np.empty(len(points))
    step = max(1, _CELLS // len(pool.z))
    for start in range(0, len(points), step):
        logs = -0.5 * cdist(points[start : start + step] / h, pool.z / h, "sqeuclidean")
        both = [logsumexp(part, axis=1) for part in np.split(logs, [pool.m], axis=1)]
        result[start : start + step] = both[0] - both[1] + np.log(pool.n / pool.m)
    return result
