r"""Rows with features, pooled, as an observed statistic: for nulls that must know which row is which.

:class:`Embedded` counts rows at points; where rows are relabelled within strata, by whole groups, with weights of their
own or in the order of time, every row has a place of its own. The answers are those of
:mod:`twosample.homogeneity.observed` with the kernel :math:`\varphi'\varphi`; what is quadratic there is a sum of
features here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.observed import Grouped, Observed, OneCovariance, Resampler, Series
from ..core.pvalue import ReplicateLaw
from ..core.strata import Strata
from ..core.types import Floats
from ..nulls.memory import memory
from ..statistics import Unbiased
from .stratified import StratifiedFeatures

_ROUNDING = 1e-12  # of sums of features, relative to their squared length


@dataclass(frozen=True, eq=False)
class EmbeddedRows(Observed):
    """Features of the pooled rows, of which the first m are x."""

    features: Floats  # (N, D) features less their mean
    m: int  # rows of x
    rng: np.random.Generator  # draws the resamples
    weights: Floats | None = None  # (N,) weights above 0 that move with the rows; None if all are 1

    @cached_property
    def n(self) -> int:
        """Rows of y."""
        return len(self.features) - self.m

    @cached_property
    def least(self) -> float:
        """By the number of labellings."""
        return Unbiased().least_pvalue(self.m, self.n)

    @cached_property
    def lengths(self) -> Floats:
        """``(N,)`` squared lengths of the features."""
        return np.asarray(np.einsum("ij,ij->i", self.features, self.features))

    @cached_property
    def tolerance(self) -> float:
        """Of MMD², from the rounding of sums."""
        return _ROUNDING * float(self.lengths.mean())

    @property
    def value(self) -> float:
        """MMD²_u."""
        return self.series("").value

    # -- strata

    def stratified(self, strata: Strata, null: Resampler, groups: NDArray[np.intp] | None = None) -> ReplicateLaw:
        if groups is not None:
            raise self.refused(null.name)
        form = StratifiedFeatures(self.features, strata, self.weights)
        exhaustive, values = False, []
        for labels in null.batches(self.m, self.n, False, self.rng):
            exhaustive |= labels.exhaustive
            values.append(form.values(labels.x))
        return ReplicateLaw(np.concatenate(values), self.tolerance, exhaustive, null.floor(self))

    def resampled(self, null: Resampler) -> ReplicateLaw:
        """Rows and their weights relabelled together."""
        return self.stratified(Strata.one(self.m, self.n), null)

    # -- groups

    def grouped(self, groups: NDArray[np.intp], count: int) -> Grouped:
        sums = np.zeros((count, self.features.shape[1]))
        np.add.at(sums, groups, self.features)
        diagonal = np.bincount(groups, self.lengths, minlength=count).astype(np.float64)
        return Grouped(sums @ sums.T, diagonal, biased=False)

    # -- time

    def series(self, null: str) -> Series:
        m, n = self.m, self.n
        samples = self.features[:m], self.features[m:]
        means = [part.mean(axis=0) for part in samples]
        inner = [part - mean for part, mean in zip(samples, means, strict=True)]
        own = [np.einsum("ij,ij->i", part, part) for part in inner]
        lengths = np.array([float(part.sum()) for part in own])
        pairs = np.array([1 / (m * (m - 1)), 1 / (n * (n - 1))])
        delta = means[0] - means[1]
        value = float(delta @ delta) - float(lengths @ pairs)

        def weighted(W: Floats) -> Floats:
            sums = [part.T @ chosen for part, chosen in zip(inner, (W[:m], W[m:]), strict=True)]  # (D, c)
            squares = [np.einsum("dc,dc->c", part, part) for part in sums]
            cross = np.einsum("dc,dc->c", *sums)
            off = [square - length @ part**2 for square, length, part in zip(squares, own, (W[:m], W[m:]), strict=True)]
            return np.asarray(pairs[0] * off[0] + pairs[1] * off[1] - 2 * cross / (m * n))

        both, sizes = np.concatenate(inner), np.array([m, n], dtype=np.float64)
        scale = float((1 / sizes).sum())

        def multiplied(E: Floats) -> Floats:
            sums = both.T @ E
            return np.asarray(scale * (np.einsum("dc,dc->c", sums, sums) - np.concatenate(own) @ E**2))

        one = OneCovariance(float(delta @ delta), multiplied, scale * float(lengths.sum()), float(sizes.sum()))

        return Series(
            sizes=(m, n),
            shares=1 / sizes,
            value=value,
            weighted=weighted,
            diagonal=pairs * lengths,
            left_out=float(pairs @ lengths),
            memory=lambda: max(row_memory(part) for part in samples),
            one_covariance=one,
        )


def row_memory(features: Floats) -> float:
    """The correlation of neighbours in the order of time, seen through the kernel; 0 for short series."""
    return memory(len(features), lambda rows, columns: features[rows] @ features[columns].T)
