"""Strings as arrays of whole numbers, and counts of the patterns in them: no loop over characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError, OptionError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Codes = NDArray[np.int64]

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]  # the Unicode normal forms

_LARGEST_CODE = 1 << 62
_LETTERS = 1 << 17  # of texts that are hashed at a time: what is made of them stays in the cache
_TABLE = 1 << 24  # codes below this are numbered by a table, others by sorting


@dataclass(frozen=True, eq=False)
class CodePoints:
    """Strings end to end, as code points."""

    points: Codes  # (total length,) code points
    lengths: Codes  # (N,) lengths of the strings

    @classmethod
    def of(cls, objects: Sequence[Any], form: Form | None) -> CodePoints:
        """Check and encode the strings, brought to a Unicode normal form if one is given."""
        strings = checked_strings(objects)
        if form is not None:
            strings = [normalize(form, string) for string in strings]
        joined = "".join(strings).encode("utf-32-le", "surrogatepass")
        points = np.frombuffer(joined, dtype="<u4").astype(np.int64)
        return cls(points, np.fromiter(map(len, strings), dtype=np.int64, count=len(strings)))

    def split(self) -> list[Codes]:
        """The strings one by one."""
        return np.split(self.points, np.cumsum(self.lengths)[:-1])

    def blocks(self, letters: int) -> Iterator[CodePoints]:
        """Some strings at a time, as many as have so many letters together, or one that is longer."""
        ends = np.cumsum(self.lengths)
        first = 0
        while first < len(ends):
            begin = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, begin + letters, side="right")))
            yield CodePoints(self.points[begin : int(ends[last - 1])], self.lengths[first:last])
            first = last

    def starts(self, span: int) -> Codes:
        """The places where `span` letters of one string follow."""
        left = np.repeat(np.cumsum(self.lengths), self.lengths)
        left -= np.arange(len(left))
        return np.flatnonzero(left >= span)

    def rows(self) -> Codes:
        """The string to which each letter belongs."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


def checked_strings(objects: Sequence[Any]) -> list[str]:
    """The objects, all of them strings."""
    if set(map(type, objects)) <= {str}:
        return list(objects)
    for position, value in enumerate(objects):
        if not isinstance(value, str):
            hint = "decode it first: value.decode()" if isinstance(value, bytes) else "drop it, or give it as a string"
            raise InputError(
                f"Object {position} (counted from 0 through x, then y) is {type(value).__name__}, "
                f"and this kernel takes strings; {hint}."
            )
    return list(objects)


def check_form(form: Form | None) -> None:
    """Refuse what is no Unicode normal form."""
    if form is not None and not (isinstance(form, str) and form in get_args(Form)):
        raise OptionError(f"form={form!r} must be None or one of {', '.join(map(repr, get_args(Form)))}.")


def pattern_counts(texts: CodePoints, k: int, gaps: int, decay: float) -> csr_array:
    """``(N, D)`` weighted counts of the k-letter patterns with at most `gaps` letters left out between them.

    Each occurrence counts decay^(letters left out). Only patterns that occur have a column.
    """
    from scipy.sparse import coo_array

    if not len(texts.starts(k)):  # every string is shorter than the pattern
        return coo_array((len(texts.lengths), 1), dtype=np.float64).tocsr()
    letters, alphabet = renumbered(texts.points, 0x110000)
    patterns = [(0, *rest) for rest in combinations(range(1, k + gaps), k - 1)]  # offsets of the letters
    starts = [texts.starts(pattern[-1] + 1) for pattern in patterns]
    codes, bound = [letters[start] for start in starts], alphabet
    for place in range(1, k):
        if bound * alphabet > _LARGEST_CODE:
            flat, bound = renumbered(np.concatenate(codes), bound)
            codes = np.split(flat, np.cumsum([len(start) for start in starts])[:-1])
        codes = [
            code * alphabet + letters[start + pattern[place]]
            for code, start, pattern in zip(codes, starts, patterns, strict=True)
        ]
        bound *= alphabet
    column, width = renumbered(np.concatenate(codes), bound)
    row = texts.rows()[np.concatenate(starts)]
    weights = [np.full(len(s), decay ** (p[-1] + 1 - k)) for s, p in zip(starts, patterns, strict=True)]
    shape = (len(texts.lengths), max(width, 1))
    return coo_array((np.concatenate(weights), (row, column)), shape=shape).tocsr()


def hashed_counts(texts: CodePoints, k: int, width: int) -> Floats:
    """``(N, width)`` counts of k-mers, each added to one of `width` columns with a sign, both by a hash of its letters.

    Inner products are those of the counts, up to random errors. What a k-mer hashes to does not depend on the others.
    """
    counts = [_hashed_block(block, k, width) for block in texts.blocks(_LETTERS)]
    return np.concatenate(counts) if counts else np.zeros((0, width))


def _hashed_block(texts: CodePoints, k: int, width: int) -> Floats:
    starts = texts.starts(k)
    letters = texts.points.astype(np.uint64)
    code = np.zeros(len(starts), dtype=np.uint64)
    for offset in range(k):
        code = mixed(code * np.uint64(0x110000) + letters[starts + offset])
    column = (code >> np.uint64(8)) % np.uint64(width)
    sign = 1.0 - 2.0 * (code & np.uint64(1)).astype(np.float64)
    place = texts.rows()[starts] * width + column.astype(np.int64)
    size = len(texts.lengths) * width
    counts = np.bincount(place, weights=sign, minlength=size)
    return counts.astype(np.float64).reshape(len(texts.lengths), width)  # of no k-mer at all it counts in integers


def mixed(code: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of whole numbers (the finaliser of splitmix64)."""
    code = (code + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(31))


def renumbered(codes: Codes, bound: int) -> tuple[Codes, int]:
    """Numbers from 0 on for the different codes (all below `bound`), in their order, and how many there are."""
    if bound > _TABLE:
        found, inverse = np.unique(codes, return_inverse=True)
        return inverse.astype(np.int64), len(found)
    present = np.zeros(bound, dtype=bool)
    present[codes] = True
    numbers = np.cumsum(present) - 1
    return numbers[codes], int(present.sum())


def unit_rows(features: csr_array) -> csr_array:
    """Rows of length 1; a row of zeros stays one."""
    from scipy.sparse import diags_array

    squares = np.asarray(features.multiply(features).sum(axis=1), dtype=np.float64).reshape(-1)
    unit: csr_array = (diags_array(1 / np.sqrt(np.where(squares > 0, squares, 1.0))) @ features).tocsr()
    return unit
