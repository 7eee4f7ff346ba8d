"""Sums of very many waves by non-uniform fast Fourier transforms (``finufft``, the extra ``twosample[fast]``)."""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType
from typing import cast

import numpy as np

from ...core.types import Counts, Floats, Waves
from ...errors import missing_extra
from .frequency_grid import FrequencyGrid

_LARGE = 200_000  # points or frequencies that are worth threads


def transforms_available() -> bool:
    """Whether the library is installed."""
    return find_spec("finufft") is not None


def fast_sums(z: Floats, columns: Counts | Floats, grid: FrequencyGrid) -> Waves:
    """``(C, J)`` sums of waves by transforms of type 1.

    Columns are real, so that two columns fit into one transform of a + ib: the sums A, B of both are told apart by
    their symmetry, A(-w) = conj A(w).
    """
    finufft = _finufft()
    angles = _angles(z, grid)
    shape = _shape(grid)
    transform = getattr(finufft, f"nufft{z.shape[1]}d1")
    result = np.empty((columns.shape[1], len(grid.weights)), dtype=np.complex128)
    middle = np.array(shape) // 2
    plus, minus = tuple((middle + grid.orders).T), tuple((middle - grid.orders).T)
    strengths = np.zeros(len(z), dtype=np.complex128)
    for c in range(0, columns.shape[1], 2):
        pair = result[c : c + 2]
        strengths.real = columns[:, c]
        strengths.imag = columns[:, c + 1] if len(pair) == 2 else 0.0
        spectrum = transform(*angles, strengths, shape, eps=1e-12, isign=1, nthreads=_threads(z, grid))
        here, there = spectrum[plus], spectrum[minus].conj()
        pair[0] = 0.5 * (here + there)
        pair[1:] = -0.5j * (here - there)
    return result


def fast_values(z: Floats, coefficients: Waves, grid: FrequencyGrid) -> Floats:
    """Real part of the sum of coefficient times wave at every point, by a transform of type 2."""
    finufft = _finufft()
    shape = _shape(grid)
    spectrum = np.zeros(shape, dtype=np.complex128)
    spectrum[tuple((grid.orders + np.array(shape) // 2).T)] = coefficients
    transform = getattr(finufft, f"nufft{z.shape[1]}d2")
    values = transform(*_angles(z, grid), spectrum, eps=1e-12, isign=1, nthreads=_threads(z, grid))
    return np.asarray(values.real)


def _threads(z: Floats, grid: FrequencyGrid) -> int:
    """One for small work, where waking others costs more than it saves; 0 leaves it to the library."""
    return 1 if max(len(z), len(grid.weights)) < _LARGE else 0


def _shape(grid: FrequencyGrid) -> tuple[int, ...]:
    return tuple(2 * int(h) + 1 for h in np.abs(grid.orders).max(axis=0))


def _angles(z: Floats, grid: FrequencyGrid) -> list[Floats]:
    return [np.ascontiguousarray((z[:, i] - grid.origin[i]) * grid.spacing[i]) for i in range(z.shape[1])]


def _finufft() -> ModuleType:
    try:
        import finufft
    except ImportError:
        raise missing_extra("This many frequencies need non-uniform fast Fourier transforms", "fast") from None
    return cast(ModuleType, finufft)
