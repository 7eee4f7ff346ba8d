"""Kernels between bags of points: inner products of mean embeddings (Section 7.2 of the paper)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError, OptionError
from ..kernels import Gaussian, Kernel, ObjectKernel, RadialKernel, Tabulated
from ..kernels.base import BandwidthOf, Metric
from ..kernels.objects import IndexKernel
from .levels import real_array, unit_diagonal

_POINTS = 1024  # rows and columns of a tile: memory does not grow with the bags


class BagKernel(ObjectKernel):
    """A kernel between bags of points, with a bandwidth on points that may be missing."""

    @abstractmethod
    def filled(self, bandwidth: Callable[[Metric], float]) -> BagKernel:
        """The kernel with the bandwidth that suits all points of all bags."""

    @abstractmethod
    def table(self, points: Floats, sizes: NDArray[np.intp]) -> Tabulated:
        """The values for all pairs of bags, whose points follow each other, the bandwidth being known."""

    def on(self, objects: Sequence[Any]) -> Kernel:
        points, sizes = pooled_bags(objects)
        return Bags(self, points, sizes) if self.needs_bandwidth else self.table(points, sizes)


@dataclass(frozen=True)
class SetKernel(BagKernel):
    r"""Bags of points by the inner product of their mean embeddings (Section 7.2 of the paper).

    .. math:: k(X_i, X_j) = \frac{1}{m_i m_j}\sum_{u,v} k(x_{iu}, x_{jv}) = \langle\mu(X_i),\mu(X_j)\rangle

    A bag is an array of points as rows, or of numbers; bags may have different sizes. On its own this kernel compares
    the average bag of one collection with that of the other. With `outer` it becomes a radial kernel of the distance
    :math:`\|\mu(X_i)-\mu(X_j)\|`, which also sees how bags vary around the average.

    Parameters
    ----------
    kernel
        The kernel on points; a missing bandwidth is filled from all points of all bags by the bandwidth rule.
    normalised
        Divide by :math:`\sqrt{k(X_i,X_i)\,k(X_j,X_j)}`.
    outer
        None, or a radial kernel of the distance between mean embeddings (Gaussian, Matérn, rational quadratic, Laplace
        with norm 2); a missing bandwidth is the median distance between the bags.

    Notes
    -----
    Time O(P² d) for P points in all bags together, memory O(bags²) beside the points. Not for a few large bags: the
    bags are the observations, and a test needs many. To compare two bags use :func:`mmd_test` on their points.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x = [rng.normal(size=(rng.integers(3, 9), 2)) for _ in range(20)]
    >>> y = [rng.normal(size=(rng.integers(3, 9), 2)) + rng.normal(size=2) for _ in range(20)]
    >>> ts.mmd_test(x, y, kernel=ts.SetKernel(outer=ts.Gaussian()), rng=0).rejected
    True
    """

    kernel: Kernel = field(default_factory=Gaussian)
    normalised: bool = False
    outer: RadialKernel | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel) or self.kernel.domain != "vectors":
            raise OptionError(f"kernel={self.kernel!r} must be a kernel on rows of numbers, such as ts.Gaussian().")
        if self.outer is not None and not (isinstance(self.outer, RadialKernel) and self.outer.metric != "cityblock"):
            raise OptionError(f"outer={self.outer!r} must be a radial kernel of a Euclidean distance, or None.")

    @property
    def needs_bandwidth(self) -> bool:
        return self.kernel.needs_bandwidth

    @property
    def bounds(self) -> tuple[float, float] | None:
        if self.outer is not None:
            return 0.0, 1.0
        inner = self.kernel.bounds
        if not self.normalised or inner is None:
            return inner
        return (0.0 if inner[0] >= 0 else -1.0), 1.0

    def filled(self, bandwidth: Callable[[Metric], float]) -> SetKernel:
        return replace(self, kernel=self.kernel.fill(lambda metric, rows=None: bandwidth(metric)))

    def table(self, points: Floats, sizes: NDArray[np.intp]) -> Tabulated:
        kernel, K = self, mean_values(self.kernel, (points, sizes))
        if self.normalised:
            K = unit_diagonal(K)
        if self.outer is not None:
            outer, K = _radial(self.outer, K)
            kernel = replace(self, outer=outer)
        return Tabulated(kernel, K)


@dataclass(frozen=True, eq=False, repr=False)
class Bags(IndexKernel):
    """A kernel on a list of bags that waits for its bandwidth."""

    origin: BagKernel  # the kernel
    points: Floats  # (P, d) points of all bags, one bag after the other
    sizes: NDArray[np.intp]  # (N,) sizes of the bags

    @property
    def size(self) -> int:
        return len(self.sizes)

    @property
    def needs_bandwidth(self) -> bool:
        return True

    def fill(self, bandwidth_of: BandwidthOf) -> Tabulated:
        """The kernel values of all pairs of bags, with the bandwidth that suits all points."""
        known = self.origin.filled(lambda metric: bandwidth_of(metric, self.points))
        return known.table(self.points, self.sizes)

    def block(self, a: Floats, b: Floats) -> Floats:
        raise OptionError(f"{self.origin!r} has no bandwidth yet; give one, or let a test choose it.")

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return self.block(a, b)

    def diagonal(self, a: Floats) -> Floats:
        return self.block(a, a)


def pooled_bags(objects: Sequence[Any]) -> tuple[Floats, NDArray[np.intp]]:
    """All points, one bag after the other, and the sizes of the bags; refuses what is no bag, by its position."""
    bags = [_bag(value, position) for position, value in enumerate(objects)]
    columns = bags[0].shape[1]
    for position, bag in enumerate(bags):
        if bag.shape[1] != columns:
            raise InputError(
                f"Bag {position} (counted from 0) has points of {bag.shape[1]} column(s), bag 0 has {columns}; "
                "all bags must hold points of the same kind."
            )
    return np.concatenate(bags), np.array([len(bag) for bag in bags])


def mean_values(
    kernel: Kernel, a: tuple[Floats, NDArray[np.intp]], b: tuple[Floats, NDArray[np.intp]] | None = None
) -> Floats:
    """Means of k over all pairs of points of bag i of a and bag j of b (b None: of a); one pass, in tiles."""
    left, right = a, a if b is None else b
    total = np.zeros((len(left[1]), len(right[1])))
    strips_a, strips_b = _strips(left[1]), _strips(right[1])
    for here, starts, rows in strips_a:
        for there, breaks, columns in strips_b:
            if b is None and there.start < here.start:
                continue
            tile = np.add.reduceat(kernel.block(left[0][here], right[0][there]), starts, axis=0)
            sums = np.add.reduceat(tile, breaks, axis=1)
            total[rows, columns] += sums
            if b is None and there.start > here.start:
                total[columns, rows] += sums.T
    return np.asarray(total / left[1][:, None] / right[1])


def _strips(sizes: NDArray[np.intp]) -> list[tuple[slice, NDArray[np.intp], slice]]:
    """Runs of points: which points, where in the run a bag starts, and which bags."""
    bag = np.repeat(np.arange(len(sizes)), sizes)
    strips = []
    for start in range(0, len(bag), _POINTS):
        part = bag[start : start + _POINTS]
        starts = np.flatnonzero(np.diff(part, prepend=-1))
        strips.append((slice(start, start + len(part)), starts, slice(int(part[0]), int(part[-1]) + 1)))
    return strips


def _bag(value: Any, position: int) -> Floats:
    bag = real_array(value)
    if bag is None:
        raise InputError(
            f"Bag {position} (counted from 0) is {type(value).__name__} and not an array of points as rows."
        )
    bag = bag[:, None] if bag.ndim == 1 else bag
    if bag.ndim != 2:
        raise InputError(f"Bag {position} (counted from 0) has shape {bag.shape}; give (points, columns).")
    if bag.size == 0:
        raise InputError(f"Bag {position} (counted from 0) is empty; an empty bag has no mean. Drop it.")
    if not np.isfinite(bag).all():
        raise InputError(f"Bag {position} (counted from 0) holds NaN or infinite values; drop or fill them first.")
    return bag


def _radial(outer: RadialKernel, K: Floats) -> tuple[RadialKernel, Floats]:
    """A radial kernel of the distances in feature space that belong to K, and that kernel with its bandwidth."""
    norms = np.diagonal(K)
    squares = np.maximum(norms[:, None] + norms - 2 * K, 0.0)
    squares[squares <= 1e-14 * norms.max(initial=0.0)] = 0.0
    if outer.bandwidth is None:
        distances = squares[np.triu_indices(len(K), 1)]
        middle = float(np.median(distances)) if distances.size else 0.0
        if middle == 0 and (distances > 0).any():
            middle = float(np.median(distances[distances > 0]))
        outer = replace(outer, bandwidth=float(np.sqrt(middle)) or 1.0)
    squares /= outer.scale**2
    empty = np.empty((len(K), 0))
    D = squares if outer.metric == "sqeuclidean" else np.sqrt(squares)
    return outer, np.asarray(outer.of_distances(D, empty, empty), dtype=np.float64)
