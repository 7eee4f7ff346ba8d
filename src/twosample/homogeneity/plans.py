"""What a test will cost, before it runs."""

from __future__ import annotations

from dataclasses import replace

from .. import _door as door
from ..core.types import Floats
from ..engines import Auto, Fourier, Plan
from ..engines.base import CENTRED_POINTS
from ..engines.fourier import direct_frequencies, grids_for
from ..errors import options_by_name
from ..kernels import Kernel
from ..nulls import Null

_EIGENVALUES = 0.75  # seconds for those of a matrix of CENTRED_POINTS rows
_PRODUCTS = 1.8e10  # multiplications a second, of the products that moments of features take


@options_by_name
def plan(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    null: Null | str = "auto",
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
    Costs what the bandwidth rule costs. With null='auto' it takes the limit law to be good enough, which the test may
    find otherwise. Not for `statistic='linear'` and `'block'`, which take no engine.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> print(ts.plan(np.zeros(50), np.ones(50)).reason)
    100 pooled points fit in memory as a matrix
    """
    chosen = door.resolve_null(null)
    request = door.request(x, y, kernel, bandwidth, null=chosen, rng=rng)
    pool, formula = request.pool, request.kernel
    on_a_line = formula.domain == "vectors" and pool.z.shape[1] == 1
    quick = on_a_line and isinstance(Auto().choose(formula, pool.z, 1).engine, Fourier)
    chosen = chosen.expected(len(pool.z), quick)
    best = Auto().choose(formula, pool.z, 1 + chosen.resamples)
    if chosen.asks not in ("moments", "eigenvalues"):
        return best
    share = min(1.0, len(pool.z) / CENTRED_POINTS)
    shape = _EIGENVALUES * share**3 if chosen.asks == "eigenvalues" else 0.0
    return replace(best, seconds=best.seconds + _law_seconds(best, formula, pool.z, shape))


def _law_seconds(best: Plan, kernel: Kernel, z: Floats, shape: float) -> float:
    """What the moments of the centred kernel cost, and its eigenvalues if they are needed, about."""
    if not isinstance(best.engine, Fourier) or (z.shape[1] == 1 and kernel.exponential_polynomial is not None):
        return 4 * best.seconds + shape
    outline = grids_for(kernel, z, best.engine.tolerance)
    if outline is None:
        return shape
    if z.shape[1] == len(outline.shapes) == 1 and outline.count <= 500:
        return best.seconds
    width = 2 * outline.count
    if width <= 2000 and outline.count <= direct_frequencies():
        return len(z) * width**2 / _PRODUCTS
    return 4 * best.seconds + shape
