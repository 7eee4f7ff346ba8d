r"""The engine of random Fourier features (Rahimi and Recht 2007): a nearby kernel at a cost that is fixed beforehand.

By Bochner's theorem a shift-invariant kernel is :math:`k(x-y) = k(0)\,E\cos(w'(x-y))` with frequencies w from its
spectral density. For frequencies that are drawn once, without a look at the data, the mean of the cosines is itself a
kernel, the inner product of cosine and sine features. Drawing the directions orthogonal to each other lowers its
variance (Yu, Suresh, Choromanski, Holtmann-Rice and Kumar 2016).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, sqrt

import numpy as np

from ...core.threads import Progress
from ...core.types import Floats, Reals
from ...errors import InputError, OptionError, whole_number
from ...kernels import Gaussian, Kernel, Laplace, Matern, Product, RationalQuadratic, Scaled, Sum
from ..base import check_progress
from ..seeds import child
from .feature_gram import FeatureGram
from .sparse_gram import SparseGram

_SINGLE_POINTS = 10_000
"""Pools of more points than this get features in single precision."""

_SINGLE_PHASE = 100.0
"""Up to this many radians single precision is enough for a phase."""


@dataclass(frozen=True)
class Features:
    """Random Fourier features: a valid test of a kernel close to the one asked for. O(N M R) time for M features.

    For any number of columns and shift-invariant kernels: Gaussian, Laplace, Matérn and rational quadratic, and their
    sums, products and multiples. Every kernel value is off by about ``1/sqrt(count)`` of k(x, x), whatever the data;
    'lowrank' adapts to them and is closer at the same cost where the kernel is smooth on their scale.

    Parameters
    ----------
    count
        Number of features, half of them cosines and half sines (rounded up to an even number).
    orthogonal
        Whether frequencies are drawn orthogonal to each other, in groups of as many as there are columns, where the
        spectral density is isotropic. Closer to the kernel at no cost.
    seed
        Seed of the frequencies when :meth:`gram` is called without a generator. Tests pass one.
    threads
        Number of threads; None for all cores that the process may use. The answer does not depend on it.
    progress
        Called with (steps done, steps in all).

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(500, 20))
    >>> ts.mmd_test(x, x + 0.3, engine=ts.Features(count=200), rng=1).rejected
    True
    """

    count: int = 1000
    orthogonal: bool = True
    seed: int = 0
    threads: int | None = None
    progress: Progress | None = field(default=None, repr=False)
    name = "features"

    def __post_init__(self) -> None:
        check_progress("Features", self.progress)
        whole_number("Features: count", self.count)
        whole_number("Features: seed", self.seed, least=0)
        if self.threads is not None:
            whole_number("Features: threads", self.threads)
        if not isinstance(self.orthogonal, bool | np.bool_):
            raise OptionError(f"Features: orthogonal={self.orthogonal!r} must be True or False.")

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> FeatureGram | SparseGram:
        """The Gram matrix of z under the nearby kernel; a child of `rng` draws the frequencies.

        A kernel with explicit features (strings, some graph kernels) needs no frequencies, and the matrix is its own.
        """
        if kernel.has_features:
            return SparseGram(kernel.features(z))
        pairs = ceil(self.count / 2)
        frequencies, weights = draw_frequencies(kernel, z.shape[1], pairs, self.orthogonal, child(rng, self.seed))
        features = CosineMap(frequencies, weights, single=len(z) > _SINGLE_POINTS)
        remark = (
            f"{features.width} random Fourier features: kernel values differ from those of the kernel by about "
            f"{weights.sum() / sqrt(features.width):.2g}. The test is valid for the kernel of the features as it is."
        )
        return FeatureGram(features, z, self.threads, self.progress, (remark,))


class CosineMap:
    """Cosine and sine features of given frequencies.

    Parameters
    ----------
    frequencies
        ``(J, d)`` frequencies.
    weights
        ``(J,)`` what each adds to k(x, x).
    single
        Whether features are in single precision.
    """

    def __init__(self, frequencies: Floats, weights: Floats, single: bool) -> None:
        self.turns = np.ascontiguousarray(frequencies.T) / (2 * np.pi)  # (d, J)
        self.dtype: type[np.float32 | np.float64] = np.float32 if single else np.float64
        self.amplitudes: Reals = np.sqrt(weights).astype(self.dtype)
        self.longest = _longest(frequencies)

    @property
    def width(self) -> int:
        """The number of features."""
        return 2 * len(self.amplitudes)

    def __call__(self, points: Floats) -> Reals:
        """``(len(points), 2 J)`` features."""
        J = len(self.amplitudes)
        phases = self._phases(points)
        phi = np.empty((len(points), 2 * J), self.dtype)
        np.cos(phases, out=phi[:, :J])
        np.sin(phases, out=phi[:, J:])
        phi[:, :J] *= self.amplitudes
        phi[:, J:] *= self.amplitudes
        return phi

    def _phases(self, points: Floats) -> Reals:
        """``(len(points), J)`` angles w'z, up to whole turns."""
        reach = self.longest * _longest(points)
        if reach <= _SINGLE_PHASE:
            phases: Reals = points.astype(self.dtype) @ self.turns.astype(self.dtype)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                whole = points @ self.turns
                whole -= np.rint(whole)
            if not np.isfinite(whole).all():
                raise InputError("The data span more bandwidths than doubles can tell. Use a larger bandwidth.")
            phases = whole.astype(self.dtype, copy=False)
        phases *= self.dtype(2 * np.pi)
        return phases


