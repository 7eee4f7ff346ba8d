r"""Two samples seen through features: one place for the statistic, its law under H0, and the effect with its interval.

A column is a few hundred *atoms* (values, bins or categories), each with features :math:`\varphi` and with the number
of rows that either table has there; the joint sample is the same with a row for each atom. With the kernel
:math:`k = \varphi'\varphi` everything follows from means and covariances of the features: :math:`\mathrm{MMD}^2_u`,
the eigenvalues of the pooled covariance (Theorem 'Asymptotic distribution'), the traces that the law beyond H0 needs
(:mod:`twosample.planning.laws`), and the witness. O(A D²) for A atoms and D features, whatever the number of rows.

Diagonals are left out as everywhere (:mod:`twosample.core.centred`) unless features are so few that it does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from ..core.centred import CentredSpectrum, without_diagonal
from ..core.evidence import Evidence
from ..core.labellings import Labellings
from ..core.sums import BlockSums
from ..core.types import Floats
from ..planning.effects import effect_of
from ..planning.intervals import invert
from ..planning.laws import beyond, linear_variance
from ..statistics import Unbiased
from .sides import Side, square_without_diagonal, witness_covariance

ROWS_FOR_INTERVAL = 4
"""With fewer rows in a table nothing is known of the spread."""

_NONE_SEEN = 3.0  # of n rows without an event, 3/n is what its share may still be


@dataclass(frozen=True, eq=False)
class Atoms:
    """Where rows can be, and how many rows of either table are there.

    Parameters
    ----------
    centred
        ``(A, D)`` features less their pooled mean.
    mean
        ``(D,)`` that mean.
    largest
        The size of the largest feature.
    a, b
        ``(A,)`` rows of the first and of the second table.
    residual
        What k(z, z) has beyond the length of the features, on average: the part of the kernel that they leave out.
    """

    centred: Floats
    mean: Floats
    largest: float
    a: Floats
    b: Floats
    residual: float = 0.0

    @classmethod
    def of(cls, features: Floats, a: Floats, b: Floats, residual: float = 0.0) -> Atoms:
        """From ``(A, D)`` features, which are overwritten: there may be many."""
        largest = max(float(features.max()), -float(features.min()), 1e-300)
        rows = a + b
        mean = rows @ features / rows.sum()
        features -= mean
        return cls(features, mean, largest, a, b, residual)

    @cached_property
    def m(self) -> int:
        """Rows of the first table."""
        return round(float(self.a.sum()))

    @cached_property
    def n(self) -> int:
        """Rows of the second table."""
        return round(float(self.b.sum()))

    @cached_property
    def countable(self) -> bool:
        """Whether atoms have whole rows, which can be relabelled, and not parts of them, as the ends of bins have."""
        return all(bool((part == np.floor(part)).all()) for part in (self.a, self.b))

    @cached_property
    def difference(self) -> Floats:
        """``(D,)`` difference of the mean embeddings."""
        return np.asarray((self.a / self.m - self.b / self.n) @ self.centred)

    @cached_property
    def lengths(self) -> Floats:
        """``(A,)`` squared lengths of the centred features."""
        return np.asarray(np.einsum("ij,ij->i", self.centred, self.centred))

    def witness(self) -> Floats:
        """``(A,)`` the witness function at the atoms."""
        return np.asarray(self.centred @ self.difference)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """Both samples, each centred on its own mean."""
        return Side.of(self.centred, self.a), Side.of(self.centred, self.b)

    def evidence(self, labels: Labellings | None) -> Evidence:
        """What a null may look at; `labels` are worlds of m + n rows, for nulls that look at other worlds.

        Only whole numbers of rows can be relabelled.
        """
        sums = self._sums(labels)
        form = Unbiased().form(self.m, self.n)
        return Evidence(
            values=form.value(sums),
            tolerance=form.tolerance(sums),
            exhaustive=labels is not None and labels.exhaustive,
            m=self.m,
            n=self.n,
            kernel="",
            bounds=None,
            term_count=min(self.m, self.n) // 2,
            form=form,
            centred=self._spectrum,
            spread=sums.spread,
            least=Unbiased().least_pvalue(self.m, self.n),
        )

    def _sums(self, labels: Labellings | None) -> BlockSums:
        phi, lengths = self.centred, self.lengths
        if labels is None:
            S, diagonal = (self.a @ phi)[None], np.array([self.a @ lengths])
        else:
            rows = np.concatenate([np.repeat(np.arange(len(phi)), np.round(w).astype(int)) for w in (self.a, self.b)])
            carried = np.concatenate([phi, lengths[:, None]], axis=1)[rows]
            worlds = labels.sums(slice(0, len(rows)), carried)
            S, diagonal = worlds[:, :-1], worlds[:, -1]
        own = np.einsum("rj,rj->r", S, S)
        trace = float((self.a + self.b) @ lengths)
        return BlockSums(own, -own, own, diagonal, trace - diagonal, self.m, self.n, 1e-12)

    def _spectrum(self) -> CentredSpectrum:
        """The centred kernel of the pool; its third moments are left out, because the limit law does not need them."""
        (x, y), size, delta = self.sides, self.m + self.n, self.difference
        C = (self.m * x.covariance + self.n * y.covariance) / size
        C += (self.m * self.n / size**2) * np.outer(delta, delta)
        level, square = float(np.trace(C)), square_without_diagonal(C, self.lengths, self.a + self.b)
        values = without_diagonal(np.asarray(np.linalg.eigvalsh(C), np.float64), level / size, size)
        values *= sqrt(square / max(float(values @ values), 1e-300))
        magnitude = level + float(self.mean @ self.mean)
        return CentredSpectrum(square, level * size / (size - 1), magnitude, values, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Two samples as the laws beyond H0 see them: what :class:`twosample.planning.profile.Profile` is for rows.

    Parameters
    ----------
    sizes
        Rows of both.
    squared
        MMD²_u.
    spread
        The mean variance in feature space.
    covariances, squares, triangles
        As there.
    """

    sizes: tuple[int, int]
    squared: float
    spread: float
    covariances: Floats
    squares: Floats
    triangles: Floats

    @classmethod
    def of(cls, atoms: Atoms) -> TwoSides:
        """Measure two samples; at least four rows each."""
        (x, y), m, n = atoms.sides, atoms.m, atoms.n
        spreads = x.trace * m / (m - 1), y.trace * n / (n - 1)
        squared = float(atoms.difference @ atoms.difference) - spreads[0] / m - spreads[1] / n
        cross = float(np.vdot(x.covariance, y.covariance)) * m * n / ((m - 1) * (n - 1))
        triangles = np.empty((2, 2, 2))
        triangles[0, 0, 0], triangles[1, 1, 1] = x.cube, y.cube
        triangles[0, 0, 1] = triangles[0, 1, 0] = triangles[1, 0, 0] = x.mixed(y)
        triangles[0, 1, 1] = triangles[1, 0, 1] = triangles[1, 1, 0] = y.mixed(x)
        return cls(
            (m, n),
            squared,
            float(np.mean(spreads)) + atoms.residual,
            np.stack([witness_covariance(x, y, atoms.mean), witness_covariance(y, x, atoms.mean)]),
            np.array([[x.square, cross], [cross, y.square]]),
            triangles,
        )

    def witness_variances(self) -> Floats:
        """``(2,)`` variances of the true witness over each sample, without the noise of the estimated one."""
        noise = self.squares @ (1 / np.array(self.sizes))
        return np.asarray(np.maximum(self.covariances[:, 0, 0] - noise, 0.0))


