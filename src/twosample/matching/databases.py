"""Match two databases: tables first, then the columns of each pair of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from .._numbers import counted
from .._shown import shown
from ..core.blas import single_threaded_blas
from ..core.types import Floats
from ..errors import InputError, SourceError, TwosampleError, checked_names, options_by_name, whole_number, yes_or_no
from ..sources import open_table
from ..sources.catalog import ignored_in, sources_in
from .columns import TableSample
from .database_results import DatabaseMatching, MatchedTables
from .evidence import ColumnPairs, best_pairs, sigmoid
from .match import SAMPLE, Options, Progress, Teller, check_pairs, matched
from .names import name_similarity
from .reading import read
from .results import Unmatched

_NAMES = 4.0  # what the same name of two tables adds to the log odds that they belong together
_ALIKE = 0.5  # likeness of names from which on it counts


@options_by_name
def match_databases(
    a: object,
    b: object,
    *,
    use_names: bool = False,
    exclude: Iterable[str] | None = None,
    sample: int = SAMPLE,
    rng: int = 0,
    progress: Progress | None = None,
) -> DatabaseMatching:
    r"""Find out which table of one database is which table of another, and then which column is which.

    Two tables are scored by what :func:`match` finds between their columns: with E the log odds of its pairs and q the
    share of the columns of the narrower table that find a partner,

    .. math:: W = 2.5 \log(1 + \sum E) + 5 q - 7.5

    are the log odds that they have anything to do with each other. The pairs of tables are those of the largest sum of
    W among those with W > 0; what has none stays alone. Columns are then matched within each pair.

    Parameters
    ----------
    a, b
        A folder, in which each file is a table, and each folder one table of several files; the URL of a database
        (``sqlite:///shop.db``, ``duckdb:///shop.db``, ``postgresql://user@host/shop``), all of whose tables are taken;
        or a mapping from names to tables, each as for :func:`match`.
    use_names
        Let names of columns and of tables count, too.
    exclude
        Names of tables to leave out, in either database.
    sample
        Rows of each table that are looked at: a random sample if there are more.
    rng
        Seed of the samples.
    progress
        Called with (steps done, steps in all, what comes next).

    Returns
    -------
    DatabaseMatching
        ``m.pairs`` (source, target, confidence, columns: a :class:`Matching`), ``m.unmatched_source``,
        ``m.unmatched_target``; ``m["orders"]`` is the matching of the columns of a table; print it for a summary.

    Notes
    -----
    Every table is read once, and all costs between columns are found together: to score two tables takes a
    millisecond. Those that are partners are then matched as :func:`match` does it. 60 × 60 tables of ten columns and
    1,000 rows take 8 seconds of processor time. A table that cannot be read, or is empty, stays alone and says why. Not
    for one table in several files: give :func:`match` the folder.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> def shop(n):
    ...     people = {"age": rng.normal(40, 9, n), "city": rng.choice(["Oslo", "Rome"], n), "pay": rng.gamma(2, 900, n)}
    ...     visits = {"minutes": rng.exponential(9, n), "page": rng.choice(["home", "cart", "help"], n)}
    ...     return people, visits
    >>> (people, visits), (persons, clicks) = shop(300), shop(400)
    >>> m = ts.match_databases({"people": people, "visits": visits}, {"clicks": clicks, "persons": persons})
    >>> [(pair.source, pair.target) for pair in m.pairs]
    [('people', 'persons'), ('visits', 'clicks')]
    >>> m["visits"]["minutes"].target
    'minutes'
    """
    use_names = yes_or_no("use_names", use_names)
    rows, seed = whole_number("sample", sample, least=2), whole_number("rng", rng, least=0)
    wanted = [sources_in(source, side) for source, side in ((a, "a"), (b, "b"))]
    left_out = checked_names("exclude", exclude) or ()
    for name in left_out:
        if not any(name in side for side in wanted):
            raise InputError(f"exclude: neither database has a table {name!r}.")
    wanted = [{name: table for name, table in side.items() if name not in left_out} for side in wanted]
    tell = Teller(progress, sum(map(len, wanted)) + 2)
    left, right = (_Database.of(side, label, rows, seed, tell) for side, label in zip(wanted, "ab", strict=True))
    check_pairs(len(left.all.columns), len(right.all.columns), "Leave out some tables with exclude=[...].")
    tell("comparing tables")
    odds = _odds(left, right, use_names)
    pairs = best_pairs(odds)
    tell("matching columns")
    options = Options(use_names=use_names, seed=seed)
    found = [matched(left.tables[i], right.tables[j], options, lambda _: None) for i, j in pairs]
    sure = sigmoid(odds)
    tables = tuple(
        MatchedTables(
            left.names[i], right.names[j], float(sure[i, j]), replace(m, names=(left.names[i], right.names[j]))
        )
        for (i, j), m in sorted(zip(pairs, found, strict=True), key=lambda pair: pair[0])
    )
    taken = [{getattr(pair, side) for pair in tables} for side in ("source", "target")]
    return DatabaseMatching(
        pairs=tables,
        unmatched_source=_alone(left, right, sure, taken[0], taken[1]),
        unmatched_target=_alone(right, left, sure.T, taken[1], taken[0]),
        sources=left.names,
        targets=right.names,
        confidence=sure,
        names=(_called(a), _called(b)),
        notes=(*ignored_in(a), *ignored_in(b), *left.notes, *right.notes),
        seed=seed,
        read=(*left.files, *right.files),
    )


@dataclass(frozen=True, eq=False)
class _Database:
    """The tables of a database that could be read, as samples, and why the others could not."""

    names: tuple[str, ...]
    tables: tuple[TableSample, ...]
    unread: tuple[Unmatched, ...]
    notes: tuple[str, ...]
    files: tuple[str, ...]

    @classmethod
    def of(cls, sources: Mapping[str, object], label: str, rows: int, seed: int, tell: Teller) -> _Database:
        sides: dict[str, TableSample] = {}
        unread: list[Unmatched] = []
        notes: list[str] = []
        files: list[str] = []
        for name, source in sources.items():
            tell(f"reading {shown(name, 40)}")
            try:
                table = open_table(source, name=name)
                sides[name] = read(table, label, table.columns, rows, seed, {})
                notes += table.notes
                files += table.files
            except TwosampleError as error:
                unread.append(Unmatched(name, str(error)))
        if not sides:
            first = f" {unread[0].reason}" if unread else ""
            raise SourceError(f"{label} has no table that can be read.{first}")
        return cls(tuple(sides), tuple(sides.values()), tuple(unread), tuple(notes), tuple(dict.fromkeys(files)))

    @cached_property
    def sides(self) -> tuple[TableSample, ...]:
        """The tables with columns in alphabetical order, so that ties are not broken by where a column stands."""
        return tuple(table.by_name() for table in self.tables)

    @property
    def all(self) -> TableSample:
        """The columns of all tables as those of one, which is all that costs need."""
        columns = tuple(column for side in self.sides for column in side.columns)
        return TableSample("", columns, max(side.rows for side in self.sides), False)

    @property
    def places(self) -> list[slice]:
        """Where the columns of each table are among those of all."""
        ends = np.cumsum([0, *(len(side.columns) for side in self.sides)])
        return [slice(start, end) for start, end in pairwise(ends.tolist())]


def _odds(left: _Database, right: _Database, use_names: bool) -> Floats:
    """``(s, t)`` log odds that two tables have anything to do with each other."""
    with single_threaded_blas():
        every = ColumnPairs.of(left.all, right.all, use_names)
        odds = np.empty((len(left.sides), len(right.sides)))
        for i, rows in enumerate(left.places):
            for j, columns in enumerate(right.places):
                pair = every.part(left.sides[i], right.sides[j], rows, columns)
                odds[i, j] = pair.related(pair.evidence())
    if use_names:
        called = name_similarity(left.names, right.names)
        odds += _NAMES * np.clip((called - _ALIKE) / (1 - _ALIKE), 0.0, 1.0)
    return odds


def _alone(side: _Database, other: _Database, sure: Floats, taken: set[str], others: set[str]) -> tuple[Unmatched, ...]:
    """Tables without a partner, and why."""
    found = []
    for i, name in enumerate(side.names):
        if name in taken:
            continue
        if all(column.family == "none" for column in side.tables[i].columns):
            found.append(Unmatched(name, "no column has values that can be compared"))
            continue
        j = int(np.argmax(sure[i]))
        rival = other.names[j] in others and sure[i, j] > 0.5
        why = "has another partner" if rival else f"is too unlike (confidence {sure[i, j]:.2g})"
        found.append(Unmatched(name, f"the likeliest, {shown(other.names[j], 40)!r}, {why}", other.names[j]))
    return (*found, *side.unread)


def _called(source: Any) -> str:
    """What to call a database: its path, its URL without a password, or what it is."""
    if isinstance(source, Mapping):
        return f"a dictionary of {counted(len(source), 'table')}"
    from ..sources.guard import redacted

    return redacted(str(source))[0] if "://" in str(source) else str(source)
