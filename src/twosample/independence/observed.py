"""HSIC as an observed statistic: it answers what null distributions ask about it under independence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma, sqrt

import numpy as np

from ..core.laws import BoundLaw, Limit, SquaredBoundLaw
from ..core.observed import Observed, Resampler, Series
from ..core.pvalue import Law, ReplicateLaw
from ..core.types import Floats
from ..errors import InputError, OptionError, unknown_option
from ..kernels import Kernel
from ..metrics.bounds import hsic_rate
from ..nulls import NULLS, Null
from ..nulls.memory import memory
from .matrices import PermutationMoments
from .pairings import permutations_of_y, shifts_of_y
from .pairs import VariablePair

_WEIGHTS, _EQUAL = 400, 20_000
"""Products of eigenvalues in the spectrum law, and how many equal ones may stand for all others."""

_LEADING = 200


HSIC_NULLS = {name: null for name, null in NULLS.items() if "hsic" in null.statistics}
"""Aliases of the nulls that know the law of HSIC."""


def resolve_null(value: Null | str) -> Null:
    """A null of HSIC from an alias or a null."""
    if isinstance(value, str) and value in HSIC_NULLS:
        return HSIC_NULLS[value]()
    if isinstance(value, Null) and "hsic" in value.statistics:
        return value
    raise unknown_option("null", value, HSIC_NULLS)


@dataclass(frozen=True, eq=False)
class ObservedHSIC(Observed):
    """HSIC of two variables."""

    pair: VariablePair  # the variables, and which estimate
    rng: np.random.Generator  # the source of randomness
    kernels: tuple[Kernel, Kernel] | None = None  # those of x and y, which a bound needs to know

    @property
    def m(self) -> int:
        """The number of pairs."""
        return self.pair.size

    @property
    def n(self) -> int:
        """The number of pairs."""
        return self.pair.size

    @property
    def tolerance(self) -> float:
        """Of the pair."""
        return self.pair.tolerance

    @cached_property
    def value(self) -> float:
        """The estimate."""
        return self.pair.observed()

    @cached_property
    def least(self) -> float:
        """One over the number of pairings; 1 if one of the variables does not vary, and nothing can be said."""
        return smallest(self.m) if self._varies else 1.0

    @cached_property
    def _varies(self) -> bool:
        return float(np.sqrt(self._moments[1])) > self.tolerance

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """Mean and variance of the value over all n! pairings, exactly (Kazi-Aoual et al. 1995)."""
        mean, variance = moments_over_permutations(self.m, self.pair.unit, *self.pair.moments)
        return float(mean), float(variance)

    def resampled(self, null: Resampler) -> Law:
        found = permutations_of_y(self.pair, null.resamples, self.rng)
        return ReplicateLaw(found.values, self.tolerance, found.exhaustive, smallest(self.m))

    def limit(self, null: str) -> Limit:
        """Chi-squares weighted with the products of eigenvalues, scaled to the variance over permutations."""
        check_range(self.pair.moments)
        (mean, variance), (x, y) = self._moments, self.pair.moments

        def weights() -> Floats:
            products = product_weights(*self.pair.spectra(self.rng))
            return np.asarray(products * np.sqrt(variance / (2 * float(products @ products))))

        def third_moment() -> float:
            raise self.refused(null)

        biased_mean = self.pair.unit * x.spread * y.spread / (self.m - 1)
        point = None if self._varies else max(self.value, mean) + self.tolerance
        return Limit(mean, variance, biased_mean, weights, third_moment, point)

    def bound(self, null: str) -> Law:
        if self.pair.unbiased or self.kernels is None:
            raise OptionError("null='mcdiarmid' is a bound on HSIC_b: it needs hsic_test(..., statistic='biased').")
        return bound_law(self.m, self.kernels)

    def series(self, null: str) -> Series:
        """Pair i has the weight w_i: sums of w_i w_j times entries of HKH and of HLH."""
        own = self.pair.diagonal_sum
        return Series(
            sizes=(self.m,),
            shares=np.ones(1),
            value=self.value,
            weighted=self.pair.weighted,
            diagonal=np.array([own]),
            left_out=own if self.pair.unbiased else 0.0,
            memory=lambda: memory(self.m, self.pair.products),
        )

    def lag(self, null: str) -> int:
        """The lag at which the kernel autocorrelations of both series are those of noise."""
        lags = [1]
        for correlations, moments in zip(self.pair.autocorrelations(), self.pair.moments, strict=True):
            noise = float(np.sqrt(moments.square / self.m))
            lags.append(1 + int(np.argmax(np.append(correlations[1:] <= 2 * noise, True))))
        return max(lags)

    def shifted(self, count: int | None, margin: int) -> Floats:
        return shifts_of_y(self.pair, count, margin, self.rng).values


def check_range(sides: Iterable[PermutationMoments]) -> None:
    """Refuse variables whose matrices have powers beyond the range of doubles."""
    if any(side.square != 0 and not 1e-110 < side.square < 1e50 for side in sides):
        raise InputError(
            "A variable holds values so large or so small that powers of its kernel leave the range of doubles, and "
            "the limit laws need those. Rescale it, or use null='permutation'."
        )


def moments_over_permutations(
    n: int, unit: float, x: PermutationMoments, y: PermutationMoments
) -> tuple[Floats, Floats]:
    """Mean and variance of HSIC over all pairings, from the moments of both matrices; or arrays for many pairs."""
    mean = unit * x.trace * y.trace / (n - 1)
    second = [(n - 1) * side.square - side.trace**2 for side in (x, y)]
    fourth = [
        n * (n + 1) * side.diagonal_square - (n - 1) * (side.trace**2 + 2 * side.square) for side in (x, y)
    ]  # fmt: skip
    variance = 2 * second[0] * second[1] / ((n + 1) * (n - 1) ** 2 * (n - 2))
    variance += fourth[0] * fourth[1] / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return np.asarray(mean), unit * unit * np.maximum(variance, 0.0)


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


def smallest(size: int) -> float:
    """The smallest p-value: one over the number of pairings."""
    return exp(max(-lgamma(size + 1), -690.0))


def bound_law(size: int, kernels: tuple[Kernel, Kernel]) -> SquaredBoundLaw:
    r"""The bound on HSIC_b of so many pairs under independence, for every law, by the steps of Appendix A.

    :math:`T = \sqrt{\mathrm{HSIC}_b} = \|\hat C\|` with
    :math:`\hat C = \frac1n\sum_i(\phi_i-\bar\phi)\otimes(\psi_i-\bar\psi)`. Let D and E be the widths of the ranges of
    k and l, so that :math:`\|\phi-\phi'\|^2 \le 2D` for any two points.

    *One pair.* With the other pairs fixed, :math:`\hat C` is a constant plus :math:`\frac{n-1}{n^2}u\otimes v`, where u
    and v are the differences between :math:`\phi_i,\psi_i` and the means of the others. For two values of the pair
    :math:`\|u\otimes v-u'\otimes v'\|^2 = ab + a'b' - \frac12(a+a'-p)(b+b'-q)` with the squared lengths a, a', b, b' of
    u, u', v, v' and p, q of u - u', v - v'. That is linear in each of the six, all of which lie in [0, 2D] or [0, 2E];
    so its maximum over these is at a corner, and there it is 6DE. Hence T moves by at most
    :math:`c = \frac{n-1}{n^2}\sqrt{6DE}`.

    *The mean.* Under independence :math:`E\,\mathrm{HSIC}_b = \frac{n-1}{n^2}\,v w \le \frac{n-1}{n^2}DE` with the
    variances :math:`v = E\,k(x,x) - E\,k(x,x')` and w of l, and :math:`E\,T` is at most its root.
    """
    product = 1.0
    for name, kernel in zip(("kernel", "kernel_y"), kernels, strict=True):
        if kernel.bounds is None:
            raise OptionError(
                f"null='mcdiarmid' needs bounded kernels, and no bound is known for {name}={kernel!r}. Use one such as "
                "'gaussian', or null='permutation'."
            )
        product *= max(kernel.bounds[1] - kernel.bounds[0], 1e-150)  # a constant kernel: HSIC is 0, and so is the bound
    top = sqrt(product) * (size - 1) / size
    return SquaredBoundLaw(BoundLaw(bias=top / sqrt(size - 1), rate=hsic_rate(size, product), ceiling=top))
