"""What a column means: numbers, dates, categories, text, identifiers; by rules that are written down here.

In this order, for a column with P present values of which D are different (T is text that looks like one token):

1. What the user says.
2. Lists, structs, binary data: *unsupported*.
3. More than 95 % of the rows missing: *mostly missing*. One value only: *constant*. Both also get the kind that they
   would have otherwise (`base`), by which they can be compared with a column that is neither.
4. Booleans, and whole numbers that are all 0 or 1: *boolean*. Dates and times: *datetime*, durations: *duration*,
   unless most of them are too close for doubles to tell them apart.
5. Whole numbers (also stored as floating-point numbers): *integer*; but *identifier* if all of at least 20 are
   different and they are dense (range below 4 P) or the name says so (id, key, uuid, index, ...).
6. Other numbers: *numeric*.
7. Text of which 95 % spell dates that can be read in one way: *datetime*; or 95 % durations ("9:05:00",
   "0 days 00:15:00", "PT15M"), not some with two parts ("9:05") beside some with three: *duration*; 99 % numbers,
   without leading zeros as in "00123", and without commas that may be decimal ones beside some that are ("1,234" beside
   "0,5"): by rules 5 and 6.
8. Other text: if D > 0.95 P for at least 20 values, *identifier* for single tokens, else *text*; if D ≤ 100 or
   D ≤ 0.1 P, and D ≤ 0.5 P, and not prose (four words on average), *categorical*; else *text*. In scripts without
   spaces between words (Chinese, Japanese, Thai, ...) four letters count as a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ..core.types import Floats
from ..errors import InputError, unknown_option
from ..summaries import ColumnInfo, ColumnProfile
from ..summaries.facts import DATES, NUMERIC
from .values import column_of, numbers, present, spelled, strings, truths
from .written import PADDED, durations, grouped, mixed_commas, short_clock, unclear_clock, unclear_dates

if TYPE_CHECKING:
    import polars as pl

    from .table import Table

Kind = Literal[
    "numeric", "integer", "boolean", "datetime", "duration", "categorical", "text",
    "identifier", "constant", "mostly missing", "unsupported",
]  # fmt: skip
NUMBERS: tuple[Kind, ...] = ("numeric", "integer", "boolean", "datetime", "duration")  # that are compared as numbers

USABLE: tuple[Kind, ...] = (*NUMBERS, "categorical", "text")
MISSING_SHARE = 0.95
_FEW = 20  # values from which on "all different" means something
_WHOLE = 2.0**53  # doubles hold every whole number up to here
_UNIQUE = 0.95
_MOST_FLAGS = 10  # spellings of yes and no in one column
_STRAYS = 0.01  # of a column of numbers that are stored as text: words
_UNDATED = 0.05  # of a column of dates: "unknown", "0", ...
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_ID_NAME = re.compile(r"(^|[\W_])(id|ids|key|uuid|guid|index|idx|rowid|pk|nr|no|number)$|[a-z]I[dD]$", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z](Id|ID|Key|Uuid|UUID)$")


_SPELLED = {
    "numeric": "numbers",
    "integer": "numbers",
    "boolean": "numbers",
    "datetime": "dates",
    "duration": "durations",
}
TIMES: tuple[Kind, ...] = ("datetime", "duration")  # that are seconds
FLAGS = "text that spells yes and no"  # why a column is one of categories
HOURS = "whose two parts are read as hours and minutes (1:30 is 1 h 30 min)"
EITHER = "such as 03/04/2024, which are compared as text: the day or the month may come first"
THOUSANDS = "whose commas are read as those of thousands (1,125 is 1125)"  # in the reason of a column of text


@dataclass(frozen=True)
class ColumnKind:
    """What a column means, and why.

    Parameters
    ----------
    name
        The column.
    kind
        One of the kinds above.
    base
        The kind that it would have if it were not constant or mostly missing; otherwise the same. None if unknown.
    storage
        How it is stored.
    reason
        Why, in words.
    from_text
        Whether the numbers or dates are stored as text.
    spelled
        Share of the values of a column of text that spell numbers, where it is one of text all the same.
    numbers
        How many different numbers these are, in a sample.
    """

    name: str
    kind: Kind
    base: Kind | None
    storage: str
    reason: str
    from_text: bool = False
    spelled: float = 0.0
    numbers: int = 0

    @property
    def usable(self) -> bool:
        """Whether its values can be compared."""
        return self.base in USABLE

    def words(self, kind: str) -> str:
        """One of its kinds in words, and how it is stored."""
        if self.from_text and kind in _SPELLED:
            kind = f"text that spells {_SPELLED[kind]}"
        elif self.reason == FLAGS and kind == self.base:
            kind = FLAGS
        return f"{kind} ({self.storage})"


def infer_kinds(
    table: Table,
    profile: Sequence[ColumnProfile],
    sample: pl.DataFrame,
    kinds: Mapping[str, str] | None = None,
) -> tuple[ColumnKind, ...]:
    """The kind of every column of a table.

    Parameters
    ----------
    table
        The table.
    profile
        Its profile.
    sample
        A random sample of its rows; ten thousand are plenty.
    kinds
        What the user says: ``{"zip": "categorical"}``.

    Examples
    --------
    >>> from twosample.sources import infer_kinds, open_table
    >>> table = open_table({"city": ["Oslo", "Rome"] * 20, "visit": range(40), "price": [1.5, 2.25, 1.0, 9.75] * 10})
    >>> [column.kind for column in infer_kinds(table, table.profile(), table.sample(1000))]
    ['categorical', 'identifier', 'numeric']
    """
    said = check_kinds(kinds)
    columns = table.columns
    unknown = [name for name in said if name not in {info.name for info in columns}]
    if unknown:
        raise InputError(f"kinds: {table.name} has no column {unknown[0]!r}.")
    facts = {part.name: part for part in profile}
    return tuple(_kind(info, facts[info.name], column_of(sample, info.name), said.get(info.name)) for info in columns)


def check_kinds(kinds: Mapping[str, str] | None) -> dict[str, Kind]:
    """The user's kinds, each of them one that exists."""
    result: dict[str, Kind] = {}
    for name, value in (kinds or {}).items():
        found: Kind | None = next((kind for kind in get_args(Kind) if kind == value), None)
        if found is None or found in ("constant", "mostly missing", "unsupported"):
            raise unknown_option(f"kinds[{name!r}]", value, (*USABLE, "identifier"), objects=False)
        result[name] = found
    return result


