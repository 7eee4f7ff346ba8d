"""Two columns together: both cut into pieces by the pooled rows, and the shares of rows in each cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._numbers import Measure
from ..sources import JointColumn, Kind
from ..sources.kinds import NUMBERS
from ..sources.values import column_of
from .parts import Finding, PairPicture

if TYPE_CHECKING:
    import polars as pl

_PIECES = 6

Codes = NDArray[np.intp]


def with_pictures(
    findings: Sequence[Finding], samples: tuple[pl.DataFrame, pl.DataFrame], columns: Sequence[JointColumn]
) -> tuple[Finding, ...]:
    """Findings about two columns or more, with a picture of the first two."""
    kinds = {column.name: column.kind for column in columns}
    pairs = {part: (part.columns[0], part.columns[1]) for part in findings if len(part.columns) > 1}
    return tuple(
        replace(part, picture=pair_picture(samples, kinds, pairs[part])) if part in pairs else part for part in findings
    )


def pair_picture(
    samples: tuple[pl.DataFrame, pl.DataFrame], kinds: Mapping[str, Kind], columns: tuple[str, str]
) -> PairPicture:
    """The grid of two columns, each in up to six pieces and one for missing values; shares of the sampled rows."""
    cuts = [_cut([column_of(part, name) for part in samples], kinds[name]) for name in columns]
    (first, across), (second, upwards) = cuts
    m = len(samples[0])
    tables = [
        np.histogram2d(second[rows], first[rows], bins=(np.arange(len(upwards) + 1), np.arange(len(across) + 1)))[0]
        for rows in (slice(0, m), slice(m, None))
    ]
    a, b = (tuple(map(tuple, np.round(table / max(table.sum(), 1), 6).tolist())) for table in tables)
    return PairPicture(columns, (across, upwards), a, b)


def _cut(parts: list[pl.Series], kind: Kind) -> tuple[Codes, tuple[str, ...]]:
    """The piece of each pooled row, and the pieces in words."""
    pooled = parts[0].append(parts[1])
    missing = pooled.is_null().to_numpy()
    if kind in NUMBERS and kind != "boolean":
        numbers = np.asarray(pooled.drop_nulls().to_numpy(), dtype=np.float64)
        codes, pieces = _ranges(numbers, _measure(numbers, kind).text)
    elif kind == "text":
        letters = pooled.drop_nulls().str.len_chars().to_numpy().astype(np.float64)
        codes, pieces = _ranges(letters, lambda value: f"{value:.0f}", " letters")
    else:
        codes, pieces = _frequent(pooled.drop_nulls())
    found = np.full(len(pooled), len(pieces), dtype=np.intp)
    found[~missing] = codes
    return found, (*pieces, "missing") if missing.any() else pieces


def _measure(numbers: NDArray[np.float64], kind: Kind) -> Measure:
    low, high = np.quantile(numbers, [0.05, 0.95])
    return Measure(float(high - low) or 1.0, 1.0 if kind == "integer" else 0.0, kind == "datetime", kind == "duration")


def _ranges(
    numbers: NDArray[np.float64], text: Callable[[float], str], unit: str = ""
) -> tuple[Codes, tuple[str, ...]]:
    """Single values if they are few; else ranges with about as many rows each, up to and including their upper end."""
    values = np.unique(numbers)
    if len(values) <= _PIECES:
        return np.searchsorted(values, numbers), tuple(f"{text(value)}{unit}" for value in values.tolist())
    inner = np.quantile(numbers, np.arange(1, _PIECES) / _PIECES, method="inverted_cdf")
    edges = np.unique(inner[inner < values[-1]]).tolist()
    ends = [f"to {text(edge)}{unit}" for edge in edges]
    return np.searchsorted(edges, numbers), (*ends, f"above {text(edges[-1])}{unit}")


def _frequent(series: pl.Series) -> tuple[Codes, tuple[str, ...]]:
    """The most frequent values one by one, and all others together."""
    counts = series.value_counts(name="rows").sort("rows", series.name, descending=[True, False])
    labels = [str(label) for label in counts.get_column(series.name).to_list()]
    kept = labels if len(labels) <= _PIECES else labels[: _PIECES - 1]
    number = {label: place for place, label in enumerate(kept)}
    codes = np.array([number.get(str(label), len(kept)) for label in series.to_list()], dtype=np.intp)
    return codes, tuple(kept) if len(kept) == len(labels) else (*kept, "all others")
