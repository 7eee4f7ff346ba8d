"""The Kolmogorov metric."""

from __future__ import annotations

import numpy as np

from .. import _door as door
from ..errors import options_by_name
from ._samples import line, one_column, pooled
from .witnesses import StepWitness


@options_by_name
def kolmogorov(x: object, y: object) -> float:
    r"""The Kolmogorov metric :math:`\|F_X - F_Y\|_\infty`: the largest difference of the distribution functions.

    The maximum mean discrepancy over the functions of bounded variation 1 (Proposition 'ks' of the paper), for
    samples of one column.

    Parameters
    ----------
    x, y
        Samples of m and n numbers.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    O(N log N) time. Not for several columns, and blind to how far apart values lie: moving a block of x away from y
    changes nothing once they are separated. :func:`witness` gives the function that attains it.

    Examples
    --------
    >>> import twosample.metrics as metrics
    >>> metrics.kolmogorov([0.0, 1.0, 2.0, 3.0], [2.5, 3.5, 4.5, 5.5])
    0.75
    """
    return step_witness(pooled(x, y)).value


def step_witness(pool: door.Pool) -> StepWitness:
    """The single step at which the distribution functions differ most."""
    one_column(pool, "Kolmogorov")
    both = line(pool)
    top = int(np.argmax(np.abs(both.difference)))
    height = float(both.difference[top])
    return StepWitness(float(both.knots[top]), -1 if height < 0 else 1, abs(height))
