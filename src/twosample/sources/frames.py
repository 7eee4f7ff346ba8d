"""Frames and arrays in memory, and frames of engines that hold the data themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timezone
from importlib.util import find_spec
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SourceError
from .guard import Guard
from .local import LocalRows
from .values import distinct_names

if TYPE_CHECKING:
    import polars as pl

    from .table import Rows

_KINDS = "fiubMmUS"  # of arrays whose values a column can have


def open_frame(source: object, name: str) -> Rows:
    """The rows of a frame, an array, a dictionary of columns, or anything that speaks Arrow."""
    import polars as pl

    guard = Guard(name)
    if isinstance(source, pl.LazyFrame):
        return LocalRows(source, guard, counted=False)
    reading = guard.against_all()  # objects of other libraries, and of the user, may raise anything
    frame = reading.run(lambda: _in_memory(source, name))
    if frame is not None:
        return LocalRows(reading.run(lambda: _without_objects(frame)), guard)
    if type(source).__module__.startswith("dask.dataframe") and getattr(source, "ndim", 2) == 1:
        source = source.to_frame()  # type: ignore[attr-defined] # a column of Dask
    lazy = _engine_frame(source)
    if lazy is not None:
        from .partitioned import PartitionedRows
        from .pullers import FramePuller
        from .workers import workers_of

        if lazy.implementation.is_duckdb():
            from .embedded import DuckdbRows

            return DuckdbRows(lambda: source.set_alias("t"), guard)  # type: ignore[attr-defined]
        return PartitionedRows(lazy, guard, FramePuller(lazy), workers=workers_of(lazy))
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return LocalRows(reading.run(lambda: _from_arrow(source)), guard)
    if hasattr(source, "__array__"):
        return LocalRows(reading.run(lambda: _from_array(np.asarray(source), name)), guard)
    kind = type(source).__name__
    what = "None" if source is None else f"A value of type {kind}"
    raise SourceError(
        f"{'' if name == kind else f'{name}: '}{what} is not a table. Give a path, a database URL, a frame (pandas, "
        "polars, Arrow, DuckDB, Dask, Ibis, Spark), an array, or a dictionary of columns."
    )


def _in_memory(source: object, name: str) -> pl.DataFrame | None:
    """What NumPy, Python, polars, pandas and pyarrow hold; None for anything else."""
    import polars as pl

    frame: pl.DataFrame | None = None
    if isinstance(source, pl.DataFrame | pl.Series):
        frame = source if isinstance(source, pl.DataFrame) else source.to_frame()
    elif isinstance(source, np.ndarray):
        frame = _from_array(source, name)
    elif isinstance(source, Mapping):
        columns = [(str(key), value) for key, value in source.items()]
        frame = _from_columns(columns)
    elif isinstance(source, list | tuple):
        records = source and all(isinstance(row, Mapping) for row in source)
        frame = _from_records(source) if records else _from_array(_array(source, name), name)
    elif type(source).__module__.partition(".")[0] == "pandas":
        frame = from_pandas(source)
    elif type(source).__module__.partition(".")[0] == "pyarrow" and hasattr(source, "itercolumns"):
        frame = _from_arrow(source)
    return frame


def _without_objects(frame: pl.DataFrame) -> pl.DataFrame:
    """Objects of Python that are not a type of a column, such as UUIDs and paths, as the text that they have."""
    import polars as pl

    odd = [part for part in frame if part.dtype == pl.Object]
    written = [part for part in odd if all(value is None or _is_written(value) for value in part)]
    texts = [pl.Series(part.name, _as_text(part), dtype=pl.String) for part in written]
    return frame.with_columns(texts) if texts else frame


def _is_written(value: object) -> bool:
    """Whether its text says what it is: not of complex numbers, of sets in any order, of objects by their address."""
    own = type(value).__str__ is not object.__str__ or type(value).__repr__ is not object.__repr__
    return own and not isinstance(value, complex | set | frozenset)


def _as_text(values: Iterable[object]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _array(rows: Sequence[object], name: str) -> np.ndarray[Any, Any]:
    try:
        return np.asarray(rows)
    except ValueError:
        raise SourceError(f"{name}: the rows have different lengths. Give rows of one length, or columns.") from None


def _from_array(array: np.ndarray[Any, Any], name: str) -> pl.DataFrame:
    """One row per observation; columns c0, c1, ... or the names of a structured array."""
    import polars as pl

    if array.dtype.names:
        return pl.DataFrame([_array_column(field, array[field]) for field in array.dtype.names])
    if array.ndim not in (1, 2):
        raise SourceError(f"{name} has shape {array.shape}; a table has one or two dimensions.")
    plain = np.ma.asarray(array) if np.ma.isMaskedArray(array) else np.asarray(array)  # a row of a matrix is a matrix
    columns = plain[:, None] if plain.ndim == 1 else plain
    if columns.dtype.kind == "O":
        return _from_columns([(f"c{j}", columns[:, j]) for j in range(columns.shape[1])])
    if columns.dtype.kind not in _KINDS:
        raise SourceError(f"{name} holds values of type {array.dtype}, which is not the type of a column.")
    return pl.DataFrame([_array_column(f"c{j}", columns[:, j]) for j in range(columns.shape[1])])


def _array_column(name: str, values: np.ndarray[Any, Any]) -> pl.Series:
    """A column of an array; masked values are missing ones."""
    import polars as pl

    if values.dtype.kind in "mM":
        values = _in_known_unit(name, values)
    elif values.dtype == np.longdouble:
        values = values.astype(np.float64)
    if not np.ma.isMaskedArray(values):
        return pl.Series(name, values)
    gone = pl.Series(np.ma.getmaskarray(values))
    return pl.Series(name, np.ma.getdata(values)).set(gone, None)


def _in_known_unit(name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Dates or durations in a unit that polars knows: the next finer one, or nanoseconds."""
    kind, unit = values.dtype.kind, np.datetime_data(values.dtype)[0]
    if unit == "generic":
        raise SourceError(f"column {name!r} holds durations without a unit: give them one, such as timedelta64[ms].")
    finer = "D" if kind == "M" and unit in "YMWD" else "ms" if unit in "YMWDhms" else unit
    found = values.astype(f"{kind}8[{'ns' if unit in ('ps', 'fs', 'as') else finer}]")
    if len(unit) < 2 and (found.astype(values.dtype) != values)[~np.isnat(values)].any():  # NumPy does not say so
        raise SourceError(f"column {name!r} has dates too far away for {found.dtype}: leave them out.")
    return found


