r"""Ranks of pooled values in (0, 1), and what is made of them: normal scores, and cosines as features of a kernel.

.. math:: k(u, u') = \sum_{f\ge1} e^{-\pi^2h^2f^2/2}\; 2\cos(\pi fu)\cos(\pi fu')

for ranks u in (0, 1) is the Gaussian kernel of width h between reflecting walls (the heat kernel), less a constant.
Ranks are spread evenly, so that one width is narrow where rows lie close together and wide where they are few, and no
feature is spent on tails: :func:`top_frequency` of them are enough, 11 for h = 0.07.
"""

from __future__ import annotations

import numpy as np

from .types import Floats

_LEAST = 0.03  # the smallest weight that a feature may have


def midranks(z: Floats) -> Floats:
    """``(N, D)`` ranks in (0, 1) within each column, the mean rank for ties."""
    size = len(z)
    if not z.size:
        return z
    order = np.argsort(z, axis=0)  # ties in any order: they get the same rank
    ordered = np.take_along_axis(z, order, axis=0)
    starts = np.ones(z.shape, dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    ends = np.roll(starts, -1, axis=0)  # the last row always ends a run of ties, because the first one starts one
    place = np.arange(size)[:, None]
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=0)
    last = np.minimum.accumulate(np.where(ends, place, size)[::-1], axis=0)[::-1]
    ranks = np.empty(z.shape)
    np.put_along_axis(ranks, order, (first + last + 1) / (2 * size), axis=0)
    return ranks


def scores_of(ranks: Floats) -> Floats:
    """Normal scores with mean 0 and variance 1."""
    from scipy.special import ndtri

    return standardised(ndtri(ranks))


def standardised(z: Floats) -> Floats:
    """Columns with mean 0 and variance 1, whatever their unit; none may be constant.

    The unit is divided out first, by a power of two, so that no square overflows and no digit changes.
    """
    if not z.size:
        return z
    z = z - z[len(z) // 2]
    top = np.abs(z).max(axis=0)
    z = np.ldexp(z, -np.frexp(top)[1])
    z -= z.mean(axis=0)
    return np.asarray(z / z.std(axis=0))


def top_frequency(width: float) -> int:
    """The largest frequency whose weight is not next to nothing."""
    return max(1, int(np.sqrt(-2 * np.log(_LEAST)) / (np.pi * width)))


def wave_weights(squares: Floats, width: float) -> Floats:
    """Weights of features, by their squared frequencies."""
    return np.exp(-0.5 * (np.pi * width) ** 2 * squares)


def cosines(ranks: Floats, top: int) -> Floats:
    """``(top + 1, N)`` √2 cos(π f u) for f = 0, ..., top; 1 for f = 0. By the recurrence of Chebyshev's polynomials."""
    waves = np.ones((top + 1, len(ranks)))
    waves[1] = np.cos(np.pi * ranks)
    twice = 2 * waves[1]
    for f in range(2, top + 1):
        np.multiply(twice, waves[f - 1], out=waves[f])
        waves[f] -= waves[f - 2]
    waves[1:] *= np.sqrt(2.0)
    return waves


def rank_features(rows: Floats, width: float) -> Floats:
    """``(K, F)`` features of K ascending points with so many pooled rows each.

    A point has a piece of (0, 1) as long as its share of the rows, and the means of the features over it: ties make the
    features shorter, never longer.
    """
    share = rows / rows.sum()
    waves = cosines(np.cumsum(share) - share / 2, top_frequency(width))[1:]
    f = np.arange(1.0, len(waves) + 1)[:, None]
    waves *= np.sqrt(wave_weights(f**2, width))
    shares, which = np.unique(share, return_inverse=True)  # mostly a few
    waves *= np.sinc(f * shares / 2)[:, which]
    return np.ascontiguousarray(waves.T)
