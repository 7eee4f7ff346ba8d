"""``twosample outliers REFERENCE NEW``: which rows of a table do not come from where a reference table comes from."""

from __future__ import annotations

import json as json_
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from . import options, terminal
from .exits import VERDICTS
from .outputs import Output, Outputs

if TYPE_CHECKING:
    from rich.text import Text

    from ..core.types import Floats
    from ..tables.parts import Verdict
    from .columns import Rows

_ROWS = 5_000  # rows of the reference, unless the user says otherwise: fitting takes the square of it
_MOST = 15  # rows on the screen
_CELL = 20  # characters of a value


@dataclass(frozen=True, eq=False)
class Found:
    """The rows that were looked at, and their scores.

    Parameters
    ----------
    reference, new
        The tables.
    columns
        The columns that count.
    level
        The share of false alarms, at most.
    scores
        For each row the share of the reference rows that are as unusual, less up to 1/(n+1) by its distance.
    threshold
        Rows at or below are outliers.
    unread
        By column, how many values of the new table cannot be read as the reference says; they count as missing.
    """

    reference: Rows
    new: Rows
    columns: tuple[str, ...]
    level: float
    scores: Floats
    threshold: float
    unread: Mapping[str, int]

    @property
    def needed(self) -> int:
        """Rows of the reference with which a row can be called an outlier: 1/level - 1."""
        return ceil(1 / self.level * (1 - 1e-12)) - 1

    @property
    def verdict(self) -> Verdict:
        """Whether there are outliers; "undecided" if the reference has too few rows for any."""
        if self.threshold <= 0:  # all scores are above
            return "undecided"
        return "different" if self.rows else "same"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""
        kinds = {kind.name: kind.base or kind.kind for kind in self.reference.kinds}
        lost = (
            f"{count:,} value{'s' if count > 1 else ''} of column {name!r} in {self.new.table.name} cannot be read as "
            f"{kinds[name]}, which the column is in {self.reference.table.name}: taken as missing."
            for name, count in self.unread.items()
        )
        return (*((self._too_few(),) if self.verdict == "undecided" else ()), *lost)

    def _too_few(self) -> str:
        learnt, total = len(self.reference.frame), self.reference.total
        more = f"Take more of its {total:,} rows (--sample)" if learnt < total else "Collect more"
        return (
            f"{learnt:,} rows of {self.reference.table.name} are too few to call any row an "
            f"outlier at --alpha {self.level:g}: at least {self.needed:,} are needed. {more}, or take a larger --alpha."
        )

    @property
    def rows(self) -> list[int]:
        """Numbers of the outliers, from 0, the most unusual first."""
        order = self.scores.argsort(kind="stable")
        return [int(row) for row in order if self.scores[row] < self.threshold]

    def values(self, row: int) -> Mapping[str, Any]:
        """What is in a row."""
        from ..sources.values import records

        return records(self.new.frame[row : row + 1])[0]


