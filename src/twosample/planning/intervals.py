"""How large is the difference: intervals for MMD, by limit laws, a bound, or the bootstrap of each sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from .. import _door as door
from .._reported import Tabled
from ..core.labellings import Labellings
from ..core.laws import Distribution
from ..core.types import Floats
from ..embedding.alternative import Laws, beyond, invert, unseen
from ..engines import Engine
from ..errors import OptionError, options_by_name, unknown_option
from ..kernels import Kernel
from ..statistics import Biased
from .profile import Estimates, Profile, confidence, estimate, profile

METHODS = ("asymptotic", "bound", "bootstrap")
RESAMPLES = 999  # how often both samples are drawn anew


@dataclass(frozen=True)
class Interval(Tabled):
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


@options_by_name
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
    where a test at level (1 - `level`)/2 would find nothing. Few rows may lack rare values that the distribution has:
    the law is by the larger of two covariances, that of each sample and one for both, and the upper end leaves room for
    what may not have been seen (to infinity for a kernel without a known bound, if the samples do not vary at all).

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
    Time as for :func:`mmd` twice, plus, unless a Gaussian kernel sees one column, products of matrices of 700 rows. The
    interval is for the kernel with the bandwidth that was resolved: compare intervals only at the same kernel. Needs
    independent rows.

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
    level = confidence(level)
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_option("method", method, METHODS, objects=False)
    random = door.generator(rng)
    known = estimate(x, y, kernel, bandwidth, engine, random)
    tail = (1 - level) / 2
    centre = sqrt(max(known.squared, 0.0))
    if method == "bound":
        centre = sqrt(known.biased)
        low, high = _bound(known, level)
    else:
        low, high = _by_law(profile(known, random), method, tail, random)
    return Interval(
        low=min(low, known.largest),
        high=min(high, known.largest),
        estimate=centre,
        level=level,
        method=method,
        m=known.pool.m,
        n=known.pool.n,
        kernel=known.kernel,
        engine=known.engine,
        notes=known.gram.notes(*known.sizes),
    )


def _bound(known: Estimates, level: float) -> tuple[float, float]:
    """The interval of the large-deviation theorem, for MMD."""
    if known.kernel.bounds is None:
        raise OptionError(
            f"method='bound' needs a bounded kernel, and no bound is known for {known.kernel!r}. "
            "Use a bounded kernel such as 'gaussian', or method='asymptotic'."
        )
    low, high = known.kernel.bounds
    return deviation_interval(sqrt(known.biased), *known.sizes, high - min(low, 0.0), level)


def _by_law(measured: Profile, method: str, tail: float, rng: np.random.Generator) -> tuple[float, float]:
    """The interval for MMD that leaves out `tail` on either side, by moments or by resampling."""
    centre, reach = sqrt(max(measured.squared, 0.0)), unseen(tail, min(measured.sizes)) * measured.largest
    if measured.spread == 0:  # nothing varies: what may vary was not seen
        return max(0.0, centre - reach), centre + reach
    law: Laws = beyond(measured)
    if method == "bootstrap":
        law = resampled(measured, law, rng)
    low, high = invert(law, measured.squared, tail)
    return sqrt(low), max(sqrt(high), centre + reach if reach < float("inf") else 0.0)


def deviation_interval(mmd_b: float, m: int, n: int, bound: float, level: float) -> tuple[float, float]:
    r"""Interval that holds MMD(p, q) with probability at least `level`, at any sample size and for any p and q.

    Theorem 'mmd-diff': :math:`P\{|\mathrm{MMD}_b - \mathrm{MMD}| > 2(\sqrt{K/m} + \sqrt{K/n}) + \epsilon\} \le
    2\exp(-\epsilon^2 mn / (2K(m+n)))` for a kernel with values in [0, K], the `bound`, solved for epsilon at 1 - level.
    The lower end is cut off at 0 and the upper one at :math:`\sqrt{2K}`, beyond which no MMD of such a kernel lies.
    """
    epsilon = sqrt(2 * bound * (m + n) / (m * n) * log(2 / (1 - level)))
    width = 2 * (sqrt(bound / m) + sqrt(bound / n)) + epsilon
    return max(0.0, mmd_b - width), min(sqrt(2 * bound), mmd_b + width)


@dataclass(frozen=True, eq=False)
class BootstrapLaws:
    """Laws from resamples; the plain bootstrap of MMD² is wrong near p = q, so its two parts are kept apart."""

    linear: Floats  # (B,) linear parts, of unit variance
    degenerate: Floats  # (B,) degenerate parts, of mean 0
    quadratic: float  # as in AlternativeLaws
    slope: float

    def at(self, theta: float) -> _EmpiricalLaw:
        """The law of the unbiased estimate when MMD² is `theta`."""
        return _EmpiricalLaw(theta + float(np.sqrt(self.slope * theta)) * self.linear + self.degenerate)


@dataclass(frozen=True, eq=False)
class _EmpiricalLaw(Distribution):
    """Values instead of a formula."""

    values: Floats

    def sf(self, t: float) -> float:
        return float(np.mean(self.values >= t))

    def isf(self, level: float) -> float:
        return float(np.quantile(self.values, 1 - level))

    def pdf(self, t: Floats) -> Floats:
        """There is none; zeros."""
        return np.zeros_like(t)


def resampled(measured: Profile, moments: Laws, rng: np.random.Generator) -> BootstrapLaws:
    r"""Laws by the bootstrap: :math:`|\hat\delta + G^*|^2 = |\hat\delta|^2 + 2\langle\hat\delta,G^*\rangle + |G^*|^2`.

    The middle term is a sum of the witness over the rows drawn; the last one is what is left of the resampled MMD_b².
    """
    m, n = measured.sizes
    signs = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
    witness = measured.gram.multiply(signs[:, None])[:, 0]
    form = Biased().form(m, n)
    linear, degenerate = [], []
    for labels in _drawn_again(m, n, rng):
        assert labels.y is not None
        drawn = (labels.x + labels.y).astype(np.float64) - 1
        part = 2 * ((signs * witness) @ drawn)
        linear.append(part)
        degenerate.append(form.value(measured.gram.block_sums(labels, m, n)) - measured.biased - part)
    along, rest = np.concatenate(linear), np.concatenate(degenerate)
    spread = float(along.std())
    # resamples of a few rows know no more of rare values than the rows; the moments of both samples may
    rest += sqrt(max(moments.quadratic - float(rest.var()), 0.0)) * rng.normal(size=len(rest))
    return BootstrapLaws(along / spread if spread > 0 else along, rest - rest.mean(), moments.quadratic, moments.slope)


def _drawn_again(m: int, n: int, rng: np.random.Generator) -> Iterator[Labellings]:
    """Both samples drawn anew, each from its own rows with replacement, in batches that fit in memory."""
    step = max(1, 20_000_000 // (m + n))
    for start in range(0, RESAMPLES, step):
        x, y = np.zeros((2, m + n, min(step, RESAMPLES - start)), dtype=np.uint16)
        for r in range(x.shape[1]):
            x[:m, r] = np.bincount(rng.integers(m, size=m), minlength=m)
            y[m:, r] = np.bincount(rng.integers(n, size=n), minlength=n)
        yield Labellings(x, y)
