"""Sums of waves: shift-invariant kernels on one to three columns, exact to a tolerance."""

from __future__ import annotations

from .characteristic import Fourier, Outline, frequencies_needed, grids_for
from .frequency_grid import MAX_FREQUENCIES
from .grid_gram import GridGram, direct_frequencies
from .nufft import transforms_available

__all__ = [
    "MAX_FREQUENCIES", "Fourier", "GridGram", "Outline", "direct_frequencies", "frequencies_needed",
    "grids_for", "transforms_available",
]  # fmt: skip
