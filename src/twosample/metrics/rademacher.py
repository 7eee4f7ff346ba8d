"""The Rademacher average of the unit ball of an RKHS (Appendix A of the paper)."""

from __future__ import annotations

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..errors import options_by_name, whole_number
from ..kernels.objects import row_numbers_of

_CELLS = 4_000_000  # kernel values at a time


@options_by_name
def rademacher_average(
    x: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    draws: int = 1000,
    rng: door.Seed = None,
) -> float:
    r"""How well functions of the unit ball of an RKHS can follow random signs on a sample.

    .. math:: R_m(F, X) = E_\sigma \sup_{\|f\|\le1} \Big|\frac1m\sum_i \sigma_i f(x_i)\Big|
              = \frac1m\, E_\sigma \sqrt{\sigma^\top K \sigma}, \qquad \sigma_i = \pm1 \text{ with equal chances}

    (the supremum is the norm of :math:`\frac1m\sum_i\sigma_i k(x_i,\cdot)`). The paper bounds it by
    :math:`\sqrt{K/m}` for :math:`k(x,x) \le K`, and that bound makes the thresholds of ``null="mcdiarmid"`` and of
    :func:`kernel_deviation`. It lies between :math:`\sqrt{\mathrm{tr} K}/(\sqrt2 m)` and
    :math:`\sqrt{\mathrm{tr} K}/m`, so that where k(x, x) = K the data make it smaller by at most a factor 1.41.

    Parameters
    ----------
    x
        The sample: rows of numbers, objects for a kernel on objects, or row numbers for ``ts.Precomputed``.
    kernel, bandwidth
        As for :func:`twosample.mmd_test`; the rule looks at x.
    draws
        Random signs; all there are (half of them, as opposite ones give the same) if these are not more.
    rng
        Seed or generator.

    Returns
    -------
    float
        The mean over the signs. Its relative standard error is below 0.76 over the root of their number, and far less
        where the kernel is narrow.

    Notes
    -----
    O(m² (d + draws)) time, in strips. It measures the function class on a sample, not a difference between samples:
    nothing to test with. Of use for a bound of your own on a class of functions.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> r = ts.metrics.rademacher_average(x, rng=0)
    >>> 0.0707 < r < 0.1  # at most 1 / √100
    True
    """
    count = whole_number("draws", draws)
    chosen = door.open_kernel(kernel, bandwidth)
    formula = chosen.kernel
    random = door.generator(rng)
    if formula.domain == "objects":
        listed = door.objects(x, "x", 1)
        formula, z = formula.on(listed), row_numbers_of(listed)
    elif formula.domain == "indices":
        z = door.row_numbers(x, "x", formula, 1)
    else:
        z = door.points(x, "x", 1)
        door.check_span(z, "x holds")
    formula = door.fill_bandwidth(formula, chosen.rule, z, random)
    signs = _signs(len(z), count, random)
    squares = np.zeros(signs.shape[1])
    step = max(1, _CELLS // len(z))
    for start in range(0, len(z), step):
        rows = slice(start, start + step)
        squares += np.einsum("ir,ir->r", signs[rows], formula.block(z[rows], z) @ signs)
    return float(np.sqrt(np.maximum(squares, 0.0)).mean() / len(z))


def _signs(rows: int, count: int, rng: np.random.Generator) -> Floats:
    """``(m, R)`` signs: all with a first one of 1 if there are at most `count`, else random."""
    if rows - 1 < 63 and 2 ** (rows - 1) <= count:
        codes = np.arange(2 ** (rows - 1), dtype=np.int64)
        bits = (codes >> np.arange(rows, dtype=np.int64)[:, None]) & 1
        return np.asarray(1.0 - 2.0 * bits[::-1])
    return np.asarray(rng.integers(0, 2, size=(rows, count)) * 2.0 - 1.0)
