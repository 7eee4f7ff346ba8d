"""Two tables in, a verdict out: typed columns, joint and per-column tests, where they differ."""

from __future__ import annotations

from .checking import Violation
from .compare import compare
from .contract import ColumnRules, Contract
from .learning import learn
from .many import compare_many
from .many_results import ManyComparison, TablePair
from .parts import (
    ColumnComparison,
    Finding,
    MissingComparison,
    NumberPicture,
    Place,
    SharePicture,
    SpeakingRow,
    TableFacts,
)
from .relative import RelativeColumn, RelativeComparison, compare_relative
from .results import Comparison
from .schema import Schema

__all__ = [
    "ColumnComparison", "ColumnRules", "Comparison", "Contract", "Finding", "ManyComparison", "MissingComparison",
    "NumberPicture", "Place", "RelativeColumn", "RelativeComparison", "Schema", "SharePicture", "SpeakingRow",
    "TableFacts", "TablePair", "Violation", "compare", "compare_many", "compare_relative", "learn",
]  # fmt: skip
