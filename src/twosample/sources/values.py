"""Columns of a polars frame as numbers or as text: what kinds, bins and tests are computed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats

if TYPE_CHECKING:
    import polars as pl


def numbers(series: pl.Series) -> pl.Series:
    """Doubles, null where there is none: dates and times in seconds, text as the number or ISO date that it spells."""
    import polars as pl

    kind = series.dtype
    if kind == pl.Float64:
        return series
    if kind in (pl.String, pl.Categorical, pl.Enum):
        text = series.cast(pl.String).str.strip_chars()
        found = text.cast(pl.Float64, strict=False)
        return moments_in_time(text) if looks_dated(text) and found.null_count() == len(text) else found
    if not kind.is_temporal():
        return series.cast(pl.Float64, strict=False)
    if kind == pl.Time:
        return series.cast(pl.Int64).cast(pl.Float64) / 1e9
    if kind == pl.Date:
        series = series.cast(pl.Datetime("us"))
    if getattr(kind, "time_unit", None) == "ns":
        return series.to_physical().cast(pl.Float64) / 1e9
    steps = series.dt.total_microseconds() if kind == pl.Duration else series.dt.epoch("us")
    return steps.cast(pl.Float64) / 1e6


def looks_dated(text: pl.Series) -> bool:
    """Whether the first values are ISO dates, with or without a time."""
    return bool(text.drop_nulls().head(100).str.contains(r"^\s*\d{4}-\d{2}-\d{2}").all())


def moments_in_time(series: pl.Series) -> pl.Series:
    """ISO dates and times that are stored as text, in seconds since 1970; null where there is none."""
    import polars as pl

    text = series.cast(pl.String).str.strip_chars()
    parsed = text.str.to_datetime("%Y-%m-%d", strict=False, time_unit="us")
    for form in ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.fZ", "%Y-%m-%d %H:%M"):
        if parsed.null_count() == series.null_count():
            break
        parsed = parsed.fill_null(text.str.to_datetime(form, strict=False, time_unit="us"))
    return numbers(parsed)


def strings(series: pl.Series) -> pl.Series:
    """Text, null where there is nothing: whole numbers without a decimal point, so that 1 and 1.0 are one category."""
    import polars as pl

    if series.dtype == pl.String:
        return series
    if series.dtype.is_float():
        value = pl.col("v")  # a name of our own: polars takes some for patterns
        whole = value.is_finite() & (value == value.floor()) & (value.abs() < 2.0**53)
        digits = value.cast(pl.Int64, strict=False).cast(pl.String)
        frame = series.cast(pl.Float64).alias("v").fill_nan(None).to_frame()
        text = frame.select(pl.when(whole).then(digits).otherwise(value.cast(pl.String)).alias("v"))
        return text["v"].alias(series.name)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return pl.Series(series.name, [None if v is None else repr(v) for v in series.to_list()], dtype=pl.String)
    return series.cast(pl.String)


def present(series: pl.Series) -> Floats:
    """The numbers of a column without missing ones; infinite ones stay."""
    values = numbers(series)
    if values.null_count():
        values = values.drop_nulls()
    array = np.asarray(values.to_numpy(), dtype=np.float64)
    if len(array) and np.isnan(array.min()):
        array = array[~np.isnan(array)]
    return array
