"""How large is the difference: an effect size that does not grow with the sample."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from .. import _door as door
from .._reported import Tabled
from ..embedding.alternative import effect_interval
from ..engines import Engine
from ..errors import options_by_name
from ..kernels import Kernel
from .profile import confidence, estimate, profile


@dataclass(frozen=True)
class EffectSize(Tabled):
    r"""How far two samples lie apart, in units of their spread: 0 for no difference, at most 1.

    Parameters
    ----------
    value
        The estimate of :math:`r = \sqrt{\frac{\mathrm{MMD}^2/4}{S + \mathrm{MMD}^2/4}}`.
    low, high
        An interval for r.
    level
        Its probability.
    mmd
        The estimate of MMD that it belongs to.
    spread
        S, the mean variance of the two samples in feature space.
    m, n
        Rows of x and of y.
    kernel
        The kernel, with its bandwidth.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> e = ts.effect_size(rng.normal(size=500), rng.normal(0.5, size=500))
    >>> round(e.value, 2), round(e.share, 3)
    (0.15, 0.023)
    """

    value: float
    low: float
    high: float
    level: float
    mmd: float
    spread: float
    m: int
    n: int
    kernel: Kernel

    @property
    def share(self) -> float:
        """The share of the variance in feature space that lies between the samples: the square of the value."""
        return self.value**2

    def __str__(self) -> str:
        return f"effect size r = {self.value:.3g}, {self.level:.4g} interval {self.low:.3g} to {self.high:.3g}"


@options_by_name
def effect_size(
    x: object,
    y: object,
    level: float = 0.95,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> EffectSize:
    r"""How far two samples lie apart relative to their spread, in [0, 1], whatever the number of rows.

    .. math:: r^2 = \frac{\mathrm{MMD}^2/4}{S + \mathrm{MMD}^2/4}, \qquad
              S = \tfrac12 E[k(x,x) - k(x,x')] + \tfrac12 E[k(y,y) - k(y,y')]

    In feature space S is the mean variance of the two distributions and r² the share of the variance of their even
    mixture that lies between them. So r is the correlation of the label with the point in feature space: with a linear
    kernel on one column it is the usual correlation, d/√(d²+4) for a shift of d standard deviations.

    Parameters
    ----------
    x, y
        Samples as for :func:`mmd_test`.
    level
        The probability of the interval.
    kernel, bandwidth, engine, rng
        As for :func:`interval`.

    Returns
    -------
    EffectSize
        ``value, low, high, share``.

    Notes
    -----
    Gaussian kernel with the median bandwidth, one column, a normal moved by 0.2, 0.5 and 0.8 standard deviations:
    r = 0.07, 0.16 and 0.25. The same move in one of several columns gives less, because the others add spread. Time as
    for :func:`interval`. The number of rows changes the interval and not the value; kernel and bandwidth change both.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> print(ts.effect_size(x, x + 1.0, kernel="linear"))
    effect size r = 0.447, 0.95 interval 0.423 to 0.47
    """
    level = confidence(level)
    random = door.generator(rng)
    measured = profile(estimate(x, y, kernel, bandwidth, engine, random), random)
    value, low, high = effect_interval(measured, (1 - level) / 2, measured.rounding)
    return EffectSize(
        value=value,
        low=low,
        high=high,
        level=level,
        mmd=sqrt(max(measured.squared, 0.0)),
        spread=measured.spread,
        m=measured.pool.m,
        n=measured.pool.n,
        kernel=measured.kernel,
    )
