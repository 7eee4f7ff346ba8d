"""Data at the door: arrays, frames and lists become pooled rows of finite doubles, or are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np

from .._forks import check_threads
from .._shown import few, shown
from ..core.types import Floats
from ..errors import InputError, TwosampleError
from ..summaries import TableSummary

_CENTRE = 10_000  # rows that the centre of a pool is taken from
_HOLDERS = {
    "pyspark": "columns", "dask": "map_partitions", "ibis": "to_pyarrow_batches", "duckdb": "arrow",
    "_duckdb": "arrow", "polars": "collect_schema",
}  # fmt: skip
"""Libraries, and what their frames have that nothing else there has."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The pooled sample: ``(N, d)`` numbers of which the first m rows are x."""

    z: Floats
    m: int
    n: int

    @property
    def x(self) -> Floats:
        """Sample x."""
        return self.z[: self.m]

    @property
    def y(self) -> Floats:
        """Sample y."""
        return self.z[self.m :]


def rows(x: object, y: object, centred: bool) -> Pool:
    """Two samples of numbers as one array of doubles; moved to their middle if differences are all that matters."""
    check_names(column_names(x), column_names(y), "x and y")
    a, b = points(x, "x"), points(y, "y")
    if a.shape[1] != b.shape[1]:
        raise InputError(
            f"x has {a.shape[1]} column(s) and y has {b.shape[1]}; both samples must have the same columns. "
            "A single point with many numbers is one row: shape (1, d)."
        )
    z = np.concatenate([a, b])
    check_span(z, "x and y hold")
    if centred:
        z -= middle(z)
    return Pool(z, len(a), len(b))


def points(value: object, name: str, least: int = 2) -> Floats:
    """``(rows, columns)`` finite doubles; a 1-d input is rows of one number."""
    array = _real_array(value, name)
    if array.ndim == 0:
        raise InputError(f"{name} is a single number; a sample needs at least {least} rows.")
    if array.ndim > 2:
        raise InputError(
            f"{name} has shape {array.shape}; give one row per observation, "
            f"for example {name}.reshape(len({name}), -1)."
        )
    if array.ndim == 1:
        array = array[:, None]
    rows, columns = array.shape
    if rows < least:
        raise InputError(f"{name} has {rows} row(s); a sample needs at least {least}.")
    if columns == 0:
        raise InputError(f"{name} has no columns (shape {array.shape}).")
    _check_finite(array, name)
    return array


