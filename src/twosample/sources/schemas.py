"""Two tables side by side: which columns they share, and what is different before any row is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .kinds import TIMES, USABLE, ColumnKind, Kind
from .values import column_of, numbers, strings

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SchemaFinding:
    """A difference between two tables that needs no test, or a column that is left out.

    Parameters
    ----------
    what
        "lost" (only in the first table), "added" (only in the second), "retyped" (of another kind), or "left out".
    column
        The column.
    detail
        In words.
    """

    what: Literal["lost", "added", "retyped", "left out"]
    column: str
    detail: str


@dataclass(frozen=True)
class JointColumn:
    """A column of both tables, and how it is compared."""

    name: str
    kind: Kind  # fits both
    left: ColumnKind  # its kind in the first table
    right: ColumnKind  # and in the second


@dataclass(frozen=True)
class SchemaComparison:
    """What two tables have in common.

    Examples
    --------
    >>> from twosample.sources import compare_schemas, infer_kinds, open_table
    >>> one = open_table({"a": [1, 2, 3], "b": [1.5, 2.5, 9.0]})
    >>> two = open_table({"a": [1.5, 2.0, 4.25], "c": [1, 2, 7]})
    >>> kinds = [infer_kinds(table, table.profile(), table.sample(1000)) for table in (one, two)]
    >>> both = compare_schemas(*kinds)
    >>> [(column.name, column.kind) for column in both.common]
    [('a', 'numeric')]
    >>> [(finding.what, finding.column) for finding in both.findings]
    [('retyped', 'a'), ('lost', 'b'), ('added', 'c')]
    """

    common: tuple[JointColumn, ...]  # can be compared, in the order of the first table
    findings: tuple[SchemaFinding, ...]  # what is different, and what is left out
    both: tuple[tuple[ColumnKind, ColumnKind], ...] = ()  # what every column that both have means in either


_MOSTLY = 0.5  # share of numbers from which on text is compared with numbers
_FEW = 30  # different numbers that are categories where there are words among them
_ZONE = re.compile(r"time_zone=(?:'([^']+)'|(None))")  # as polars writes it; engines have words of their own
_JOINT: dict[frozenset[Kind], Kind] = {
    frozenset(("integer", "numeric")): "numeric",
    frozenset(("boolean", "integer")): "integer",
    frozenset(("boolean", "numeric")): "numeric",
    frozenset(("boolean", "categorical")): "categorical",
    frozenset(("integer", "categorical")): "categorical",
    frozenset(("categorical", "text")): "text",
    frozenset(("datetime", "duration")): "datetime",  # times of day, which some tools take for durations
}


def compare_schemas(left: Sequence[ColumnKind], right: Sequence[ColumnKind]) -> SchemaComparison:
    """Match the columns of two tables by name.

    Examples
    --------
    >>> from twosample.sources import ColumnKind, compare_schemas
    >>> old, new = ColumnKind("n", "integer", "integer", "Int64", ""), ColumnKind("n", "text", "text", "String", "")
    >>> print(compare_schemas([old], [new]).findings[0].detail)
    integer (Int64) in the first table, text (String) in the second; not compared
    """
    theirs = {column.name: column for column in right}
    ours = {column.name for column in left}
    common: list[JointColumn] = []
    findings: list[SchemaFinding] = []
    for a in left:
        b = theirs.get(a.name)
        if b is None:
            findings.append(SchemaFinding("lost", a.name, f"only in the first table: {a.kind} ({a.storage})"))
            continue
        kind = _joint(a, b)
        finding = _finding(a, b, kind)
        findings += [finding] if finding else []
        if kind is not None:
            common.append(JointColumn(a.name, kind, a, b))
    findings += [
        SchemaFinding("added", b.name, f"only in the second table: {b.kind} ({b.storage})")
        for b in right
        if b.name not in ours
    ]
    both = tuple((a, theirs[a.name]) for a in left if a.name in theirs)
    return SchemaComparison(tuple(common), tuple(findings), both)


def _joint(a: ColumnKind, b: ColumnKind) -> Kind | None:
    """The kind by which two columns can be compared, or None."""
    if "unsupported" in (a.kind, b.kind):
        return None
    one, two = a.base or b.base, b.base or a.base
    if one is None or two is None or one not in USABLE or two not in USABLE:
        return None
    if with_words(a) and with_words(b):
        return "numeric"
    kind = one if one == two else _JOINT.get(frozenset((one, two)))
    return kind or _with_words(a, b) or _with_words(b, a) or _as_text(a, b) or _as_text(b, a)


def _as_text(a: ColumnKind, b: ColumnKind) -> Kind | None:
    """Text, if one column is text that spells times, and the other one is text of which too much does not."""
    return "text" if a.from_text and a.base in TIMES and b.base in ("categorical", "text") else None


def mostly_numbers(column: ColumnKind) -> bool:
    """Whether most of the values of a column of text are numbers, with words among them."""
    return column.spelled >= _MOSTLY and column.base in ("categorical", "text")


def with_words(column: ColumnKind) -> bool:
    """Whether a column of text is one of many numbers, with words among them."""
    return mostly_numbers(column) and column.numbers > _FEW


def zone_of(column: ColumnKind) -> str:
    """The time zone of a column of dates, "None" if these have none; empty where nothing is known of it."""
    found = _ZONE.search(column.storage)
    return "" if found is None else found[1] or found[2]


def _with_words(a: ColumnKind, b: ColumnKind) -> Kind | None:
    """The kind of numbers, if most values of the other column are numbers, too, with words among them."""
    return a.base if a.base in ("numeric", "integer") and b.spelled >= _MOSTLY else None


def _finding(a: ColumnKind, b: ColumnKind, joint: Kind | None) -> SchemaFinding | None:
    sides = f"{a.words(a.kind)} in the first table, {b.words(b.kind)} in the second"
    if joint is None:
        if a.kind == b.kind:
            return SchemaFinding("left out", a.name, f"{a.kind}: {a.reason}")
        odd = next((side for side in (a, b) if side.kind in ("identifier", "unsupported")), None)
        if odd is not None and a.storage == b.storage:
            return SchemaFinding("left out", a.name, f"{sides}: {odd.reason}")
        return SchemaFinding("retyped", a.name, f"{sides}; not compared")
    alike = a.kind == b.kind == "constant" and a.storage == b.storage
    other = a.base is not None and b.base is not None and (a.base != b.base or a.from_text != b.from_text)
    emptied = a.kind != b.kind and "mostly missing" in (a.kind, b.kind)
    retyped = not alike and (other or emptied)
    zones = [zone for zone in map(zone_of, (a, b)) if zone]
    if not retyped and len({*zones}) == 2 and "None" in zones:  # zones with names are about the same moments
        one, two = ("without a time zone" if zone == "None" else f"in the time zone {zone}" for zone in zones)
        return SchemaFinding("retyped", a.name, f"{one} in the first table, {two} in the second; compared as moments")
    words = next((side for one, side in ((a, b), (b, a)) if joint == _with_words(one, side)), None)
    left = f" where it spells numbers; the other {1 - words.spelled:.1%} are words" if words else ""
    return SchemaFinding("retyped", a.name, f"{sides}; compared as {joint}{left}") if retyped else None


def convert(frame: pl.DataFrame, kinds: Mapping[str, Kind]) -> pl.DataFrame:
    """Rows in the form that tests take: doubles for numbers, booleans and dates (seconds), text for the rest.

    Columns that have no kind are left out. What is missing, or cannot be read as the kind says, is null.

    Examples
    --------
    >>> import polars as pl
    >>> from twosample.sources import convert
    >>> rows = pl.DataFrame({"a": ["1", " 2.5", None], "b": [1.0, 2.0, None]})
    >>> convert(rows, {"a": "numeric", "b": "categorical"}).rows()
    [(1.0, '1'), (2.5, '2'), (None, None)]
    """
    import polars as pl

    columns = {}  # by name: a list of series would lose an empty one
    for name, kind in kinds.items():
        series = column_of(frame, name)
        textual = kind in ("categorical", "text", "identifier")
        columns[name] = strings(series) if textual else numbers(series, kind in TIMES).fill_nan(None)
    return pl.DataFrame(columns)
