"""The different values that two columns have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats

_OFTEN = 50  # pairs of columns that share a value, from which on dense matrices are faster
_CHUNK = 4096
_VALUES = 1_000_000  # of all columns together that are looked at, and at least so many of each:
_LEAST = 1000


def jaccard(sources: Sequence[Sequence[str] | Floats], targets: Sequence[Sequence[str] | Floats]) -> Floats:
    """``(s, t)`` how many different values two columns share, over how many they have; 0 for empty ones.

    O(values) space and, for each value, as much time as there are pairs of columns that share it. Of very many columns
    evenly spaced rows are looked at.
    """
    s, t = len(sources), len(targets)
    rows = max(_VALUES // max(s + t, 1), _LEAST)
    codes, column = _coded([values[:: max(1, -(-len(values) // rows))] for values in (*sources, *targets)])
    size = np.bincount(column, minlength=s + t).astype(np.float64)
    both = _shared(codes, column, s, t)
    union = size[:s, None] + size[None, s:] - both
    return np.divide(both, union, out=np.zeros((s, t)), where=union > 0)


def _coded(columns: Sequence[Sequence[str] | Floats]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The different values of all columns as numbers from 0 on, and to which column each belongs."""
    if all(isinstance(values, np.ndarray) for values in columns):
        different = [np.unique(values) for values in columns]
        column = np.repeat(np.arange(len(columns)), [len(values) for values in different])
        every = np.concatenate(different) if different else np.empty(0)
        return np.unique(every, return_inverse=True)[1].astype(np.intp), column
    known: dict[str, int] = {}
    sets = [{value.strip().casefold() for value in values} for values in columns]
    codes = [known.setdefault(value, len(known)) for values in sets for value in values]
    return np.array(codes, dtype=np.intp), np.repeat(np.arange(len(columns)), [len(values) for values in sets])


def _shared(codes: NDArray[np.intp], column: NDArray[np.intp], s: int, t: int) -> Floats:
    """``(s, t)`` how many codes two columns share."""
    from scipy.sparse import csr_array

    left = column < s
    width = int(codes.max()) + 1 if len(codes) else 1
    pairs = np.bincount(codes[left], minlength=width) * np.bincount(codes[~left], minlength=width)
    place = np.cumsum(pairs >= _OFTEN) - 1
    often = np.flatnonzero(pairs[codes] >= _OFTEN)
    both = np.zeros((s, t))
    for begin in range(0, int(place[-1]) + 1, _CHUNK):
        at = place[codes[often]] - begin
        here = (at >= 0) & (at < _CHUNK)
        dense = np.zeros((s + t, _CHUNK), dtype=np.float32)
        dense[column[often[here]], at[here]] = 1.0
        both += dense[:s] @ dense[s:].T
    rare = np.flatnonzero((pairs[codes] > 0) & (pairs[codes] < _OFTEN))
    table = csr_array((np.ones(len(rare)), (column[rare], codes[rare])), shape=(s + t, width))
    return np.asarray(both + (table[:s] @ table[s:].T).toarray())
