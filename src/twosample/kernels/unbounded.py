"""Kernels that grow with the data: energy, linear, polynomial. The large-deviation bounds refuse them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.types import Floats, Reals
from ..errors import OptionError, positive_number, real_number, whole_number
from .base import BandwidthOf, Kernel, Metric
from .radial import distances, lengths, paired_distances
from .spectra import ExponentialPolynomial


@dataclass(frozen=True)
class Energy(Kernel):
    r"""The distance-induced kernel :math:`k(x,y) = \tfrac12(\|x\|^\beta + \|y\|^\beta - \|x-y\|^\beta)`, 0 < beta < 2.

    MMD² with it is half the energy distance of Székely and Rizzo, needs no bandwidth, and is zero only if p = q
    (for distributions with a finite moment of order beta). Unbounded: heavy tails cost power, and the bounds of
    Section 4 do not apply.

    Parameters
    ----------
    exponent
        beta, strictly between 0 and 2.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Energy().bounds is None
    True
    """

    exponent: float = 1.0
    characteristic = True
    smooth = False
    translation_free = True

    @property
    def metric(self) -> Metric:
        """Euclidean."""
        return "euclidean"

    def __post_init__(self) -> None:
        exponent = real_number("exponent", self.exponent)
        if not 0 < exponent < 2:
            raise OptionError(f"exponent={self.exponent!r} must lie strictly between 0 and 2.")
        object.__setattr__(self, "exponent", exponent)

    def of_distances(self, D: Reals, a: Floats, b: Floats) -> Reals:
        if self.exponent != 1:
            np.power(D, self.exponent, out=D)
        D *= -0.5
        D += 0.5 * self.diagonal(a)[:, None]
        D += 0.5 * self.diagonal(b)[None, :]
        return D

    def block(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.of_distances(distances(a, b, "euclidean"), a, b), dtype=np.float64)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        D = np.power(paired_distances(a, b, "euclidean"), self.exponent)
        return np.asarray(0.5 * (self.diagonal(a) + self.diagonal(b) - D))

    def diagonal(self, a: Floats) -> Floats:
        return np.asarray(np.power(lengths(a), self.exponent))  # as above: before NumPy 2.3 `**` rounds otherwise

    @property
    def exponential_polynomial(self) -> ExponentialPolynomial | None:
        return ExponentialPolynomial((0.0, -0.5), 0.0) if self.exponent == 1 else None


@dataclass(frozen=True)
class Linear(Kernel):
    r"""The inner product :math:`k(x,y) = x'y`. MMD is then the distance between the means, and sees nothing else.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Linear().characteristic
    False
    """

    translation_free = True

    def block(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(a @ b.T)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", a, b))


@dataclass(frozen=True)
class Polynomial(Kernel):
    r"""The polynomial kernel :math:`k(x,y) = (x'y/\sigma^2 + c)^g`: compares moments up to order g.

    Not characteristic: distributions that share those moments look the same to it.

    Parameters
    ----------
    degree
        g, a positive integer.
    offset
        c >= 0.
    bandwidth
        The unit sigma in which x and y are measured. None: by the bandwidth rule.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Polynomial(degree=2, bandwidth=1.0)
    Polynomial(degree=2, offset=1.0, bandwidth=1.0)
    """

    degree: int = 2
    offset: float = 1.0
    bandwidth: float | None = None

    def __post_init__(self) -> None:
        whole_number("degree", self.degree)
        if real_number("offset", self.offset) < 0:
            raise OptionError(f"offset={self.offset!r} must be zero or positive.")
        if self.bandwidth is not None:
            positive_number("bandwidth", self.bandwidth)

    @property
    def needs_bandwidth(self) -> bool:
        return self.bandwidth is None

    def fill(self, bandwidth_of: BandwidthOf) -> Polynomial:
        return self if self.bandwidth is not None else replace(self, bandwidth=bandwidth_of("euclidean"))

    def block(self, a: Floats, b: Floats) -> Floats:
        return self._of_products((a / self._unit()) @ (b / self._unit()).T)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return self._of_products(np.einsum("ij,ij->i", a / self._unit(), b / self._unit()))

    def _of_products(self, products: Floats) -> Floats:
        return np.asarray((products + self.offset) ** int(self.degree))

    def _unit(self) -> float:
        if self.bandwidth is None:
            raise OptionError("Polynomial has no bandwidth yet. Give one, Polynomial(bandwidth=1.0).")
        return self.bandwidth
