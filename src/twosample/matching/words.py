"""Columns of categories and of text as vectors: shares of the values, and mean counts of three-letter pieces.

Squared MMDs are divided by the sum of the squared norms of both embeddings: 0 for one distribution, 1 for columns with
nothing in common. So a column of a thousand different names is as far from a stranger as one of two categories is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..structured import strings
from .lines import Inner
from .points import Mask, Places

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SPECTRUM = strings.Spectrum(3)
_LETTERS = 200  # of a text that are read
_TEXTS = 1000  # of a column, at most
_TOTAL = 40_000  # texts of all columns together, about
_LEAST = 100


def shares(columns: Sequence[Sequence[str]]) -> csr_array:
    """``(c, L)`` shares of the values in each column, all values of all columns being counted."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    data: list[float] = []
    place: list[int] = []
    start = [0]
    for values in columns:
        for value, count in Counter(values).items():
            place.append(known.setdefault(value, len(known)))
            data.append(count / len(values))
        start.append(len(place))
    return csr_array((data, place, start), shape=(len(columns), max(len(known), 1)))


def prepared(values: Sequence[str], limit: int = _TEXTS) -> list[str]:
    """At most so many of the texts, evenly spaced; small letters, with marks where they begin and end."""
    at = range(len(values)) if len(values) <= limit else np.linspace(0, len(values) - 1, limit).astype(int).tolist()
    return [f"\x02{values[k][:_LETTERS].casefold()}\x03" for k in at]


def pieces(columns: Sequence[Sequence[str]]) -> tuple[csr_array, Places]:
    """``(c, D)`` mean counts of three-letter pieces, each text scaled to length 1; and how many texts were read."""
    from scipy.sparse import csr_array

    limit = int(np.clip(_TOTAL // max(len(columns), 1), _LEAST, _TEXTS))
    texts = [prepared(values, limit) for values in columns]
    count = np.array([len(part) for part in texts], dtype=np.intp)
    every = [text for part in texts for text in part]
    features = SPECTRUM.on(every).features(np.arange(len(every), dtype=np.float64)[:, None])
    start = np.concatenate([[0], np.cumsum(count)])
    weights = np.repeat(1 / np.maximum(count, 1), count)
    mean = csr_array((weights, np.arange(len(every)), start), shape=(len(columns), len(every)))
    return (mean @ features).tocsr(), count


def products(sources: csr_array, targets: csr_array) -> Inner:
    """Inner products of mean embeddings."""
    own, other = (np.asarray(side.multiply(side).sum(axis=1), dtype=np.float64).ravel() for side in (sources, targets))
    cross = np.asarray((sources @ targets.T).toarray(), dtype=np.float64)
    return Inner(own, cross, np.broadcast_to(other, cross.shape))


def scores(
    names: tuple[str, str], sources: Sequence[str], targets: Sequence[str], confidence: Floats, pairs: Mask
) -> dict[tuple[str, str, str, str], float]:
    """Pairs by confidence, best first; those that were matched before all others."""
    places = np.argwhere(confidence > 0)
    values = 0.5 * confidence[tuple(places.T)] + 0.5 * pairs[tuple(places.T)]
    order = np.argsort(-values, kind="stable")
    return {
        (names[0], sources[places[k, 0]], names[1], targets[places[k, 1]]): float(values[k]) for k in order.tolist()
    }
