"""HSIC as an observed statistic: it answers what null distributions ask about it under independence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma

import numpy as np

from ..core.laws import Limit
from ..core.observed import Observed, Resampler, Series
from ..core.pvalue import Law, ReplicateLaw
from ..core.types import Floats
from ..errors import OptionError, unknown_option
from ..kernels import Kernel
from ..nulls import NULLS, Null
from ..nulls.memory import memory
from .laws import bound_law, check_range, moments_over_permutations, product_weights
from .pairings import permutations_of_y, shifts_of_y
from .pairs import VariablePair

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


def smallest(size: int) -> float:
    """The smallest p-value: one over the number of pairings."""
    return exp(max(-lgamma(size + 1), -690.0))