def middle(z: Floats) -> Floats:
    """``(d,)`` where to take rows from if differences are all that matters: it keeps digits at huge offsets.

    A median of some of them, which no outlier moves.
    """
    part = z[:: max(1, len(z) // _CENTRE)]
    return np.asarray(np.partition(part, len(part) // 2, axis=0)[len(part) // 2])


def check_span(z: Floats, who: str) -> None:
    """Refuse numbers whose differences no double can hold."""
    with np.errstate(over="ignore"):
        if not np.isfinite(np.ptp(z, axis=0)).all():
            raise InputError(f"{who} values so large that their differences overflow; rescale them.")


def is_elsewhere(source: object) -> bool:
    """Whether it is a frame, or a column of Dask, whose rows are not in the memory of this process as a table."""
    library = type(source).__module__.partition(".")[0]
    held = library in _HOLDERS and hasattr(source, _HOLDERS[library])
    return held and (library != "polars" or type(source).__name__ == "LazyFrame")


def column_names(value: object) -> tuple[str, ...]:
    """The names of the columns of a data frame; none of anything else."""
    if type(value) is np.ndarray or not hasattr(value, "shape"):  # a lazy frame, which is refused, among others
        return ()
    if type(value).__module__.startswith("pyspark."):  # Spark Connect says that it has everything
        return ()
    names = getattr(value, "column_names", None)  # of an Arrow table, whose columns are their values
    return tuple(map(str, names if isinstance(names, list) else getattr(value, "columns", ())))


def check_names(a: tuple[str, ...], b: tuple[str, ...], whose: str) -> None:
    """Refuse columns of different names, or of the same names in a different order: they would be taken for each other.

    A single column can be taken for no other, and numbers that a library gave for want of names are none.
    """
    if a == b or not a or not b or len(a) == len(b) == 1:
        return
    if sorted(a) == sorted(b):
        raise InputError(f"{whose} have the same columns in a different order; select them in one order first.")
    if not (_numbered(a) or _numbered(b)):
        first, second = ([name for name in one if name not in other] for one, other in ((a, b), (b, a)))
        raise InputError(
            f"{whose} have different columns: {few(first, write=_quoted) or 'no other'} in the first, "
            f"{few(second, write=_quoted) or 'no other'} in the second. Select the same columns of "
            "both, or rename them; if names do not matter, give arrays, such as x.to_numpy()."
        )


def _numbered(names: tuple[str, ...]) -> bool:
    return any(names == tuple(f"{prefix}{i}" for i in range(len(names))) for prefix in ("", "column_"))


def _quoted(name: str) -> str:
    return shown(repr(name), 60)


def batch_columns(batch: object, rows: Floats) -> int:
    """How many columns a batch has that became these rows; 0 for an empty list, which goes with any number."""
    return int(rows.shape[1]) if len(rows) or np.ndim(batch) > 1 else 0  # type: ignore[arg-type]


def _real_array(value: object, name: str) -> Floats:
    """A new array of doubles from anything array-like."""
    if value is None:
        raise InputError(f"{name} is None; give an array of numbers, one row per observation.")
    if np.ma.isMaskedArray(value) and np.ma.getmaskarray(value).any():
        raise InputError(f"{name} has {int(np.ma.getmaskarray(value).sum())} masked value(s); drop or fill them first.")
    if type(value).__module__.startswith("pyspark."):
        raise InputError(
            f"{name} is a frame of Spark, whose rows are not collected. ts.mmd_test and ts.compare test all rows where "
            "they are, ts.Sketch.fit(frame) sketches them; or take rows: "
            "twosample.sources.open_table(frame).sample(10_000)."
        )
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise InputError(f"{name} is a sparse matrix; pass {name}.toarray().")
    if hasattr(value[0] if isinstance(value, list | tuple) and value else value, "is_multigraph"):
        raise InputError(
            f"{name} holds graphs; give a list of them and a kernel for them, such as "
            "kernel=ts.graphs.WeisfeilerLehman()."
        )
    if isinstance(value, TableSummary):
        raise InputError(f"{name} is a summary of a table; ts.compare and ts.two_sample_test take summaries.")
    array = _to_numpy(value, name)
    if array.dtype.kind in "OUS" and not array.ndim:
        kind = type(value).__name__
        raise InputError(
            f"{name} is a {kind}, not an array of numbers with one row per observation.{_instead(value, name)}"
        )
    if array.dtype.kind == "c":
        raise InputError(f"{name} holds complex numbers; give real and imaginary parts as two columns.")
    if array.dtype.kind not in "fiub":
        raise InputError(
            f"{name} has values of type {array.dtype}, not numbers. Encode text, categories and dates as numbers "
            "first, or give frames or dictionaries of columns to ts.two_sample_test, ts.compare_many (several) or "
            "ts.compare_relative (which of two is closer), which take them as they are."
        )
    return np.array(array, dtype=np.float64)


def _instead(value: object, name: str) -> str:
    """What to give instead of what is no array, where it can be guessed."""
    if isinstance(value, str | PathLike):
        return " Read a file into a frame first, or give its path to ts.compare."
    if isinstance(value, Mapping):
        return (
            " ts.two_sample_test and ts.compare take columns by name; for other tests give "
            f"np.column_stack(list({name}.values()))."
        )
    if hasattr(value, "collect"):
        return f" Give {name}.collect()."
    if hasattr(value, "read_all"):  # batches of Arrow, of which a list is no array either
        return f" Give {name}.read_all()."
    return f" Give list({name})." if isinstance(value, Iterable) else ""


def _to_numpy(value: Any, name: str) -> np.ndarray[Any, Any]:
    check_frame(value)
    if hasattr(value, "detach"):  # a torch tensor, perhaps with gradients or on a device
        value = value.detach().cpu()
    try:
        if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        array = np.asarray(value)
        if array.dtype.kind == "O" and array.size and all(isinstance(v, Real | Decimal | np.bool_) for v in array.flat):
            return array.astype(np.float64)
    except TwosampleError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        raise InputError(f"{name} cannot be read as an array of numbers: {shown(str(error), 200)}") from None
    return array


def check_frame(value: object) -> None:
    """Refuse a polars frame there, whose numbers cannot be had: it may come where no table is opened."""
    if type(value).__module__.startswith("polars.dataframe"):
        check_threads()


def _check_finite(array: Floats, name: str) -> None:
    bad = ~np.isfinite(array)
    count = int(np.count_nonzero(bad))
    if count:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"{name} has {count} value(s) that are NaN or infinite, the first in row {row}, column {column}. "
            "Drop or fill them first: a missing value is not evidence of a difference."
        )
