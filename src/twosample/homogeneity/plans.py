"""What a test will cost, before it runs."""

from __future__ import annotations

from .. import _door as door
from ..engines import Auto, Plan
from ..nulls import Null


def plan(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    null: Null | str = "permutation",
    rng: door.Seed = None,
) -> Plan:
    """What ``mmd_test(x, y, ...)`` with ``engine="auto"`` would do and cost, without doing it.

    Parameters
    ----------
    x, y, kernel, bandwidth, null, rng
        As for :func:`mmd_test`.

    Returns
    -------
    Plan
        ``engine, reason, seconds, bytes, exact``; print it for a sentence.

    Notes
    -----
    Costs what the bandwidth rule costs. Not for `statistic='linear'` and `'block'`, which take no engine.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> print(ts.plan(np.zeros(50), np.ones(50)).reason)
    100 pooled points fit in memory as a matrix
    """
    formula = door.resolve_kernel(kernel)
    rule = door.resolve_bandwidth(bandwidth, formula)
    pool = door.pool(x, y, formula)
    formula = door.fill_bandwidth(pool.kernel, rule, pool.z, door.generator(rng))
    return Auto().choose(formula, pool.z, 1 + door.resolve_null(null).resamples)
