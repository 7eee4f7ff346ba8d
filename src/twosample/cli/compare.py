"""``twosample compare A B``: whether two tables come from the same distribution, and where they differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import OptionError
from . import options, terminal
from .cost import forecast
from .exits import compared
from .outputs import Output, Outputs, page, picture_format, summary, to_json
from .outputs import picture as drawn

if TYPE_CHECKING:
    from ..tables import Comparison, ManyComparison

_TOGETHER = "together"
_PICTURE = "Draw a column, or together=FILE: two that go otherwise with each other. SVG, PNG or PDF; may be repeated."


def command(  # noqa: PLR0913, PLR0917 - the flags of the command line
    context: typer.Context,
    a: options.TableA,
    b: Annotated[str | None, typer.Argument(metavar="B", help="The table to compare it with.")] = None,
    others: Annotated[
        list[str] | None, typer.Argument(metavar="C ...", help="More tables: every two are compared.")
    ] = None,
    alpha: options.Alpha = 0.05,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            "--margin",
            metavar="EFFECT",
            help="Effect size that still counts as small, also COLUMN=EFFECT or KIND=EFFECT.  [default: 0.05]",
        ),
    ] = None,
    seed: options.Seed = 0,
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    encoding: options.Encoding = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="ROWS", help="Rows of each table for the joint test.  [default: 20000]"),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All rows in all tests, however long it takes.")] = False,
    schema: options.Schema = "fail",
    columns_may_be_lost: options.MayBeLost = None,
    contract: options.Contract = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="COLUMNS", help="Compare within strata of these columns: their mix may differ."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights", metavar="COLUMN", help="Rows count by the weights in this column, which move with them."
        ),
    ] = None,
    design_weights: Annotated[
        str | None,
        typer.Option(
            "--design-weights", metavar="COLUMN", help="Weights of a survey: one over the chance of being taken."
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="COLUMN", help="Rows of one group, such as a patient, depend on each other."),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="COLUMN", help="Rows are series in the order of this column."),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option("--groups", metavar="COLUMN", help="Of one table: compare the groups that this column makes."),
    ] = None,
    report: options.Report = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Title of the page.")] = "",
    date: Annotated[str, typer.Option("--date", metavar="TEXT", help="Date on the page: any text, or today.")] = "",
    note: Annotated[
        list[str] | None, typer.Option("--note", metavar="TEXT", help="A paragraph above the page; may be repeated.")
    ] = None,
    picture: Annotated[
        list[str] | None,
        typer.Option("--picture", metavar="COLUMN=FILE", help=_PICTURE),
    ] = None,
    json: options.Json = None,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 unless the tables are shown to be the same.")
    ] = False,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """Compare two tables: one verdict, and where they differ. Or several, every two of them.

    Small is below the margin. 0.05 is a share that goes from 50 to 55 %, from 10 to 13 % or from 0 to 0.5 %, or a mean
    that moves by 0.15 standard deviations; --margin 0 makes every significant difference count.

    Exit codes: 0 same, small difference or no difference found; 1 different; 2 error; 3 with --strict, not shown to be
    the same.
    """
    del debug  # it is read after
    sample, everything = options.sample_or_all(context, sample, everything)
    tables = [table for table in (a, b, *(others or ())) if table is not None]
    pictures = [
        Output("--picture", file, partial(_drawn, column=column, form=picture_format(file, "--picture")))
        for column, file in (options.pairs("--picture", picture, "price.svg") or {}).items()
    ]
    outputs = Outputs(
        [
            Output("--report", report, partial(page, title=title, date=date, notes=tuple(note or ()))),
            Output("--json", json, to_json),
            Output("--junit", junit, _junit),
            Output("--markdown", markdown, summary),
            *pictures,
        ],
        inputs=(*tables, config, contract),
    )
    given: dict[str, Any] = {
        "margin": options.margins(margin),
        "sample": sample,
        "level": alpha,
        "select": options.split(select),
        "exclude": options.split(exclude),
        "kinds": options.pairs("--kind", kind),
        "where": where,
        "schema": schema,
        "by": options.split(by),
        "rng": seed,
    }
    given |= {
        "weights": weights, "design_weights": design_weights, "contract": contract, "time": time,
        "columns_may_be_lost": options.split(columns_may_be_lost),
    }  # fmt: skip
    two = {"--picture": picture}
    given = {name: value for name, value in given.items() if value is not None}
    given |= {"sample": None} if everything else {}
    terminal.announce(forecast(tables), quiet=quiet)
    with terminal.working("comparing", quiet=quiet) as progress:
        opened = [options.opened(source, encoding) for source in tables]
        if _several(tables, groups, two):
            from ..tables import compare_many

            source = opened if groups is None else opened[0]
            result: Any = compare_many(source, groups=groups, group=group, progress=progress, **given)
        else:
            from ..tables import compare

            opened = _with_columns(opened, options.pairs("--picture", picture, "price.svg") or {})
            result = compare(*opened, progress=progress, groups=group, **given)
    outputs.deliver(result, _screen, quiet=quiet)
    return compared(result.verdict, strict)


def _several(tables: list[str], groups: str | None, two: dict[str, Any]) -> bool:
    """Whether more than two tables are compared, or the groups of one; refuses what only two can have."""
    if groups is not None and len(tables) > 1:
        raise OptionError("--groups takes one table and compares the groups in it; give one table, or no --groups.")
    if groups is None and len(tables) < 2:
        raise typer.BadParameter("Missing argument 'B': give two tables or more, or one and --groups COLUMN.")
    if groups is None and len(tables) == 2:
        return False
    wrong = [flag for flag, value in two.items() if value]
    if wrong:
        what = "of several tables" if groups is None else "with --groups"
        raise OptionError(f"{wrong[0]} is for two tables; a comparison {what} does not take it.")
    return True


def _with_columns(sources: list[Any], columns: Collection[str]) -> list[Any]:
    """The sources, opened if columns are to be drawn; a column that one of them lacks is refused before the work."""
    if not columns:
        return sources
    from .._hints import did_you_mean
    from ..sources import open_table

    tables = [open_table(source) for source in sources]
    for table in tables:
        known = list(table.schema())
        for column in columns:
            if column not in known and column != _TOGETHER:
                hint = did_you_mean(column, known)
                raise OptionError(f"--picture {column}: {table.name} has no column {column!r}.{hint}")
    return tables


def _drawn(result: Comparison, column: str, form: str) -> bytes:
    """A column, or the two that go otherwise with each other; a picture that says so where there are none."""
    if column != _TOGETHER or any(part.name == column for part in result.columns):
        return drawn(result[column].plot, form)
    if any(finding.picture is not None for finding in result.findings):
        return drawn(partial(result.plot_pair, 0), form)
    return drawn(lambda ax: ax.set_title("No two columns were found to go otherwise with each other"), form)


def _screen(result: Comparison | ManyComparison) -> Iterator[object]:
    from .comparison import screen

    return screen(result)


def _junit(result: Comparison | ManyComparison) -> str:
    from ..report import junit

    return junit(result)
