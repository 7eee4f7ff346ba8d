"""Frames that something else holds (Spark, Dask, Ibis, DuckDB, a query of polars), for tests that take arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..errors import InputError
from ..summaries import Points
from ..summaries.facts import NUMERIC
from .partial import Work, united
from .values import column_of, numbers

if TYPE_CHECKING:
    import polars as pl

    from .table import Table


def table_elsewhere(source: object, name: str) -> Table:
    """The table behind such a frame, of numbers alone."""
    from .table import open_table

    table = open_table(source, name=name)
    odd = next((info for info in table.columns if info.family not in NUMERIC), None)
    if odd is not None:
        raise InputError(
            f"{name}: column {odd.name!r} holds {odd.storage}, not numbers. Select others; ts.compare takes all kinds."
        )
    return table


def rows_of(frame: pl.DataFrame) -> Floats:
    """``(n, d)`` doubles; what is missing is NaN."""
    columns = [numbers(column_of(frame, name)).fill_null(float("nan")).to_numpy() for name in frame.columns]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def points_elsewhere(table: Table, name: str) -> Points:
    """The numbers of all rows of a table of one column, as weighted points."""
    held = united(table.gathered(Work(table.columns, 10, 0)))
    if held is None:
        return Points.empty()
    column = held.columns[0]
    check_present(column.missing + column.infinite, name)
    assert column.points is not None
    return column.points


def check_present(odd: int, name: str) -> None:
    """Refuse values that are no numbers."""
    if odd:
        raise InputError(f"{name} has {odd} value(s) that are missing, NaN or infinite. Drop or fill them first.")
