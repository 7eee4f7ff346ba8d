"""One sample of atoms: the covariance of its features, and traces of its powers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.types import Floats

_BLOCK = 2048


@dataclass(frozen=True, eq=False)
class Side:
    """One sample: its features, their mean and their covariance.

    Parameters
    ----------
    features
        ``(A, D)`` features of the atoms that have rows.
    weights
        ``(A,)`` rows.
    mean
        ``(D,)`` mean.
    covariance
        ``(D, D)`` plug-in covariance.
    lengths
        ``(A,)`` squared lengths of the features less their mean.
    """

    features: Floats
    weights: Floats
    mean: Floats
    covariance: Floats
    lengths: Floats

    @classmethod
    def of(cls, features: Floats, weights: Floats) -> Side:
        """From features of atoms and their rows."""
        rows = np.flatnonzero(weights)
        together = rows[-1] - rows[0] == len(rows) - 1
        used = slice(rows[0], rows[-1] + 1) if together else rows  # a slice is no copy
        features, weights = features[used], weights[used]
        size, single = float(weights.sum()), weights.max() == 1
        mean = weights @ features / size
        covariance, lengths = np.zeros((len(mean), len(mean))), np.empty(len(weights))
        for part, phi in _centred(features, mean):
            heavy = phi if single else phi * weights[part, None]
            covariance += heavy.T @ phi
            np.einsum("ij,ij->i", phi, phi, out=lengths[part])
        covariance /= size
        return cls(features, weights, mean, covariance, lengths)

    @cached_property
    def size(self) -> float:
        """Rows."""
        return float(np.round(self.weights.sum()))

    @cached_property
    def trace(self) -> float:
        """Trace of the plug-in covariance."""
        return float(self.weights @ self.lengths) / self.size

    @cached_property
    def square(self) -> float:
        """Trace of the squared covariance without the diagonal of the kernel matrix, unbiased."""
        return square_without_diagonal(self.covariance, self.lengths, self.weights)

    @cached_property
    def cube(self) -> float:
        """Trace of the third power, likewise."""
        n, C = self.size, self.covariance
        plain = float(np.vdot(C @ C, C))
        if _few_features(C, n):
            return plain
        total = n**3 * plain - 3 * n * self._bent(C) + 2 * float(self.weights @ self.lengths**3)
        return max(total / (n * (n - 1) * (n - 2)), 0.0)

    def mixed(self, other: Side) -> float:
        """Trace of the squared covariance of this side times that of the other one, likewise."""
        n, C = self.size, other.covariance
        plain = float(np.vdot(self.covariance @ C, self.covariance))
        if _few_features(C, n):
            return plain
        return max((n * n * plain - self._bent(C)) / (n * (n - 1)), 0.0)

    def _bent(self, C: Floats) -> float:
        """What rows that meet themselves add."""
        forms = np.empty(len(self.weights))
        for part, phi in _centred(self.features, self.mean):
            np.einsum("ij,ij->i", phi @ C, phi, out=forms[part])
        return float(self.weights @ (self.lengths * forms))


def _centred(features: Floats, mean: Floats) -> Iterator[tuple[slice, Floats]]:
    """Features less their mean, block by block in the same memory: fresh memory for all of them would cost more."""
    block = np.empty((min(len(features), _BLOCK), features.shape[1]))
    for start in range(0, len(features), _BLOCK):
        part = slice(start, start + _BLOCK)
        phi = block[: len(features[part])]
        np.subtract(features[part], mean, out=phi)
        yield part, phi


def _few_features(C: Floats, rows: float) -> bool:
    """Whether the plug-in is good enough for traces of powers of the covariance.

    The diagonal adds a share of about D/n to them. Without it they are unbiased, but of rare events (one row in a
    thousand) nothing would be left at all.
    """
    return 10 * len(C) <= rows


def square_without_diagonal(C: Floats, lengths: Floats, weights: Floats) -> float:
    r"""An unbiased :math:`\mathrm{tr}\,C^2` from the plug-in covariance of rows with these squared lengths.

    As in :func:`twosample.core.centred.pooled_square`; the plug-in where there are few features.
    """
    if _few_features(C, float(weights.sum())):
        return float((C * C).sum())
    n, squares = float(np.round(weights.sum())), float(weights @ lengths**2)
    off = n * n * float((C * C).sum()) - squares
    inner = off - 2 * squares / (n - 2) + float(weights @ lengths) ** 2 / ((n - 1) * (n - 2))
    return max(inner / (n * (n - 3)), 0.0)


def witness_covariance(own: Side, other: Side, centre: Floats) -> Floats:
    """Covariance, over the rows of one sample, of the witness and of k(z,z) - 2 E k(z,z'), for features not centred."""
    n, mean, away = own.size, own.mean + centre, other.mean + centre
    inner = own.features @ mean + float((mean - own.mean) @ mean)
    raw = own.lengths + 2 * inner - float(mean @ mean)  # k(z, z)
    mine = (n * inner - raw) / (n - 1)
    theirs = own.features @ away + float((mean - own.mean) @ away)
    values = np.stack([mine - theirs, raw - 2 * mine])
    values -= (values @ own.weights / n)[:, None]
    return np.asarray((values * own.weights) @ values.T / (n - 1))
