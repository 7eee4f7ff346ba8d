"""Whether two columns have one distribution: tests of pairs by the limit law of MMD²."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..core.centred import CentredGram
from ..core.sums import BlockSums
from ..core.types import Floats
from ..embedding import Embedded, Levels, Line, ObservedSums, null_of
from ..kernels import Gaussian
from ..nulls import Spectrum
from ..statistics import Unbiased
from ..structured import Categories
from .points import LARGEST
from .words import SPECTRUM, prepared

_TEXTS = 250  # of each side, for the law


class PairTest(NamedTuple):
    """MMD²_u of two columns and its p-value by the limit law, and the kernel that was used."""

    statistic: float
    pvalue: float
    kernel: str
    bandwidth: float | None = None


def numbers_test(x: Floats, y: Floats, scale: float) -> PairTest:
    """Two columns of numbers, with the Gaussian kernel at the median distance of the pool; about `scale`, or 0."""
    x, y = (np.clip(values, -LARGEST, LARGEST) for values in (x, y))
    line = Line.of_many_values(x, y, scale or 1.0)
    kernel = Gaussian(line.median_distance or 1.0)
    return _tested(line.embedded(kernel.scale), repr(kernel), kernel.scale)


def _tested(pair: Embedded, kernel: str, bandwidth: float | None = None) -> PairTest:
    statistic, law = null_of(pair, Spectrum())
    return PairTest(statistic, law.pvalue(statistic), kernel, bandwidth)


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


def _text_gram(texts: list[str]) -> Floats:
    features = SPECTRUM.on(texts).features(np.arange(len(texts), dtype=np.float64)[:, None])
    return np.asarray((features @ features.T).toarray(), dtype=np.float64)
