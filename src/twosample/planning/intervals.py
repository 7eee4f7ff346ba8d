"""How large is the difference: intervals for MMD, and an effect size that does not grow with the sample."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from .. import _door as door
from ..engines import Engine
from ..errors import OptionError, unknown_option
from ..kernels import Kernel
from ..nulls.alternative import deviation_interval
from .laws import Laws, beyond, linear_variance
from .profile import Estimates, estimate, profile
from .worlds import resampled

METHODS = ("asymptotic", "bound", "bootstrap")


@dataclass(frozen=True)
class Interval:
    """An interval that holds MMD(p, q) with a given probability.

    Parameters
    ----------
    low, high
        The ends, for MMD; `squared` gives them for MMD².
    estimate
        MMD: the root of the unbiased estimate of MMD² (0 when that is negative), or MMD_b for the bound.
    level
        The probability.
    method
        How it was made.
    m, n
        Rows of x and of y.
    kernel, engine
        What was resolved from the options.
    notes
        What the user should know.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> i = ts.interval(rng.normal(size=300), rng.normal(0.5, size=300), kernel=ts.Gaussian(1.0))
    >>> round(i.low, 2), round(i.high, 2), round(i.squared[1], 3)
    (0.17, 0.32, 0.104)
    """

    low: float
    high: float
    estimate: float
    level: float
    method: str
    m: int
    n: int
    kernel: Kernel
    engine: Engine = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def squared(self) -> tuple[float, float]:
        """The ends for MMD²."""
        return self.low**2, self.high**2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"MMD = {self.estimate:.4g}, {self.level:.4g} interval {self.low:.4g} to {self.high:.4g} ({self.method})"


@dataclass(frozen=True)
class EffectSize:
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


def interval(
    x: object,
    y: object,
    level: float = 0.95,
    *,
    method: str = "asymptotic",
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> Interval:
    r"""A confidence interval for the maximum mean discrepancy of two distributions.

    'asymptotic' inverts the law of MMD²_u with both of its parts: the normal one of Theorem 'hoeffdingNormal' and the
    degenerate one that is left when p = q. It therefore holds at p = q, near it and far from it; its lower end is 0
    whenever a test at level (1 - `level`)/2 would find nothing.

    Parameters
    ----------
    x, y
        Samples as for :func:`mmd_test`.
    level
        The probability that the interval holds the true MMD.
    method
        'asymptotic'; 'bound' (Theorem 'mmd-diff': at any sample size for any p and q, bounded kernels, very wide);
        'bootstrap' (both parts of the law from rows of each sample drawn anew 999 times: for few rows; slower).
    kernel, bandwidth, engine
        As for :func:`mmd_test`. 'auto' takes a low-rank kernel where exact sums would take more than some seconds.
    rng
        Seed or generator.

    Returns
    -------
    Interval
        ``low, high, estimate`` for MMD; ``squared`` for MMD².

    Notes
    -----
    Time as for :func:`mmd` twice, plus products of matrices of 700 rows. The interval is for the kernel with the
    bandwidth that was resolved: compare intervals only at the same kernel. Needs independent rows.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(400, 2)), rng.normal(size=(300, 2))
    >>> ts.interval(x, y, 0.9).low
    0.0
    >>> i = ts.interval(x, y + 1, kernel=ts.Gaussian(1.0))
    >>> bool(i.low < ts.mmd(x, y + 1, kernel=ts.Gaussian(1.0)) ** 0.5 < i.high)
    True
    """
    level = door.check_level(level)
    if method not in METHODS:
        raise unknown_option("method", method, METHODS)
    random = door.generator(rng)
    known = estimate(x, y, kernel, bandwidth, engine, random)
    tail = (1 - level) / 2
    centre = sqrt(max(known.squared, 0.0))
    if method == "bound":
        centre = sqrt(known.biased)
        low, high = _bound(known, level)
    else:
        seen = profile(known, random)
        law: Laws = beyond(seen, linear_variance(seen), seen.squared)
        if method == "bootstrap":
            law = resampled(seen, law, random)
        low, high = np.sqrt(invert(law, seen.squared, tail))
    top = _largest(known.kernel)
    return Interval(
        low=min(float(low), top),
        high=min(float(high), top),
        estimate=centre,
        level=level,
        method=method,
        m=known.pool.m,
        n=known.pool.n,
        kernel=known.kernel,
        engine=known.engine,
        notes=known.gram.notes(*known.sizes),
    )


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
    level = door.check_level(level)
    random = door.generator(rng)
    seen = profile(estimate(x, y, kernel, bandwidth, engine, random), random)
    spread = seen.spread
    per_spread = max(seen.squared, 0.0) / spread if spread > 0 else 0.0
    law = beyond(seen, linear_variance(seen, per_spread), seen.squared)
    low, high = invert(law, seen.squared, (1 - level) / 2)
    return EffectSize(
        value=effect_of(seen.squared, spread),
        low=effect_of(low, spread),
        high=effect_of(high, spread),
        level=level,
        mmd=sqrt(max(seen.squared, 0.0)),
        spread=spread,
        m=seen.pool.m,
        n=seen.pool.n,
        kernel=seen.kernel,
    )


def effect_of(squared: float, spread: float) -> float:
    """The effect size r of an MMD² at this spread."""
    between = max(squared, 0.0) / 4
    return sqrt(between / (spread + between)) if between > 0 else 0.0


def invert(law: Laws, observed: float, tail: float) -> tuple[float, float]:
    """The values of MMD² under which the observed estimate is not in either tail; never empty, never below 0."""
    from scipy.optimize import brentq

    start = max(observed, 0.0)
    step = sqrt(law.quadratic + law.slope * start)
    if step <= 1e-9 * start:  # rounding alone
        return start, start
    low = 0.0
    if law.at(0.0).sf(observed) < tail:
        low = float(brentq(lambda theta: law.at(theta).sf(observed) - tail, 0.0, start, xtol=1e-6 * step))
    end = start + step
    while law.at(end).sf(start) < 1 - tail:
        end += 2 * (end - start)
    high = float(brentq(lambda theta: law.at(theta).sf(start) - (1 - tail), start, end, xtol=1e-6 * step))
    return low, high


def _bound(known: Estimates, level: float) -> tuple[float, float]:
    """The interval of the large-deviation theorem, for MMD."""
    if known.kernel.bounds is None:
        raise OptionError(
            f"method='bound' needs a bounded kernel, and no bound is known for {known.kernel!r}. "
            "Use a bounded kernel such as 'gaussian', or method='asymptotic'."
        )
    low, high = known.kernel.bounds
    return deviation_interval(sqrt(known.biased), *known.sizes, high - min(low, 0.0), level)


def _largest(kernel: Kernel) -> float:
    """No MMD is larger than this."""
    if kernel.bounds is None:
        return float("inf")
    low, high = kernel.bounds
    return sqrt(2 * (high - low))
