"""Columns of categories and of text as vectors: shares of the values, and mean counts of three-letter pieces.

Squared MMDs are divided by the sum of the squared norms of both embeddings: 0 for one distribution, 1 for columns with
nothing in common. So a column of a thousand different names is as far from a stranger as one of two categories is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..structured import strings
from .columns import Column
from .lines import Inner
from .points import Places

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_LETTERS = 200  # of a text that are read
_TEXTS = 1000  # of a column, at most
_TOTAL = 40_000  # texts of all columns together, about
_LEAST = 100


def shares(columns: Sequence[Column]) -> csr_array:
    """``(c, L)`` shares of the labels in each column, all labels of all columns being counted."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    place = [known.setdefault(label, len(known)) for column in columns for label in column.labels]
    start = np.cumsum([0, *(len(column.labels) for column in columns)])
    data = np.concatenate([column.counts / column.present for column in columns])
    return csr_array((data, place, start), shape=(len(columns), max(len(known), 1)))


def pieces(columns: Sequence[Column]) -> tuple[csr_array, Places]:
    """``(c, D)`` mean counts of three-letter pieces, each text scaled to length 1; and how many texts were read.

    In small letters, with marks where a text begins and ends.
    """
    from scipy.sparse import csr_array

    limit = int(np.clip(_TOTAL // max(len(columns), 1), _LEAST, _TEXTS))
    every: list[str] = []
    count = np.array([min(column.present, limit) for column in columns], dtype=np.intp)
    for column, texts in zip(columns, count.tolist(), strict=True):
        places = column.known[np.linspace(0, column.present - 1, texts).astype(np.intp)]
        every += [f"\x02{column.words[k][:_LETTERS].casefold()}\x03" for k in places.tolist()]
    features = strings.Spectrum(3).on(every).features(np.arange(len(every), dtype=np.float64)[:, None])
    start = np.concatenate([[0], np.cumsum(count)])
    mean = csr_array((np.repeat(1 / count, count), np.arange(len(every)), start), shape=(len(columns), len(every)))
    return (mean @ features).tocsr(), count


def products(sources: csr_array, targets: csr_array) -> Inner:
    """Inner products of mean embeddings."""
    own, other = (np.asarray(side.multiply(side).sum(axis=1), dtype=np.float64).ravel() for side in (sources, targets))
    cross = np.asarray((sources @ targets.T).toarray(), dtype=np.float64)
    return Inner(own, cross, np.broadcast_to(other, cross.shape))
