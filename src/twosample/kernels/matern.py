"""Shift-invariant kernels beside the Gaussian: Laplace, Matérn, rational quadratic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose, sqrt

import numpy as np

from ..core.types import Floats, Reals
from ..errors import OptionError, is_one_of, positive_number
from .base import Kernel, Metric
from .mixture import Mixture, matern_mixture, rational_mixture
from .radial import RadialKernel
from .spectra import ExponentialPolynomial, Frequencies, isotropic_frequencies


@dataclass(frozen=True)
class Laplace(RadialKernel):
    r"""The Laplace kernel :math:`k(x,y) = \exp(-\|x-y\|_p / \sigma)` with the L1 (default) or the L2 norm.

    Bounded by 1, characteristic, with heavier spectral tails than the Gaussian: it sees sharper features.
    With ``norm=1`` it is a product over the columns.

    Parameters
    ----------
    bandwidth
        The length sigma. None: by the bandwidth rule, measured in the same norm.
    norm
        1 for the city-block distance, 2 for the Euclidean one.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Laplace(bandwidth=2.0, norm=1)
    Laplace(bandwidth=2.0, norm=1)
    """

    norm: int = 1
    smooth = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_one_of(self.norm, (1, 2)):
            raise OptionError(f"norm={self.norm!r} must be 1 (city block) or 2 (Euclidean).")

    @property
    def metric(self) -> Metric:
        """City block or Euclidean, by the norm."""
        return "cityblock" if self.norm == 1 else "euclidean"

    def of_distances(self, D: Reals, a: Floats, b: Floats) -> Reals:
        np.negative(D, out=D)
        return np.exp(D, out=D)

    def spectral_density(self, frequencies: Floats) -> Floats:
        if self.norm == 2:
            return _student_density(frequencies, self.scale, 1.0)
        factors = self.scale / (np.pi * (1 + np.square(frequencies * self.scale)))
        return np.asarray(factors.prod(axis=1))

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        if self.norm == 2:
            return _student_frequencies(1.0, self.scale, d, count, rng, orthogonal)
        return rng.standard_cauchy((count, d)) / self.scale, np.full(count, 1 / count)

    def gaussians(self, span: float, tolerance: float) -> Mixture | None:
        """With the Euclidean norm, where it is the Matérn kernel of smoothness 1/2."""
        return matern_mixture(0.5, self.scale, tolerance) if self.norm == 2 else None

    @property
    def exponential_polynomial(self) -> ExponentialPolynomial:
        return ExponentialPolynomial((1.0,), 1.0, self.scale)


@dataclass(frozen=True)
class Matern(RadialKernel):
    r"""The Matérn kernel of half-integer smoothness nu = 1/2, 3/2 or 5/2.

    With :math:`r = \sqrt{2\nu}\,\|x-y\|/\sigma`: :math:`e^{-r}`, :math:`(1+r)e^{-r}`, :math:`(1+r+r^2/3)e^{-r}`.
    Bounded by 1, characteristic; between the Laplace and the Gaussian kernel in smoothness.

    Parameters
    ----------
    bandwidth
        The length sigma. None: by the bandwidth rule.
    smoothness
        nu: 0.5, 1.5 or 2.5.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Matern(bandwidth=1.0, smoothness=2.5).bounds
    (0.0, 1.0)
    """

    smoothness: float = 1.5

    @property
    def smooth(self) -> bool:
        """From 5/2 on."""
        return self.smoothness >= 2.5

    @property
    def metric(self) -> Metric:
        """Euclidean."""
        return "euclidean"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_one_of(self.smoothness, (0.5, 1.5, 2.5)):
            raise OptionError(f"smoothness={self.smoothness!r} must be 0.5, 1.5 or 2.5.")

    def of_distances(self, D: Reals, a: Floats, b: Floats) -> Reals:
        D *= np.sqrt(2 * self.smoothness).astype(D.dtype)
        if self.smoothness == 0.5:
            return np.exp(np.negative(D, out=D), out=D)
        np.minimum(D, 1000, out=D)  # where the kernel is 0: an infinite distance times 0 would be NaN
        decay = np.exp(-D)
        if self.smoothness == 1.5:
            D += 1
        else:
            D += 1 + D * D / 3
        D *= decay
        return D

    def spectral_density(self, frequencies: Floats) -> Floats:
        return _student_density(frequencies, self.scale, 2 * self.smoothness)

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        return _student_frequencies(2 * self.smoothness, self.scale, d, count, rng, orthogonal)

    def gaussians(self, span: float, tolerance: float) -> Mixture:
        return matern_mixture(self.smoothness, self.scale, tolerance)

    @property
    def exponential_polynomial(self) -> ExponentialPolynomial:
        c = sqrt(2 * self.smoothness)
        shapes = {0.5: (1.0,), 1.5: (1.0, c), 2.5: (1.0, c, c * c / 3)}
        return ExponentialPolynomial(shapes[self.smoothness], c, self.scale)


@dataclass(frozen=True)
class RationalQuadratic(RadialKernel):
    r"""The rational quadratic kernel :math:`k(x,y) = (1 + \|x-y\|^2 / (2\alpha\sigma^2))^{-\alpha}`.

    A mixture of Gaussian kernels over many widths: useful when the scale of the difference is not known.
    Bounded by 1, characteristic.

    Parameters
    ----------
    bandwidth
        The length sigma. None: by the bandwidth rule.
    alpha
        Positive; small values mix over a wider range of scales, large ones approach the Gaussian.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.RationalQuadratic(bandwidth=1.0, alpha=0.5).characteristic
    True
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("alpha", self.alpha)

    def of_distances(self, D: Reals, a: Floats, b: Floats) -> Reals:
        D *= 1 / (2 * self.alpha)
        np.log1p(D, out=D)
        D *= -self.alpha
        return np.exp(D, out=D)

    def spectral_density(self, frequencies: Floats) -> Floats:
        """A Gamma mixture of Gaussian densities, in closed form by the Bessel function K."""
        from scipy.special import gammaln, kve

        d = frequencies.shape[1]
        c = self.alpha * self.scale**2
        w = np.sqrt(np.square(frequencies).sum(axis=1))
        w = np.maximum(w, 1e-8 / self.scale)
        order = self.alpha - d / 2
        argument = np.sqrt(2 * c) * w
        log_density = (
            np.log(2) + self.alpha * np.log(c) - gammaln(self.alpha) - d / 2 * np.log(2 * np.pi)
            + order / 2 * np.log(w * w / (2 * c)) + np.log(kve(abs(order), argument)) - argument
        )  # fmt: skip
        return np.asarray(np.exp(log_density))

    def draw_frequencies(self, d: int, count: int, rng: np.random.Generator, orthogonal: bool = True) -> Frequencies:
        """Of Gaussians whose precisions have a Gamma law."""
        return isotropic_frequencies(rng.gamma(self.alpha, 1 / self.alpha, count), self.scale, d, rng, orthogonal)

    def gaussians(self, span: float, tolerance: float) -> Mixture:
        return rational_mixture(self.alpha, self.scale, span, tolerance)

    def product_with(self, other: Kernel) -> RationalQuadratic | None:
        """Powers of the same rational function add up."""
        if not isinstance(other, RationalQuadratic):
            return None
        place = sqrt(self.alpha) * self.scale
        if not isclose(place, sqrt(other.alpha) * other.scale, rel_tol=1e-14):
            return None
        alpha = self.alpha + other.alpha
        return replace(self, bandwidth=place / sqrt(alpha), alpha=alpha)


def _student_frequencies(
    dof: float, scale: float, d: int, count: int, rng: np.random.Generator, orthogonal: bool
) -> Frequencies:
    """Draws from the multivariate Student law of width 1/scale."""
    return isotropic_frequencies(np.asarray(dof / rng.chisquare(dof, count)), scale, d, rng, orthogonal)


def _student_density(frequencies: Floats, scale: float, dof: float) -> Floats:
    """Multivariate Student density of width 1/scale: the spectral density of the Matérn kernel with nu = dof / 2."""
    from scipy.special import gammaln

    d = frequencies.shape[1]
    w = frequencies * scale
    log_constant = gammaln((dof + d) / 2) - gammaln(dof / 2) - d / 2 * np.log(dof * np.pi) + d * np.log(scale)
    return np.asarray(np.exp(log_constant - (dof + d) / 2 * np.log1p(np.square(w).sum(axis=1) / dof)))
