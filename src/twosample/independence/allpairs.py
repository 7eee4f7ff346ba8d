"""HSIC of all pairs of many columns with the spectrum law, in batches: what belongs to one column is computed once.

The law of a pair is that of :class:`ObservedHSIC`: chi-squares weighted with the products of the eigenvalues of both,
scaled to the variance over permutations. Of the products only the largest matter one by one; all others together are a
gamma variable with their second and third cumulant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event

import numpy as np

from ..core.tails import weighted_tails
from ..core.threads import available_cores, run
from ..core.types import Floats
from .factored import unbiased_moments
from .factors import Factor
from .laws import check_range, moments_over_permutations
from .matrices import Order, PermutationMoments
from .observed import smallest
from .pairs import unit_of

_LEADING = 24
"""Products of eigenvalues that are weights of their own. In decreasing order the product of the a-th and b-th is among
them only if ab is no more than this."""

_ROUNDING = 1e-12
_ENTRIES, _BATCH = 1 << 24, 2000


def spectrum_tests(factors: Sequence[Factor]) -> tuple[Floats, Floats, Floats]:
    """HSIC_u, strengths and p-values of all pairs (0, 1), (0, 2), ..., (1, 2), ... of columns."""
    n, unit = factors[0].size, unit_of(factors[0].size, True)
    columns = [unbiased_moments(factor) for factor in factors]
    check_range(columns)
    first, second = np.triu_indices(len(factors), 1)
    every = np.array(columns)  # (columns, 4)
    x, y = PermutationMoments(*every[first].T), PermutationMoments(*every[second].T)
    diagonals = np.array([factor.diagonal for factor in factors])
    lengths = np.array([float(np.linalg.norm(factor.values)) for factor in factors])
    sums = _squares(factors)[first, second] - n / (n - 2) * (diagonals @ diagonals.T)[first, second]
    values = unit * (sums + x.spread * y.spread / ((n - 1) * (n - 2)))
    mean, variance = moments_over_permutations(n, unit, x, y)
    noise = _ROUNDING * unit * lengths[first] * lengths[second]
    spread = unit * np.sqrt(x.square * y.square)
    strengths = np.divide(values, spread, out=np.zeros_like(values), where=spread > noise)
    pvalues = np.ones(len(values))
    varies = np.flatnonzero(np.sqrt(variance) > noise)
    spectra = _Spectra(factors)
    for start in range(0, len(varies), _BATCH):
        some = varies[start : start + _BATCH]
        weights, counts = spectra.products(first[some], second[some])
        weights *= np.sqrt(variance[some] / (2 * (counts * weights**2).sum(axis=1)))[:, None]
        pvalues[some] = weighted_tails(weights, counts, values[some] - mean[some] + (counts * weights).sum(axis=1))
    return values, strengths, np.clip(pvalues, smallest(n), 1.0)


def _squares(factors: Sequence[Factor]) -> Floats:
    """``(columns, columns)`` sums of squares of A'B, above the diagonal."""
    sums = np.zeros((len(factors), len(factors)))
    for block in _blocks(factors):
        wide = np.concatenate([factors[j].rows for j in block], axis=1)
        starts = np.cumsum([0, *(len(factors[j].values) for j in block[:-1])])

        def work(i: int, stop: Event, block: range = block, wide: Floats = wide, starts: Order = starts) -> None:
            if stop.is_set():
                return
            later = max(i + 1 - block.start, 0)
            products = factors[i].rows.T @ wide[:, starts[later] :]
            squares = np.einsum("ab,ab->b", products, products)
            sums[i, block[later:]] = np.add.reduceat(squares, starts[later:] - starts[later])

        run(range(block.stop - 1), work, available_cores())
    return sums


def _blocks(factors: Sequence[Factor]) -> Iterator[range]:
    """Columns in groups whose features fit in memory."""
    start, entries = 0, 0
    for j, factor in enumerate(factors):
        entries += factor.rows.size
        if j > start and entries > _ENTRIES:
            yield range(start, j)
            start, entries = j, factor.rows.size
    yield range(start, len(factors))


class _Spectra:
    """The eigenvalues of all columns: the leading ones, and the sums of squares and cubes of all."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self.leading = np.zeros((len(factors), _LEADING))
        for row, factor in zip(self.leading, factors, strict=True):
            row[: len(factor.values)] = factor.values[:_LEADING]
        self.squares = np.array([float((factor.values**2).sum()) for factor in factors])
        self.cubes = np.array([float((factor.values**3).sum()) for factor in factors])
        a, b = np.indices((_LEADING, _LEADING))
        self.a, self.b = np.nonzero((a + 1) * (b + 1) <= _LEADING)

    def products(self, first: Order, second: Order) -> tuple[Floats, Floats]:
        """``(P, 25)`` weights and their degrees of freedom: the leading products, and one for all others."""
        products = self.leading[first][:, self.a] * self.leading[second][:, self.b]
        kept = -np.sort(-products, axis=1)[:, :_LEADING]
        all_squares = self.squares[first] * self.squares[second]
        squares = all_squares - (kept**2).sum(axis=1)
        cubes = self.cubes[first] * self.cubes[second] - (kept**3).sum(axis=1)
        rest = (squares > 1e-12 * all_squares) & (cubes > 0)
        weight = np.divide(cubes, squares, out=np.zeros_like(cubes), where=rest)
        count = np.divide(squares, weight**2, out=np.ones_like(cubes), where=rest & (weight > 0))
        weights = np.concatenate([kept, weight[:, None]], axis=1)
        counts = np.ones_like(weights)
        counts[:, -1] = count
        return weights, counts