def command(  # noqa: PLR0913, PLR0917 - the flags of the command line
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The table that says what is usual.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The table whose rows are judged.")],
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    sample: Annotated[
        int, typer.Option("--sample", metavar="ROWS", help="Rows of the reference to learn from.")
    ] = _ROWS,
    alpha: options.Alpha = 0.01,
    seed: options.Seed = 0,
    json: options.Json = None,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """List the rows of NEW that do not come from the distribution of REFERENCE.

    Of rows that do, at most the share --alpha is listed. Exit codes: 0 no outliers, 1 some, 2 error,
    3 the reference has too few rows to tell.
    """
    del debug
    outputs = Outputs([Output("--json", json, _json)], inputs=(reference, new, config))
    with terminal.working(f"reading {reference} and {new}", quiet=quiet):
        from .columns import read_rows

        kinds = options.pairs("--kind", kind)
        known = read_rows(reference, sample=sample, seed=seed, where=where, kinds=kinds)
        judged = read_rows(new, sample=None, seed=seed, where=where, kinds=None)
        found = _scored(known, judged, options.split(select), options.split(exclude), alpha, seed)
    if not quiet and not outputs.speaks:
        terminal.write(terminal.rendered(*_screen(found)))
    outputs.write(found, quiet=quiet)
    return VERDICTS[found.verdict]


def _scored(
    reference: Rows, new: Rows, select: list[str] | None, exclude: list[str] | None, level: float, seed: int
) -> Found:
    from .. import _door as door
    from ..kernels import Gaussian, Median
    from ..outliers import ConformalRanks
    from .columns import coordinates_against, unread

    door.check_level(level)
    if len(reference.frame) < 2:
        raise InputError(f"{reference.table.name} has 1 row; a reference needs at least two.")
    there = {kind.name for kind in new.kinds}
    names = reference.usable(select, exclude, constant=True)
    shared = [name for name in names if name in there]
    if select and len(shared) < len(names):
        missing = next(name for name in names if name not in there)
        raise InputError(f"{new.table.name} has no column {missing!r}.")
    if not shared:
        raise InputError(f"{reference.table.name} and {new.table.name} have no column in common that can be used.")
    kinds = {kind.name: kind for kind in reference.kinds if kind.name in shared}
    usual, asked = coordinates_against(reference.frame, new.frame, kinds)
    ranks = ConformalRanks.fit(door.fill_bandwidth(Gaussian(), Median(), usual, door.generator(seed)), usual)
    lost = unread(new.frame, kinds)
    return Found(reference, new, tuple(shared), level, ranks.scores(asked), ranks.threshold(level), lost)


def _json(found: Found) -> str:
    rows = [{"row": row, "score": float(found.scores[row]), "values": _plain(found.values(row))} for row in found.rows]
    body = {
        "schema": 1,
        "reference": {"source": found.reference.table.name, "rows": len(found.reference.frame)},
        "new": {"source": found.new.table.name, "rows": len(found.new.frame)},
        "columns": found.columns,
        "level": found.level,
        "verdict": found.verdict,
        "notes": found.notes,
        "outliers": rows,
    }
    return json_.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that JSON can hold."""
    from math import isfinite

    def plain(value: Any) -> Any:
        if value is None or isinstance(value, bool | int | str):
            return value
        return value if isinstance(value, float) and isfinite(value) else str(value)

    return {name: plain(value) for name, value in values.items()}


def _screen(found: Found) -> Iterator[Any]:
    from rich.text import Text

    from .._shown import shown
    from .screen import count, grid, judged, listing

    rows, total = found.rows, len(found.new.frame)
    expected = f"at most {found.level * total:.3g} would be by chance"
    says = f"{len(rows):,} of {count(total, 'row')} are outliers; {expected}"
    yield judged(found.verdict, "too few reference rows to tell" if found.verdict == "undecided" else says)
    for note in found.notes:
        yield Text(f"  {shown(note)}")
    yield Text()
    known = found.reference
    learnt = f" ({len(known.frame):,} of them learnt)" if len(known.frame) < known.total else ""
    names = ", ".join(shown(name, _CELL) for name in found.columns[:20])
    yield grid([
        ("reference", f"{known.table.name}: {count(known.total, 'row')}{learnt}"),
        ("new", f"{found.new.table.name}: {count(total, 'row')}"),
        ("columns", names + (", ..." if len(found.columns) > 20 else "")),
    ])  # fmt: skip
    if rows:
        yield Text()
        cells = [[Text(f"  {row:,}"), Text(f"{found.scores[row]:.2g}"), _cells(found, row)] for row in rows[:_MOST]]
        yield listing([("row", True), ("score", True), ("values", False)], cells)
    if len(rows) > _MOST:
        yield Text(f"  and {count(len(rows) - _MOST, 'more row')}; --json has all", style="dim")


def _cells(found: Found, row: int) -> Text:
    from rich.text import Text

    from .._shown import shown

    values = found.values(row)
    parts = []
    for name in found.columns[:12]:
        value = f"{values[name]:.6g}" if isinstance(values[name], float) else str(values[name])
        parts.append(f"{shown(name, _CELL)}={shown(value, _CELL)}")
    return Text("  ".join(parts))
