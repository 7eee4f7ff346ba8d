"""What changed between two tables before any value is compared: columns lost, added, of another kind, renamed.

A column has changed its kind if another sort of thing is stored in it: numbers, dates, times, durations, text. What is
only *read* as another kind is a guess that a few rows can turn (a stray 2 in a column of 0 and 1, one word among
numbers in a text file), so that random halves of a table would differ. It counts as changed only if most values are
of the new kind, and is a finding "retyped" otherwise: the tests of values and missing shares look at it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from .._hints import did_you_mean
from .._shown import few, quoted, shown
from ..errors import InputError, unknown_option
from ..sources import ColumnKind, JointColumn, SchemaFinding, Survey, Table
from ..sources.files import dateless, guessed
from ..sources.kinds import FLAGS, NUMBERS, TIMES
from ..sources.values import column_of, numbers, records, spelled, strings
from ..summaries.facts import Family
from .identifiers import how_written
from .parts import Finding
from .traits import FEW, MOST, another_currency, trait_of

if TYPE_CHECKING:
    import polars as pl

    from .reading import Reading

Policy = Literal["fail", "warn", "ignore"]
_SORTS: dict[Family, str] = {
    "integer": "numbers", "number": "numbers", "boolean": "numbers", "date": "dates", "time": "times",
    "duration": "durations", "text": "text", "category": "text", "other": "other",
}  # fmt: skip
_NAMED = 3  # columns of a headline
_ALIKE = 0.8  # likeness of names that may be one
_COMPARED = 200  # names on either side up to which spellings are compared


@dataclass(frozen=True)
class Schema:
    """The columns of two tables, side by side: ``c.schema`` of a comparison.

    Parameters
    ----------
    lost, added
        Columns that only the first table has, and only the second; columns with a new name are among both.
    changed
        Columns that hold another kind of value, with the change in words.
    renamed
        Columns of `lost` that are probably there under another name, and that name: ``{"temp": "Temp"}``.
    policy
        "fail": lost and changed columns make the tables different. "warn": they are said, and decide nothing.
        "ignore": not even that.
    may_be_lost
        Columns that may be missing from the second table.

    Examples
    --------
    >>> import twosample as ts
    >>> c = ts.compare({"temp": [1.5, 2.5] * 50, "day": [1, 2] * 50}, {"Temp": [1.5, 2.5] * 50, "day": [1, 2] * 50})
    >>> c.verdict, c.schema.lost, c.schema.added, dict(c.schema.renamed)
    ('different', ('temp',), ('Temp',), {'temp': 'Temp'})
    """

    lost: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    policy: Policy = "fail"
    may_be_lost: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[str, ...]:
        """The columns that whoever reads the first table will miss in the second: lost ones and changed ones."""
        return (*(name for name in self.lost if name not in self.may_be_lost), *self.changed)

    @property
    def different(self) -> bool:
        """Whether the schema alone makes the tables different."""
        return self.policy == "fail" and bool(self.broken)

    def describe(self, name: str) -> str:
        """What happened to a column, in words."""
        if name in self.changed:
            return self.changed[name]
        if name in self.renamed:
            return f"lost; did you mean {quoted(self.renamed[name])}?"
        return "lost"

    @property
    def words(self) -> str:
        """What changed, for a headline; empty if there is nothing to say."""
        new = [name for name in self.added if name not in self.renamed.values()]
        said = [f"{quoted(name)} {self._headword(name)}" for name in self.broken]
        said += [f"{quoted(name)} is new" for name in new]
        return "" if self.policy == "ignore" else few(said, _NAMED)

    def _headword(self, name: str) -> str:
        if name in self.changed:
            return self.changed[name]
        other = f" (did you mean {quoted(self.renamed[name])}?)" if name in self.renamed else ""
        return f"is lost{other}"


def headline(values: str, verdict: str, others: Mapping[str, tuple[str, bool]]) -> str:
    """The headline of the whole: what the values say, and what else is known.

    `others` has under a name more words (empty for nothing), and whether they make the tables different by themselves.
    """
    said = {name: words for name, (words, _) in others.items() if words}
    if verdict == "different" or not any(alone for _, alone in others.values()):
        return " ".join([values, *(f"{name.capitalize()}: {words}." for name, words in said.items())])
    reasons = "; ".join(f"{name}: {words}" for name, words in said.items())
    return f"Different: {reasons}. Columns in common: {values[:1].lower()}{values[1:]}"


def checked_policy(value: object) -> Policy:
    """The option `schema`."""
    policies = get_args(Policy) if isinstance(value, str) else ()
    found: Policy | None = next((policy for policy in policies if policy == value), None)
    if found is None:
        raise unknown_option("schema", value, get_args(Policy), objects=False)
    return found


def schema_of(reading: Reading, policy: Policy, may_be_lost: Sequence[str]) -> tuple[Schema, list[Finding]]:
    """What changed, and all findings that need no test of values.

    Columns that may be lost are refused if the first table does not have them.
    """
    known = [info.name for info in reading.a.table.columns]
    for name in may_be_lost:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InputError(f"columns_may_be_lost: {reading.a.table.name} has no column {name!r}.{hint}")
    found = reading.schema.findings
    lost, added = ([part.column for part in found if part.what == what] for what in ("lost", "added"))
    retyped = [part.column for part in found if part.what == "retyped"]
    families = [{info.name: info.family for info in side.table.columns} for side in (reading.a, reading.b)]
    renamed = _renamed(lost, added, lambda a, b: _SORTS.get(families[0][a]) == _SORTS.get(families[1][b]))
    both = {column.name: (column, other) for column, other in reading.schema.both}
    changed = {name: _change(*both[name]) for name in retyped if _has_changed(reading, *both[name])}
    ids = {name: _identifiers(reading, *pair) for name, pair in both.items() if _of_identifiers(reading, *pair)}
    changed |= {name: change for name, (change, _) in ids.items() if change}
    changed |= {name: change for name, pair in both.items() if (change := another_currency(reading, *pair))}
    schema = Schema(tuple(lost), tuple(added), changed, renamed, policy, tuple(may_be_lost))
    kept = [part for part in found if policy != "ignore" or part.what == "left out"]
    said = [part for part in kept if part.what != "retyped" or part.column in changed or not _guess(*both[part.column])]
    other = [name for name in reading.respelled if name not in retyped and policy != "ignore"]
    more = [_respelled(reading, name) for name in other]
    if policy != "ignore":
        more += [Finding("changed", name, changed[name]) for name in changed if name not in {*retyped, *ids}]
        more += [
            Finding("changed" if change else "wording", name, change or f"identifiers are {view}")
            for name, (change, view) in ids.items()
            if change or view
        ]
    return schema, [*(_finding(part, schema) for part in said), *more]


def _of_identifiers(reading: Reading, a: ColumnKind, b: ColumnKind) -> bool:
    """Whether a column holds identifiers in both tables, or in one and text in the other: some may be cut short."""
    if "identifier" not in (a.kind, b.kind):
        return False
    return a.kind == b.kind or all(_sort(side, a.name) == "text" for side in (reading.a, reading.b))


def _identifiers(reading: Reading, a: ColumnKind, b: ColumnKind) -> tuple[str, str]:
    """What changed in a column of identifiers, and in what they differ, in words; empty where nothing did."""
    if "as you said" not in (a.reason, b.reason) and _sort(reading.a, a.name) != _sort(reading.b, a.name):
        return _change(a, b), ""
    one, two = (column_of(side.sample, a.name).drop_nulls() for side in (reading.a, reading.b))
    if _sort(reading.a, a.name) != "text" or min(len(one), len(two)) < FEW:
        return "", ""  # numbers go on from table to table
    return how_written(strings(one), strings(two), reading.called, MOST)


def _respelled(reading: Reading, name: str) -> Finding:
    """Yes and no in other words."""
    one, two = (column_of(side.sample, name).drop_nulls().unique().sort() for side in (reading.a, reading.b))
    first, second = (" and ".join(quoted(value) for value in part[:2].to_list()) for part in (one, two))
    return Finding("retyped", name, f"{first} in the first table, {second} in the second; compared as yes and no")


def _guess(a: ColumnKind, b: ColumnKind) -> bool:
    """Whether two kinds are guesses about the same sort of text, or differ by how much is missing: nothing to say.

    How many different values there are, and how many gaps, is tested, and random halves of a table may differ in it.
    """
    same = a.base == b.base or {a.base, b.base} <= {"categorical", "text"}
    return a.storage == b.storage and a.from_text == b.from_text and same


def _finding(part: SchemaFinding, schema: Schema) -> Finding:
    if part.what == "retyped":
        return Finding("changed" if part.column in schema.changed else "retyped", part.column, part.detail)
    detail = part.detail
    if part.what == "lost" and part.column in schema.may_be_lost:
        detail += "; it may be lost, as you said"
    elif part.what == "lost" and part.column in schema.renamed:
        detail += f". Did you mean {quoted(schema.renamed[part.column])} of the second?"
    return Finding(part.what, part.column, detail)


def _change(a: ColumnKind, b: ColumnKind) -> str:
    was, now = (column.words(column.base or column.kind) for column in (a, b))
    return f"was {was}, is {now}"


def _has_changed(reading: Reading, a: ColumnKind, b: ColumnKind) -> bool:
    """Whether something else is stored in a column, or most of its values are of another kind."""
    if "as you said" in (a.reason, b.reason):
        return False
    one, two = (_sort(side, a.name) for side in (reading.a, reading.b))
    empty = None in (a.base, b.base) and "unsupported" not in (a.kind, b.kind)
    if one is None or two is None or empty:
        return False  # nothing is in it: missing shares are compared
    samples = [column_of(side.sample, a.name).drop_nulls() for side in (reading.a, reading.b)]
    if one != two:
        otherwise = _spelled_otherwise(reading, a, b) or _dates_as_text(reading, a, b)
        return not (otherwise or _by_strays(a, b, samples))
    if one == "other":
        return a.storage != b.storage
    trait = trait_of(a, b)
    if trait is None or min(map(len, samples)) < FEW:
        return False
    return abs(trait(samples[0]) - trait(samples[1])) >= MOST


def _sort(side: Survey, name: str) -> str | None:
    """What is stored in a column; None if it is empty."""
    return _SORTS.get(_family(side, name))


def _family(side: Survey, name: str) -> Family:
    return next(info.family for info in side.table.columns if info.name == name)


def _spelled_otherwise(reading: Reading, a: ColumnKind, b: ColumnKind) -> bool:
    """Whether yes and no are words on one side, and on the other truths only to a reader of text files."""
    return any(
        words.reason == FLAGS and _family(side, truth.name) == "boolean" and guessed(side.table.files)
        for words, truth, side in ((a, b, reading.b), (b, a, reading.a))
    )


def _dates_as_text(reading: Reading, a: ColumnKind, b: ColumnKind) -> bool:
    """Whether dates or durations are text on one side, where they can be nothing else."""
    return any(
        column.from_text
        and column.base in TIMES
        and (other.base == column.base or other.storage == "Time")  # a reader of text files takes 9:05:00 for one
        and dateless(side.table.files, side.table.engine)
        for column, other, side in ((a, b, reading.a), (b, a, reading.b))
    )


def _by_strays(a: ColumnKind, b: ColumnKind, samples: Sequence[pl.Series]) -> bool:
    """Whether a column is text only because some values are neither numbers nor dates: words, then."""
    for column, other, values in ((a, b, samples[0]), (b, a, samples[1])):
        if column.from_text and not other.from_text and (column.base in NUMBERS) and column.base == other.base:
            return numbers(values, column.base in TIMES).null_count() > 0
    return False


def _renamed(lost: Sequence[str], added: Sequence[str], fits: Callable[[str, str], bool]) -> dict[str, str]:
    """Lost columns that are probably there under another name: the same but for case, blanks and marks; or alike."""
    from difflib import SequenceMatcher

    result: dict[str, str] = {}
    bare: dict[str, list[str]] = {}
    for name in added:
        bare.setdefault(_bare(name), []).append(name)
    for name in lost:
        same = bare.get(_bare(name), [])
        if same:
            result[name] = same.pop(0)
    left = [name for name in lost if name not in result]
    free = [name for name in added if name not in result.values()]
    if max(len(left), len(free)) > _COMPARED:
        return result
    likeness = [
        (SequenceMatcher(None, _bare(a), _bare(b)).ratio(), a, b)
        for a in left
        for b in free
        if re.findall(r"\d+", a) == re.findall(r"\d+", b) and fits(a, b)
    ]
    for ratio, a, b in sorted(likeness, key=lambda found: -found[0]):
        if ratio >= _ALIKE and a not in result and b not in result.values():
            result[a] = b
    return {name: result[name] for name in lost if name in result}


def _bare(name: str) -> str:
    """A name without case, blanks, marks and ways of encoding; as it is if nothing else is in it.

    >>> _bare(" Temp_C"), _bare("temp c"), _bare("%")
    ('tempc', 'tempc', '%')
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(filter(str.isalnum, plain)) or plain.strip()


