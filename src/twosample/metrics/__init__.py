"""Distances between two samples as maximum mean discrepancies over other function classes than an RKHS.

``kolmogorov``, ``wasserstein``, ``bounded_lipschitz``, ``energy_distance`` and ``parzen_l2`` give the number (and
``parzen_l1`` and ``kl_divergence`` numbers that are no MMD);
``witness(x, y, metric=...)`` gives the function that attains the first three. ``random_witness_distance`` is the mean
over random functions of an RKHS instead of the maximum.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import _door as door
from ..errors import options_by_name, unknown_option
from ._samples import pooled
from .bounds import hsic_deviation, kernel_deviation, kolmogorov_deviation, uniform_bound
from .divergence import kl_divergence
from .dudley import bounded_lipschitz, dudley_witness
from .kernel import energy_distance, parzen_l2
from .line import kolmogorov, step_witness
from .parzen import parzen_l1
from .rademacher import rademacher_average
from .random_witness import random_witness_distance
from .transport import transport_witness, wasserstein
from .witnesses import LipschitzWitness, StepWitness

WITNESSES: dict[str, Callable[[door.Pool], StepWitness | LipschitzWitness]] = {
    "kolmogorov": step_witness,
    "wasserstein": transport_witness,
    "bounded_lipschitz": dudley_witness,
}
"""The metrics whose witness has a form of its own."""


@options_by_name
def witness(x: object, y: object, *, metric: str = "wasserstein") -> StepWitness | LipschitzWitness:
    """The function that attains a metric: of all in its class the one whose means over x and y differ most.

    High where x has the mass, low where y has it. For the smooth witness of MMD see :func:`twosample.witness`.

    Parameters
    ----------
    x, y
        Samples as for the metric.
    metric
        'kolmogorov' (one column; a step), 'wasserstein' or 'bounded_lipschitz' (piecewise linear on the line).

    Returns
    -------
    StepWitness or LipschitzWitness
        ``f(points)`` gives values anywhere, ``f.value`` is the metric: the mean of f over x less its mean over y.

    Notes
    -----
    Costs what the metric costs. Often not unique. Use it after a test has rejected: under H0 it shows noise.

    Examples
    --------
    >>> import numpy as np, twosample.metrics as metrics
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([3.0, 4.0, 8.0])
    >>> f = metrics.witness(x, y, metric="wasserstein")
    >>> f.value, float(f(x).mean() - f(y).mean()), metrics.wasserstein(x, y)
    (4.0, 4.0, 4.0)
    """
    if not isinstance(metric, str) or metric not in WITNESSES:
        raise unknown_option("metric", metric, WITNESSES, objects=False)
    return WITNESSES[metric](pooled(x, y))


__all__ = [
    "LipschitzWitness", "StepWitness", "bounded_lipschitz", "energy_distance", "hsic_deviation", "kernel_deviation",
    "kl_divergence", "kolmogorov", "kolmogorov_deviation", "parzen_l1", "parzen_l2", "rademacher_average",
    "random_witness_distance", "uniform_bound", "wasserstein", "witness",
]  # fmt: skip
