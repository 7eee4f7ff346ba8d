"""What a kernel is: an immutable formula that never looks at data and says what is true of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from ..core.types import Floats, Reals
from ..errors import OptionError, positive_number
from .distances import Metric, distances, paired_distances
from .mixture import Mixture
from .spectra import ExponentialPolynomial, Frequencies, isotropic_frequencies

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class BandwidthOf(Protocol):
    """Gives a bandwidth for the distance named ('euclidean' or 'cityblock') among some rows; the pool if None."""

    def __call__(self, metric: Metric, rows: Floats | None = None) -> float:
        """The bandwidth."""
        ...


Blocks = Callable[[slice, slice], Reals]
"""Gives the block k(a[rows], b[columns]) of two sets of points; the caller may overwrite it."""

_FAR = 1e100  # a span beyond that of any data


class Kernel(ABC):
    """A positive definite function k(x, y) on rows of numbers (or on whatever `domain` says).

    Kernels are immutable, compare by value, and combine: ``k1 + k2``, ``k1 * k2``, ``0.5 * k``.
    """

    @property
    def characteristic(self) -> bool:
        """Whether the mean embedding is injective on all distributions on R^d, so that MMD = 0 only if p = q."""
        return False

    @property
    def domain(self) -> str:
        """What the points are: 'vectors' (rows of numbers), 'objects', or 'indices' (row numbers of either)."""
        return "vectors"

    def on(self, objects: Sequence[Any]) -> Kernel:
        """A kernel on objects restricted to these: a kernel on their row numbers."""
        raise OptionError(f"{self!r} takes rows of numbers, and {type(objects).__name__} of objects came.")

    @property
    def source(self) -> Kernel:
        """The kernel as the user would write it: that on objects, where this one is its restriction to some."""
        return self

    @property
    def size(self) -> int | None:
        """How many points a kernel on row numbers knows; None for one that takes any points."""
        return None

    in_memory: bool = False
    """Whether the values of all pairs of points are kept."""

    has_features: bool = False
    """Whether `features` gives explicit ones."""

    def features(self, z: Floats) -> csr_array:
        """``(len(z), D)`` sparse features with k(a, b) = features(a) . features(b)."""
        raise OptionError(f"{self!r} has no explicit features.")

    @property
    def metric(self) -> Metric | None:
        """The distance that `of_distances` understands, or None: then only `block` gives values."""
        return None

    @property
    def smooth(self) -> bool:
        """Whether the Gram matrix of many points is close to one of low rank; so for kernels with derivatives at 0."""
        return True

    @property
    def shift_invariant(self) -> bool:
        """Whether k(x, y) depends on x - y only."""
        return False

    @property
    def translation_free(self) -> bool:
        """Whether moving both samples by the same vector leaves every MMD as it is (then the pool may be centred)."""
        return self.shift_invariant

    @abstractmethod
    def block(self, a: Floats, b: Floats) -> Floats:
        """``(len(a), len(b))`` kernel values: the definition."""

    @abstractmethod
    def pairs(self, a: Floats, b: Floats) -> Floats:
        """``(len(a),)`` values k(a_i, b_i) of rows taken side by side."""

    @abstractmethod
    def diagonal(self, a: Floats) -> Floats:
        """``(len(a),)`` values k(a_i, a_i)."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float] | None:
        """``(low, high)`` with low <= k(x, y) <= high everywhere, or None for an unbounded kernel."""

    @property
    def needs_bandwidth(self) -> bool:
        """True while a bandwidth is missing; a bandwidth rule fills it in."""
        return False

    def fill(self, bandwidth_of: BandwidthOf) -> Kernel:
        """The kernel with every missing bandwidth filled in."""
        del bandwidth_of
        return self

    @property
    def scale(self) -> float:
        """The unit in which `of_distances` wants its distances."""
        return 1.0

    def of_distances(self, D: Reals, a: Floats, b: Floats) -> Reals:
        """Kernel values of points a (rows) and b (columns) from their distances in units of `scale`; may reuse D."""
        raise OptionError(f"{self!r} is not a function of distances.")

    def blocks(self, a: Floats, b: Floats, elementary: Callable[[Kernel, Floats, Floats], Blocks]) -> Blocks:
        """Blocks of k(a, b), those of every part that is no combination of others by `elementary`."""
        return elementary(self, a, b)

    def rescaled(self, unit: float) -> Kernel:
        """The same kernel for data that are measured in another unit: k(unit x, unit y) as a function of x and y."""
        del unit
        raise OptionError(
            "Sketches serve Gaussian, Laplace, Matérn and rational quadratic kernels, their sums, products and "
            f"multiples, and kernels of your own with `rescaled` and a spectral density; not {self!r}."
        )

    def product_with(self, other: Kernel) -> Kernel | None:
        """The product with another kernel if that is one of the same family, else None."""
        del other
        return None

    def gaussians(self, span: float, tolerance: float) -> Mixture | None:
        """The kernel as a sum of Gaussians of the Euclidean distance, or None if it is not one.

        What the 'fourier' engine runs on. Spectral density and random frequencies follow from it.

        Parameters
        ----------
        span
            The longest distance between two points: Gaussians so wide that they are flat over it may be left out.
        tolerance
            Largest error of a kernel value, relative to k(x, x).
        """
        del span, tolerance
        return None

    @property
    def exponential_polynomial(self) -> ExponentialPolynomial | None:
        """The kernel on a line as P(r) exp(-c r), up to f(x) + f(y), or None: such kernels are exact by sorting."""
        return None

    def spectral_density(self, frequencies: Floats) -> Floats:
        r"""Density :math:`\Lambda` of a shift-invariant kernel.

        It satisfies :math:`k(x-y) = k(0)\int e^{i\omega'(x-y)}\Lambda(\omega)d\omega`.

        Parameters
        ----------
        frequencies
            ``(J, d)`` frequencies.
        """
        lengths = np.sqrt(np.square(frequencies).sum(axis=1))
        slowest = float(lengths.min(initial=np.inf, where=lengths > 0))
        mixture = self.gaussians(min(_FAR, 10 / slowest), 1e-14)
        if mixture is None:
            raise self._no_spectrum()
        return mixture.density(frequencies)

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        r"""Random frequencies from the spectral density on d columns, and weights that sum to k(0).

        Parameters
        ----------
        d, count
            Dimension and number of the frequencies (at least one for each part of a sum).
        rng
            Draws them.
        orthogonal
            Whether to draw directions orthogonal to each other, which lowers the variance.

        Returns
        -------
        tuple
            ``(J, d)`` frequencies and ``(J,)`` weights with :math:`k(t) \approx \sum_j \mathrm{weight}_j\cos(w_j't)`.
        """
        mixture = self.gaussians(_FAR, 1e-6)
        if mixture is None:
            raise self._no_spectrum()
        shares = np.append(mixture.factors, mixture.constant) / mixture.size
        chosen = rng.choice(len(shares), count, p=shares / shares.sum())
        rates = np.append(1 / mixture.widths, 0.0)[chosen]
        frequencies, weights = isotropic_frequencies(np.ones(count), 1.0, d, rng, orthogonal)
        return rates[:, None] * frequencies, mixture.size * weights

    def _no_spectrum(self) -> OptionError:
        return OptionError(
            f"{self!r} has no spectral density, which engine='features' and sketches work with: it is not a "
            "shift-invariant kernel on vectors, as Gaussian, Laplace, Matern and RationalQuadratic kernels and their "
            "sums, products and multiples are. Use engine='lowrank' or 'tiled'."
        )

    def __add__(self, other: Kernel) -> Kernel:
        from .algebra import Sum

        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Kernel | float) -> Kernel:
        from .algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product((self, other))
        return Scaled(self, positive_number("the factor of a kernel", other))

    def __rmul__(self, other: float) -> Kernel:
        return self * other


