"""The set kernel as a matrix: for a precomputed kernel in scikit-learn and elsewhere."""

from __future__ import annotations

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..errors import InputError, options_by_name
from ..structured.sets import mean_values, pooled_bags


@options_by_name
def set_kernel(
    bags_a: object,
    bags_b: object = None,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    rng: door.Seed = None,
) -> Floats:
    r"""Kernel values between bags of points: inner products of their mean embeddings (Section 7.2 of the paper).

    .. math:: K_{ij} = \frac{1}{m_i m_j}\sum_{u,v} k(a_{iu}, b_{jv})

    Parameters
    ----------
    bags_a
        A list of bags; a bag is an array of points as rows, or of numbers. Sizes may differ, columns may not.
    bags_b
        Another list, or None for `bags_a` against itself.
    kernel
        The kernel on points, as for :func:`mmd_test`.
    bandwidth
        Where the kernel leaves it open: a rule that looks at all points of both lists, or a number.
    rng
        Seed; matters only for the bandwidth of more than 2000 points.

    Returns
    -------
    numpy.ndarray
        ``(len(bags_a), len(bags_b))`` values; of one list, a positive semi-definite matrix.

    Notes
    -----
    Time O(P_a P_b d) for P points in all bags of a list, memory O(len(bags_a) len(bags_b)) beside the points. Training
    and prediction must use one kernel: give a bandwidth, because the rule would choose another for other bags. To find
    out whether *some* point of a bag has a property, a mean is not the best summary.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.set_kernel([[0.0, 1.0], [0.0]], [[1.0, 2.0, 3.0]], kernel="linear")
    array([[1.],
           [0.]])
    """
    chosen = door.open_kernel(kernel, bandwidth)
    formula = chosen.kernel
    if formula.domain != "vectors":
        raise InputError(f"kernel={formula!r} is not a kernel on points as rows of numbers.")
    first = door.objects(bags_a, "bags_a", least=1)
    second = None if bags_b is None else door.objects(bags_b, "bags_b", least=1)
    points, sizes = pooled_bags([*first, *(second or [])])
    formula = chosen.filled(points, door.generator(rng))
    if second is None:
        return mean_values(formula, (points, sizes))
    cut = int(np.sum(sizes[: len(first)]))
    return mean_values(formula, (points[:cut], sizes[: len(first)]), (points[cut:], sizes[len(first) :]))