def comparable(reading: Reading, schema: Sequence[Finding]) -> tuple[list[JointColumn], list[Finding]]:
    """The columns to test, and what is known without a test."""
    findings = list(schema)
    columns, constant = [], []
    for column in reading.schema.common:
        a, b = reading.a.profiles[column.name], reading.b.profiles[column.name]
        fixed = column.left.kind == column.right.kind == "constant" and a.min is not None
        if not fixed or a.min != b.min or a.missing or b.missing:
            columns.append(column)
            continue
        one, two = (_first(side, column.name) for side in (reading.a, reading.b))
        if one == two or (type(one) is not type(two) and column.kind in NUMBERS):
            value = shown(str(one), 80) if one != "" else "''"
            said = f"the same value in all rows of both tables: {value}"
            findings.append(Finding("constant", column.name, said))
            constant.append(column)
        elif column.kind in NUMBERS:
            findings.append(Finding("constant", column.name, f"another value in either table, too close: {one}, {two}"))
        else:
            columns.append(column)
    columns = columns or constant
    if not columns:
        reasons = "; ".join(f"{part.column}: {part.detail}" for part in findings[:5])
        more = f"; and {len(findings) - 5} more" if len(findings) > 5 else ""
        said = f"{reasons}{more}. Rename columns so that they match, or say what they mean with kinds={{...}}."
        bare = next((side.table for side in (reading.a, reading.b) if _headless(side.table)), None)
        if bare is not None:
            said += f" {bare.name} seems to have no header: its first line, which names the columns, has numbers in it."
        raise InputError(
            f"{reading.a.table.name} and {reading.b.table.name} have no column that can be compared"
            + (f". {said}" if findings else ": select and exclude leave none.")
        )
    return columns, findings


def _headless(table: Table) -> bool:
    """Whether a text file looks as if its first line were a row."""
    import polars as pl

    names = pl.Series([info.name for info in table.columns], dtype=pl.String)
    return guessed(table.files) and spelled(names)[0].count() > 0


def _first(side: Survey, name: str) -> Any:
    """The value of the first row, as Python has it."""
    return records(column_of(side.sample, name).head(1).to_frame())[0]["v"]
