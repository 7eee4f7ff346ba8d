"""Random frequencies from the spectral density of a kernel (Bochner), and the other closed form that engines like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats
from ..errors import OptionError
from .mixture import Mixture

_FAR = 1e100  # a span beyond that of any data


@dataclass(frozen=True)
class ExponentialPolynomial:
    """The function P(r) exp(-rate r) of the distance r on a line, in some unit."""

    coefficients: tuple[float, ...]  # of P, in increasing order
    rate: float  # of the decay
    unit: float = 1.0  # the length in which r is measured

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


class Spectral:
    """What engines may ask a kernel about its spectrum; all follows from `gaussians`, unless a kernel knows better."""

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
