"""What a kernel is: an immutable formula that never looks at data and says what is true of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ..core.types import Floats, Reals
from ..errors import OptionError, OptionsByName, positive_number
from .spectra import Spectral

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Metric = Literal["sqeuclidean", "euclidean", "cityblock"]


class BandwidthOf(Protocol):
    """Gives a bandwidth for the distance named ('euclidean' or 'cityblock') among some rows; the pool if None."""

    def __call__(self, metric: Metric, rows: Floats | None = None) -> float:
        """The bandwidth."""


Blocks = Callable[[slice, slice], Reals]
"""Gives the block k(a[rows], b[columns]) of two sets of points; the caller may overwrite it."""


class Kernel(Spectral, OptionsByName, ABC):
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

    def diagonal(self, a: Floats) -> Floats:
        """``(len(a),)`` values k(a_i, a_i)."""
        return self.pairs(a, a)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """``(low, high)`` with low <= k(x, y) <= high everywhere, or None if there are none, or none are known."""
        return None

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
