"""``twosample independence TABLE``: which columns of a table depend on each other."""

from __future__ import annotations

import json as json_
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import OptionError
from . import options, terminal
from .exits import DIFFERENT, SAME
from .outputs import Output, Outputs, page, picture, picture_format

if TYPE_CHECKING:
    from rich.text import Text

    from ..independence import ColumnPair, IndependenceMatrix, IndependenceResult

    Found = IndependenceResult | IndependenceMatrix

_MOST = 20  # pairs on the screen
_MANY = 1000  # pairs that take long enough for a word


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
    encoding: options.Encoding = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="ROWS", help="Rows to take at random.  [default: 20000]")
    ] = None,
    everything: options.Everything = False,
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 0,
    report: options.Report = None,
    json: options.Json = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """Test whether columns depend on each other: --x against --y, or all pairs of columns.

    p-values of all pairs are adjusted for their number (Holm). Of dependent columns it says how much of the variation
    of one the other explains: 25 % and more is strong, 9 % moderate, 1 % weak.

    Exit codes: 0 no dependence found, 1 dependent, 2 error.
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
        [
            Output("--report", report, page),
            Output("--json", json, _json),
            Output("--plot", plot, lambda found: picture(found.plot, form)),
        ],
        inputs=(table, config),
    )
    with terminal.working(f"reading and testing {table}", quiet=quiet):
        from ..independence import independence_matrix, independence_test

        opened = options.opened(table, encoding)
        given: dict[str, Any] = {"kinds": options.pairs("--kind", kind), "where": where, "level": alpha, "rng": seed}
        if everything or sample is not None:
            given["sample"] = None if everything else sample
        if sides[0] is not None and sides[1] is not None:
            found: Found = independence_test(opened, x=sides[0], y=sides[1], **given)
        else:

            def announce(done: int, pairs: int, what: str) -> None:
                del done
                terminal.announce(f"{what}; --select chooses among them" if pairs > _MANY else None, quiet=quiet)

            given |= {"select": options.split(select), "exclude": options.split(exclude)}
            found = independence_matrix(opened, **given, progress=announce)
    outputs.deliver(found, _screen, quiet=quiet)
    return DIFFERENT if _dependent(found) else SAME


def _dependent(found: Found) -> bool:
    from ..results import TestResult

    return found.rejected if isinstance(found, TestResult) else bool(found.dependent)


def _rows(found: Found) -> int:
    from ..results import TestResult

    return found.m if isinstance(found, TestResult) else found.rows


def _json(found: Found) -> str:
    from ..results import TestResult

    rows = {"rows": _rows(found), "rows_of_table": found.source_rows}
    if isinstance(found, TestResult):
        body = {"x": found.x, "y": found.y, "dependent": found.rejected, "test": found.to_dict()}
    else:
        columns = found.to_dict()
        pairs = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        body = {"level": found.level, "dependent": len(found.dependent), "pairs": pairs}
    more = {"notes": found.notes, "details": found.details}
    whole = {"schema": 2, "source": found.source, **rows, **body, **more}
    return json_.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)


def _line(pair: ColumnPair, level: float) -> list[Text]:
    from rich.text import Text

    from .._shown import shown
    from .screen import judged, name, plain, pvalue

    if pair.holm > level:
        return [name(pair.x), plain(pair.y), pvalue(pair.holm), Text("no dependence found"), Text()]
    return [name(pair.x), plain(pair.y), pvalue(pair.holm), judged("different", pair.word), Text(shown(pair.words))]


def _screen(found: Found) -> Iterator[Any]:
    from rich.text import Text

    from .._numbers import counted
    from ..results import TestResult
    from .screen import grid, judged, listing, more, pvalue, remarks

    dependent = _dependent(found)
    verdict = "different" if dependent else "no difference found"
    looked = _rows(found)
    rows = counted(looked, "row") + (f" of {found.source_rows:,}" if looked < found.source_rows else "")
    if isinstance(found, TestResult):
        sides = " and ".join(", ".join(side) for side in (found.x, found.y))
        yield judged(verdict, f"{'Dependent' if dependent else 'No dependence found'}: {sides}")
        yield Text()
        yield grid([("table", f"{found.source}: {rows}"), ("p-value", str(pvalue(found.pvalue))),
                    *([("strength", found.strength)] if dependent else []),
                    *(("note", note) for note in found.notes)])  # fmt: skip
        return
    many = counted(len(found.pairs), "pair")
    some = f"{len(found.dependent):,} of {many} of columns depend on each other"
    yield judged(verdict, some if dependent else f"No dependence found in {many}")
    yield Text()
    yield grid([("table", f"{found.source}: {rows}, {counted(len(found.names), 'column')} tested")])
    yield Text()
    heads = [("  columns", False), ("", False), ("adjusted p", True), ("dependence", False), ("", False)]
    yield listing(heads, [_line(pair, found.level) for pair in found.pairs[:_MOST]])
    yield from more(len(found.pairs), _MOST, "pair", "; --report and --json have more")
    yield from remarks(found.notes)
