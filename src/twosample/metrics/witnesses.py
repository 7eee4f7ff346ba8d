"""Witness functions of the metrics: where the two samples differ, as seen by each function class."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import _door as door
from .._reported import Tabled
from ..core.types import Floats
from ..errors import InputError
from ..kernels.radial import distances

_ENTRIES = 1 << 22  # distances held at once while a witness is evaluated: 32 MB


@dataclass(frozen=True, eq=False)
class StepWitness(Tabled):
    r"""The witness of the Kolmogorov metric: a step of height 1, :math:`f(t) = \pm 1_{t \le c}`.

    Proposition 'ks': among the functions of bounded variation 1 the supremum is attained by a single step. Made by
    :func:`witness`; call it with points to get its values there.

    Parameters
    ----------
    location
        c, the pooled value up to which the distribution functions differ most.
    sign
        1 if x has more of its rows up to c than y has, -1 otherwise.
    value
        The metric: the mean of f over x less its mean over y.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> f = metrics.witness([0.0, 1.0, 2.0], [1.5, 2.5, 3.5], metric="kolmogorov")
    >>> f.location, f([0.5, 3.0])
    (1.0, array([1., 0.]))
    """

    location: float
    sign: int
    value: float

    def __call__(self, at: object) -> Floats:
        """Values at the given points."""
        where = door.points(at, "points", least=1)
        if where.shape[1] != 1:
            raise InputError(f"points have {where.shape[1]} columns, the samples have 1.")
        return np.asarray(self.sign * (where[:, 0] <= self.location), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class LipschitzWitness(Tabled):
    r"""The witness of the Wasserstein or the bounded Lipschitz metric.

    It is known at the pooled points and extended to all others by

    .. math:: f(t) = \tfrac12\{\min_i [f_i + L d(t,z_i)] + \max_i [f_i - L d(t,z_i)]\},

    the middle between the largest and the smallest extension with the same Lipschitz constant L: it has that constant
    too and takes no value outside the range of the f_i. Made by :func:`witness`; call it with points.

    Parameters
    ----------
    points
        ``(K, d)`` points z_i at which the function is known.
    values
        ``(K,)`` its values f_i there.
    lipschitz
        L. For Wasserstein 1; for bounded Lipschitz L and `bound` add up to at most 1.
    bound
        The largest value of f, in absolute terms.
    value
        The metric: the mean of f over x less its mean over y.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> f = metrics.witness([0.0, 0.0], [2.0, 2.0], metric="bounded_lipschitz")
    >>> f.lipschitz, f.bound, f([-1.0, 0.0, 1.0, 2.0])
    (0.5, 0.5, array([ 0.5,  0.5,  0. , -0.5]))
    """

    points: Floats = field(repr=False)
    values: Floats = field(repr=False)
    lipschitz: float
    bound: float
    value: float

    def __call__(self, at: object) -> Floats:
        """Values at the given points: O(points K d) time, in tiles."""
        where = door.points(at, "points", least=1)
        columns = self.points.shape[1]
        if columns > 1 and where.shape == (columns, 1):
            where = where.T  # one point given as a plain list
        if where.shape[1] != columns:
            raise InputError(f"points have {where.shape[1]} column(s), the samples have {columns}.")
        step = max(1, _ENTRIES // len(self.points))
        return np.concatenate([self._values(where[i : i + step]) for i in range(0, len(where), step)])

    def _values(self, where: Floats) -> Floats:
        reach = self.lipschitz * distances(where, self.points, "euclidean")
        upper = (self.values + reach).min(axis=1)
        lower = (self.values - reach).max(axis=1)
        return np.asarray((upper + lower) / 2)
