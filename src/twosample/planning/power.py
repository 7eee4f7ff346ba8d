"""How many rows would I need? Power and sample size from a pilot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.centred import CentredSpectrum
from ..core.distributions import Distribution
from ..core.evidence import Evidence
from ..core.types import Floats
from ..errors import InputError, OptionError, whole_number
from ..nulls import (
    Gamma,
    GroupPermutation,
    Hoeffding,
    McDiarmid,
    Normal,
    Null,
    PairFlips,
    Pearson,
    WildBootstrap,
)
from ..statistics import AverageStatistic, BlockAverage, QuadraticStatistic, Statistic, Unbiased
from .laws import cumulants, three_moments
from .profile import Profile, estimate, profile

MOST_ROWS = 10**12
"""A sample size beyond this is not named."""


def power(
    x: object,
    y: object,
    n: int | tuple[int, int],
    *,
    statistic: Statistic | str = "unbiased",
    null: Null | str = "permutation",
    level: float = 0.05,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    rng: door.Seed = None,
) -> float:
    r"""The power that :func:`mmd_test` would have with other numbers of rows, from a pilot.

    The pilot stands for the populations: its MMD²_u is taken for their MMD². The law of the statistic has the linear
    and the degenerate part of MMD²_u at the new sizes; the threshold is that of the null there.

    Parameters
    ----------
    x, y
        The pilot: samples as for :func:`mmd_test`, at least 4 rows each; some hundred give a useful answer.
    n
        Rows of each sample to come, or (rows of x, rows of y).
    statistic, null, level, kernel, bandwidth, rng
        Those of the test to come, as for :func:`mmd_test`. A bandwidth from a rule is that of the pilot.

    Returns
    -------
    float
        The probability of rejection.

    Notes
    -----
    Time as for :func:`interval`. Within 0.05 of simulated power when the pilot's estimate is right; a small pilot's is
    not, so look at :func:`interval` too. Where the estimate is 0 or less the power is that of no difference: the
    level. Resampling nulls are taken to have resamples without number.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=400), rng.normal(0.5, size=400)
    >>> ts.power(x, y, 20, rng=0) < 0.5 < 0.9 < ts.power(x, y, 200, rng=0)
    True
    """
    sizes = n if isinstance(n, tuple) else (n, n)
    if len(sizes) != 2:
        raise OptionError(f"n={n!r} must be a number of rows, or two: (rows of x, rows of y).")
    rows = [whole_number("n", size, least=2) for size in sizes]
    return _pilot(x, y, statistic, null, level, kernel, bandwidth, rng).power(*rows)


def sample_size(
    x: object,
    y: object,
    power: float = 0.8,
    *,
    statistic: Statistic | str = "unbiased",
    null: Null | str = "permutation",
    level: float = 0.05,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    rng: door.Seed = None,
) -> int:
    """The rows of each sample that :func:`mmd_test` needs for a given power, from a pilot.

    Parameters
    ----------
    x, y
        The pilot, as for :func:`power`.
    power
        The probability of rejection to reach.
    statistic, null, level, kernel, bandwidth, rng
        As for :func:`power`.

    Returns
    -------
    int
        Rows of each of the two samples.

    Raises
    ------
    InputError
        When the pilot's estimate of MMD² is 0 or less: then no number of rows can be named.

    Notes
    -----
    Time as for :func:`interval`. The answer is about inversely proportional to MMD², so its relative error is that of
    MMD² in the pilot: with ``i = ts.interval(x, y)`` it lies between ``(i.estimate / i.high)**2`` and
    ``(i.estimate / i.low)**2`` times the number.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=400), rng.normal(0.5, size=400)
    >>> n = ts.sample_size(x, y, power=0.8, rng=0)
    >>> ts.power(x, y, n, rng=0) >= 0.8 > ts.power(x, y, n - 1, rng=0)
    True
    """
    target = power
    if isinstance(target, bool) or not isinstance(target, int | float | np.number) or not 0 < float(target) < 1:
        raise OptionError(f"power={target!r} must be a number strictly between 0 and 1, such as 0.8.")
    pilot = _pilot(x, y, statistic, null, level, kernel, bandwidth, rng)
    if pilot.seen.squared <= 0:
        raise InputError(
            f"The pilot shows no difference: its unbiased estimate of MMD² is {pilot.seen.squared:.3g}. No number of "
            "rows can be named from it. Take a larger pilot; ts.interval(x, y) says how large MMD may be."
        )
    low, high = 4, 8
    while pilot.power(high, high) < target:
        low, high = high, 2 * high
        if high > MOST_ROWS:
            raise InputError(f"No sample size up to {MOST_ROWS:.0e} rows reaches power {target:g}.")
    if pilot.power(low, low) >= target:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pilot.power(middle, middle) >= target else (middle, high)
    return high


@dataclass(frozen=True, eq=False)
class _Pilot(ABC):
    """A pilot and the test to plan."""

    seen: Profile
    null: Null
    level: float

    @property
    def squared(self) -> float:
        """MMD² of the populations that the pilot stands for."""
        return max(self.seen.squared, 0.0)

    def power(self, m: int, n: int) -> float:
        """The probability of rejection at these sizes."""
        return float(np.clip(self.law(m, n).sf(self.threshold(m, n)), 0.0, 1.0))

    @abstractmethod
    def law(self, m: int, n: int) -> Distribution:
        """The law of the estimate of MMD²."""

    @abstractmethod
    def threshold(self, m: int, n: int) -> float:
        """Where the test begins to reject, as an estimate of MMD²."""

    def _moments(self, m: int, n: int) -> tuple[float, float]:
        """Variance and third cumulant of MMD²_u."""
        second, third = cumulants(self.seen, m, n)
        if self.squared == 0:
            return second, third
        linear = 4 * float(self.seen.witness_variances() @ np.array([1 / m, 1 / n]))
        return second + linear, third + 1.5 * linear**2 / self.squared

    def _threshold(self, m: int, n: int, terms: int) -> float:
        """What the null says that needs no resampling."""
        kernel, pooled = self.seen.kernel, pooled_spectrum(self.seen, self.squared, m, n)
        evidence = Evidence(
            values=np.zeros(1),
            tolerance=0.0,
            exhaustive=False,
            m=m,
            n=n,
            kernel=repr(kernel),
            bounds=kernel.bounds,
            term_count=terms,
            form=Unbiased().form(m, n),
            centred=lambda: pooled,
        )
        return self.null.law(evidence).threshold(self.level)


@dataclass(frozen=True, eq=False)
class _QuadraticPilot(_Pilot):
    statistic: QuadraticStatistic

    def law(self, m: int, n: int) -> Distribution:
        return three_moments(self.squared, *self._moments(m, n))

    def threshold(self, m: int, n: int) -> float:
        if isinstance(self.null, McDiarmid):
            bias = float(self.seen.spreads @ np.array([1 / m, 1 / n]))
            return self._threshold(m, n, 0) ** 2 - bias
        if isinstance(self.null, Hoeffding | Gamma | Pearson):
            return self._threshold(m, n, min(m, n) // 2)
        form, pooled = Unbiased().form(m, n), pooled_spectrum(self.seen, self.squared, m, n)
        return three_moments(0.0, form.variance(pooled), form.third_moment(pooled)).isf(self.level)


@dataclass(frozen=True, eq=False)
class _AveragePilot(_Pilot):
    statistic: AverageStatistic
    terms: Floats

    def law(self, m: int, n: int) -> Distribution:
        return three_moments(self.squared, *self._average(m, n)[0])

    def threshold(self, m: int, n: int) -> float:
        if isinstance(self.null, Hoeffding):
            return self._threshold(m, n, self.statistic.term_count(m, n))
        own, relabelled = self._average(m, n)
        if isinstance(self.null, Normal):
            return three_moments(0.0, own[0], 0.0).isf(self.level)
        return three_moments(0.0, *relabelled).isf(self.level)

    def _average(self, m: int, n: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Variance and third cumulant of the average, as it is and when the labels within its terms are drawn anew."""
        count = max(self.statistic.term_count(m, n), 1)
        if isinstance(self.statistic, BlockAverage):
            sizes = m // count, n // count
            own = self._moments(*sizes)
            form, pooled = Unbiased().form(*sizes), pooled_spectrum(self.seen, self.squared, *sizes)
            other = form.variance(pooled), form.third_moment(pooled)
        else:
            variance = float(self.terms.var(ddof=1))
            own, other = (variance, 0.0), (variance + self.squared**2, 0.0)
        return (own[0] / count, own[1] / count**2), (other[0] / count, other[1] / count**2)


