"""Two tables in, a verdict out: typed columns, joint and per-column tests, where they differ."""

from __future__ import annotations

from .compare import compare
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
from .results import Comparison

__all__ = [
    "ColumnComparison", "Comparison", "Finding", "MissingComparison", "NumberPicture", "Place", "SharePicture",
    "SpeakingRow", "TableFacts", "compare",
]  # fmt: skip
