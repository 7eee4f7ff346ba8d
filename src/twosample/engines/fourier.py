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
from .sorted import SortedGram, decay_of


@dataclass(frozen=True)
class Fourier:
    """Characteristic functions on a regular frequency grid, for one to three columns. Exact to the tolerance.

    Gaussian kernels, their sums, products and multiples. O(N M (R + M)) time for M frequencies while they are few, by
    non-uniform fast Fourier transforms (the extra ``twosample[fast]``) when they are many. In one dimension the
    Laplace, Matérn and energy kernels are exact by sorting, O(N log N + N R).

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
        if z.shape[1] > 3 or gaussian_parts(kernel) is None:
            raise OptionError(
                "engine='fourier' works on one to three columns with Gaussian kernels (and their sums and products), "
                "in one column also with Laplace, Matérn and energy kernels; "
                f"not on {z.shape[1]} columns with {kernel!r}. Use engine='auto'."
            )
        closed, grid = frequency_grid(kernel, z, self.tolerance)
        return GridGram(kernel, closed, grid, self.threads, self.progress)


def supports(kernel: Kernel, columns: int) -> bool:
    """Whether the engine can serve this kernel on data with so many columns."""
    one_dimensional = columns == 1 and decay_of(kernel) is not None
    return one_dimensional or (columns <= 3 and gaussian_parts(kernel) is not None)
