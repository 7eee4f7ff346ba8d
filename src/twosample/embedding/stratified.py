r"""The statistic of rows that are relabelled within strata, from features: its values, its limit law, its effect.

Rows may have weights that move with them. Without strata there is one, and the statistic is the (weighted) MMD² itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..core.laws import Distribution
from ..core.strata import Strata, own_square
from ..core.types import Counts, Floats
from .alternative import Effect, alternative_laws, effect_of, invert, three_moments

_ENTRIES = 4_000_000  # sums of features that are held in memory at a time
_LABELS = 16_000_000  # labels that are held as numbers at a time
_KNOWN = 1.5  # rows of either sample from which on a stratum has an effect of its own


@dataclass(frozen=True, eq=False)
class StratifiedFeatures:
    """The statistic of :class:`twosample.StratifiedPermutation`, unbiased, from features."""

    features: Floats  # (N, D) features of the pooled rows
    strata: Strata  # their strata
    weights: Floats | None = None  # (N,) weights above 0 that move with the rows; None if all are 1

    @cached_property
    def _weights(self) -> Floats:
        return np.ones(len(self.features)) if self.weights is None else self.weights

    def values(self, v: Counts) -> Floats:
        r"""``(R,)`` values for ``(N, R)`` labels.

        With weights w, :math:`\varphi` seen from the weighted mean of its stratum, sums X_s, Y_s of weights,
        :math:`h_s = X_sY_s/(X_s+Y_s)` and :math:`Z_s = \sum_{i \in s} v_iw_i\varphi_i = h_s\delta_s`: the biased square
        of stratum s is :math:`\|Z_s\|^2/h_s^2`, and all of them together are :math:`\|\sum_s Z_s\|^2/H^2`.
        """
        step = max(1, _LABELS // max(len(v), 1))
        parts = [self._values(v[:, start : start + step]) for start in range(0, v.shape[1], step)]
        return np.concatenate(parts)

    def _values(self, v: Counts) -> Floats:
        R, root = v.shape[1], sqrt(len(self.strata.compared))
        Z, shared, each, total = np.zeros((R, self.features.shape[1])), np.zeros(R), np.zeros(R), np.zeros(R)
        for _, sums, own, h in self._each(v):
            Z += sums.sum(axis=0)
            shared += (h**2 * own - np.einsum("srd,srd->sr", sums, sums)).sum(axis=0)
            each += (h * own).sum(axis=0)
            total += h.sum(axis=0)
        shared += np.einsum("rd,rd->r", Z, Z)
        return np.asarray(0.5 * (shared / total**2 + each / (root * total)))

    def squares(self, v: Counts) -> Floats:
        """``(S, R)`` the estimate of MMD² in each stratum that both samples have, for ``(N, R)`` labels."""
        found, place = np.empty((len(self.strata.names), v.shape[1])), self.strata.compared
        for numbers, _, own, _ in self._each(v):
            found[numbers] = own
        return found[place]

    def _each(self, v: Counts) -> Iterator[tuple[NDArray[np.intp], Floats, Floats, Floats]]:
        """Some strata at a time: their numbers, Z ``(S, R, D)``, MMD² and h ``(S, R)``."""
        for numbers, rows in self._alike(v.shape[1]):
            phi, w = self.features[rows], self._weights[rows][:, :, None]  # (strata, rows, D)
            phi = phi - (w * phi).sum(axis=1, keepdims=True) / w.sum(axis=1, keepdims=True)
            lengths = np.einsum("sid,sid->si", phi, phi)[:, :, None]
            carried = np.concatenate([w * phi, w, w**2, w**2 * lengths], axis=2)
            sums = v[rows].astype(np.float64).transpose(0, 2, 1) @ carried  # (strata, R, D + 3)
            x, xx, dx = (sums[:, :, place] for place in (-3, -2, -1))
            every, squares, trace = (carried[:, :, place].sum(axis=1)[:, None] for place in (-3, -2, -1))
            Z, y = sums[:, :, :-3], every - x
            own = own_square(np.einsum("srd,srd->sr", Z, Z), dx, trace, x, y, xx, squares - xx)
            yield numbers, Z, own, x * y / every

    def _alike(self, R: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Some strata with the same numbers of rows of x and of y, and their rows ``(strata, rows)``."""
        strata, both = self.strata, self.strata.compared
        sizes = np.stack([strata.x[both], strata.y[both]], axis=1).astype(int)
        for m, n in np.unique(sizes, axis=0).tolist():
            same = both[(sizes == (m, n)).all(axis=1)]
            step = max(1, _ENTRIES // (R * (self.features.shape[1] + m + n)))
            for start in range(0, len(same), step):
                some = same[start : start + step]
                yield some, np.stack([strata.rows[s] for s in some])

    def limit(self) -> Distribution:
        r"""The law of the statistic under H0 for large strata.

        With :math:`k_s = m_sn_s/(m_s+n_s)`, :math:`g_s = Z_s/\sqrt{k_s}` is then normal with the covariance
        :math:`C_s` of :math:`w\varphi` over the pooled rows of the stratum. With :math:`a_s = \sqrt{k_s}/H`,
        :math:`b_s = k_s/(2\sqrt S H h_s)` the statistic is
        :math:`\tfrac12\|\sum a_s g_s\|^2 + \sum b_s\|g_s\|^2` less its mean. Its second and third cumulants are sums
        over strata; the gamma law through them is the limit (Hall 1983, Buckley and Eagleson 1988).
        """
        strata, both = self.strata, self.strata.compared
        D, h = self.features.shape[1], self._sizes
        H = float(h[both].sum())
        first, second = np.zeros((D, D)), np.zeros((D, D))
        squares, cubes = np.zeros(4), np.zeros(2)
        for s in both.tolist():
            rows = strata.rows[s]
            phi, w = self.features[rows], self._weights[rows][:, None]
            phi = w * (phi - (w * phi).sum(axis=0) / w.sum())
            size, a2 = len(phi), float(strata.sizes[s]) / H**2
            b = float(strata.sizes[s]) / (2 * sqrt(len(both)) * H * float(h[s]))
            C = phi.T @ phi / (size - 1)
            plain, cube = float((C**2).sum()), float(np.vdot(C @ C, C))
            own = np.einsum("ij,ij->i", phi, phi)
            off = max(plain * (size - 1) ** 2 - float(own @ own), 0.0) / max(size * (size - 3), 1)
            first += a2 * C
            second += b * a2 * (C @ C)
            squares += [b**2 * off, b * a2 * off, a2**2 * off, a2**2 * plain]
            cubes += [b**3 * cube, b**2 * a2 * cube]
        shared = max(float((first**2).sum()) - squares[3] + squares[2], 0.0)
        variance = 2 * (squares[0] + squares[1] + shared / 4)
        third = cubes[0] + 1.5 * cubes[1] + 0.75 * float(np.vdot(second, first))
        return three_moments(0.0, float(variance), 8 * (third + float(np.vdot(first @ first, first)) / 8))

    @cached_property
    def _sizes(self) -> Floats:
        """``(S,)`` h of the strata as they are."""
        x, y = self._by_side(self._weights)
        return np.asarray(x * y / np.maximum(x + y, 1e-300))

    @cached_property
    def worth(self) -> tuple[Floats, Floats]:
        """``(S,)`` of x and of y: how many rows of equal weight each stratum is worth (Kish)."""
        sums, squares = self._by_side(self._weights), self._by_side(self._weights**2)
        x, y = (one**2 / np.maximum(two, 1e-300) for one, two in zip(sums, squares, strict=True))
        return x, y

    def _by_side(self, values: Floats) -> tuple[Floats, Floats]:
        of_row, m, count = self.strata.of_row, self.strata.m, len(self.strata.names)
        x, y = (np.bincount(of_row[p], values[p], minlength=count) for p in (slice(0, m), slice(m, None)))
        return x.astype(np.float64), y.astype(np.float64)

    def effect(self, tail: float, spread: float | None = None) -> Effect | None:
        r"""The effect size within strata, from the mean over strata of :math:`\mathrm{MMD}_s^2`, with its interval.

        Strata count by what they are worth (Kish), from two rows of either sample on; None if those are less than half
        of all. The estimate :math:`\sum_s w_s \widehat{\mathrm{MMD}}{}^2_{u,s}` has a degenerate part of variance
        :math:`2\sum_s \mathrm{tr}\,C_s^2/H^2` and a linear one, :math:`4\sum_s w_s^2\,\delta_s'C_s\delta_s/h_s`.
        `spread` is that of the rows, where the points are groups of them.
        """
        x, y = self.worth
        known = np.flatnonzero(np.minimum(x, y) >= _KNOWN)
        h = x * y / np.maximum(x + y, 1e-300)
        H = float(h[known].sum())
        if 0.5 * float(h.sum()) > H:
            return None
        sums = np.zeros(5)  # MMD², spread, linear variance, second and third powers of the covariance
        for s in known.tolist():
            sums += self._moments(s) * [1, 1, 1 / H, 1, 1]
        squared, own, linear, second, third = (sums / [H, H, H, H**2, H**3]).tolist()
        spread = own if spread is None else spread
        if not spread > 0:
            return None
        low, high = invert(alternative_laws(2 * second, 8 * third, linear, squared), squared, tail)
        ends = [effect_of(value, spread) for value in (squared, low, high)]
        return Effect(ends[0], ends[1], ends[2], squared, spread)

    def stratum_effect(self, s: int) -> float:
        """The effect size of one stratum by itself, in units of its own spread."""
        squared, spread = (float(part) for part in self._moments(s)[:2])
        return effect_of(squared, spread) if spread > 0 else 0.0

    def _moments(self, s: int) -> Floats:
        """Of one stratum, times its size: MMD², spread, linear variance; second and third powers of its covariance."""
        rows, first = self.strata.rows[s], int(self.strata.x[s])  # those of x first
        inner, omega, means = self.features[rows].copy(), self._weights[rows].copy(), []
        m, n = (float(part[s]) for part in self.worth)
        for part, worth in ((slice(0, first), m), (slice(first, None), n)):
            omega[part] *= worth / omega[part].sum()
            means.append(omega[part] @ inner[part] / worth)
            inner[part] -= means[-1]
        delta, size, h = means[0] - means[1], m + n - 2, m * n / (m + n)
        parts = slice(0, first), slice(first, None)
        bias = sum(float(error_shares(omega[p] / omega[p].sum()) ** 2 @ (inner[p] ** 2).sum(axis=1)) for p in parts)
        inner *= np.sqrt(omega)[:, None]
        K = inner @ inner.T if len(inner) <= inner.shape[1] else inner.T @ inner
        own = np.einsum("ij,ij->i", inner, inner)
        trace = float(own.sum()) / size
        square = max(float((K**2).sum()) - float(own @ own), 0.0) / max(size * (size - 1), 1)
        cube = max(float(np.vdot(K @ K, K)) - 3 * float(own @ own**2) / 2, 0.0) / max(size * (size - 1) * (size - 2), 1)
        witness, squared = inner @ delta, float(delta @ delta) - bias
        linear = 4 * max(float(witness @ witness) / size - square / h, 0.0) / h
        return np.array([h * squared, h * trace, h**2 * linear, square, min(cube, square**1.5)])


def error_shares(p: Floats) -> Floats:
    r"""``(n,)`` what the distance of each row from the weighted mean counts for in the error of that mean.

    With shares p of the weight and :math:`q = \sum p^2`, :math:`E\sum p_i^2\|e_i\|^2 = \sum p_i^2(1 - 2p_i + q)` in
    units of the variance, since heavy rows draw the mean towards themselves, where the variance of the mean is q: the
    factor between the two makes it right for all weights.
    """
    q = float(p @ p)
    return np.asarray(p * sqrt(q / max(float(p**2 @ (1 - 2 * p + q)), 1e-300)))
