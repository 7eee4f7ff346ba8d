"""``twosample learn REFERENCE -o contract.toml``: rules that a new table must keep, in a file that people can edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import OptionError
from . import options, terminal
from .exits import SAME
from .outputs import STDOUT, Output, Outputs

if TYPE_CHECKING:
    from ..tables import Contract


def command(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The table to learn from.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE.toml", help="Where to write the rules; - is standard output.")
    ],
    slack: Annotated[
        float, typer.Option("--slack", metavar="SHARE", help="How much wider than the reference ranges may be.")
    ] = 0.1,
    kind: options.Kind = None,
    where: options.Where = None,
    encoding: options.Encoding = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Learn kinds, ranges, allowed values and missing shares from a table, and write them down as a contract.

    Edit the file, and check it with `twosample compare REFERENCE NEW --contract FILE`. Exit codes: 0 written, 2 error.
    """
    del debug
    if output != STDOUT and not output.endswith(".toml"):
        raise OptionError(f"--output {output}: a contract is a TOML file; call it {output}.toml.")
    outputs: Outputs[Contract] = Outputs(
        [Output("--output", output, lambda contract: contract.to_toml())], inputs=(reference,)
    )
    with terminal.working(f"reading {reference}", quiet=quiet):
        from ..tables import learn

        found = learn(
            options.opened(reference, encoding), slack=slack, kinds=options.pairs("--kind", kind), where=where, rng=seed
        )
    if not quiet and not outputs.speaks:
        from .._numbers import counted

        terminal.write(f"rules for {counted(len(found.columns), 'column')}")
    outputs.write(found, quiet=quiet)
    return SAME
