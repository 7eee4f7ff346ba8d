r"""Rows with features, pooled, as an observed statistic: for nulls that must know which row is which.

:class:`Embedded` counts rows at points; where rows are relabelled within strata, by whole groups, with weights of their
own or in the order of time, every row has a place of its own. The answers are those of
:mod:`twosample.homogeneity.observed` with the kernel :math:`\varphi'\varphi`; what is quadratic there is a sum of
features here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..core.dependent_rows import Grouped, Series
from ..core.laws import Distribution
from ..core.observed import Observed, Resampler
from ..core.pvalue import ReplicateLaw
from ..core.strata import Strata, own_square
from ..core.types import Counts, Floats
from ..nulls.memory import memory
from ..statistics import Unbiased
from .alternative import Effect, alternative_laws, effect_of, invert, three_moments

_ENTRIES = 4_000_000  # sums of features that are held in memory at a time
_ROUNDING = 1e-12  # of sums of features, relative to their squared length


@dataclass(frozen=True, eq=False)
class EmbeddedRows(Observed):
    """Features of the pooled rows, of which the first m are x.

    Parameters
    ----------
    features
        ``(N, D)`` features less their mean.
    m
        Rows of x.
    rng
        Draws the resamples.
    weights
        ``(N,)`` weights that move with the rows; None if all are 1.
    """

    features: Floats
    m: int
    rng: np.random.Generator
    weights: Floats | None = None

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

    def stratified(self, strata: Strata, null: Resampler) -> ReplicateLaw:
        form = StratifiedFeatures(self.features, strata)
        exhaustive, values = False, []
        for labels in null.batches(self.m, self.n, False, self.rng):
            exhaustive |= labels.exhaustive
            values.append(form.values(labels.x))
        return ReplicateLaw(np.concatenate(values), self.tolerance, exhaustive, null.floor(self))

    # -- weights

    def resampled(self, null: Resampler) -> ReplicateLaw:
        """Rows and their weights relabelled together."""
        w = np.ones(len(self.features)) if self.weights is None else self.weights
        phi = self.features - w @ self.features / w.sum()
        carried = np.column_stack([w[:, None] * phi, w, w**2, w**2 * np.einsum("ij,ij->i", phi, phi)])
        exhaustive, values = False, []
        for labels in null.batches(self.m, self.n, False, self.rng):
            exhaustive |= labels.exhaustive
            values.append(_weighted_mmd(labels.sums(slice(0, len(w)), carried), carried.sum(axis=0)))
        return ReplicateLaw(np.concatenate(values), self.tolerance, exhaustive, null.floor(self))

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

        return Series(
            sizes=(m, n),
            shares=1 / np.array([m, n], dtype=np.float64),
            value=value,
            weighted=weighted,
            diagonal=pairs * lengths,
            left_out=float(pairs @ lengths),
            memory=lambda: max(row_memory(part) for part in samples),
        )


def row_memory(features: Floats) -> float:
    """The correlation of neighbours in the order of time, seen through the kernel; 0 for short series."""
    return memory(len(features), lambda rows, columns: features[rows] @ features[columns].T)


def _weighted_mmd(sums: Floats, total: Floats) -> Floats:
    """``(R,)`` estimates of MMD² from sums over x of features, weights, their squares and the diagonal."""
    S, x, squares, dx = sums[:, :-3], sums[:, -3], sums[:, -2], sums[:, -1]
    y, others, dy = total[-3] - x, total[-2] - squares, total[-1] - dx
    xx = np.einsum("rj,rj->r", S, S)
    return np.asarray((xx - dx) / (x**2 - squares) + 2 * xx / (x * y) + (xx - dy) / (y**2 - others))


@dataclass(frozen=True, eq=False)
class StratifiedFeatures:
    """The statistic of :class:`twosample.StratifiedPermutation`, unbiased, from features.

    Parameters
    ----------
    features
        ``(N, D)`` features of the pooled rows.
    strata
        Their strata.
    """

    features: Floats
    strata: Strata

    def values(self, v: Counts) -> Floats:
        r"""``(R,)`` values for ``(N, R)`` labels.

        With :math:`Z_s = \sum_{i \in s} (v_i - p_s)\varphi_i = h_s\delta_s`: the biased square of stratum s is
        :math:`\|Z_s\|^2/h_s^2`, and all of them together are :math:`\|\sum_s Z_s\|^2/H^2`.
        """
        strata, R = self.strata, v.shape[1]
        total, root = float(strata.sizes.sum()), sqrt(len(strata.compared))
        Z, shared, each = np.zeros((R, self.features.shape[1])), np.zeros(R), np.zeros(R)
        for rows, (m, n) in self._alike(R):
            phi = self.features[rows]  # (strata, rows, D)
            phi = phi - phi.mean(axis=1, keepdims=True)
            lengths = np.einsum("sid,sid->si", phi, phi)
            labels = v[rows].astype(np.float64)  # (strata, rows, R)
            sums = labels.transpose(0, 2, 1) @ phi  # (strata, R, D)
            Z += sums.sum(axis=0)
            q = np.einsum("srd,srd->sr", sums, sums)
            dx = np.einsum("si,sir->sr", lengths, labels)
            own, h = own_square(q, dx, lengths.sum(axis=1)[:, None], m, n), m * n / (m + n)
            shared += (h**2 * own - q).sum(axis=0)
            each += h * own.sum(axis=0)
        shared += np.einsum("rd,rd->r", Z, Z)
        return 0.5 * (shared / total**2 + each / (root * total))

    def _alike(self, R: int) -> Iterator[tuple[NDArray[np.intp], tuple[int, int]]]:
        """Rows of some strata with the same numbers of rows of x and of y, ``(strata, rows)``, and these numbers."""
        strata, both = self.strata, self.strata.compared
        sizes = np.stack([strata.x[both], strata.y[both]], axis=1).astype(int)
        for m, n in np.unique(sizes, axis=0).tolist():
            same = both[(sizes == (m, n)).all(axis=1)]
            step = max(1, _ENTRIES // (R * (self.features.shape[1] + m + n)))
            for start in range(0, len(same), step):
                yield np.stack([strata.rows[s] for s in same[start : start + step]]), (m, n)

    def limit(self) -> Distribution:
        r"""The law of the statistic under H0 for large strata.

        :math:`Z_s/\sqrt{h_s}` is then normal with the covariance :math:`C_s` of the pooled rows of the stratum. With
        :math:`a_s = \sqrt{h_s}/H`, :math:`b = 1/(2\sqrt S H)` the statistic is
        :math:`\tfrac12\|\sum a_s g_s\|^2 + b\sum\|g_s\|^2` less its mean. Its second and third cumulants are sums over
        strata; the gamma law through them is the limit (Hall 1983, Buckley and Eagleson 1988).
        """
        strata, both = self.strata, self.strata.compared
        D, H = self.features.shape[1], float(strata.sizes.sum())
        b = 1 / (2 * sqrt(len(both)) * H)
        first, second = np.zeros((D, D)), np.zeros((D, D))
        squares, cubes = np.zeros(4), np.zeros(2)
        for s in both.tolist():
            phi = self.features[strata.rows[s]]
            phi = phi - phi.mean(axis=0)
            size, a2 = len(phi), float(strata.sizes[s]) / H**2
            C = phi.T @ phi / (size - 1)
            plain, cube = float((C**2).sum()), float(np.vdot(C @ C, C))
            own = np.einsum("ij,ij->i", phi, phi)
            off = max(plain * (size - 1) ** 2 - float(own @ own), 0.0) / max(size * (size - 3), 1)
            first += a2 * C
            second += a2 * (C @ C)
            squares += [off, a2 * off, a2**2 * off, a2**2 * plain]
            cubes += [cube, a2 * cube]
        shared = max(float((first**2).sum()) - squares[3] + squares[2], 0.0)
        variance = 2 * (b**2 * squares[0] + b * squares[1] + shared / 4)
        third = b**3 * cubes[0] + 1.5 * b**2 * cubes[1] + 0.75 * b * float(np.vdot(second, first))
        return three_moments(0.0, float(variance), 8 * (third + float(np.vdot(first @ first, first)) / 8))

    def effect(self, tail: float) -> Effect | None:
        r"""The effect size within strata, from the mean over strata of :math:`\mathrm{MMD}_s^2`, with its interval.

        From strata with two rows of either sample or more; None if those are less than half of all sizes. The estimate
        :math:`\sum_s w_s \widehat{\mathrm{MMD}}{}^2_{u,s}` has a degenerate part of variance
        :math:`2\sum_s \mathrm{tr}\,C_s^2/H^2` and a linear one, :math:`4\sum_s w_s^2\,\delta_s'C_s\delta_s/h_s`.
        """
        strata = self.strata
        known = np.flatnonzero(np.minimum(strata.x, strata.y) >= 2)
        H = float(strata.sizes[known].sum())
        if 0.5 * float(strata.sizes.sum()) > H:
            return None
        sums = np.zeros(5)  # MMD², spread, linear variance, second and third powers of the covariance
        for s in known.tolist():
            sums += self._moments(s) * [1, 1, 1 / H, 1, 1]
        squared, spread, linear, second, third = (sums / [H, H, H, H**2, H**3]).tolist()
        if not spread > 0:
            return None
        low, high = invert(alternative_laws(2 * second, 8 * third, linear, squared), squared, tail)
        ends = [effect_of(value, spread) for value in (squared, low, high)]
        return Effect(ends[0], ends[1], ends[2], squared, spread)

    def _moments(self, s: int) -> Floats:
        """Of one stratum, times its size: MMD², spread, linear variance; second and third powers of its covariance."""
        strata = self.strata
        m, n, h = int(strata.x[s]), int(strata.y[s]), float(strata.sizes[s])
        phi = self.features[strata.rows[s]]  # those of x first
        delta = phi[:m].mean(axis=0) - phi[m:].mean(axis=0)
        inner = phi - np.repeat([phi[:m].mean(axis=0), phi[m:].mean(axis=0)], [m, n], axis=0)
        size = m + n - 2
        K = inner @ inner.T if len(inner) <= inner.shape[1] else inner.T @ inner
        own = np.einsum("ij,ij->i", inner, inner)
        trace = float(own.sum()) / size
        square = max(float((K**2).sum()) - float(own @ own), 0.0) / max(size * (size - 1), 1)
        cube = max(float(np.vdot(K @ K, K)) - 3 * float(own @ own**2) / 2, 0.0) / max(size * (size - 1) * (size - 2), 1)
        witness = inner @ delta
        squared = float(delta @ delta) - own[:m].sum() / (m * (m - 1)) - own[m:].sum() / (n * (n - 1))
        linear = 4 * max(float(witness @ witness) / size - square / h, 0.0) / h
        return np.array([h * squared, h * trace, h**2 * linear, square, min(cube, square**1.5)])
