"""Text that spells something else: the shares by which a kind has changed, and the currency of amounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..sources import ColumnKind
from ..sources.kinds import TIMES
from ..sources.values import column_of, present, spelled, strings
from ..sources.written import currencies, moments_in_time

if TYPE_CHECKING:
    import polars as pl

    from .reading import Reading

MOST = 0.5  # share of the values by which a kind has changed, and not by strays
FEW = 20  # values from which on such a share means something
_SAME_CURRENCY = (
    {"$", "USD"},
    {"€", "EUR"},
    {"£", "GBP"},
    {"¥", "JPY"},
    {"¥", "CNY"},
    {"₹", "INR"},
    {"$", "CAD"},
    {"$", "AUD"},
)


def trait_of(a: ColumnKind, b: ColumnKind) -> Callable[[pl.Series], float] | None:
    """The share of values that makes one kind of the other; None if these kinds are guesses about the same values."""
    kinds = {a.base, b.base}
    if kinds == {*TIMES}:
        return _dates
    if len(kinds) > 1 and kinds & {*TIMES}:
        return _times
    if a.from_text != b.from_text:
        return _spelled
    if not kinds <= {"boolean", "integer", "numeric"}:
        return None
    return _not_boolean if "boolean" in kinds else _fractions


def _spelled(values: pl.Series) -> float:
    found, dates = spelled(values)
    return max(found.count(), dates.count()) / len(values)


def _times(values: pl.Series) -> float:
    return spelled(values)[1].count() / len(values)


def _dates(values: pl.Series) -> float:
    return moments_in_time(strings(values).str.strip_chars()).count() / len(values)


def _fractions(values: pl.Series) -> float:
    found = present(values)
    return float(np.mean(found != np.floor(found))) if len(found) else 0.0


def _not_boolean(values: pl.Series) -> float:
    found = present(values)
    return float(np.mean((found != 0) & (found != 1))) if len(found) else 0.0


def another_currency(reading: Reading, a: ColumnKind, b: ColumnKind) -> str:
    """What changed in amounts of money that are text, in words; empty if that is not their currency."""
    if not a.from_text or not b.from_text or not {a.base, b.base} <= {"numeric", "integer"}:
        return ""
    texts = [strings(column_of(side.sample, a.name).drop_nulls()) for side in (reading.a, reading.b)]
    shares = [currencies(text) for text in texts]
    if not all(shares) or min(map(len, texts)) < FEW:
        return ""
    one, two = (next(iter(part)) for part in shares)
    least = min(shares[0][one] - shares[1].get(one, 0.0), shares[1][two] - shares[0].get(two, 0.0))
    return "" if least < MOST or {one, two} in _SAME_CURRENCY else f"was amounts in {one}, is amounts in {two}"
