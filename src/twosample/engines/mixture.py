r"""Rational quadratic kernels on a line, as sums of Gaussians of many widths on frequency grids of their own.

.. math:: (1+u)^{-\alpha} = \frac1{\Gamma(\alpha)}\int \exp(-e^s(1+u))\,e^{\alpha s}\,ds

and the trapezoid rule in s converges geometrically, so that some sixty Gaussians are the kernel to 1e-12. One regular
grid would have to serve the widest and the narrowest of them; one grid for each octave of widths needs far fewer
frequencies. Gaussians so wide that the data see only a constant are left out: MMD does not see constants. In two
dimensions the same would take tens of thousands of frequencies, and the other engines are quicker.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, exp, gamma, inf, log, log2, pi, sqrt

import numpy as np

from ..core.centred import Centred
from ..core.labellings import Labellings
from ..core.sums import BlockSums
from ..core.types import Floats
from ..kernels import Gaussian, Kernel, Product, RationalQuadratic, Scaled, Sum
from .base import Progress
from .featured import FeatureGram
from .frequencies import FrequencyGrid, Parts, frequency_grid, multiply_parts, reach_of

_STEP = 0.3
"""Of the trapezoid rule in s; the error is about exp(-pi²/step)."""


@dataclass(frozen=True, eq=False)
class MixtureGram:
    """K from the waves of several grids.

    Parameters
    ----------
    kernel
        The kernel.
    z
        ``(N, 1)`` pooled points.
    grids
        The grids; together their waves make the kernel, up to a constant.
    threads, progress
        As in :class:`Tiled`.
    """

    kernel: Kernel
    z: Floats
    grids: tuple[FrequencyGrid, ...]
    threads: int | None = None
    progress: Progress | None = field(default=None, repr=False)

    @property
    def width(self) -> int:
        """The number of features of all grids together."""
        return sum(grid.width for grid in self.grids)

    def __call__(self, points: Floats) -> Floats:
        """``(len(points), width)`` features."""
        return np.concatenate([grid(points) for grid in self.grids], axis=1)

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """See :class:`Gram`."""
        sums = self._features.block_sums(labels, m, n)
        return replace(sums, pair_shift=sums.pair_shift - self._constant)

    def centred(self, rng: np.random.Generator) -> Centred:
        """See :class:`Gram`."""
        return self._features.centred(rng)

    def multiply(self, W: Floats) -> Floats:
        """See :class:`Gram`."""
        return np.asarray(self._features.multiply(W) + self._constant * W.sum(axis=0))

    def notes(self, m: int, n: int) -> tuple[str, ...]:
        """Nothing to say: exact to the tolerance."""
        del m, n
        return ()

    @cached_property
    def _features(self) -> FeatureGram:
        return FeatureGram(self, self.z, self.threads, self.progress)

    @cached_property
    def _constant(self) -> float:
        """What the waves leave out: the zero frequencies, and Gaussians that are flat over the data."""
        weights = sum(float(grid.weights.sum()) for grid in self.grids)
        return float(self.kernel.diagonal(self.z[:1])[0]) - weights


def mixture_parts(kernel: Kernel, span: float, tolerance: float) -> Parts | None:
    """The kernel as a sum of (factor, bandwidth) Gaussians on data of that span, or None if it is not one."""
    if isinstance(kernel, Gaussian):
        return [(1.0, kernel.scale)]
    if isinstance(kernel, RationalQuadratic):
        return _rational_parts(kernel, span, tolerance)
    if isinstance(kernel, Scaled):
        inner = mixture_parts(kernel.kernel, span, tolerance)
        return None if inner is None else [(kernel.factor * factor, width) for factor, width in inner]
    if isinstance(kernel, Sum | Product):
        every = [mixture_parts(part, span, tolerance) for part in kernel.parts]
        known = [parts for parts in every if parts is not None]
        if len(known) < len(every):
            return None
        return multiply_parts(known) if isinstance(kernel, Product) else [part for parts in known for part in parts]
    return None


def mixture_grids(parts: Parts, z: Floats, tolerance: float) -> tuple[FrequencyGrid, ...]:
    """One grid for each octave of widths, exact to the tolerance together."""
    octaves: dict[int, Parts] = {}
    for factor, width in parts:
        if width < inf:  # a Gaussian of infinite width is a constant
            octaves.setdefault(ceil(log2(width)), []).append((factor, width))
    size = sum(factor for factor, _ in parts)
    grids = []
    for group in octaves.values():
        share = sum(factor for factor, _ in group) / size
        allowed = min(0.05, tolerance / share / len(octaves))
        kernel = Sum(tuple(Scaled(Gaussian(width), factor) for factor, width in group))
        grids.append(frequency_grid(kernel, z, allowed, close=False)[1])
    return tuple(grid for grid in grids if len(grid.weights))


def mixture_size(parts: Parts, z: Floats, tolerance: float) -> float:
    """About how many frequencies that would be."""
    octaves = {ceil(log2(width)) for _, width in parts if width < inf}
    reach, count = reach_of(tolerance), 0.0
    spans = np.ptp(z, axis=0)
    for octave in octaves:
        widest = 2.0**octave
        count += float(np.prod(2 * (spans / widest + reach) * 2 * reach / (2 * pi) + 1)) / 2
    return count


def _rational_parts(kernel: RationalQuadratic, span: float, tolerance: float) -> Parts:
    alpha, scale = kernel.alpha, kernel.scale
    digits = log(1 / tolerance) + 6
    seen = max(1.0, span**2 / (2 * alpha * scale**2))
    lowest = -(digits + log(seen)) / (alpha + 1)  # wider Gaussians are flat to the tolerance
    highest = log(digits + 2 + alpha)
    parts = [
        (_STEP * exp(alpha * s - exp(s)) / gamma(alpha), scale * sqrt(alpha) * exp(-s / 2))
        for s in (float(node) for node in np.arange(highest, lowest, -_STEP))
    ]
    return [*parts, (1 - sum(factor for factor, _ in parts), inf)]
