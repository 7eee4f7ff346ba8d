"""How far back a series remembers: the block length that the wild bootstrap takes from the data."""

from __future__ import annotations

from math import log10, sqrt

import numpy as np

from ..core.types import Floats
from ..kernels import Kernel

_STRETCH = 20_000
"""Rows that are looked at, in a row: memory is short."""

_LANDMARKS = 200

_FEATURES = 5

_CAUTION = 2.0
"""Too long a block costs a little power, too short a one the level."""


def block_length(x: Floats, kernel: Kernel) -> float:
    r"""The block of the wild bootstrap for rows in the order of time.

    Weights with correlation :math:`e^{-|k|/b}` estimate a long-run variance :math:`\sum c_k` with the bias
    :math:`\sum|k|c_k / b` and the variance :math:`2(\sum c_k)^2 b/n`. The best b is
    :math:`(n (\sum|k|c_k / \sum c_k)^2)^{1/3}`; twice that is taken. The :math:`c_k` are autocovariances of the
    first principal components of the kernel, which dominate the law of MMD². Two estimates of the sums are made, one
    with the flat-top window of Politis and White (2004), one from an autoregression of order one (Andrews 1991), and
    the larger b is taken.

    Parameters
    ----------
    x
        ``(n, d)`` rows.
    kernel
        A kernel without missing bandwidths.
    """
    size = len(x)
    features = _leading_features(x[:_STRETCH], kernel)
    if size < 10 or features.shape[1] == 0:
        return 1.0
    rho = _autocorrelations(features)
    first = min(rho[1] + (1 + 3 * rho[1]) / len(features), 0.99)  # what few rows take off an autocorrelation
    ratio = max(_flat_top_ratio(rho, len(features)), 2 * first / (1 - first**2), 0.0)
    return float(np.clip(_CAUTION * (size * ratio**2) ** (1 / 3), 1.0, size / 4))


def _leading_features(x: Floats, kernel: Kernel) -> Floats:
    """``(n, r)`` principal components of some rows, each with the weight of its eigenvalue."""
    some = x[np.linspace(0, len(x) - 1, min(len(x), _LANDMARKS)).astype(int)]
    K = kernel.block(some, some)
    values, vectors = np.linalg.eigh(K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean())
    top = np.flatnonzero(values > 1e-9 * max(float(np.abs(np.diagonal(K)).mean()), 1e-300))[-_FEATURES:]
    features = kernel.block(x, some) @ vectors[:, top]
    features -= features.mean(axis=0)
    spread = features.std(axis=0)
    kept = spread > 0
    return np.asarray(features[:, kept] / spread[kept] * values[top][kept])


def _autocorrelations(features: Floats) -> Floats:
    """Correlations of the features with themselves at every lag, averaged over features with their squares."""
    size = len(features)
    transform = np.fft.rfft(features, n=2 * size, axis=0)
    products = np.fft.irfft((np.abs(transform) ** 2).sum(axis=1))[:size]
    return np.asarray(products / products[0])


def _flat_top_ratio(rho: Floats, size: int) -> float:
    """The ratio of sums, up to twice the lag from which on five correlations in a row are insignificant."""
    limit = 2 * sqrt(log10(size) / size)
    small = np.abs(rho[1:]) < limit
    quiet = np.flatnonzero(np.convolve(small, np.ones(5), "valid") >= 5)
    last = min(2 * (int(quiet[0]) if len(quiet) else size), size // 3)
    if last < 1:
        return 0.0
    lags = np.arange(1, last + 1)
    kept = rho[1 : last + 1] * np.clip(2 * (1 - lags / (last + 1)), 0.0, 1.0)
    return 2 * float(lags @ kept) / max(1 + 2 * float(kept.sum()), 0.1)
