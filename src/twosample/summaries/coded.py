"""Features of a column that are frozen before the rows come: a code for each value, and small whole numbers for a code.

Whole numbers, so that sums of them and of their products are exact, in whatever order and batches rows come. Features
are those of :mod:`twosample.tables.features` as far as a code can tell: normal scores and their squares, levels, the
time of day, the length of a text, what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.signs import sign_codes
from ..core.types import Floats
from .grid import BinGrid

if TYPE_CHECKING:
    import polars as pl

Codes = NDArray[np.intp]

LARGEST = 127
"""Of a feature, with either sign."""

_SCORE, _SPREAD, _WAVE = 16.0, 8.0, 64.0  # features are whole multiples of one over this
_MINUTES, _LONGEST = 1440, 1000  # codes of the time of day, of lengths of texts
_RARE = 0.02  # levels with a smaller share of the rows are not looked at one by one


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """Features of a column by a code for each row."""

    name: str  # the column
    kind: str  # what it means; values are converted by it
    bins: BinGrid | None  # codes of numbers; None for others
    levels: tuple[str, ...] | None  # codes of categories; None for others
    clock: bool  # whether the code is the minute of the day
    table: NDArray[np.int8]
    """``(codes, k)`` the features of each code, in a unit of their own. The last code stands for a missing value, the
    one before for a level that was not seen."""

    @classmethod
    def frozen(cls, values: pl.Series, kind: str, bins: BinGrid | None, most: int) -> list[CodedColumn]:
        """From some values as doubles or text: up to `most` features, and those of the time of day last."""
        levels = tuple(sorted(values.drop_nulls().unique().to_list())) if kind == "categorical" else None
        found: list[CodedColumn] = []
        for clock in (False, True) if kind == "datetime" else (False,):
            empty = cls(values.name, kind, bins, levels, clock, np.empty((0, 0), dtype=np.int8))
            counts = np.bincount(empty.codes(values), minlength=empty.size)
            features = _features(counts, levels, clock)[: most - sum(part.width for part in found)]
            if features:
                table = np.clip(np.rint(np.column_stack(features)), -LARGEST, LARGEST).astype(np.int8)
                found.append(replace(empty, table=table))
        return found

    @property
    def width(self) -> int:
        """How many features it has."""
        return int(self.table.shape[1])

    @property
    def size(self) -> int:
        """How many codes there are: those of values, one for what was not seen, one for what is missing."""
        if self.clock:
            return _MINUTES + 2
        if self.levels is not None:
            return len(self.levels) + 2
        return (_LONGEST if self.bins is None else self.bins.size + 2) + 2

    @cached_property
    def _packed(self) -> NDArray[np.unsignedinteger[Any]]:
        """``(codes,)`` the features of each code as one number of 1, 2, 4 or 8 bytes: they are looked up together."""
        room = 1 << (self.width - 1).bit_length()
        wide = np.zeros((len(self.table), room), dtype=np.int8)
        wide[:, : self.width] = self.table
        return wide.view(f"u{room}")[:, 0]

    def features(self, values: pl.Series, order: Codes | None) -> Iterator[NDArray[np.int8]]:
        """``(n,)`` each feature of the values, in a certain order."""
        found = self._packed.take(self.codes(values), mode="clip")  # codes are in range: that mode needs no copy
        found = found if order is None else found[order]
        return iter(found.view(np.int8).reshape(len(found), found.itemsize).T[: self.width])

    def codes(self, values: pl.Series) -> Codes:
        """``(n,)`` the code of each value, which is a double or text."""
        import polars as pl

        if self.levels is not None:
            found = values.cast(pl.Enum(self.levels), strict=False).to_physical().fill_null(self.size - 2).to_numpy()
        elif self.kind == "text":
            found = np.minimum(values.str.len_chars().fill_null(0).to_numpy(), _LONGEST - 1)
        else:
            return self._of_numbers(values.to_numpy())
        return self._without(found.astype(np.intp), values.is_null().to_numpy() if values.null_count() else None)

    def _of_numbers(self, values: Floats) -> Codes:
        """Of doubles, of which those that are missing are NaN."""
        if self.clock:
            with np.errstate(invalid="ignore"):  # infinite times have no hour
                places = values % 86_400.0 / 60.0
        else:
            assert self.bins is not None
            with np.errstate(over="ignore"):  # numbers far beyond the bins are at their ends like others
                places = values * 2.0**-self.bins.unit
            places -= self.bins.start - 1.0
        np.fmin(np.fmax(places, 0.0, out=places), self.size - 3.0, out=places)
        missing = np.isnan(values)
        return self._without(places.astype(np.intp), missing if missing.any() else None)

    def _without(self, codes: Codes, missing: NDArray[np.bool_] | None) -> Codes:
        """With the last code for what is missing."""
        if missing is not None:
            codes[missing] = self.size - 1
        return codes


def _features(counts: NDArray[np.intp], levels: Sequence[str] | None, clock: bool) -> list[Floats]:
    """``(codes,)`` each, from how often every code was seen; none if only one was."""
    if np.count_nonzero(counts) < 2:
        return []
    gaps = np.zeros(len(counts))
    gaps[-1] = 1.0
    if clock:
        return _waves(counts) if np.count_nonzero(counts[:-2]) > 1 else []
    found = _scores(counts) if levels is None else _of_levels(counts, levels)
    return [*found[:1], gaps, *found[1:]] if counts[-1] else found


def _scores(counts: NDArray[np.intp]) -> list[Floats]:
    """Normal scores of the ranks, and their squares unless they say the same; a missing value lies in the middle."""
    from scipy.special import ndtri

    known, found = counts[:-2], np.zeros((2, len(counts)))
    seen, total = int(np.count_nonzero(known)), known.sum()
    if seen < 2:
        return []
    score = ndtri(np.clip((known.cumsum() - known / 2) / total, 0.5 / total, 1 - 0.5 / total))
    found[:, :-2] = _SCORE * score, _SPREAD * (score**2 - 1)
    return list(found[: min(seen, 3) - 1])


def _waves(counts: NDArray[np.intp]) -> list[Floats]:
    """The time of day as a point on a circle."""
    angle = 2 * np.pi * np.arange(_MINUTES) / _MINUTES
    return [np.append(_WAVE * wave, [0.0, 0.0]) for wave in (np.sin(angle), np.cos(angle))]


def _of_levels(counts: NDArray[np.intp], levels: Sequence[str]) -> list[Floats]:
    """Some large levels one by one; signs that do not depend on how often a level occurs for the rest.

    Of levels whose shares are alike up to a factor of two, names decide: the most frequent of many would be those
    that happen to be frequent in the rows at hand, and so in their table.
    """
    if len(levels) < 2:
        return []
    signs = sign_codes(levels)
    shares = counts[:-2] / counts.sum()
    size = np.floor(np.log2(np.maximum(shares, _RARE / 2)))
    order = np.lexsort((signs[:, 2:34] @ 2.0 ** np.arange(32), -size))
    large = int((shares >= _RARE).sum())
    if len(levels) == 2:  # the other one says nothing new
        order, large = order[:1], 1
    single = large if large <= 6 and large == len(order) else min(large, 4)
    found = np.zeros((single + 2, len(counts)))
    found[np.arange(single), order[:single]] = 1.0
    found[single:, :-2] = signs[:, :2].T
    found[single:, order[:single]] = 0.0
    return list(found if single < len(order) else found[:single])
