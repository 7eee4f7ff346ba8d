"""The law of HSIC under independence, for each null that knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import exp, lgamma
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.chisquare import WeightedChiSquare
from ..core.distributions import Distribution, GammaLaw, PointLaw
from ..core.evidence import Evidence
from ..core.laws import ContinuousLaw, Law, ReplicateLaw
from ..core.types import Floats
from ..errors import InputError, OptionError, unknown_option, whole_number
from ..kernels import Kernel
from ..nulls import Gamma, McDiarmid, Null, Permutation, Spectrum, WildBootstrap
from ..nulls.base import batches
from ..nulls.memory import memory, studentised
from .bounds import bound_law
from .matrices import Moments
from .pairs import Pair
from .worlds import permuted_worlds, shifted_worlds

_WEIGHTS, _EQUAL = 400, 20_000
"""Products of eigenvalues in the spectrum law, and how many equal ones may stand for all others."""

_LEADING = 200


class Verdict(NamedTuple):
    """The observed value, its law under H0, the null with what it took from the data, and what to tell about them."""

    value: float
    law: Law
    null: Null
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CircularShift(Null):
    r"""Shift y against x in time: the null of :func:`hsic_test` for time series (Chwialkowski and Gretton 2014).

    Rows of a series depend on their neighbours, so permuting them destroys more than the link between x and y, and the
    plain permutation test rejects far too often. A circular shift keeps both series as they are but for one seam. Under
    H0 (two stationary series, independent of each other, with short memory) all shifts are alike for large n. All n
    shifts come by one fast Fourier transform, so that more of them cost nothing.

    Parameters
    ----------
    n
        Number of shifts that are used, at random; None for all.
    margin
        Shifts of fewer rows than this, either way, are left out: there y may still be linked with x. None takes the
        larger of the lags at which the kernel autocorrelation of x and of y has died away.

    Notes
    -----
    The level is right in the limit of long series; neighbouring shifts are alike, so that the smallest p-values are
    coarse. Not for trends or seasons, which are not stationary: remove them first.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from scipy.signal import lfilter
    >>> e = np.random.default_rng(0).normal(size=(2, 500))
    >>> x, y = lfilter([1], [1, -0.8], e)  # two series that know nothing of each other
    >>> ts.hsic_test(x, y, null=ts.CircularShift(), rng=0).rejected
    False
    """

    n: int | None = None
    margin: int | None = None
    name = "circular-shift"
    statistics: ClassVar[frozenset[str]] = frozenset({"hsic"})

    def __post_init__(self) -> None:
        for field in ("n", "margin"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, whole_number(f"CircularShift: {field}", getattr(self, field)))

    @property
    def resamples(self) -> int:
        return self.n or 0

    def law(self, evidence: Evidence) -> Law:
        raise OptionError("null=CircularShift() is a null of hsic_test, not of a two-sample test.")


HSIC_NULLS: dict[str, Callable[[], Null]] = {
    null.name: null for null in (Permutation, Gamma, Spectrum, McDiarmid, CircularShift, WildBootstrap)
}
"""Aliases of the nulls that know the law of HSIC."""


def resolve_null(value: Null | str) -> Null:
    """A null of HSIC from an alias or a null."""
    if isinstance(value, str) and value in HSIC_NULLS:
        return HSIC_NULLS[value]()
    if type(value) in HSIC_NULLS.values():
        assert isinstance(value, Null)
        return value
    raise unknown_option("null", value, HSIC_NULLS)


def judge(
    null: Null, pair: Pair, rng: np.random.Generator, kernels: tuple[Kernel, Kernel] | None = None
) -> Verdict:
    """The observed value and its law; a bound also needs to know the kernels."""
    if isinstance(null, Permutation):
        worlds = permuted_worlds(pair, null.n, rng)
        law = ReplicateLaw(worlds.values, pair.tolerance, worlds.exhaustive, smallest(pair.size))
        return Verdict(float(worlds.values[0]), law, null)
    if isinstance(null, CircularShift):
        return _shift_verdict(null, pair, rng)
    if isinstance(null, WildBootstrap):
        return _wild_verdict(null, pair, rng)
    if isinstance(null, McDiarmid):
        if pair.unbiased or kernels is None:
            raise OptionError("null='mcdiarmid' is a bound on HSIC_b: it needs hsic_test(..., statistic='biased').")
        return Verdict(pair.observed(), bound_law(pair.size, kernels), null)
    check_range(pair.moments)
    value = pair.observed()
    mean, variance = permutation_moments(pair)
    if np.sqrt(variance) <= pair.tolerance:  # one of the variables does not vary: nothing can be said
        return Verdict(value, ContinuousLaw(PointLaw(max(value, mean) + pair.tolerance), 1.0), null)
    law_of = _gamma if isinstance(null, Gamma) else _spectrum
    return Verdict(value, ContinuousLaw(law_of(pair, mean, variance, rng), smallest(pair.size)), null)


def check_range(sides: Iterable[Moments]) -> None:
    """Refuse variables whose matrices have powers beyond the range of doubles."""
    if any(side.square != 0 and not 1e-110 < side.square < 1e50 for side in sides):
        raise InputError(
            "A variable holds values so large or so small that powers of its kernel leave the range of doubles, and "
            "the limit laws need those. Rescale it, or use null='permutation'."
        )


def permutation_moments(pair: Pair) -> tuple[float, float]:
    """Mean and variance of the value over all n! pairings, exactly (Kazi-Aoual et al. 1995)."""
    mean, variance = moments_over_permutations(pair.size, pair.unit, *pair.moments)
    return float(mean), float(variance)


def moments_over_permutations(n: int, unit: float, x: Moments, y: Moments) -> tuple[Floats, Floats]:
    """The same from the moments of both matrices, which may be arrays for many pairs."""
    mean = unit * x.trace * y.trace / (n - 1)
    second = [(n - 1) * side.square - side.trace**2 for side in (x, y)]
    fourth = [
        n * (n + 1) * side.diagonal_square - (n - 1) * (side.trace**2 + 2 * side.square) for side in (x, y)
    ]  # fmt: skip
    variance = 2 * second[0] * second[1] / ((n + 1) * (n - 1) ** 2 * (n - 2))
    variance += fourth[0] * fourth[1] / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return np.asarray(mean), unit * unit * np.maximum(variance, 0.0)


def _gamma(pair: Pair, mean: float, variance: float, rng: np.random.Generator) -> Distribution:
    """Two moments, of the biased value; moved to the mean of this one."""
    del rng
    x, y = pair.moments
    centre = pair.unit * x.spread * y.spread / (pair.size - 1)
    return GammaLaw(centre, float(np.sqrt(variance)), shift=mean - centre)


def _spectrum(pair: Pair, mean: float, variance: float, rng: np.random.Generator) -> Distribution:
    """Chi-squares weighted with the products of eigenvalues, scaled to the variance over permutations."""
    weights = product_weights(*pair.spectra(rng))
    weights *= np.sqrt(variance / (2 * float(weights @ weights)))
    return WeightedChiSquare(weights, shift=mean - float(weights.sum()))


def product_weights(x: Floats, y: Floats) -> Floats:
    """The products of all eigenvalues of x and y; those that are small as equal weights with the same two moments.

    Equal weights w, m of them, have the sums m w² and m w³ of squares and cubes, which gives w and m.
    """
    large = [side[np.argsort(-np.abs(side), kind="stable")[:_LEADING]] for side in (x, y)]
    products = np.multiply.outer(*large).ravel()
    kept = products[np.argsort(-np.abs(products), kind="stable")[:_WEIGHTS]]
    squares = float((x**2).sum() * (y**2).sum() - (kept**2).sum())
    cubes = float((x**3).sum() * (y**3).sum() - (kept**3).sum())
    if squares <= 1e-12 * float((kept**2).sum()):
        return kept
    count = int(np.clip(squares**3 / max(cubes**2, 1e-300), 1, _EQUAL))
    return np.concatenate([kept, np.full(count, np.copysign(np.sqrt(squares / count), cubes))])


def _shift_verdict(null: CircularShift, pair: Pair, rng: np.random.Generator) -> Verdict:
    margin = null.margin if null.margin is not None else _memory(pair)
    if 2 * margin > pair.size:
        raise InputError(
            f"x and y have {pair.size} rows, and shifts of fewer than {margin} rows either way are left out: none is "
            "left. The series are too short for their memory; give more rows or a smaller ts.CircularShift(margin=...)."
        )
    values = shifted_worlds(pair, null.n, margin, rng).values
    note = f"Shifts of y by {margin} rows or more either way: {len(values) - 1} of them."
    return Verdict(float(values[0]), ReplicateLaw(values, pair.tolerance), null, (note,))


def _wild_verdict(null: WildBootstrap, pair: Pair, rng: np.random.Generator) -> Verdict:
    """Worlds in which pair i has the weight w_i: sums of w_i w_j times entries of HKH and of HLH."""
    n, value = pair.size, pair.observed()
    if null.memory is None:
        null = replace(null, memory=memory(n, pair.products))
    null = null.fitted(n)
    process = null.process(n)
    off = np.concatenate([pair.weighted(process.draw(count, rng)) for count in batches(n, null.n)])
    worlds = studentised(off, process.own * pair.selves, process.degrees, rng)
    if pair.unbiased:
        worlds -= pair.selves
    return Verdict(value, ReplicateLaw(np.append(value, worlds), pair.tolerance), null, null.remarks(n))


def _memory(pair: Pair) -> int:
    """The lag at which both series have forgotten themselves: their kernel autocorrelation is that of noise."""
    n, lags = pair.size, [1]
    for correlations, moments in zip(pair.autocorrelations(), pair.moments, strict=True):
        noise = float(np.sqrt(moments.square / n))
        lags.append(1 + int(np.argmax(np.append(correlations[1:] <= 2 * noise, True))))
    return max(lags)


def smallest(size: int) -> float:
    """The smallest p-value: one over the number of pairings."""
    return exp(max(-lgamma(size + 1), -690.0))
