"""Files, frames and databases as tables that are asked, not loaded.

``open_table`` is the door. What it gives, a ``Table``, answers in the engine that holds the rows:

- ``sample(rows, seed)``: a uniform random sample as a small polars frame. Take it first: bins and kinds need it.
- ``scan(grids, counts)``: for every column its profile, for those with a grid count, Σu and Σu² in each bin, for those
  to be counted the most frequent values; one ordered pass over files and frames. ``profile()``,
  ``binned_moments(grids)`` and ``category_counts(columns)`` are parts of it.
- ``survey(rows, seed, plan)``: a scan with a sample, in one pass, with bins chosen from the first rows; ``completed``
  makes bins wider afterwards, and asks for what is missing.
- ``row_count()`` and ``columns`` (name, storage type, family).
- ``collect(columns)``, for small tables.

``infer_kinds(table, profile, sample)`` says what columns mean, ``compare_schemas(kinds_a, kinds_b)`` which of two
tables can be compared, and as what; ``convert(sample, kinds)`` makes numbers and text of a sample. From bins to a
sketch, where ``blank = BinnedMoments().state(numbers of both samples)`` chooses the bins::

    found = table.binned_moments({"price": blank.column.grid})["price"]
    state = replace(blank, column=found)

Three ways lead to the rows. `local.py` (polars: files, frames in memory; SQLite, DuckDB) goes through batches in order
and adds up in NumPy (`tallies.py`). `partitioned.py` (Dask, Spark) has a summary made of every partition by the worker
that holds it (`partial.py`, `workers.py`). `remote.py` (PostgreSQL and Ibis, through narwhals) asks the engine for
sums. All errors are ``SourceError``, made in `guard.py`; they hold neither credentials nor another exception.
"""

from ..summaries import BinGrid, BinnedColumn, ColumnInfo, ColumnProfile
from .kinds import MISSING_SHARE, USABLE, ColumnKind, Kind, infer_kinds, unsupported
from .schemas import JointColumn, SchemaComparison, SchemaFinding, compare_schemas, convert
from .survey import CategoryCounts, Scan, Survey
from .table import Table, open_table

__all__ = [
    "BinGrid", "BinnedColumn", "CategoryCounts", "ColumnInfo", "ColumnKind", "ColumnProfile", "JointColumn", "Kind",
    "MISSING_SHARE", "Scan", "SchemaComparison", "SchemaFinding", "Survey", "Table", "USABLE", "compare_schemas",
    "convert", "infer_kinds", "open_table", "unsupported",
]  # fmt: skip