def _from_records(rows: Sequence[object]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(list(rows), infer_schema_length=None, strict=False)


def _from_columns(columns: list[tuple[str, Any]]) -> pl.DataFrame:
    import polars as pl

    names = distinct_names([key for key, _ in columns])
    for name, value in columns:
        listed = hasattr(value, "__iter__") or hasattr(value, "__array__")
        if not listed or isinstance(value, str | bytes | set | Mapping):
            raise SourceError(f"column {name!r} is {_short(value)}, not a column: give a list or an array of values.")
    return pl.DataFrame([_listed_column(name, value) for name, (_, value) in zip(names, columns, strict=True)])


def _listed_column(name: str, values: Any) -> pl.Series:
    """A column of a mapping: an array, a column of pandas, or whatever polars takes for a column."""
    import polars as pl

    if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "iloc"):
        return _pandas_column(values).alias(name)
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in _KINDS:
        return _array_column(name, values)
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "O":
        given = values.tolist()
        return _python_values(given, [_stands_for_nothing(value) for value in given]).alias(name)
    return pl.Series(name, values, strict=False)


def _stands_for_nothing(value: object) -> bool:
    """Whether it is what NumPy and pandas have in the place of None."""
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"a {type(value).__name__}"


def from_pandas(frame: Any) -> pl.DataFrame:
    """A frame of pandas, by column, so that names that come twice or are not text survive; the index is left out."""
    import polars as pl

    if not hasattr(frame, "columns"):
        frame = frame.to_frame()
    names = distinct_names([str(label) for label in frame.columns])
    columns = []
    for place, name in enumerate(names):
        column = frame.iloc[:, place]
        columns.append(_pandas_column(column).alias(name))
    return pl.DataFrame(columns)


