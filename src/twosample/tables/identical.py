"""Whether two tables are one and the same: then there is nothing to test."""

from __future__ import annotations

import filecmp
from pathlib import Path
from typing import TYPE_CHECKING

from ..sources import Table
from .reading import Reading, ReadTable

if TYPE_CHECKING:
    import polars as pl


def identical(reading: Reading) -> bool:
    """Whether both tables hold the same rows in the same order, as far as that is seen without another pass.

    Tables whose rows are all at hand are compared cell by cell, files byte by byte.
    """
    a, b = reading.a, reading.b
    if a.scan.rows != b.scan.rows:
        return False
    if _has_all(a) and _has_all(b):
        return _equal(a.sample, b.sample)
    return _same_files(a.table, b.table)


def _has_all(side: ReadTable) -> bool:
    return side.whole and not side.summarized


def _equal(a: pl.DataFrame, b: pl.DataFrame) -> bool:
    return a.schema == b.schema and not any(str(kind) == "Object" for kind in a.dtypes) and a.equals(b)


def _same_files(a: Table, b: Table) -> bool:
    """Whether they are read from files of equal content."""
    if not a.files or len(a.files) != len(b.files) or a.schema() != b.schema():
        return False
    paths = [(Path(one), Path(two)) for one, two in zip(a.files, b.files, strict=True)]
    try:
        return all(one.stat().st_size == two.stat().st_size for one, two in paths) and all(
            filecmp.cmp(one, two, shallow=False) for one, two in paths
        )
    except OSError:  # a folder, or a file that is gone by now: nothing is claimed
        return False
