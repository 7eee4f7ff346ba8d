"""``twosample independence TABLE``: which columns of a table depend on each other."""

from __future__ import annotations

import json as json_
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import OptionError
from . import options, terminal
from .exits import DIFFERENT, SAME
from .outputs import Output, Outputs, picture, picture_format

if TYPE_CHECKING:
    from rich.text import Text

    from ..independence import ColumnPair, IndependenceMatrix
    from ..results import TestResult
    from .columns import Rows

_ROWS = 20_000  # rows of the sample, unless the user says otherwise
_MOST = 20  # pairs on the screen
_MANY = 1000  # pairs that take long enough for a word


@dataclass(frozen=True)
class Found:
    """One test or the matrix of all pairs, and the rows it rests on."""

    source: str
    rows: int
    total: int
    result: TestResult | IndependenceMatrix
    notes: tuple[str, ...]
    x: tuple[str, ...] = ()
    y: tuple[str, ...] = ()


def command(  # noqa: PLR0913, PLR0917 - the flags of the command line
    context: typer.Context,
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="A file, a pattern of files, or database://...::table.")
    ],
    x: Annotated[
        list[str] | None, typer.Option("--x", metavar="COLUMNS", help="Columns of one side, separated by commas.")
    ] = None,
    y: Annotated[list[str] | None, typer.Option("--y", metavar="COLUMNS", help="Columns of the other side.")] = None,
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="ROWS", help=f"Rows to take at random.  [default: {_ROWS}]")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All rows, however long it takes.")] = False,
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 0,
    json: options.Json = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Draw it: the file's extension says the format (svg).")
    ] = None,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """Test whether columns depend on each other: --x against --y, or all pairs of columns.

    p-values of all pairs are adjusted for their number (Holm). Exit codes: 0 no dependence found, 1 dependent, 2 error.
    """
    del debug
    sample, everything = options.sample_or_all(context, sample, everything)
    sides = options.split(x), options.split(y)
    if (sides[0] is None) != (sides[1] is None):
        raise OptionError("--x and --y belong together: give both, or neither for all pairs of columns.")
    if sides[0] is not None and (select or exclude):
        raise OptionError("--select and --exclude are for all pairs of columns; --x and --y name their columns.")
    form = picture_format(plot)
    outputs = Outputs(
        [Output("--json", json, _json), Output("--plot", plot, lambda found: picture(found.result, form))],
        inputs=(table, config),
    )
    with terminal.working(f"reading and testing {table}", quiet=quiet):
        from .columns import read_rows

        size = None if everything else _ROWS if sample is None else sample
        rows = read_rows(table, sample=size, seed=seed, where=where, kinds=options.pairs("--kind", kind))
        if sides[0] is not None and sides[1] is not None:
            found = _two_sides(rows, sides[0], sides[1], alpha, seed)
        else:
            names = rows.usable(options.split(select), options.split(exclude))
            pairs = len(names) * (len(names) - 1) // 2
            many = f"testing {pairs:,} pairs of columns; --select chooses among them" if pairs > _MANY else None
            terminal.announce(many, quiet=quiet)
            found = _all_pairs(rows, names, rows.left_out() if select is None else (), alpha, seed)
    if not quiet and not outputs.speaks:
        terminal.write(terminal.rendered(*_screen(found)))
    outputs.write(found, quiet=quiet)
    return DIFFERENT if _dependent(found) else SAME


def _two_sides(rows: Rows, x: list[str], y: list[str], level: float, seed: int) -> Found:
    import numpy as np

    from ..independence import hsic_test
    from .columns import coordinates

    for option, names in (("--x", x), ("--y", y)):
        if not names:
            raise OptionError(f"{option} names no column.")
    both = sorted(set(x) & set(y))
    if both:
        raise OptionError(f"--x and --y share {both[0]!r}; a column depends on itself.")
    rows.usable([*x, *y], None)
    kinds = {kind.name: kind for kind in rows.kinds if kind.name in (*x, *y)}
    found = coordinates(rows.frame, kinds)
    sides = (np.concatenate([found[name] for name in side], axis=1) for side in (x, y))
    result = hsic_test(*sides, level=level, rng=seed)
    return Found(rows.table.name, len(rows.frame), rows.total, result, result.notes, tuple(x), tuple(y))


def _all_pairs(rows: Rows, names: list[str], left_out: tuple[str, ...], level: float, seed: int) -> Found:
    from ..independence import independence_matrix
    from .columns import coordinates

    if len(names) < 2:
        raise OptionError(f"{rows.table.name} has {len(names)} column(s) to test; independence needs at least two.")
    kinds = {kind.name: kind for kind in rows.kinds if kind.name in names}
    found = coordinates(rows.frame, kinds)
    result = independence_matrix(found, level=level, rng=seed)
    return Found(rows.table.name, len(rows.frame), rows.total, result, result.notes + left_out)


def _dependent(found: Found) -> bool:
    from ..results import TestResult

    return found.result.rejected if isinstance(found.result, TestResult) else bool(found.result.dependent)


def _json(found: Found) -> str:
    from ..results import TestResult

    head: dict[str, Any] = {"schema": 1, "source": found.source, "rows": found.rows, "rows_of_table": found.total}
    if isinstance(found.result, TestResult):
        body = {"x": found.x, "y": found.y, "dependent": found.result.rejected, "test": found.result.to_dict()}
    else:
        columns = found.result.to_dict()
        pairs = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        body = {"level": found.result.level, "dependent": len(found.result.dependent), "pairs": pairs}
    return json_.dumps({**head, **body, "notes": found.notes}, indent=2, ensure_ascii=False, allow_nan=False)


def _line(pair: ColumnPair, level: float) -> list[Text]:
    from rich.text import Text

    from .screen import judged, name, plain, pvalue

    words = judged("different", "dependent") if pair.holm <= level else Text("none found")
    return [name(pair.x), plain(pair.y), Text(f"{pair.strength:.3f}"), pvalue(pair.holm), words]


def _screen(found: Found) -> Iterator[Any]:
    from rich.text import Text

    from ..results import TestResult
    from .screen import count, grid, judged, listing, pvalue

    result, dependent = found.result, _dependent(found)
    verdict = "different" if dependent else "same"
    rows = count(found.rows, "row") + (f" of {found.total:,}" if found.rows < found.total else "")
    if isinstance(result, TestResult):
        sides = " and ".join(", ".join(side) for side in (found.x, found.y))
        yield judged(verdict, f"{'Dependent' if dependent else 'No dependence found'}: {sides}")
        yield Text()
        yield grid([("table", f"{found.source}: {rows}"), ("p-value", str(pvalue(result.pvalue))),
                    (result.symbol, f"{result.statistic:.4g}"), *(("note", note) for note in found.notes)])  # fmt: skip
        return
    many = count(len(result.pairs), "pair")
    yield judged(verdict, f"{len(result.dependent):,} of {many} of columns depend on each other")
    yield Text()
    yield grid([("table", f"{found.source}: {rows}, {count(len(result.names), 'column')} tested")])
    yield Text()
    heads = [("  columns", False), ("", False), ("strength", True), ("adjusted p", True), ("verdict", False)]
    yield listing(heads, [_line(pair, result.level) for pair in result.pairs[:_MOST]])
    if len(result.pairs) > _MOST:
        yield Text(f"  and {count(len(result.pairs) - _MOST, 'more pair')}; --json has all", style="dim")
    if found.notes:
        yield Text()
        yield grid(("note", note) for note in found.notes)