def _pandas_column(column: Any) -> pl.Series:
    import polars as pl

    column = _without_own_types(column)
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "fiub":
        return pl.Series(column.to_numpy(np.float64) if kind == np.longdouble else column.to_numpy())
    if isinstance(kind, np.dtype) and kind.kind == "c":
        return pl.Series(column.tolist(), dtype=pl.Object)
    if isinstance(kind, np.dtype) and kind.kind == "O":
        return _python_values(column.tolist(), column.isna().to_list())
    offset = isinstance(getattr(kind, "tz", None), timezone)  # polars knows zones by name
    if hasattr(column, "cat") or offset or find_spec("pyarrow") is None:
        return _without_arrow(column)
    return pl.from_pandas(column.reset_index(drop=True).rename("c").to_frame())["c"]


def _without_own_types(column: Any) -> Any:
    """What only pandas has as something else: sparse columns dense, periods as times, intervals as they are written."""
    if hasattr(column, "sparse"):
        return column.sparse.to_dense()
    if hasattr(column.dtype, "closed"):
        return column.astype(object).map(str, na_action="ignore")
    return column.dt.to_timestamp() if str(column.dtype).startswith("period[") else column


def _python_values(given: list[Any], missing: list[bool]) -> pl.Series:
    """The Python values of a column; as text, if they are of several types."""
    import polars as pl

    values = [None if gone else value for value, gone in zip(given, missing, strict=True)]
    kinds = {type(value) for value in values if value is not None}
    mixed = len(kinds) > 1 and not kinds <= {int, float, bool}
    return pl.Series(_as_text(values) if mixed else values, strict=False)


def _without_arrow(column: Any) -> pl.Series:
    """A column of another type (dates, categories, texts, numbers with gaps), which polars would take from Arrow."""
    import polars as pl

    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "mM":
        unit = np.datetime_data(kind)[0]
        return pl.Series(column.to_numpy().astype(f"{kind.kind}8[{'ms' if unit == 's' else unit}]"))
    if getattr(kind, "tz", None) is not None:
        return _without_arrow(column.dt.tz_convert("UTC").dt.tz_localize(None)).dt.replace_time_zone("UTC")
    if hasattr(column, "cat"):
        codes = pl.Series(column.cat.codes.to_numpy())
        levels = _pandas_column(column.cat.categories.to_series())
        found = levels.gather(codes.set(codes < 0, None))
        return found.cast(pl.Categorical) if found.dtype == pl.String else found
    return _python_values(column.tolist(), column.isna().to_list())


def _from_arrow(source: Any) -> pl.DataFrame:
    import polars as pl

    names = getattr(source, "column_names", None) or getattr(getattr(source, "schema", None), "names", None)
    if names is not None and len(set(names)) < len(names) and hasattr(source, "rename_columns"):
        source = source.rename_columns(distinct_names(list(names)))
    if hasattr(source, "itercolumns"):  # a table or a batch of pyarrow
        columns = zip(source.schema.names, source.itercolumns(), strict=True)
        return pl.DataFrame([_arrow_column(name, part) for name, part in columns])
    return pl.DataFrame(source)


def _arrow_column(name: str, column: Any) -> pl.Series:
    """A column of pyarrow; of the types that polars cannot take, numbers as numbers and others as objects."""
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_decimal256(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_run_end_encoded(kind):
        column = pc.run_end_decode(column)
    elif pa.types.is_union(kind) or pa.types.is_interval(kind):
        return pl.Series(name, column.to_pylist(), dtype=pl.Object)
    found = pl.from_arrow(column)
    assert isinstance(found, pl.Series)
    return found.alias(name)


def _engine_frame(source: object) -> Any | None:
    """The narwhals frame of an engine that holds the data (DuckDB, Ibis, Dask, Spark), or None."""
    import narwhals as nw

    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame
    return None
