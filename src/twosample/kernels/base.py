"""What a kernel is: an immutable formula that never looks at data and says what is true of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from ..core.types import Floats, Reals
from ..errors import OptionError, positive_number
from .distances import Metric, distances, paired_distances

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class BandwidthOf(Protocol):
    """Gives a bandwidth for the distance named ('euclidean' or 'cityblock') among some rows; the pool if None."""

    def __call__(self, metric: Metric, rows: Floats | None = None) -> float:
        """The bandwidth."""
        ...


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
    def translation_free(self) -> bool:
        """Whether moving both samples by the same vector leaves every MMD as it is (then the pool may be centred)."""
        return False

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

    def spectral_density(self, frequencies: Floats) -> Floats:
        r"""Density :math:`\Lambda` of a shift-invariant kernel.

        It satisfies :math:`k(x-y) = k(0)\int e^{i\omega'(x-y)}\Lambda(\omega)d\omega`.

        Parameters
        ----------
        frequencies
            ``(J, d)`` frequencies.
        """
        del frequencies
        raise OptionError(f"{self!r} has no spectral density: it is not a shift-invariant kernel on vectors.")

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
    translation_free = True

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
