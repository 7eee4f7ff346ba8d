"""Distribution-free nulls: large-deviation bounds, valid at every sample size and conservative."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt
from typing import ClassVar

from ..core.observed import Observed
from ..core.pvalue import Law
from ..errors import OptionError
from ..kernels import Kernel
from .base import Null


@dataclass(frozen=True)
class BoundLaw:
    """A large-deviation bound ``P(T > bias + e) <= exp(-rate e²)`` read both ways."""

    bias: float  # bound on the expectation of the statistic under H0
    rate: float  # the constant in the exponent
    ceiling: float = inf  # the largest value that the statistic can take

    @property
    def least(self) -> float:
        """The bound at the largest value."""
        return self.pvalue(self.ceiling)

    def pvalue(self, t: float) -> float:
        """The bound at t."""
        return max(exp(-self.rate * max(t - self.bias, 0.0) ** 2), 1e-300)

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        return self.bias + sqrt(log(1 / level) / self.rate)


@dataclass(frozen=True)
class SquaredBoundLaw:
    """The bound for the square of a statistic that has one, less a bias."""

    root: BoundLaw  # the bound for the statistic itself
    bias: float = 0.0  # what is taken off its square

    @property
    def least(self) -> float:
        """The bound at the largest value."""
        return self.root.least

    def pvalue(self, t: float) -> float:
        """The bound at t."""
        return self.root.pvalue(sqrt(max(t + self.bias, 0.0)))

    def threshold(self, level: float) -> float:
        """The square, less the bias, above which the test rejects at this level."""
        return self.root.threshold(level) ** 2 - self.bias


@dataclass(frozen=True)
class McDiarmid(Null):
    r"""MMD_b with the threshold of Corollary 'first test'.

    Under H0 :math:`P(\mathrm{MMD}_b > \sqrt{K(1/m+1/n)} + \epsilon) \le \exp(-\epsilon^2 mn / (2K(m+n)))` where
    :math:`k(x,x) \le K`. For m = n this is Theorem 'mmd-same-a' with the bias bound B2; for m ≠ n it follows by the
    same steps: :math:`E\,\mathrm{MMD}_b \le \sqrt{(1/m+1/n)E[k(x,x)-k(x,x')]}` by Jensen's inequality, and McDiarmid's
    denominator is :math:`4K(1/m+1/n)`. The p-value is the bound inverted. The plug-in B1 is noted beside it. Of
    :func:`hsic_test` with ``statistic="biased"`` it is the bound on HSIC_b, which that function states.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> ts.mmd_test(x, x + 5, statistic="biased", null="mcdiarmid").rejected
    True
    """

    name = "mcdiarmid"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "hsic"})
    asks: ClassVar[str] = "bound"

    def law(self, observed: Observed) -> Law:
        return observed.bound(self.name)

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        if observed.spread is None or not isinstance(law, BoundLaw):
            return ()
        plug_in = sqrt(observed.spread * (1 / observed.m + 1 / observed.n))
        return (
            f"Bias bound B2 = {law.bias:.6g} sets the threshold; its plug-in estimate from the data is "
            f"B1 = {plug_in:.6g} (Theorem 'p = q'), not used because it is itself uncertain.",
        )


@dataclass(frozen=True)
class Hoeffding(Null):
    r"""Hoeffding's bound for MMD²_u (Corollary 'HoeffdingThresh'), MMD²_l (Theorem 'asy-linear') and block averages.

    :math:`P(T > t) \le \exp(-t^2 B / (8K^2))` with B the number of independent terms, :math:`\lfloor m/2\rfloor` for
    the quadratic and linear statistics, :math:`\lfloor\min(m,n)/2\rfloor` when m ≠ n (Hoeffding's two-sample
    U-statistic), and K the width of the kernel's range. Valid at every sample size, and very conservative. For odd m
    this is the theorem; the paper's corollary has m/2 for :math:`\lfloor m/2\rfloor`, a threshold a little too low.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> ts.mmd_test(x, x + 5, null="hoeffding").rejected
    True
    """

    name = "hoeffding"
    statistics: ClassVar[frozenset[str]] = frozenset({"unbiased", "paired", "linear", "block"})

    asks: ClassVar[str] = "bound"

    def law(self, observed: Observed) -> Law:
        return observed.bound(self.name)


def mcdiarmid_bound(m: int, n: int, limits: tuple[float, float]) -> BoundLaw:
    """The bound of :class:`McDiarmid` on MMD_b for a kernel between these limits."""
    low, K = limits
    inverse = 1 / m + 1 / n
    return BoundLaw(bias=sqrt(K * inverse), rate=1 / (2 * K * inverse), ceiling=sqrt(2 * (K - min(low, 0.0))))


def hoeffding_bound(terms: int, limits: tuple[float, float]) -> BoundLaw:
    """The bound of :class:`Hoeffding` on an average of so many terms for a kernel between these limits."""
    width = max(limits[1] - limits[0], 1e-150)  # a constant kernel: the statistic is 0, and so is the threshold
    return BoundLaw(bias=0.0, rate=terms / (8 * width**2), ceiling=2 * width)


def kernel_limits(kernel: Kernel, null: str, rows: bool = True) -> tuple[float, float]:
    """The range of a kernel; refuses one that has none. `rows`: whether there are rows to relabel instead."""
    if kernel.bounds is None:
        other = "permutation" if rows else "normal"
        raise OptionError(
            f"null='{null}' needs a bounded kernel, and no bound is known for {kernel!r}. "
            f"Use a bounded kernel such as 'gaussian', or null='{other}'; for a function of your own give "
            "ts.FunctionKernel(f, upper=...)."
        )
    return kernel.bounds
