"""Type IV of the Pearson system, the one without a closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .types import Floats

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class FourShape:
    """Type IV, with ``u = z / sqrt(r - 1)``, ``c**2 = kappa`` and ``s**2 = 1 - kappa``.

    The log density is ``-(r/2 + 1) log(1 + 2 c u + u**2) + (r c / s) angle`` and a constant, where ``angle``
    is the argument of ``1 + c u + i s u``. This form stays accurate for s -> 0 (type V) and large r (type 0).
    In ``v = arsinh u`` the density is unimodal and falls exponentially on both sides; Gauss-Legendre panels
    integrate it from its largest value to where it is 40 nats lower.
    """

    r: float
    c: float
    kind = "IV"
    low = -math.inf
    high = math.inf

    def sf(self, z: float) -> float:
        return min(math.exp(self._log_mass(z, self.c) - self._log_total), 1.0)

    def cdf(self, z: float) -> float:
        return min(math.exp(self._log_mass(-z, -self.c) - self._log_total), 1.0)

    def log_density(self, z: Floats) -> Floats:
        unit = math.sqrt(self.r - 1.0)
        return self._log_curve(z / unit, self.c) - self._log_total - math.log(unit)

    @cached_property
    def _log_total(self) -> float:
        return self._log_mass(-math.inf, self.c)

    def _log_curve(self, u: Floats, c: float) -> Floats:
        s = math.sqrt(1.0 - c * c)
        angle = np.arctan2(s * u, 1.0 + c * u)
        return (self.r * c / s) * angle - (0.5 * self.r + 1.0) * np.log1p(u * (2.0 * c + u))

    def _log_mass(self, z: float, c: float) -> float:
        """Log of the integral from ``z`` to infinity of the curve with this ``c``."""

        def height(v: Floats) -> Floats:
            return self._log_curve(np.sinh(v), c) + np.log(np.cosh(v))

        step = 1.0 / math.sqrt(self.r)
        mode = math.asinh(-2.0 * c / (self.r + 1.0))  # to first order: good enough to start from
        begin = math.asinh(min(z, 1e100) / math.sqrt(self.r - 1.0))  # nothing is left beyond 1e100
        top = max(begin, mode)
        bottom = max(begin, _foot(height, mode, -step)) if begin < mode else top
        corners = np.concatenate([np.linspace(bottom, top, 9), np.linspace(top, _foot(height, top, step), 9)])
        halves = 0.5 * np.diff(corners)[:, None]
        nodes = corners[:-1, None] + halves * (1.0 + _NODES)  # (panels, nodes)
        peak = float(height(np.array(top)))
        return peak + math.log(float((np.exp(height(nodes) - peak) @ _NODE_WEIGHTS @ halves)[0]))


def _foot(height: Callable[[Floats], Floats], top: float, step: float) -> float:
    """Where a function has fallen by about 40 from its value at ``top``, in the direction of ``step``."""
    floor = float(height(np.array(top))) - 40.0
    while float(height(np.array(top + step))) > floor:
        step *= 1.25
    return top + step
