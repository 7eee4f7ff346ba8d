"""``twosample outliers REFERENCE NEW``: which rows of a table do not come from where a reference table comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, terminal
from .exits import DIFFERENT, VERDICTS
from .outputs import Output, Outputs, page, to_json

if TYPE_CHECKING:
    from ..detection import Outliers

_ROWS = 5_000  # as in the library, which no help should wait for
_MOST = 15  # rows on the screen
_CELL = 20  # characters of a name


def command(  # noqa: PLR0913, PLR0917 - the flags of the command line
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The table that says what is usual.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The table whose rows are judged.")],
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    encoding: options.Encoding = None,
    sample: Annotated[
        int, typer.Option("--sample", metavar="ROWS", help="Rows of the reference to learn from.")
    ] = _ROWS,
    alpha: options.Alpha = 0.01,
    seed: options.Seed = 0,
    any_: Annotated[
        bool, typer.Option("--any", help="Exit with 1 if any row is listed, also if chance explains as many.")
    ] = False,
    report: options.Report = None,
    json: options.Json = None,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """List the rows of NEW that do not come from the distribution of REFERENCE.

    Of rows that do, at most the share --alpha is listed. Row 0 is the first row of data: a header is not counted.

    Exit codes: 0 no more outliers than chance explains, 1 more than that (with --any: some), 2 error, 3 the reference
    has too few rows to tell.
    """
    del debug
    outputs: Outputs[Outliers] = Outputs(
        [Output("--report", report, page), Output("--json", json, to_json)],
        inputs=(reference, new, config),
    )
    with terminal.working(f"reading {reference} and {new}", quiet=quiet):
        from ..detection import outliers

        found = outliers(
            options.opened(reference, encoding),
            options.opened(new, encoding),
            level=alpha,
            select=options.split(select),
            exclude=options.split(exclude),
            kinds=options.pairs("--kind", kind),
            where=where,
            sample=sample,
            rng=seed,
        )
    outputs.deliver(found, _screen, quiet=quiet)
    return DIFFERENT if any_ and found.rows else VERDICTS[found.verdict]


def _screen(found: Outliers) -> Iterator[Any]:
    from rich.text import Text

    from .._numbers import counted
    from .._shown import shown
    from .screen import grid, judged, listing, more, pvalue

    rows, total = found.rows, len(found.scores)
    yield judged(found.verdict, found.headline)
    for note in found.notes:
        yield Text(f"  {shown(note)}")
    yield Text()
    learnt = f" ({found.learnt:,} of them learnt)" if found.learnt < found.reference_rows else ""
    names = ", ".join(shown(name, _CELL) for name in found.columns[:20])
    yield grid([
        ("reference", f"{found.reference}: {counted(found.reference_rows, 'row')}{learnt}"),
        ("new", f"{found.new}: {counted(total, 'row')}; the first row of data is row 0"),
        ("columns", names + (", ..." if len(found.columns) > 20 else "")),
    ])  # fmt: skip
    if rows:
        yield Text()
        cells = [[Text(f"  {one.row:,}"), pvalue(one.pvalue), Text(one.why)] for one in rows[:_MOST]]
        yield listing([("row", True), ("p-value", True), ("what is odd", False)], cells)
    yield from more(len(rows), _MOST, "row", "; --report and --json have more")
