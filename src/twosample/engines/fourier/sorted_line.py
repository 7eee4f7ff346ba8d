r"""Exact sums of one-dimensional kernels :math:`P(|x-y|)\,e^{-c|x-y|}` with a polynomial P, by sorting.

For points in order, :math:`\sum_{j<i} v_j (z_i-z_j)^q e^{-c(z_i-z_j)}` is a combination of running sums of
:math:`v_j z_j^s e^{c z_j}`: no pairs are formed. Laplace, Matérn of half-integer smoothness and energy kernels are all
of this form, and so are their squares. O(N log N) once and O(N) for each labelling.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ...core.centred import Centred, CentredGram, pooled_square
from ...core.labellings import Labellings
from ...core.sums import BlockSums, complete_sums
from ...core.threads import Progress, available_cores, run
from ...core.types import Floats
from ...kernels import ExponentialPolynomial, Kernel
from ..base import CENTRED_POINTS, Gram

_CHUNK = 60.0
"""Exponents are taken within stretches of this length, so that running sums neither overflow nor lose digits."""


@dataclass(frozen=True, eq=False)
class SortedGram(Gram):
    """K of points on a line."""

    kernel: Kernel  # a kernel with an `exponential_polynomial`
    z: Floats  # (N, 1) pooled points
    threads: int | None = None  # as in Tiled
    progress: Progress | None = field(default=None, repr=False)

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """Block sums, a few labellings at a time."""
        decay = self._decay
        count, step = labels.count, max(1, (1 << 22) // len(self.z))
        diagonal, x = decay.coefficients[0], labels.of(self._order)

        def work(start: int, stop: Event) -> tuple[Floats, Floats, Floats]:
            columns = slice(start, min(start + step, count))
            v = x[:, columns].astype(np.float64)
            if stop.is_set():
                return (np.empty(0),) * 3
            Kv = one_sided(self._line, v, decay)
            xx = 2 * np.einsum("ir,ir->r", v, Kv) + diagonal * np.einsum("ir,ir->r", v, v)
            if labels.y is None:
                return xx, self._rows @ v, np.empty(0)
            w = labels.y[self._order, columns].astype(np.float64)
            Kw = one_sided(self._line, w, decay)
            xy = np.einsum("ir,ir->r", w, Kv) + np.einsum("ir,ir->r", v, Kw) + diagonal * np.einsum("ir,ir->r", v, w)
            return xx, xy, 2 * np.einsum("ir,ir->r", w, Kw) + diagonal * np.einsum("ir,ir->r", w, w)

        parts = run(range(0, count, step), work, self.threads or available_cores(), self.progress)
        xx, second, yy = (np.concatenate([part[k] for part in parts]) for k in range(3))
        dx = np.full(count, diagonal * m)
        if labels.y is None:
            total = float(self._rows.sum())
            return complete_sums(xx, second, total, dx, diagonal * (m + n), m, n, 1e-12)
        return BlockSums(xx, second, yy, dx, np.full(count, diagonal * n), m, n, 1e-12)

    def centred(self, rng: np.random.Generator) -> Centred:
        """The second moment from all points, the shape of the spectrum from a random part."""
        size = len(self.z)
        part = self.z[rng.choice(size, min(size, CENTRED_POINTS), replace=False)]
        K = self.kernel.block(part, part)
        if size <= CENTRED_POINTS:
            return CentredGram.of(K)
        diagonal = self._decay.coefficients[0]
        rows = self._rows - diagonal
        ones = np.ones((size, 1))
        squares = 2 * float(one_sided(self._line, ones, self._decay.squared()).sum())
        spread = diagonal - float(rows.sum()) / (size * (size - 1))
        return CentredGram.of(K, pooled_square(squares, rows), spread)

    def multiply(self, W: Floats) -> Floats:
        """``K @ W``."""
        line, order = self._line, self._order
        V = W[order]
        both = one_sided(line, V, self._decay) + one_sided(-line[::-1], V[::-1], self._decay)[::-1]
        result: Floats = np.empty_like(both)
        result[order] = both + self._decay.coefficients[0] * V
        lift = 0.5 * (self.kernel.diagonal(self.z) - self._decay.coefficients[0])  # f(z) of an energy kernel
        result += lift[:, None] * W.sum(axis=0) + lift @ W
        return result

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.z[:, 0], kind="stable")

    @cached_property
    def _line(self) -> Floats:
        """The points in order, from 0, in the unit of the kernel."""
        line: Floats = self.z[self._order, 0]
        return np.asarray((line - line[0]) / self._decay.unit)

    @cached_property
    def _rows(self) -> Floats:
        """``(N,)`` row sums of K in sorted order."""
        ones = np.ones((len(self.z), 1))
        left = one_sided(self._line, ones, self._decay)
        right = one_sided(-self._line[::-1], ones, self._decay)[::-1]
        rows: Floats = (left + right)[:, 0] + self._decay.coefficients[0]
        return rows

    @cached_property
    def _decay(self) -> ExponentialPolynomial:
        decay = self.kernel.exponential_polynomial
        assert decay is not None
        return decay


def one_sided(line: Floats, v: Floats, decay: ExponentialPolynomial) -> Floats:
    """``(N, C)`` sums of v times the function of the distance, over the points earlier on the increasing line.

    Coincident points count as earlier by their position. Stretches of bounded exponent are summed by running sums;
    between stretches the sums of each power are carried over.
    """
    degree = len(decay.coefficients) - 1
    result = np.zeros_like(v)
    carried = np.zeros((degree + 1, v.shape[1]))  # sums of v (origin - z)^q exp(-rate (origin - z)) over points behind
    start, origin = 0, float(line[0])
    while start < len(line):
        origin = float(line[start])
        stop = len(line)
        if decay.rate > 0:
            stop = int(np.searchsorted(line, origin + _CHUNK / decay.rate, side="right"))
        t = line[start:stop] - origin
        moments = _running_moments(t, v[start:stop], decay.rate, degree)  # exclusive, of v t^s exp(rate t)
        fade = np.exp(-decay.rate * t)[:, None]
        for q, coefficient in enumerate(decay.coefficients):
            if coefficient:
                inside = sum(comb(q, s) * (-1) ** s * t[:, None] ** (q - s) * moments[s][:-1] for s in range(q + 1))
                behind = sum(comb(q, s) * t[:, None] ** (q - s) * carried[s] for s in range(q + 1))
                result[start:stop] += coefficient * fade * (inside + behind)
        if stop < len(line):
            carried = _carry(carried, moments, float(line[stop]) - origin, decay.rate)
        start = stop
    return result


def _running_moments(t: Floats, v: Floats, rate: float, degree: int) -> list[Floats]:
    """Running sums of v t^s exp(rate t), each starting with a row of zeros."""
    grown = v * np.exp(rate * t)[:, None]
    sums = []
    for power in range(degree + 1):
        if power:
            grown = grown * t[:, None]
        running = np.zeros((len(t) + 1, v.shape[1]))
        np.cumsum(grown, axis=0, out=running[1:])
        sums.append(running)
    return sums


def _carry(carried: Floats, moments: list[Floats], step: float, rate: float) -> Floats:
    """The sums behind, seen from an origin that lies `step` further on."""
    fade = np.exp(-rate * step)
    return np.stack([
        fade * sum(
            comb(q, s) * step ** (q - s) * ((-1) ** s * moments[s][-1] + carried[s]) for s in range(q + 1)
        )
        for q in range(len(carried))
    ])  # fmt: skip
