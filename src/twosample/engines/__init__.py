"""How: the ways to apply the Gram matrix."""

from __future__ import annotations

from collections.abc import Callable

from ..core.threads import Progress
from .base import Dense, Engine, Gram
from .choose import Auto
from .estimates import Plan
from .features import Features
from .fourier import Fourier
from .lowrank import LowRank
from .tiled import Tiled, weighted_sums

ENGINES: dict[str, Callable[[], Engine]] = {
    "auto": Auto,
    "dense": Dense,
    "tiled": Tiled,
    "fourier": Fourier,
    "lowrank": LowRank,
    "features": Features,
}
"""Aliases of the engines."""

__all__ = [
    "ENGINES", "Auto", "Dense", "Engine", "Features", "Fourier", "Gram", "LowRank", "Plan", "Progress", "Tiled",
    "weighted_sums",
]  # fmt: skip
