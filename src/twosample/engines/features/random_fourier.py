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
from ...errors import InputError, OptionsByName, whole_number, yes_or_no
from ...kernels import Kernel
from ..base import check_work, own_generator
from .feature_gram import FeatureGram
from .sparse_gram import SparseGram

_SINGLE_POINTS = 10_000  # pools of more points than this get features in single precision
_SINGLE_PHASE = 100.0  # up to this many radians single precision is enough for a phase


@dataclass(frozen=True)
class Features(OptionsByName):
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
        check_work("Features", self.threads, self.progress)
        whole_number("Features: count", self.count)
        whole_number("Features: seed", self.seed, least=0)
        yes_or_no("Features: orthogonal", self.orthogonal)

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> FeatureGram | SparseGram:
        """The Gram matrix of z under the nearby kernel; a child of `rng` draws the frequencies.

        A kernel with explicit features (strings, some graph kernels) needs no frequencies, and the matrix is its own.
        """
        if kernel.has_features:
            return SparseGram(kernel.features(z))
        pairs = ceil(self.count / 2)
        frequencies, weights = kernel.draw_frequencies(
            z.shape[1], pairs, own_generator(rng, self.seed), self.orthogonal
        )
        features = CosineMap(frequencies, weights, single=len(z) > _SINGLE_POINTS)
        remark = (
            f"{features.width} random Fourier features: kernel values differ from those of the kernel by about "
            f"{weights.sum() / sqrt(features.width):.2g}. The test is valid for the kernel of the features as it is."
        )
        return FeatureGram(features, z, self.threads, self.progress, (remark,))


class CosineMap:
    """Cosine and sine features of ``(J, d)`` frequencies, of which each adds its weight to k(x, x)."""

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