def pooled_spectrum(seen: Profile, squared: float, m: int, n: int) -> CentredSpectrum:
    r"""What the nulls see in a pool of m and n rows whose populations differ by MMD² = `squared`.

    The covariance of the pool is :math:`\pi C_p + (1-\pi) C_q + \pi(1-\pi)\,\delta\otimes\delta` with
    :math:`\pi = m/(m+n)`: the difference itself adds to the spread under relabelling.
    """
    w = np.array([m, n]) / (m + n)
    mixed = float(w[0] * w[1])
    along = float(w @ seen.witness_variances()) if squared > 0 else 0.0
    bent = along**2 / squared if squared > 0 else 0.0
    square = float(w @ seen.squares @ w) + 2 * mixed * along + (mixed * squared) ** 2
    triangle = float(np.einsum("abc,a,b,c->", seen.triangles, w, w, w)) + 3 * mixed * bent
    triangle += 3 * mixed**2 * squared * along + (mixed * squared) ** 3
    count = max(1, round(square**3 / triangle**2)) if triangle > 0 else 1
    return CentredSpectrum(
        square=square,
        spread=float(w @ seen.spreads) + mixed * squared,
        magnitude=float(np.abs(seen.kernel.diagonal(seen.pool.z[:100])).mean()),
        values=np.full(count, sqrt(square / count)),
        triangles=triangle,
        cubes=0.0,
    )


def _pilot(
    x: object,
    y: object,
    statistic: Statistic | str,
    null: Null | str,
    level: float,
    kernel: door.KernelLike,
    bandwidth: door.BandwidthLike,
    rng: door.Seed,
) -> _Pilot:
    law, limit = door.resolve_null(null), door.check_level(level)
    door.check_resamples(law, limit)
    if isinstance(law, WildBootstrap | GroupPermutation | PairFlips):
        raise OptionError(
            f"null={law!r} is for rows that depend on each other, and power is planned for independent ones only."
        )
    alias, chosen = door.resolve_statistic(statistic)
    door.check_pairing(law, alias)
    random = door.generator(rng)
    seen = profile(estimate(x, y, kernel, bandwidth, "auto", random), random)
    if isinstance(chosen, QuadraticStatistic):
        return _QuadraticPilot(seen, law, limit, chosen)
    terms = chosen.terms(seen.kernel, seen.pool.x, seen.pool.y, 0, random).observed
    return _AveragePilot(seen, law, limit, chosen, terms)
