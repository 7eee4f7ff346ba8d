"""Tiles of the kernel matrix between two sets of points, made fast and thrown away.

Distances come from one matrix product of augmented rows, ``|a|² + |b|² - 2 a'b``, which is quick but loses digits when
points lie many bandwidths from their centre. So the precision is chosen by how far they lie: single precision where
the loss stays below the rounding of the sums and there is something to gain (thousands of points), double precision
beyond, and plain differences where even that would show. Kernels with a kink at zero distance always get double
precision.
"""

from __future__ import annotations

import numpy as np

from ..core.types import Floats, Reals
from ..kernels import Blocks, Kernel

_SINGLE_POINTS, _SINGLE_RADIUS = 4096, 64.0
_DOUBLE_RADIUS = {"sqeuclidean": 1e6, "euclidean": 1e4}


def tile_function(kernel: Kernel, a: Floats, b: Floats, many: bool | None = None) -> Blocks:
    """The fastest safe way to get tiles of the matrix of kernel values between the rows of a and of b.

    `many`: whether they stand for so many points that single precision is worth it; None to judge by their number.
    """
    if many is None:
        many = max(len(a), len(b)) >= _SINGLE_POINTS

    def elementary(part: Kernel, left: Floats, right: Floats) -> Blocks:
        return _elementary(part, left, right, many)

    return kernel.blocks(a, b, elementary)


def _elementary(kernel: Kernel, a: Floats, b: Floats, many: bool) -> Blocks:
    """Tiles of a kernel that is no combination of others."""
    if kernel.metric in _DOUBLE_RADIUS and a.shape[1] > 1:
        scaled_a, scaled_b = _centred(a, b, kernel.scale)
        radius = max(_largest_square(scaled_a), _largest_square(scaled_b))
        if 1e-200 < radius <= _DOUBLE_RADIUS[kernel.metric]:  # squares of smaller ones lose digits
            return _by_products(kernel, a, b, scaled_a, scaled_b, radius, many)
    return lambda rows, columns: kernel.block(a[rows], b[columns])


def _by_products(
    kernel: Kernel, a: Floats, b: Floats, scaled_a: Floats, scaled_b: Floats, radius: float, many: bool
) -> Blocks:
    """Tiles by one matrix product and the kernel's own function of the distance."""
    smooth = kernel.metric == "sqeuclidean"
    dtype = np.float32 if many and smooth and radius <= _SINGLE_RADIUS else np.float64
    # Lowering squared distances by their own rounding error makes coincident points exactly coincident.
    slack = 0.0 if smooth else 8 * np.finfo(np.float64).eps * radius
    left, right = _augmented(scaled_a, scaled_b, slack, dtype)

    def tile(rows: slice, columns: slice) -> Reals:
        D: Reals = left[rows] @ right[:, columns]
        np.maximum(D, 0, out=D)
        if not smooth:
            np.sqrt(D, out=D)
        return kernel.of_distances(D, a[rows], b[columns])

    return tile


def _augmented(a: Floats, b: Floats, slack: float, dtype: type[np.float32 | np.float64]) -> tuple[Reals, Reals]:
    """Rows and columns whose product is the matrix of squared distances (less the slack)."""
    ones_a, ones_b = np.ones((len(a), 1)), np.ones((len(b), 1))
    squares_a = np.einsum("ij,ij->i", a, a)[:, None] - slack
    squares_b = np.einsum("ij,ij->i", b, b)[:, None]
    left: Reals = np.concatenate([-2 * a, squares_a, ones_a], axis=1).astype(dtype)
    right: Reals = np.concatenate([b, ones_b, squares_b], axis=1).astype(dtype)
    return left, np.ascontiguousarray(right.T)


def _centred(a: Floats, b: Floats, scale: float) -> tuple[Floats, Floats]:
    centre = b.mean(axis=0)
    scaled_b = (b - centre) / scale
    return (scaled_b if a is b else (a - centre) / scale), scaled_b


def _largest_square(a: Floats) -> float:
    return float(np.einsum("ij,ij->i", a, a).max())
