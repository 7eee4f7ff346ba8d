r"""Two samples as weighted points with features: where the statistic, its null distribution and the effect come from.

A point is a row, a value, a bin or a category; it has features :math:`\varphi`, and a number of rows of either sample.
With the kernel :math:`k = \varphi'\varphi` everything follows from means and covariances of the features:
:math:`\mathrm{MMD}^2_u`, the eigenvalues of the pooled covariance (Theorem 'Asymptotic distribution'), the traces that
the distribution beyond H0 needs (:mod:`.alternative`), and the witness. O(K D²) for K points and D features, whatever
the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from ..core.centred import CentredSpectrum
from ..core.labellings import Labellings
from ..core.sums import BlockSums
from ..core.types import Floats
from ..statistics import ObservedSums, Unbiased

_BLOCK, _CACHED = 2048, 1 << 15  # rows, and numbers that stay in the cache


@dataclass(frozen=True, eq=False)
class Embedded:
    """Features of points, and how many rows of either sample are there."""

    features: Floats  # (K, D) features less their pooled mean
    mean: Floats  # (D,) that mean
    largest: float  # the size of the largest feature
    x: Floats  # (K,) rows of the first and of the second sample
    y: Floats
    residual: float = 0.0
    """What k(z, z) has beyond the length of the features, on average: the part of the kernel that they leave out."""
    same: float | None = None
    """k(z, z) where points are groups of rows, with the mean of their features: the same for all rows."""

    @classmethod
    def of(cls, features: Floats, x: Floats, y: Floats, residual: float = 0.0, same: float | None = None) -> Embedded:
        """From ``(K, D)`` features, which are overwritten: there may be many."""
        rows, largest, total = x + y, 1e-300, np.zeros(features.shape[1])
        step = max(1, _CACHED // max(len(total), 1))
        for start in range(0, len(features), step):  # what is in the cache is looked at once and for all
            part = features[start : start + step]
            largest = max(largest, float(part.max()), -float(part.min()))
            total += rows[start : start + step] @ part
        mean = total / rows.sum()
        features -= mean
        return cls(features, mean, largest, x, y, residual, same)

    @cached_property
    def m(self) -> int:
        """Rows of the first sample."""
        return round(float(self.x.sum()))

    @cached_property
    def n(self) -> int:
        """Rows of the second sample."""
        return round(float(self.y.sum()))

    @cached_property
    def whole(self) -> bool:
        """Whether points have whole rows, which can be relabelled, and not parts of them."""
        return all(bool((part >= 0).all() and (part == np.floor(part)).all()) for part in (self.x, self.y))

    @cached_property
    def difference(self) -> Floats:
        """``(D,)`` difference of the mean embeddings."""
        return np.asarray((self.x / self.m - self.y / self.n) @ self.features)

    @cached_property
    def lengths(self) -> Floats:
        """``(K,)`` squared lengths of the centred features: k~(z,z), on average over the rows of a point."""
        if self.same is not None:
            return np.asarray(self.same - float(self.mean @ self.mean) - 2 * (self.features @ self.mean))
        return np.asarray(np.einsum("ij,ij->i", self.features, self.features))

    def witness(self) -> Floats:
        """``(K,)`` the witness function at the points."""
        return np.asarray(self.features @ self.difference)

    @cached_property
    def samples(self) -> tuple[Sample, Sample]:
        """Both samples, each centred on its own mean."""
        return Sample.of(self.features, self.x), Sample.of(self.features, self.y)

    def sums(self, labels: Labellings | Floats | None = None) -> BlockSums:
        """Block sums of the centred kernel: of the samples as they are, or of their resamples, the truth first.

        `labels` are labellings of m + n rows, or ``(R, K)`` rows of the first sample at each point.
        """
        phi, lengths = self.features, self.lengths
        if isinstance(labels, Labellings):
            points = [np.repeat(np.arange(len(phi)), np.round(rows).astype(int)) for rows in (self.x, self.y)]
            rows = np.concatenate(points)
            carried = np.concatenate([phi, lengths[:, None]], axis=1)[rows]
            totals = labels.sums(slice(0, len(rows)), carried)
            S, diagonal = totals[:, :-1], totals[:, -1]
        else:
            counts = self.x[None] if labels is None else labels
            S, diagonal = counts @ phi, counts @ lengths
        own = np.einsum("rj,rj->r", S, S)
        trace = float((self.x + self.y) @ lengths)
        return BlockSums(own, -own, own, diagonal, trace - diagonal, self.m, self.n, 1e-12)

    def observed(self, labels: Labellings | Floats | None = None) -> ObservedSums:
        """MMD²_u of the samples and of their resamples, for nulls to ask."""
        exhaustive = isinstance(labels, Labellings) and labels.exhaustive
        return ObservedSums(Unbiased(), self.sums(labels), lambda: self.spectrum, exhaustive)

    @cached_property
    def spectrum(self) -> CentredSpectrum:
        """The centred kernel of the pool."""
        return self.centred()

    def centred(self, eigenvalues: bool = True) -> CentredSpectrum:
        """The same, without the eigenvalues if nobody wants them."""
        (x, y), size, delta = self.samples, self.m + self.n, self.difference
        C = (self.m * x.covariance + self.n * y.covariance) / size
        C += (self.m * self.n / size**2) * np.outer(delta, delta)
        diagonal_square = float((self.x + self.y) @ self.lengths**2) / size
        magnitude = float(np.trace(C)) + float(self.mean @ self.mean)
        return CentredSpectrum.of_covariance(
            C, diagonal_square, size, magnitude, triangles=0.0, eigenvalues=eigenvalues
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """One of the two samples: features of its points, their mean and covariance, and traces of its powers."""

    features: Floats  # (K, D) features of the points that have rows
    weights: Floats  # (K,) rows
    mean: Floats  # (D,) mean
    covariance: Floats  # (D, D) plug-in covariance
    lengths: Floats  # (K,) squared lengths of the features less their mean

    @classmethod
    def of(cls, features: Floats, weights: Floats) -> Sample:
        """From features of points and their rows."""
        rows = np.flatnonzero(weights)
        together = rows[-1] - rows[0] == len(rows) - 1
        used = slice(rows[0], rows[-1] + 1) if together else rows  # a slice is no copy
        features, weights = features[used], weights[used]
        size, single = float(weights.sum()), weights.max() == weights.min() == 1
        mean = weights @ features / size
        covariance, lengths = np.zeros((len(mean), len(mean))), np.empty(len(weights))
        for part, phi in _centred(features, mean):
            heavy = phi if single else phi * weights[part, None]
            covariance += heavy.T @ phi
            np.einsum("ij,ij->i", phi, phi, out=lengths[part])
        covariance /= size
        return cls(features, weights, mean, covariance, lengths)

    @cached_property
    def size(self) -> float:
        """Rows."""
        return float(np.round(self.weights.sum()))

    @cached_property
    def trace(self) -> float:
        """Trace of the plug-in covariance."""
        return float(self.weights @ self.lengths) / self.size

    @property
    def heaviest(self) -> float:
        """What the heaviest single point has in the trace."""
        return float((self.weights * self.lengths).max()) / self.size

    @cached_property
    def square(self) -> float:
        """Trace of the squared covariance, unbiased: without the diagonal of the kernel matrix."""
        n, plain = self.size, float((self.covariance**2).sum())
        if self._few_features:
            return plain
        squares = float(self.weights @ self.lengths**2)
        inner = n * n * plain - squares - 2 * squares / (n - 2) + (n * self.trace) ** 2 / ((n - 1) * (n - 2))
        return max(inner / (n * (n - 3)), 0.0)

    @cached_property
    def cube(self) -> float:
        """Trace of the third power, likewise."""
        n, C = self.size, self.covariance
        plain = float(np.vdot(C @ C, C))
        if self._few_features:
            return plain
        total = n**3 * plain - 3 * n * self._diagonal_form(C) + 2 * float(self.weights @ self.lengths**3)
        return max(total / (n * (n - 1) * (n - 2)), 0.0)

    def mixed(self, other: Sample) -> float:
        """Trace of the squared covariance of this sample times that of the other one, likewise."""
        n, C = self.size, other.covariance
        plain = float(np.vdot(self.covariance @ C, self.covariance))
        if self._few_features:
            return plain
        return max((n * n * plain - self._diagonal_form(C)) / (n * (n - 1)), 0.0)

    def witness_covariance(self, other: Sample, centre: Floats) -> Floats:
        """``(2, 2)`` covariance over the rows of the witness and of k(z,z) - 2 E k(z,z'), features not centred."""
        n, mean, away = self.size, self.mean + centre, other.mean + centre
        inner = self.features @ mean + float((mean - self.mean) @ mean)
        raw = self.lengths + 2 * inner - float(mean @ mean)  # k(z, z)
        mine = (n * inner - raw) / (n - 1)
        theirs = self.features @ away + float((mean - self.mean) @ away)
        values = np.stack([mine - theirs, raw - 2 * mine])
        values -= (values @ self.weights / n)[:, None]
        return np.asarray((values * self.weights) @ values.T / (n - 1))

    @property
    def _few_features(self) -> bool:
        """Whether the plug-in is good enough for traces of powers of the covariance.

        The diagonal adds a share of about D/n to them. Without it they are unbiased, but of rare events (one row in a
        thousand) nothing would be left at all.
        """
        return 10 * len(self.covariance) <= self.size

    def _diagonal_form(self, C: Floats) -> float:
        """The sum over rows of k~(z,z) times the quadratic form of their features in C."""
        forms = np.empty(len(self.weights))
        for part, phi in _centred(self.features, self.mean):
            np.einsum("ij,ij->i", phi @ C, phi, out=forms[part])
        return float(self.weights @ (self.lengths * forms))


def _centred(features: Floats, mean: Floats) -> Iterator[tuple[slice, Floats]]:
    """Features less their mean, block by block in the same memory: fresh memory for all of them would cost more."""
    block = np.empty((min(len(features), _BLOCK), features.shape[1]))
    for start in range(0, len(features), _BLOCK):
        part = slice(start, start + _BLOCK)
        phi = block[: len(features[part])]
        np.subtract(features[part], mean, out=phi)
        yield part, phi


def rows_behind_limit(pair: Embedded) -> float:
    r"""On how many rows of the smaller sample the limit law rests: :math:`\min(m,n)\sqrt{E\tilde k^2}/\max\tilde k`.

    As in :func:`twosample.nulls.asymptotic.rows_that_count`, where the argument is.
    """
    return min(pair.m, pair.n) * sqrt(pair.spectrum.square) / max(float(pair.lengths.max()), 1e-300)