@dataclass(frozen=True)
class Effect:
    """An effect size r with its interval, and what it is made of.

    Parameters
    ----------
    value, low, high
        r and its interval.
    squared
        MMD²_u.
    spread
        The mean variance in feature space.
    """

    value: float
    low: float
    high: float
    squared: float
    spread: float


def effect(atoms: Atoms, tail: float) -> Effect:
    """The effect size, and the interval that leaves out `tail` on either side; from 0 to 1 with too few rows."""
    if min(atoms.m, atoms.n) < ROWS_FOR_INTERVAL:
        return Effect(0.0, 0.0, 1.0, 0.0, 0.0)
    seen = TwoSides.of(atoms)
    spread, squared = seen.spread, seen.squared
    if spread <= 1e-12 * atoms.largest**2 and squared <= spread:
        high = sqrt(min(1.0, _NONE_SEEN / (2 * min(seen.sizes))))  # nothing varies: what may vary was not seen
        return Effect(0.0, 0.0, high, 0.0, spread)
    per_spread = max(squared, 0.0) / spread if spread > 0 else 0.0
    law = beyond(seen, linear_variance(seen, per_spread), squared)
    low, high = invert(law, squared, tail)
    return Effect(effect_of(squared, spread), effect_of(low, spread), effect_of(high, spread), squared, spread)
