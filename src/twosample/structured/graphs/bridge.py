"""The Brownian bridge kernel on lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.types import Floats
from ...errors import positive_number
from ...kernels import Kernel


@dataclass(frozen=True)
class BrownianBridge(Kernel):
    r"""Similarity that falls linearly to nothing: :math:`k(x, y) = \prod_j \max(0, 1 - |x_j - y_j| / width)`.

    The kernel on lengths in the protein kernel of Borgwardt et al. (2005), there for one number and times `width`.

    Parameters
    ----------
    width
        The difference from which on two values have nothing in common, in the units of the data.

    Notes
    -----
    Many values are exactly 0. For measurements without a natural width a Gaussian is easier to use.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.graphs.BrownianBridge(4.0).block([[0.0]], [[0.0], [1.0], [9.0]])
    array([[1.  , 0.75, 0.  ]])
    """

    width: float

    translation_free = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", positive_number("width", self.width))

    def block(self, a: Floats, b: Floats) -> Floats:
        x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
        values = np.ones((len(x), len(y)))
        for j in range(x.shape[1]):
            values *= np.maximum(0.0, 1 - np.abs(x[:, j, None] - y[:, j]) / self.width)
        return values

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(np.maximum(0.0, 1 - np.abs(np.subtract(a, b)) / self.width).prod(axis=1))

    def diagonal(self, a: Floats) -> Floats:
        return np.ones(len(a))

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, 1.0
