"""Random frequencies from the spectral density of a kernel (Bochner), and the other closed form that engines like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats


@dataclass(frozen=True)
class ExponentialPolynomial:
    """The function P(r) exp(-rate r) of the distance r on a line, in some unit.

    Parameters
    ----------
    coefficients
        Of P, in increasing order.
    rate
        Of the decay.
    unit
        The length in which r is measured.
    """

    coefficients: tuple[float, ...]
    rate: float
    unit: float = 1.0

    def scaled(self, factor: float) -> ExponentialPolynomial:
        """A multiple of it."""
        return ExponentialPolynomial(tuple(factor * c for c in self.coefficients), self.rate, self.unit)

    def squared(self) -> ExponentialPolynomial:
        """Its square, again of this form."""
        square = np.convolve(self.coefficients, self.coefficients)
        return ExponentialPolynomial(tuple(square), 2 * self.rate, self.unit)


Frequencies = tuple[Floats, Floats]
r"""``(J, d)`` frequencies w and ``(J,)`` weights with :math:`k(t) \approx \sum_j \mathrm{weight}_j\cos(w_j't)`."""


def isotropic_frequencies(
    squares: Floats, scale: float, d: int, rng: np.random.Generator, orthogonal: bool
) -> Frequencies:
    """Normal frequencies of the given variances (in 1/scale²), in d dimensions: the spectrum of a Gaussian mixture."""
    count = len(squares)
    lengths = np.sqrt(squares * rng.chisquare(d, count)) / scale
    return lengths[:, None] * _directions(d, count, orthogonal, rng), np.full(count, 1 / count)


def _directions(d: int, count: int, orthogonal: bool, rng: np.random.Generator) -> Floats:
    """``(count, d)`` uniform directions; orthogonal within groups of d."""
    if not orthogonal:
        normal = rng.normal(size=(count, d))
        return np.asarray(normal / np.sqrt(np.square(normal).sum(axis=1))[:, None])
    groups = []
    for start in range(0, count, d):
        Q, R = np.linalg.qr(rng.normal(size=(d, min(d, count - start))))
        groups.append((Q * np.sign(np.diagonal(R))).T)  # with these signs Q is uniform
    return np.concatenate(groups)


def apportion(sizes: Floats, count: int) -> list[int]:
    """Whole numbers that sum to `count` (or to one each), in proportion to the sizes, by largest remainders."""
    quotas = sizes / sizes.sum() * max(count - len(sizes), 0)
    whole = np.floor(quotas).astype(int)
    short = max(count - len(sizes), 0) - int(whole.sum())
    whole[np.argsort(whole - quotas, kind="stable")[:short]] += 1
    return [1 + int(share) for share in whole]
