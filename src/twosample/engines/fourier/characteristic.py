"""The engine for one to three columns: characteristic functions on frequency grids, or sorting."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from ...core.threads import Progress
from ...core.types import Floats
from ...errors import OptionError, OptionsByName, missing_extra, number_between
from ...kernels import Kernel, Mixture
from ..base import Gram, check_work
from .frequency_grid import MAX_FREQUENCIES, GridShape, grid_shapes
from .grid_gram import GridFeatures, GridGram, direct_frequencies
from .nufft import transforms_available
from .sorted_line import SortedGram

_EXACT = 1e-10  # up to this tolerance there is nothing to tell


@dataclass(frozen=True)
class Fourier(OptionsByName):
    """Characteristic functions on regular frequency grids, for one to three columns. Exact to the tolerance.

    Gaussian, rational quadratic and Matérn kernels and the Laplace kernel of the Euclidean norm, their sums, products
    and multiples, all as sums of Gaussians. O(N M (R + M)) time for M frequencies while they are few, by non-uniform
    fast Fourier transforms (the extra ``twosample[fast]``) when they are many. In one column the Laplace, Matérn and
    energy kernels are exact by sorting, O(N log N + N R).

    The rougher the kernel, the more frequencies: on two columns of normal data Matérn 5/2 takes 10⁶ of them to 1e-12
    and 10⁴ to 1e-6, Matérn 3/2 takes 10⁵ to 1e-6, and Matérn 1/2 is for 'tiled' or 'lowrank'. Where they are too many,
    the error says which tolerance would fit. With a loose tolerance the test is a valid one of a nearby kernel, and
    the notes of the result say how near.

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
        check_work("Fourier", self.threads, self.progress)
        number_between("Fourier: tolerance", self.tolerance, 0, 0.1)

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> Gram:
        """The Gram matrix of z."""
        del rng
        if z.shape[1] == 1 and kernel.exponential_polynomial is not None:
            return SortedGram(kernel, z, self.threads, self.progress)
        outline = grids_for(kernel, z, self.tolerance)
        if outline is None:
            raise OptionError(
                "engine='fourier' works on one to three columns with Gaussian, rational quadratic and Matérn kernels "
                "and their sums and products, in one column also with Laplace and energy kernels; "
                f"not on {z.shape[1]} columns with {kernel!r}. Use engine='auto'."
            )
        if outline.count > MAX_FREQUENCIES:
            raise OptionError(self._too_many(kernel, z, outline.count))
        if outline.count > direct_frequencies() and not transforms_available():
            raise missing_extra(
                f"engine='fourier' needs about {outline.count:.3g} frequencies for {kernel!r}: use engine='auto', or "
                "install non-uniform fast Fourier transforms",
                "fast",
            )
        return self._made(kernel, outline)

    def _made(self, kernel: Kernel, outline: Outline) -> GridGram:
        origin, spare = outline.z.mean(axis=0), self.tolerance * outline.mixture.size / 4
        grids = [shape.grid(origin, spare / len(outline.shapes)) for shape in outline.shapes]
        features = GridFeatures(tuple(grid for grid in grids if len(grid.weights)))

        def squared(some: Floats) -> GridGram | None:
            own = Fourier(max(self.tolerance, 1e-8), self.threads)
            square = grids_for(kernel * kernel, some, own.tolerance)
            return None if square is None or square.count > MAX_FREQUENCIES else own._made(kernel * kernel, square)

        return GridGram(kernel, outline.z, features, squared, self._remarks(features), self.threads, self.progress)

    def _remarks(self, features: GridFeatures) -> tuple[str, ...]:
        if self.tolerance <= _EXACT:
            return ()
        return (
            f"Fourier kernel of {len(features.weights)} frequencies: kernel values differ from those of the kernel by "
            f"at most {self.tolerance:.2g} of k(x, x), and MMD² by at most {4 * self.tolerance:.2g} of it. The test "
            "is valid for the kernel of these frequencies as it is.",
        )

    def _too_many(self, kernel: Kernel, z: Floats, count: float) -> str:
        """What to do about it."""
        message = f"engine='fourier' would need {count:.3g} frequencies for {kernel!r} to {self.tolerance:.2g}"
        for digits in range(11, 1, -1):
            looser = grids_for(kernel, z, 10.0**-digits)
            if 10.0**-digits > self.tolerance and looser is not None and looser.count <= MAX_FREQUENCIES:
                return f"{message}. engine=ts.Fourier(tolerance=1e-{digits}) would fit; engine='auto' takes another."
        return f"{message}: the data span too many bandwidths. Use a larger bandwidth or engine='auto'."


@dataclass(frozen=True, eq=False)
class Outline:
    """Grids that are not made yet."""

    mixture: Mixture  # the kernel as a sum of Gaussians
    z: Floats  # the points with wide gaps closed
    shapes: list[GridShape]  # the grids

    @property
    def count(self) -> float:
        """About how many frequencies there are."""
        return sum(shape.count for shape in self.shapes)


def grids_for(kernel: Kernel, z: Floats, tolerance: float) -> Outline | None:
    """The grids for a kernel on points, or None if it is not a sum of Gaussians on one to three columns."""
    if kernel.domain != "vectors" or not 1 <= z.shape[1] <= 3:
        return None
    mixture = kernel.gaussians(_span(z), tolerance)
    if mixture is None:
        return None
    return Outline(mixture, *grid_shapes(mixture, z, tolerance, direct_frequencies()))


def frequencies_needed(kernel: Kernel, z: Floats, tolerance: float) -> float:
    """About how many frequencies the engine would take; infinite where it has no features."""
    if z.shape[1] == 1 and kernel.exponential_polynomial is not None:
        return inf
    outline = grids_for(kernel, z, tolerance)
    return inf if outline is None else outline.count


def _span(z: Floats) -> float:
    """The longest distance that there can be between two points."""
    ranges = np.ptp(z, axis=0)
    largest = float(ranges.max())
    return largest * float(np.sqrt(np.square(ranges / largest).sum())) if largest else 0.0