def _longest(vectors: Floats) -> float:
    """The length of the longest row, also where squares leave the range of doubles."""
    unit = float(np.abs(vectors).max(initial=0.0))
    return unit * float(np.sqrt(np.square(vectors / unit).sum(axis=1).max())) if unit else 0.0


def draw_frequencies(
    kernel: Kernel, d: int, count: int, orthogonal: bool, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    r"""Frequencies from the spectral density of a kernel on d columns, and weights that sum to k(0).

    Parameters
    ----------
    kernel
        A shift-invariant kernel.
    d, count
        Dimension and number of the frequencies (at least one for each part of a sum).
    orthogonal
        Whether to draw directions orthogonal to each other.
    rng
        Draws them.

    Returns
    -------
    tuple
        ``(J, d)`` frequencies and ``(J,)`` weights with :math:`k(t) \approx \sum_j \mathrm{weight}_j\cos(w_j't)`.
    """
    if isinstance(kernel, Scaled):
        frequencies, weights = draw_frequencies(kernel.kernel, d, count, orthogonal, rng)
        return frequencies, kernel.factor * weights
    if isinstance(kernel, Sum):
        sizes = np.array([float(part.diagonal(np.zeros((1, d)))[0]) for part in kernel.parts])
        shares = _apportion(sizes, count)
        drawn = [draw_frequencies(part, d, c, orthogonal, rng) for part, c in zip(kernel.parts, shares, strict=True)]
        return np.concatenate([f for f, _ in drawn]), np.concatenate([w for _, w in drawn])
    if isinstance(kernel, Product):
        return _product(kernel, d, count, orthogonal, rng)
    if isinstance(kernel, Laplace) and kernel.norm == 1:
        return rng.standard_cauchy((count, d)) / kernel.scale, np.full(count, 1 / count)
    lengths = np.sqrt(_mixing(kernel, count, rng) * rng.chisquare(d, count)) / kernel.scale
    return lengths[:, None] * _directions(d, count, orthogonal, rng), np.full(count, 1 / count)


def _product(kernel: Product, d: int, count: int, orthogonal: bool, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The spectrum of a product is that of the sum of independent frequencies, one from each part."""
    frequencies, weights = np.zeros((count, d)), np.ones(count)
    for part in kernel.parts:
        more, shares = draw_frequencies(part, d, count, orthogonal, rng)
        order = rng.permutation(len(more))[:count]
        frequencies += more[order]
        weights *= shares[order]
    size = float(kernel.diagonal(np.zeros((1, d)))[0])
    return frequencies, weights * (size / weights.sum())


def _mixing(kernel: Kernel, count: int, rng: np.random.Generator) -> Floats:
    """Isotropic spectral densities are mixtures of Gaussians: squared widths drawn from the mixture, in 1/scale²."""
    if isinstance(kernel, Gaussian):
        return np.ones(count)
    if isinstance(kernel, RationalQuadratic):
        return rng.gamma(kernel.alpha, 1 / kernel.alpha, count)
    if isinstance(kernel, Laplace | Matern):  # the multivariate Student density
        freedom = 1.0 if isinstance(kernel, Laplace) else 2 * kernel.smoothness
        return np.asarray(freedom / rng.chisquare(freedom, count))
    raise OptionError(
        "engine='features' works with Gaussian, Laplace, Matern and RationalQuadratic kernels and their sums, products "
        f"and multiples; {kernel!r} has no spectral density to draw from. Use engine='lowrank' or 'tiled'."
    )


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


def _apportion(sizes: Floats, count: int) -> list[int]:
    """Whole numbers that sum to `count` (or to one each), in proportion to the sizes, by largest remainders."""
    quotas = sizes / sizes.sum() * max(count - len(sizes), 0)
    whole = np.floor(quotas).astype(int)
    short = max(count - len(sizes), 0) - int(whole.sum())
    whole[np.argsort(whole - quotas, kind="stable")[:short]] += 1
    return [1 + int(share) for share in whole]
