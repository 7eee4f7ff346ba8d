"""``twosample match A B``: which column of one table is which of the other."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import OptionError
from . import options, terminal
from .cost import forecast
from .exits import DIFFERENT, SAME
from .outputs import Output, Outputs, page, picture, picture_format, summary, to_json

if TYPE_CHECKING:
    from rich.text import Text

    from ..matching import DatabaseMatching, Matching, Pair

_MOST = 40  # pairs on the screen


def command(  # noqa: PLR0913, PLR0917 - the flags of the command line
    a: options.TableA,
    b: Annotated[str, typer.Argument(metavar="B", help="The table whose columns are to be found.")],
    tables: Annotated[
        bool,
        typer.Option(
            "--tables", help="A and B are folders or databases of many tables: find which table is which, then columns."
        ),
    ] = False,
    use_names: Annotated[
        bool, typer.Option("--use-names", help="Let names of columns count too, not only what is in them.")
    ] = False,
    rescale: Annotated[
        bool, typer.Option("--rescale", help="Also compare up to a change of units, such as inches and cm.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Give every column the best partner there is, however unlike.")
    ] = False,
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", metavar="LEVEL", help="Part pairs that a test at this level says differ; 0.05, say."),
    ] = None,
    seed: options.Seed = 0,
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    encoding: options.Encoding = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="ROWS", help="Rows of each table to look at, at most.")
    ] = None,
    report: options.Report = None,
    json: options.Json = None,
    markdown: options.Markdown = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """Match the columns of two tables by what is in them, also if it has drifted; with --tables, whole databases.

    Exit codes: 0 every column (and with --tables every table) has a partner, 1 some have none, 2 error.
    """
    del debug
    form = picture_format(plot)
    outputs: Outputs[Any] = Outputs(
        [
            Output("--report", report, page),
            Output("--json", json, to_json),
            Output("--markdown", markdown, summary),
            Output("--plot", plot, lambda result: picture(result.plot, form)),
        ],
        inputs=(config,) if tables else (a, b, config),
    )
    of_columns = {
        "--rescale": rescale, "--force": force, "--alpha": alpha, "--select": select, "--kind": kind, "--where": where,
        "--encoding": encoding, "--plot": plot,
    }  # fmt: skip
    given: dict[str, Any] = {"use_names": use_names, "exclude": options.split(exclude), "rng": seed}
    given |= {} if sample is None else {"sample": sample}
    terminal.announce(None if tables else forecast((a, b)), quiet=quiet)
    with terminal.working("matching", quiet=quiet) as progress:
        from ..matching import match, match_databases

        result: Matching | DatabaseMatching
        if tables:
            wrong = [option for option, value in of_columns.items() if value]
            if wrong:
                raise OptionError(f"{wrong[0]} is about columns of two tables: leave it out with --tables.")
            result = match_databases(a, b, progress=progress, **given)
        else:
            sides = (options.opened(a, encoding), options.opened(b, encoding))
            kinds, chosen = options.pairs("--kind", kind), options.split(select)
            result = match(
                *sides, force=force, level=alpha, rescale=rescale, select=chosen, kinds=kinds, where=where,
                progress=progress, **given,
            )  # fmt: skip
    outputs.deliver(result, _tables_screen if tables else _screen, quiet=quiet)
    return SAME if result.matched else DIFFERENT


def _tables_screen(result: DatabaseMatching) -> Iterator[Any]:
    """Pairs of tables, each with its columns."""
    from rich.text import Text

    from .._shown import shown
    from .screen import NAME, grid, judged, listing, more, name, plain, remarks

    yield judged("same" if result.matched else "different", result.headline)
    yield Text()
    yield grid(zip("AB", result.names, strict=True))
    for pair in result.pairs:
        yield Text()
        yield Text.assemble(name(pair.source), " = ", plain(pair.target), f": sure {pair.confidence:.2f}, {pair.words}")
        lines = [[name(f"  {c.source}"), plain(c.target), Text(f"{c.confidence:.2f}")] for c in pair.columns.pairs]
        if lines:
            yield listing([("    A", False), ("B", False), ("sure", True)], lines[:_MOST])
        yield from more(len(lines), _MOST, "pair", "; --json has all")
        lost = (("A", pair.columns.unmatched_source), ("B", pair.columns.unmatched_target))
        for side, columns in lost:
            if columns:
                names = ", ".join(shown(one.name, NAME) for one in columns[:_MOST])
                hidden = f" and {len(columns) - _MOST:,} more; --json has all" if len(columns) > _MOST else ""
                yield Text(f"    of {side}, without a partner: {names}{hidden}")
    for side, alone in (("A", result.unmatched_source), ("B", result.unmatched_target)):
        if alone:
            yield Text()
            yield Text(f"  tables of {side} without a partner", style="bold")
            yield grid((one.name, one.reason) for one in alone)
    yield from remarks(result.notes)


def _screen(result: Matching) -> Iterator[Any]:
    from rich.text import Text

    from .._numbers import counted
    from ..matching.showing import STRANGERS, strangers
    from .screen import grid, judged, listing, more, remarks

    lost = len(result.unmatched_source), len(result.unmatched_target)
    words = "every column has a partner" if result.matched else f"{lost[0]:,} of A and {lost[1]:,} of B have no partner"
    yield judged("same" if result.matched else "different", f"{counted(len(result.pairs), 'pair')} of columns; {words}")
    if strangers(result):
        yield judged("undecided", STRANGERS)
    yield Text()
    sides = zip("AB", result.names, result.rows, (result.sources, result.targets), strict=True)
    yield grid((side, f"{name}: {counted(rows, 'row')} looked at, {counted(len(columns), 'column')}")
               for side, name, rows, columns in sides)  # fmt: skip
    if result.pairs:
        yield Text()
        heads = [
            ("  A", False),
            ("B", False),
            ("sure", True),
            ("drifted", False),
            ("MMD", True),
            ("p", True),
            ("", False),
        ]
        yield listing(heads, [_line(pair) for pair in result.pairs[:_MOST]])
        yield from more(len(result.pairs), _MOST, "pair", "; --json has all")
    for side, unmatched in (("A", result.unmatched_source), ("B", result.unmatched_target)):
        if unmatched:
            yield Text()
            yield Text(f"  of {side}, without a partner", style="bold")
            yield grid((one.name, one.reason) for one in unmatched[:_MOST])
            yield from more(len(unmatched), _MOST, "column")
    yield from remarks(result.notes)


def _line(pair: Pair) -> list[Text]:
    from rich.text import Text

    from ..matching.showing import drift, units
    from .screen import name, plain, pvalue

    change = "" if pair.map is None else units(pair.map, "A", "B")
    known = isfinite(pair.mmd)
    numbers = (
        Text(f"{pair.confidence:.2f}"), Text(drift(pair)), Text(f"{pair.mmd:.3f}" if known else "–"),
        pvalue(pair.pvalue) if known else Text("–"), Text(change, style="dim"),
    )  # fmt: skip
    return [name(pair.source), plain(pair.target), *numbers]
