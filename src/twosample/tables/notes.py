"""What a comparison says of itself: how tables were read and compared, and by which versions."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

from .._shown import few, quoted
from .._version import __version__
from ..sources.kinds import EITHER, HOURS, NUMBERS, THOUSANDS
from ..sources.schemas import with_words, zone_of
from .designing import RowPlan
from .joint import Joint
from .reading import Reading


def notes(reading: Reading, joint: Joint | None, level: float, plan: RowPlan | None) -> tuple[str, ...]:
    """How two tables were read and compared, sentence by sentence."""
    how = "are compared as they are" if reading.whole else "were sampled uniformly at random"
    if joint is not None and joint.every:
        how = "were all added up, and some of them sampled uniformly at random,"
    parts = [f"{side.looked_at:,} of {side.rows:,} rows of {side.table.name}" for side in reading.sampled]
    columns = f"on a uniform random sample ({' and '.join(parts)})" if parts else "on all rows"
    gone = [side for side in (reading.a, reading.b) if side.summarized]
    what = "whole rows" if joint is not None and joint.every else "all columns together"
    kept = [
        f"{side.table.name} stands as a summary of {side.rows:,} rows: numbers were compared in its bins, and "
        f"texts, categories with more than 10,000 values and {what} on the {len(side.sample):,} rows it kept."
        for side in gone
    ]
    if len(gone) > 1 and joint is not None and not joint.every:
        kept.append(
            "Two summaries of at least 20,000 rows are compared together on every row if one was made like= the other."
        )
    compared = f"Rows {how} for the joint test; single columns were compared {columns}, texts on samples."
    if plan is not None and not plan.plain:
        compared = f"Rows {how} for all tests. The joint test looks at whole rows, columns, and ties of columns."
    return (
        compared,
        *(() if plan is None else plan.notes),
        "Adjusted p-values: a third of the level for the joint test, Holm among the columns and missing shares.",
        f"Intervals are at level {1 - 2 * level:g}: each end is exceeded with probability {level:g}.",
        *kept,
        *_read_as(reading, "numbers", THOUSANDS, "If they are decimal commas, write points."),
        *_read_as(
            reading, "dates", EITHER, "Write 2024-03-04, or parse them before, as .str.to_date('%d/%m/%Y') does."
        ),
        *_read_as(reading, "durations", HOURS, "If they are minutes and seconds, write 0:01:30."),
        *_words(reading),
        *_zones(reading),
        *dict.fromkeys(side.note for side in (reading.a, reading.b) if side.note),
        *reading.a.table.notes,
        *reading.b.table.notes,
        *(() if joint is None else joint.notes),
    )


def _read_as(reading: Reading, what: str, how: str, otherwise: str) -> tuple[str, ...]:
    """Which columns hold text that may be read in two ways, and what to do if it is the other one."""
    columns = [column for column in reading.schema.common if (column.kind in NUMBERS) == (how != EITHER)]
    texts = [part for column in columns for part in (column.left, column.right) if how in part.reason]
    names = few(list(dict.fromkeys(quoted(part.name, 40) for part in texts)))
    return (f"Text in {names} spells {what} {how}. {otherwise}",) if names else ()


def _words(reading: Reading) -> tuple[str, ...]:
    """Which columns of text are compared as numbers, though there are words among them."""
    names = [column.name for column in reading.schema.common if with_words(column.left) and with_words(column.right)]
    if not names:
        return ()
    said = f"Text in {few([quoted(name, 40) for name in names])} spells numbers, with words among them: compared as"
    return (f"{said} numbers, and the words as values of their own. kinds={{...}} says otherwise.",)


def _zones(reading: Reading) -> tuple[str, ...]:
    """Which columns of dates have a time zone, which what is said of them does not follow."""
    zones = {column.name: {zone_of(column.left), zone_of(column.right)} for column in reading.schema.common}
    names = [name for name, own in zones.items() if own - {"", "None", "UTC"}]
    said = few([quoted(name, 40) for name in names])
    return (f"Dates, hours and weekdays of {said} are told in UTC, not in their time zone.",) if names else ()


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Name and version of what the answer rests on."""
    names = ("numpy", "scipy", "polars", "narwhals")
    return (
        ("twosample", __version__),
        ("python", platform.python_version()),
        *((name, version(name)) for name in names),
    )
