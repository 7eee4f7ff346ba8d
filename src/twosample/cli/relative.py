"""``twosample relative A B --reference R``: which of two tables is closer to a third."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, terminal
from .exits import DIFFERENT, SAME
from .outputs import Output, Outputs, picture, picture_format

if TYPE_CHECKING:
    from ..tables import RelativeComparison

_MOST = 20  # columns on the screen


def command(  # noqa: PLR0913, PLR0917 - the flags of the command line
    context: typer.Context,
    a: options.TableA,
    b: Annotated[str, typer.Argument(metavar="B", help="The other table.")],
    reference: Annotated[
        str, typer.Option("--reference", metavar="TABLE", help="The table that both are held against.")
    ],
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    encoding: options.Encoding = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="ROWS", help="Rows of each table, at random.  [default: 5000]")
    ] = None,
    everything: options.Everything = False,
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 0,
    json: options.Json = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
    config: options.Config = None,
    debug: options.Debug = False,
) -> int:
    """Say which of two tables is closer to a reference, and by which columns.

    For two generators, simulators or years, of which neither need be right: all three tables are independent samples.

    Exit codes: 0 neither is shown to be closer, 1 one is, 2 error.
    """
    del debug
    sample, everything = options.sample_or_all(context, sample, everything)
    form = picture_format(plot)
    outputs: Outputs[RelativeComparison] = Outputs(
        [
            Output("--json", json, lambda found: found.to_json()),
            Output("--plot", plot, lambda found: picture(found.test.plot, form)),
        ],
        inputs=(a, b, reference, config),
    )
    with terminal.working(f"reading {a}, {b} and {reference}", quiet=quiet):
        from ..tables import compare_relative

        given: dict[str, Any] = {"sample": None} if everything else {} if sample is None else {"sample": sample}
        found = compare_relative(
            *(options.opened(source, encoding) for source in (a, b, reference)),
            level=alpha,
            select=options.split(select),
            exclude=options.split(exclude),
            kinds=options.pairs("--kind", kind),
            where=where,
            rng=seed,
            **given,
        )
    outputs.deliver(found, _screen, quiet=quiet)
    return SAME if found.closer is None else DIFFERENT


def _screen(found: RelativeComparison) -> Iterator[Any]:
    from rich.text import Text

    from .screen import grid, judged, listing, more, name, pvalue, remarks

    yield judged("no difference found" if found.closer is None else "different", found.headline)
    yield Text()
    yield grid(found.facts)
    yield Text()
    heads = [("  column", False), ("MMD² of A", True), ("MMD² of B", True), ("adjusted p", True), ("closer", False)]
    rows = [
        [name(one.name), Text(f"{one.mmd2_a:.3g}"), Text(f"{one.mmd2_b:.3g}"), pvalue(one.adjusted_pvalue),
         Text((one.closer or "").upper())]
        for one in found.columns[:_MOST]
    ]  # fmt: skip
    yield listing(heads, rows)
    yield from more(len(found.columns), _MOST, "column", "; --json has all")
    yield from remarks((*found.notes, *found.test.notes))
