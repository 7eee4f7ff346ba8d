"""The engine for one to three columns: characteristic functions on a frequency grid, or sorting."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.types import Floats
from ..errors import OptionError
from ..kernels import Kernel
from .base import Gram, Progress
from .frequencies import frequency_grid, gaussian_parts
from .grid import GridGram
from .mixture import MixtureGram, mixture_grids, mixture_parts, mixture_size
from .sorted import SortedGram, decay_of

MIXTURE_FREQUENCIES = 6000
"""A mixture of grids with more frequencies than this is refused: there are no fast transforms for it."""


@dataclass(frozen=True)
class Fourier:
    """Characteristic functions on a regular frequency grid, for one to three columns. Exact to the tolerance.

    Gaussian kernels, their sums, products and multiples. O(N M (R + M)) time for M frequencies while they are few, by
    non-uniform fast Fourier transforms (the extra ``twosample[fast]``) when they are many. In one dimension the
    Laplace, Matérn and energy kernels are exact by sorting, O(N log N + N R), and the rational quadratic kernel and its
    sums and products with Gaussians as a sum of some sixty Gaussians. The spectra of Matérn kernels fall off too slowly
    for a grid in two or three columns: use 'lowrank' or 'tiled' there.

    Parameters
    ----------
    tolerance
        Largest error of a kernel value, relative to k(x, x).
    threads
        Number of threads; None for all cores that the process may use.
    progress
        Called with (steps done, steps in all).

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=20_000)
    >>> ts.mmd_test(x, x + 0.1, engine="fourier", null="spectrum").rejected
    True
    """

    tolerance: float = 1e-12
    threads: int | None = None
    progress: Progress | None = field(default=None, repr=False)
    name = "fourier"

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < 0.1:
            raise OptionError(f"Fourier: tolerance={self.tolerance!r} must lie between 0 and 0.1.")

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> Gram:
        """The Gram matrix of z."""
        del rng
        if z.shape[1] == 1 and decay_of(kernel) is not None:
            return SortedGram(kernel, z, self.threads, self.progress)
        if not supports(kernel, z.shape[1]):
            raise OptionError(
                "engine='fourier' works on one to three columns with Gaussian kernels (and their sums and products), "
                "in one column also with rational quadratic, Laplace, Matérn and energy kernels; "
                f"not on {z.shape[1]} columns with {kernel!r}. Use engine='auto'."
            )
        if gaussian_parts(kernel) is None:
            return self._mixture(kernel, z)
        closed, grid = frequency_grid(kernel, z, self.tolerance)
        return GridGram(kernel, closed, grid, self.threads, self.progress)

    def _mixture(self, kernel: Kernel, z: Floats) -> Gram:
        parts = mixture_parts(kernel, span_of(z), self.tolerance)
        assert parts is not None
        count = mixture_size(parts, z, self.tolerance)
        if count > MIXTURE_FREQUENCIES:
            raise OptionError(
                f"engine='fourier' would need about {count:.3g} frequencies for {kernel!r}: the data span too many "
                "bandwidths. Use a larger bandwidth or engine='auto'."
            )
        return MixtureGram(kernel, z, mixture_grids(parts, z, self.tolerance), self.threads, self.progress)


def supports(kernel: Kernel, columns: int) -> bool:
    """Whether the engine can serve this kernel on data with so many columns."""
    if columns == 1:
        return decay_of(kernel) is not None or mixture_parts(kernel, 1.0, 0.01) is not None
    return columns <= 3 and gaussian_parts(kernel) is not None


def span_of(z: Floats) -> float:
    """The longest distance that there can be between two points."""
    return float(np.sqrt(np.square(np.ptp(z, axis=0)).sum()))
