"""What stands for many rows: made in one pass, merged exactly, saved as one small file.

A :class:`TableSummary` holds a :class:`ColumnSummary` for each column and a :class:`RowSample`. A column of numbers is
a :class:`BinnedColumn` or :class:`Points`, categories are :class:`Counts`. Every part can be merged with one of another
part of the table, in any order: counts and sums are whole numbers.
"""

from .bins import BinnedColumn, align, bin_values
from .coded import CodedColumn
from .comparable import comparable
from .counts import Counts, Distinct
from .facts import ColumnInfo, ColumnProfile, Family
from .grid import BinGrid, Scale
from .points import Points, PointTally
from .rows import RowSample, RowSampler
from .singles import SingleTally, SingleValues
from .sums import GroupSums
from .table import SUFFIX, ColumnSummary, TableSummary
from .totals import Totals

__all__ = [
    "BinGrid", "BinnedColumn", "CodedColumn", "ColumnInfo", "ColumnProfile", "ColumnSummary", "Counts", "Distinct",
    "Family", "GroupSums", "PointTally", "Points", "RowSample", "RowSampler", "SUFFIX", "Scale", "SingleTally",
    "SingleValues", "TableSummary", "Totals", "align", "bin_values", "comparable",
]  # fmt: skip
