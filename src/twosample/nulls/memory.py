"""How far back a series remembers, and the random weights that remember as far: what the wild bootstrap is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp, log10, sqrt

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..kernels import Kernel

STRETCH = 20_000  # rows that are looked at, in a row: memory is short

_LANDMARKS, _LARGEST = 200, 0.99

Rows = NDArray[np.intp]

Entries = Callable[[Rows, Rows], Floats]  # kernel values of some rows with some others, given by their numbers


def kernel_memory(x: Floats, kernel: Kernel) -> float:
    """The memory of rows in the order of time, seen through a kernel; see :func:`memory`."""
    return memory(len(x), lambda rows, columns: kernel.block(x[rows], x[columns]))


def memory(size: int, block: Entries) -> float:
    r"""The lag-one correlation :math:`\varphi` of the autoregression that stands for a series, in [0, 1).

    What matters of the autocovariances :math:`c_k` is :math:`\sum|k|c_k / \sum c_k`, which is
    :math:`2\varphi/(1-\varphi^2)` for an autoregression of order one. Two estimates of the ratio are made, one with the
    flat-top window of Politis and White (2004), one from :math:`c_1/c_0` (Andrews 1991) without its small-sample
    bias, and the larger is taken. The series has `size` rows, and `block` gives values of its kernel.
    """
    if size < 10:
        return 0.0
    rho, used = _autocorrelations(min(size, STRETCH), block)
    if not len(rho):
        return 0.0
    first = min(rho[1] + (1 + 3 * rho[1]) / used, _LARGEST)  # what few rows take off an autocorrelation
    ratio = max(_flat_top_ratio(rho, min(size, STRETCH)), 2 * first / (1 - first**2))
    return min((sqrt(1 + ratio**2) - 1) / ratio, _LARGEST) if ratio > 1e-9 else 0.0


def block_length(size: int, correlation: float) -> float:
    r"""The best block for so many rows with this memory.

    Weights with correlation :math:`e^{-|k|/b}` estimate a long-run variance :math:`\sum c_k` with the bias
    :math:`\sum|k|c_k / b` and the variance :math:`2(\sum c_k)^2 b/n`, so that the best b is
    :math:`(n (\sum|k|c_k / \sum c_k)^2)^{1/3}`; at least 1, at most n/4.
    """
    ratio = 2 * correlation / (1 - correlation**2)
    return float(np.clip((size * ratio**2) ** (1 / 3), 1.0, max(size / 4, 1.0)))


@dataclass(frozen=True)
class Process:
    r"""The external process of the wild bootstrap: a random weight for every row, similar for neighbours.

    :math:`w_t = e^{-1/b}w_{t-1} + \sqrt{1-e^{-2/b}}\,\epsilon_t`, centred, and multiplied by a constant. With R the
    correlations of w before it is centred, P what centres, and C those of the series, w'Kw has the mean tr(PRPC) (in
    units of the spread), and the squared sum of the rows has 1'C1. The constant makes them equal for an autoregression.
    """

    size: int  # rows n
    block: float  # b
    correlation: float  # of neighbours, in the autoregression that stands for the series

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """``(n, count)`` weights. O(n) each."""
        from scipy.signal import lfilter

        keep = exp(-1 / self.block)
        noise = rng.normal(size=(self.size, count))
        noise[1:] *= sqrt(1 - keep**2)
        W = np.asarray(lfilter([1.0], [1.0, -keep], noise, axis=0), dtype=np.float64)
        W -= W.mean(axis=0)
        W *= sqrt(self._scale)
        return W

    @property
    def own(self) -> float:
        """The mean square of a weight."""
        return self._scale * (1 - float(self._sums(exp(-1 / self.block)).sum()) / self.size**2)

    @cached_property
    def _scale(self) -> float:
        keep, phi, n = exp(-1 / self.block), self.correlation, self.size
        lags = np.arange(n)
        both = n + 2 * float((n - lags[1:]) @ (keep * phi) ** lags[1:])  # tr(RC)
        R, C = self._sums(keep), self._sums(phi)
        mean = both - 2 * float(R @ C) / n + float(R.sum()) * float(C.sum()) / n**2
        return float(C.sum()) / mean

    @cached_property
    def degrees(self) -> float:
        r"""Degrees of freedom of the long-run variance that the weights estimate, about n/b.

        :math:`(\mathrm{tr}A)^2/\mathrm{tr}A^2` of A = PRPC, whose eigenvalues are close to the products of the two
        spectral densities at the Fourier frequencies; P leaves out frequency 0.
        """
        turn = np.cos(2 * np.pi * np.arange(1, self.size) / self.size)
        product = np.ones(self.size - 1)
        for q in (exp(-1 / self.block), self.correlation):
            product /= 1 + q * q - 2 * q * turn
        return float(product.sum()) ** 2 / float(product @ product)

    def _sums(self, q: float) -> Floats:
        """``(n,)`` row sums of the matrix of q^|i-j|."""
        below = np.cumsum(q ** np.arange(self.size))
        return np.asarray(below + below[::-1] - 1)


def studentised(off: Floats, own: float, degrees: float, rng: np.random.Generator) -> Floats:
    r"""Resamples as wide as they should be when the variance in them is an estimate of few degrees of freedom.

    A quadratic form in a normal vector with an estimated covariance is to the true one what F is to chi-square. With r
    directions that matter, resamples are multiplied by :math:`\nu r/\chi^2_{\nu r}`; r is the number of equal ones that
    would give the skewness of the resamples, 8/skewness². `off` are the ``(R,)`` forms of the resamples without the
    diagonal, which adds `own` to their mean; `degrees` those of one direction.
    """
    from scipy.special import gammaincinv

    spread = float(off.std())
    if not spread > 0:
        return off + own
    skewness = float(np.mean(((off - off.mean()) / spread) ** 3))
    whole = degrees * max(1.0, 8 / max(skewness, 1e-3) ** 2)
    drawn = 2 * gammaincinv(whole / 2, rng.random(len(off)))  # chi-square, and continuous in its degrees of freedom
    return np.asarray((off + own) * (whole / np.maximum(drawn, 1e-9)))


def _autocorrelations(size: int, block: Entries) -> tuple[Floats, float]:
    """Correlations at every lag of the series k(z, x_1), k(z, x_2), ..., averaged over rows z; and their mean length.

    Directions of the feature space count with their squared variance, as in the law of MMD². Of each series only the
    rows far from z are used: near it, in many columns, k(z, x) is large because of the memory itself. Empty when
    nothing varies.
    """
    rows = np.arange(size)
    some = rows[np.linspace(0, size - 1, min(size, _LANDMARKS)).astype(int)]
    values = np.asarray(block(rows, some))
    values = values - values.mean(axis=1, keepdims=True)
    far = (np.abs(rows[:, None] - some) > size // 5).astype(np.float64)
    values -= np.einsum("il,il->l", values, far) / far.sum(axis=0)
    scale = float(np.abs(values).max())
    products, counts = (
        np.fft.irfft((np.abs(np.fft.rfft(part, n=2 * size, axis=0)) ** 2).sum(axis=1))[: size // 2]
        for part in (values * far / (scale if scale > 0 else 1.0), far)
    )
    if not products[0] > 1e-20 * counts[0]:
        return np.empty(0), 0.0
    rho = products / products[0] * (counts[0] / np.maximum(counts, 1.0)) * (1 - rows[: size // 2] / size)
    return np.asarray(rho), float(counts[0]) / len(some)


def _flat_top_ratio(rho: Floats, size: int) -> float:
    """The ratio of sums, up to twice the lag from which on five correlations in a row are insignificant."""
    limit = 2 * sqrt(log10(size) / size)
    small = np.abs(rho[1:]) < limit
    quiet = np.flatnonzero(np.convolve(small, np.ones(5), "valid") >= 5)
    last = min(2 * (int(quiet[0]) if len(quiet) else size), size // 3, len(rho) - 1)
    if last < 1:
        return 0.0
    lags = np.arange(1, last + 1)
    kept = rho[1 : last + 1] * np.clip(2 * (1 - lags / (last + 1)), 0.0, 1.0)
    return 2 * float(lags @ kept) / max(1 + 2 * float(kept.sum()), 0.1)
