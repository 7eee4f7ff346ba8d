"""The commands under one roof."""

from __future__ import annotations

from typing import Annotated

import typer

from .._version import __version__
from . import compare, demo, independence, learn, match, outliers, relative, summarize, watch


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"twosample {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Say whether two tables come from the same distribution, and if not, where they differ.

    Exit codes: 1 different (or an alarm), 0 the other verdicts, 3 not shown to be the same (with --strict; watch: still
    learning), 2 error, 130 interrupted.
    """
    del version


def _help(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]", help="Such as compare, or watch add.")
    ] = None,
) -> None:
    """Show what a command does, and its options and exit codes."""
    if context.parent is not None:
        context.parent.command.main([*(command or []), "--help"], prog_name="twosample", standalone_mode=False)


def make_app() -> typer.Typer:
    """The program with all its commands. Plain help: rich's doubles the time to start, for boxes around the words."""
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for module in (compare, demo, match, summarize, learn, independence, outliers, relative):
        app.command(module.__name__.rpartition(".")[2])(module.command)
    app.add_typer(watch.make_app(), name="watch")
    app.command("help")(_help)
    return app
