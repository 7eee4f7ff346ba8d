"""How: the ways to apply the Gram matrix."""

from __future__ import annotations

from collections.abc import Callable

from .base import Engine, Gram, Progress
from .choose import Auto
from .dense import Dense
from .fourier import Fourier
from .tiled import Tiled, weighted_sums

ENGINES: dict[str, Callable[[], Engine]] = {"auto": Auto, "dense": Dense, "tiled": Tiled, "fourier": Fourier}
"""Aliases of the engines."""

__all__ = ["ENGINES", "Auto", "Dense", "Engine", "Fourier", "Gram", "Progress", "Tiled", "weighted_sums"]