def unsupported(info: ColumnInfo, sample: pl.Series) -> ColumnKind:
    """What a column is whose type cannot be compared."""
    reason = f"{info.storage} is not a type that can be compared"
    if info.storage.startswith(("List", "Struct", "Array", "Map")):
        reason += "; give what is in it as columns, or say kind text or categorical to compare it as it is written"
    if info.storage == "Object":
        value = next((value for value in sample if value is not None), None)
        reason = f"Python objects of type {type(value).__name__} cannot be compared; give numbers or text"
        if isinstance(value, complex):
            reason = "complex numbers cannot be compared; give real and imaginary part as two columns"
    return ColumnKind(info.name, "unsupported", None, info.storage, reason)


def _kind(info: ColumnInfo, facts: ColumnProfile, sample: pl.Series, said: Kind | None) -> ColumnKind:
    def is_(kind: Kind, reason: str) -> ColumnKind:
        return ColumnKind(info.name, kind, kind, info.storage, reason)

    text = info.family in ("text", "category")
    if info.family == "other" and (said is None or not facts.present):
        return unsupported(info, sample)
    if said == "boolean" and _different(facts, sample) > 2:
        what = "has more than two different values, which are not boolean"
        raise InputError(f"kinds: column {info.name!r} {what}; say another kind, or none.")
    if said is not None:
        return replace(is_(said, "as you said"), from_text=text and said in ("numeric", "integer", *TIMES))
    if not facts.present:
        return replace(is_("mostly missing", "no row has a value"), base=None)
    sample = sample.drop_nulls()
    base = is_("numeric", "") if not len(sample) else _plain(info, facts, sample)
    share = facts.missing / facts.rows
    if share > MISSING_SHARE:
        return replace(base, kind="mostly missing", reason=f"{share:.1%} of the rows have no value")
    if facts.distinct == 1 or (facts.distinct is None and facts.min == facts.max and facts.min is not None):
        base = base if base.usable else replace(base, base="categorical")
        return replace(base, kind="constant", reason="one value only")
    return base


def _plain(info: ColumnInfo, facts: ColumnProfile, sample: pl.Series) -> ColumnKind:
    """Rules 4 to 8."""

    def is_(kind: Kind, reason: str, from_text: bool = False) -> ColumnKind:
        return ColumnKind(info.name, kind, kind, info.storage, reason, from_text)

    if info.family == "boolean":
        return is_("boolean", "true or false")
    if info.family in DATES:
        spans = info.family == "duration"
        found = is_("duration", "durations, as seconds") if spans else is_("datetime", "dates or times, as seconds")
        return _told_apart(found, sample)
    if info.family in NUMERIC:
        kind, reason = _number_kind(info.name, facts, present(sample), sample)
        found = is_(kind, reason)
        return _rounded(found, sample) if _beyond_doubles(facts) else found
    words = strings(sample)
    bare = words.str.strip_chars()
    looks, values, share = _looks_like(bare)
    if looks == "number":
        kind, reason = _number_kind(info.name, facts, values, sample)
        commas = f" {THOUSANDS}" if grouped(bare) else ""
        found = is_(kind, f"text that spells numbers{commas}; {reason}", True)
        return found if np.abs(values).max(initial=0.0) <= _WHOLE else _rounded(found, words)
    if looks in TIMES:
        how = f", {HOURS}" if looks == "duration" and short_clock(bare) else ""
        return is_(looks, f"text that spells {_SPELLED[looks]}{how}", True)
    base, reason = _text_kind(info, facts, words)
    reason += f"; dates {EITHER}" if unclear_dates(bare) else ""
    return replace(is_(base, reason), spelled=share, numbers=len(np.unique(values)))


