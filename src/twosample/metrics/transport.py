"""The Wasserstein metric: closed form on the line, an optimal-transport library beyond."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..errors import InputError, TwosampleError, missing_extra, options_by_name
from ..kernels.radial import distances
from ._samples import line, pooled, spanned
from .witnesses import LipschitzWitness

LARGEST_PLAN = 100_000_000  # beyond this many pairs of rows the matrix of distances (800 MB) is refused


@options_by_name
def wasserstein(x: object, y: object) -> float:
    r"""The Wasserstein-1 (earth mover's) metric with the Euclidean distance.

    The least mean distance by which the rows of x have to be moved to become those of y,
    :math:`W(p,q) = \inf_\mu \int d(x,y)\,d\mu(x,y)`, and by Theorem 'Kantorovich-Rubinstein' the maximum mean
    discrepancy over the functions with Lipschitz constant 1. On the line it is :math:`\int |F_X - F_Y|`.

    Parameters
    ----------
    x, y
        Samples of m and n rows with the same columns; m and n may differ.

    Returns
    -------
    float
        In the units of the data.

    Notes
    -----
    One column: O(N log N) time, nothing to install. More columns: POT (``pip install "twosample[transport]"``) solves
    the transport problem exactly, O(N³ log N) time at worst (1000 + 1000 rows: below a second), 8mn bytes. Not a good
    estimate of the distance between the distributions in many dimensions: its error shrinks as :math:`N^{-1/d}` only.
    :func:`witness` gives the function that attains it.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> metrics.wasserstein([0.0, 1.0, 3.0], [5.0, 6.0, 8.0])
    5.0
    >>> metrics.wasserstein([[0.0, 0.0], [1.0, 0.0]], [[0.0, 2.0], [1.0, 2.0]])
    2.0
    """
    pool = pooled(x, y)
    if pool.z.shape[1] == 1:
        both = line(pool)
        return float(np.abs(both.difference[:-1]) @ both.gaps)
    return _plan(pool).cost


def transport_witness(pool: door.Pool) -> LipschitzWitness:
    """A function with Lipschitz constant 1 whose means over the samples differ by the metric."""
    if pool.z.shape[1] == 1:
        both = line(pool)
        slopes = -np.sign(both.difference[:-1])  # the paper's g' = 2 1{F_p > F_q} - 1, turned so that x is high
        steps = np.concatenate([[0.0], np.cumsum(slopes * both.gaps)])
        value = float(np.abs(both.difference[:-1]) @ both.gaps)
        return _centred(both.knots[:, None], steps, value)
    plan = _plan(pool)
    # f(t) = min_j d(t, y_j) - v_j has Lipschitz constant 1 everywhere, and at the x_i it is at least u_i.
    at_x = (plan.cross - plan.v).min(axis=1)
    at_y = (distances(pool.y, pool.y, "euclidean") - plan.v).min(axis=1)
    return _centred(pool.z, np.concatenate([at_x, at_y]), float(at_x.mean() - at_y.mean()))


def _centred(points: Floats, values: Floats, value: float) -> LipschitzWitness:
    values = values - (values.min() + values.max()) / 2
    return LipschitzWitness(points, values, 1.0, float(np.abs(values).max()), value)


@dataclass(frozen=True, eq=False)
class _Transport:
    """The optimal transport from x to y: its cost, the (m, n) distances, and the dual values of the y_j."""

    cost: float
    cross: Floats
    v: Floats


def _plan(pool: door.Pool) -> _Transport:
    if pool.m * pool.n > LARGEST_PLAN:
        raise InputError(
            f"The Wasserstein metric in {pool.z.shape[1]} columns needs the {pool.m} x {pool.n} matrix of distances, "
            f"and more than {LARGEST_PLAN:,} entries are refused. Take a random part of the rows, or use "
            "energy_distance."
        )
    ot = _library()
    spanned(pool)
    cross = distances(pool.x, pool.y, "euclidean")
    weights = np.full(pool.m, 1 / pool.m), np.full(pool.n, 1 / pool.n)
    cost, log = ot.emd2(*weights, cross, numItermax=10**9, log=True)
    if log["warning"] is not None:
        raise TwosampleError(f"POT did not solve the transport problem: {log['warning']}")
    return _Transport(float(cost), cross, np.asarray(log["v"], dtype=np.float64))


def _library() -> ModuleType:
    try:
        import ot
    except ImportError:
        raise missing_extra("The Wasserstein metric of more than one column needs POT", "transport") from None
    library: ModuleType = ot
    return library
