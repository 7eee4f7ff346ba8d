"""Which column, or which table, of A is which of B: Section 8.4 of the paper.

:func:`match` for two tables, :func:`match_databases` for two databases, tables first and then their columns,
:func:`match_tables` for two lists of samples; :func:`naive` tests every pair.
"""

from __future__ import annotations

from .database_results import DatabaseMatching, MatchedTables
from .databases import match_databases
from .match import match
from .naive import NaiveMatching, naive
from .results import Matching, Pair, Unmatched
from .tables import match_tables

__all__ = [
    "DatabaseMatching", "MatchedTables", "Matching", "NaiveMatching", "Pair", "Unmatched", "match", "match_databases",
    "match_tables", "naive",
]  # fmt: skip