def _beyond_doubles(facts: ColumnProfile) -> bool:
    return any(isinstance(end, float) and abs(end) > _WHOLE for end in (facts.min, facts.max))


def _told_apart(column: ColumnKind, sample: pl.Series) -> ColumnKind:
    """The column, unless most of its times are so close that doubles cannot hold the difference."""
    if _apart(sample):
        return column
    reason = "times less than a microsecond apart would be rounded; subtract a start, and give numbers"
    return replace(column, kind="unsupported", base=None, reason=reason)


def _rounded(column: ColumnKind, sample: pl.Series) -> ColumnKind:
    """The column: whole numbers beyond what doubles hold are numbers, unless most would be rounded to the same ones."""
    if column.kind != "integer":
        return column
    if sample.n_unique() > 1 and _apart(sample):  # a constant is compared as it is
        return replace(column, kind="numeric", base="numeric", reason="whole numbers, rounded to 53 bits")
    reason = "whole numbers beyond 2^53 would be rounded to the same; subtract a constant, or say kind categorical"
    return replace(column, kind="unsupported", base=None, reason=reason)


def _apart(sample: pl.Series) -> bool:
    """Whether doubles tell most values apart."""
    return 2 * numbers(sample).n_unique() >= sample.n_unique()


def _looks_like(words: pl.Series) -> tuple[Literal["number", "words"] | Kind, Floats, float]:
    """What texts without blanks around them spell, the numbers, and the share of these."""
    found, times = spelled(words)
    strays = _UNDATED * len(words)
    if times.null_count() <= strays:
        others = durations(words).null_count()
        if len(words) - others + times.null_count() <= strays:
            return "datetime", np.empty(0), 0.0
        return "words" if others > strays or unclear_clock(words) else "duration", np.empty(0), 0.0
    if words.str.contains(PADDED).any() or mixed_commas(words):
        return "words", np.empty(0), 0.0
    looks: Literal["number", "words"] = "number" if found.null_count() <= _STRAYS * len(words) else "words"
    return looks, present(found), 1 - found.null_count() / max(len(words), 1)


def _number_kind(name: str, facts: ColumnProfile, values: Floats, sample: pl.Series) -> tuple[Kind, str]:
    """By the numbers of a sample. Different ones are counted last, and only where it matters: that takes longest."""
    finite = values[np.isfinite(values)]
    if not len(finite) or bool((finite != np.floor(finite)).any()):
        return "numeric", "numbers"
    low, high = float(finite.min()), float(finite.max())
    if isinstance(facts.min, float) and isinstance(facts.max, float):
        low, high = facts.min, facts.max
    if low >= 0 and high <= 1 and not facts.infinite:
        return "boolean", "whole numbers, all 0 or 1"
    if facts.present >= _FEW and _distinct(facts, sample) > _UNIQUE and len(np.unique(values)) == len(values):
        if _ID_NAME.search(name) or _CAMEL.search(name):
            return "identifier", "whole numbers, different in every row, and the name says so"
        if high - low < 4 * facts.present:
            return "identifier", "whole numbers, different in every row, without large gaps"
    return "integer", "whole numbers"


def _text_kind(info: ColumnInfo, facts: ColumnProfile, words: pl.Series) -> tuple[Kind, str]:
    distinct = _distinct(facts, words)
    different = facts.distinct if facts.distinct is not None else round(distinct * facts.present)
    count = float(np.mean((words.str.split(" ").list.len() + words.str.count_matches(_UNSPACED) // 4).to_numpy()))
    longest = int(words.str.len_chars().to_numpy().max())
    about = f"{different} different values{'' if facts.exact else ', about'}"
    if distinct > _UNIQUE and facts.present >= _FEW and words.n_unique() == len(words):
        token = count < 1.2 and longest <= 64
        return ("identifier", "single tokens, different in every row") if token else ("text", "different in every row")
    if info.family == "category":
        return "categorical", "a categorical type"
    if count >= 4 and distinct > 0.2:
        return "text", f"{count:.0f} words a row"
    if different <= _MOST_FLAGS and truths(words.unique()):
        return "categorical", FLAGS
    few = distinct <= 0.5 and (different <= 100 or different <= 0.1 * facts.present)
    return "categorical" if few or facts.present < _FEW else "text", about


def _different(facts: ColumnProfile, sample: pl.Series) -> int:
    """Different values; from the sample, as numbers, if the engine did not count."""
    if facts.distinct is not None:
        return facts.distinct
    return numbers(sample).fill_nan(None).drop_nulls().n_unique()


def _distinct(facts: ColumnProfile, sample: pl.Series) -> float:
    """The share of present values that are different; from the sample if the engine did not count."""
    if facts.distinct is not None:
        return min(1.0, facts.distinct / max(facts.present, 1)) * (1.0 if facts.exact else 1.03)
    share = sample.n_unique() / max(len(sample), 1)
    return share if share > _UNIQUE else share * len(sample) / max(facts.present, len(sample))
