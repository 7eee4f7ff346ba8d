"""``twosample summarize SOURCE -o FILE.tss``: a table in a small file that can be compared in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import OptionError
from . import options, terminal
from .exits import SAME
from .outputs import STDOUT, Output, Outputs

if TYPE_CHECKING:
    from ..summaries import TableSummary


def command(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="Files, patterns, database://...::table, or summaries."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE.tss", help="Where to write the summary.")],
    like: Annotated[
        str | None,
        typer.Option(
            "--like", metavar="FILE.tss", help="A summary that it is to be compared with, on every row of both."
        ),
    ] = None,
    rows: Annotated[int, typer.Option("--rows", help="Rows to keep as a random sample.")] = 20_000,
    seed: options.Seed = 0,
    where: options.Where = None,
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Summarize a table in one pass: a small file that `compare` and `match` take in the place of the table.

    Several sources are parts of one table; each may be a summary itself. Exit codes: 0 written, 2 error.
    """
    del debug
    if output != STDOUT and not output.endswith(".tss"):
        raise OptionError(f"--output {output}: summaries are recognised by their ending; call it {output}.tss.")
    outputs: Outputs[TableSummary] = Outputs(
        [Output("--output", output, lambda summary: summary.to_bytes())], inputs=(*sources, like)
    )
    with terminal.working("summarizing", quiet=quiet) as progress:
        from ..sources.summarize import summarize
        from ..summaries import TableSummary

        plan = None if like is None else TableSummary.load(like)
        parts: list[TableSummary] = []
        for done, source in enumerate(sources):
            if progress is not None:
                progress(done, len(sources), f"reading {source}")
            parts.append(summarize(options.opened(source, encoding), like=plan, rows=rows, rng=seed, where=where))
            plan = plan or parts[0]
        found = parts[0].merge(*parts[1:])
    if not quiet and not outputs.speaks:
        from .._numbers import counted

        terminal.write(f"{counted(found.rows, 'row')}, {counted(len(found.columns), 'column')}")
    outputs.write(found, quiet=quiet)
    return SAME