@dataclass(frozen=True)
class RadialKernel(Kernel):
    """A kernel that is a function of the distance between two points, measured in bandwidths."""

    bandwidth: float | None = None
    """Length scale in the units of the data; None leaves it to the bandwidth rule."""

    characteristic = True
    shift_invariant = True

    @property
    def metric(self) -> Metric:
        """Squared Euclidean unless said otherwise."""
        return "sqeuclidean"

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            object.__setattr__(self, "bandwidth", positive_number("bandwidth", self.bandwidth))

    @property
    def needs_bandwidth(self) -> bool:
        return self.bandwidth is None

    @property
    def scale(self) -> float:
        """The bandwidth, which must be known by now."""
        if self.bandwidth is None:
            raise OptionError(
                f"{type(self).__name__} has no bandwidth yet. Give one, {type(self).__name__}(bandwidth=0.5), "
                "or let a test choose it by its bandwidth rule."
            )
        return self.bandwidth

    def fill(self, bandwidth_of: BandwidthOf) -> Self:
        if self.bandwidth is not None:
            return self
        options: dict[str, Any] = {"bandwidth": bandwidth_of(self.length)}
        return replace(self, **options)

    def rescaled(self, unit: float) -> Self:
        options: dict[str, Any] = {"bandwidth": self.scale / unit}
        return replace(self, **options)

    @property
    def length(self) -> Metric:
        """The distance whose typical size is the natural bandwidth."""
        return "cityblock" if self.metric == "cityblock" else "euclidean"

    def block(self, a: Floats, b: Floats) -> Floats:
        D = distances(a / self.scale, b / self.scale, self.metric)
        return np.asarray(self.of_distances(D, a, b), dtype=np.float64)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        D = paired_distances(a / self.scale, b / self.scale, self.metric)
        return np.asarray(self.of_distances(D, a, b), dtype=np.float64)

    def diagonal(self, a: Floats) -> Floats:
        return np.ones(len(a))

    @property
    def bounds(self) -> tuple[float, float] | None:
        return 0.0, 1.0
