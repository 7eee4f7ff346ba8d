"""What MMD² is under H0 for a pair of columns: prices for leaving a column unmatched, and tests of pairs."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..core.centred import Centred, CentredGram, CentredSpectrum
from ..core.sums import BlockSums
from ..core.types import Floats
from ..embedding import Embedded, Levels, Line, ObservedSums, null_of
from ..embedding.line import gaussian_features
from ..embedding.pair import Sample
from ..kernels import Gaussian
from ..nulls import Gamma, Spectrum
from ..statistics import Unbiased
from ..structured import Categories
from .points import PointColumns
from .words import SPECTRUM, prepared

_TEXTS = 250  # of each side, for the law


class PairTest(NamedTuple):
    """MMD²_u of two columns and its p-value by the limit law, and the kernel that was used."""

    statistic: float
    pvalue: float
    kernel: str
    bandwidth: float | None = None


def price(m: int, n: int, centred: Centred, level: float) -> float:
    """About the value that MMD²_u exceeds with this probability under H0."""
    zero = np.zeros(1)
    sums = BlockSums(zero, zero, zero, zero, zero, m, n, 1e-12)
    return Gamma().law(ObservedSums(Unbiased(), sums, lambda: centred)).threshold(level)


def numbers_test(x: Floats, y: Floats, scale: float) -> PairTest:
    """Two columns of numbers, with the Gaussian kernel at the median distance of the pool; about `scale`, or 0."""
    line = Line.of_many_values(x, y, scale or 1.0)
    kernel = Gaussian(line.median_distance or 1.0)
    return _tested(line.embedded(kernel.scale), repr(kernel), kernel.scale)


def _tested(pair: Embedded, kernel: str, bandwidth: float | None = None) -> PairTest:
    statistic, law = null_of(pair, Spectrum())
    return PairTest(statistic, law.pvalue(statistic), kernel, bandwidth)


def numbers_price(x: PointColumns, bandwidth: float, n: int, level: float) -> float:
    """What the squared MMD of a column of numbers and n more rows of the same exceeds with this probability.

    An approximate threshold: the means of runs and most of the kernel are enough.
    """
    here = slice(int(x.start[0]), int(x.start[1]))
    column = Sample.of(gaussian_features(x.place[here], x.mass[here], bandwidth, 1e-3), x.mass[here])
    m, square = int(x.rows[0]), float(column.weights @ column.lengths**2)
    spectrum = CentredSpectrum.of_covariance(column.covariance, square, m + n, 1.0, 0.0, eigenvalues=False)
    return price(m, n, spectrum, level)


def categories_centred(p: Floats, size: int) -> Centred:
    """The delta kernel on categories with these shares in the pool, without its eigenvalues."""
    level = float(p @ p)
    C = np.diag(p) - np.outer(p, p)
    return CentredSpectrum.of_covariance(C, float(p @ (1 - 2 * p + level) ** 2), size, 1.0, 0.0, eigenvalues=False)


def categories_test(x: tuple[str, ...], y: tuple[str, ...]) -> PairTest:
    """Two columns of categories."""
    return _tested(Levels.of(Counter(x), Counter(y)).embedded(), repr(Categories()))


def text_test(x: tuple[str, ...], y: tuple[str, ...]) -> PairTest:
    """Two columns of text, from at most 250 texts of each."""
    first, second = prepared(x, _TEXTS), prepared(y, _TEXTS)
    K = _text_gram([*first, *second])
    m, n = len(first), len(second)
    each = np.add.reduceat(np.diagonal(K), [0, m])
    xx, xy, yy = (np.array([float(part.sum())]) for part in (K[:m, :m], K[:m, m:], K[m:, m:]))
    sums = BlockSums(xx, xy, yy, each[:1], each[1:], m, n, 1e-12)
    observed = ObservedSums(Unbiased(), sums, lambda: CentredGram.of(K))
    statistic = observed.value
    pvalue = Spectrum().law(observed).pvalue(statistic) if len(K) >= 4 else 1.0
    return PairTest(statistic, pvalue, repr(SPECTRUM))


def text_centred(x: tuple[str, ...]) -> Centred | None:
    """What the laws need of one column of text; None if it has hardly any."""
    texts = prepared(x, _TEXTS)
    return CentredGram.of(_text_gram(texts)) if len(texts) >= 4 else None


def _text_gram(texts: list[str]) -> Floats:
    features = SPECTRUM.on(texts).features(np.arange(len(texts), dtype=np.float64)[:, None])
    return np.asarray((features @ features.T).toarray(), dtype=np.float64)
