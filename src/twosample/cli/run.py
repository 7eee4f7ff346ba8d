"""Runs a command: whatever goes wrong becomes one line on standard error and the right exit code."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from .._files import explained
from ..errors import SmallSampleWarning, TwosampleError
from .app import make_app
from .exits import ERROR, INTERRUPTED, SAME
from .interrupts import was_interrupted
from .options import meant
from .terminal import complain, flush, prepare_streams, say

# All errors of usage; typer exports no other name of this class, and since 0.26 it is not that of the package click.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]

_FLAGS = {
    "level": "alpha", "rng": "seed", "kinds": "kind", "columns_may_be_lost": "columns-may-be-lost",
    "design_weights": "design-weights", "groups": "group",
}  # fmt: skip
_DESIGN = "by|weights|design_weights|groups?|time"
_KIND = re.compile(r"^kinds\[(['\"])(.*)\1\]=(['\"])(.*?)\3 is")
_ENCODING = re.compile(r"(?<!^)\bencoding='([^']+)'")
_ARGUMENT = re.compile(
    r"^(level|rng|slack|margin|sample|where|kinds|select|exclude|schema|encoding|columns_may_be_lost|like|x|y"
    rf"|{_DESIGN})(=(?! )|:)"
)
_WITHIN = re.compile(rf"`({_DESIGN}|where)`|\b({_DESIGN})=(?:'([^']*)'|(?=[ :]))")


def run(arguments: Sequence[str]) -> int:
    """The exit code of ``twosample ARGUMENTS``; never an exception."""
    prepare_streams()
    try:
        with _spoken_warnings():
            command = typer.main.get_command(make_app())
            code = command.main(list(arguments) or ["--help"], prog_name="twosample", standalone_mode=False)
            flush()
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as exit:  # shell completion leaves in this way
        code = exit.code if isinstance(exit.code, int) else ERROR if exit.code else SAME
    except BaseException as error:  # noqa: BLE001 - a panic of polars too: Python would exit with 1, "different"
        code = INTERRUPTED if was_interrupted() else _failure(error, arguments)
    if code == INTERRUPTED:
        say("interrupted")
    return int(code or SAME)


def _failure(error: BaseException, arguments: Sequence[str]) -> int:
    debug = "--debug" in arguments
    if debug:
        complain("".join(traceback.format_exception(error)), lines=True)
    if isinstance(error, _UsageError):
        complain(f"error: {_usage(error)}")
    elif isinstance(error, TwosampleError):
        complain(f"error: {_in_flags(str(error), any(word.split('=')[0] == '--groups' for word in arguments))}")
    elif isinstance(error, MemoryError):
        complain("error: out of memory. Compare fewer rows (--sample) or fewer columns (--select).")
    elif isinstance(error, OSError):
        complain(f"error: {explained(error)}")
    else:
        hint = "" if debug else " Please report it with the output of --debug."
        complain(f"error: this is a mistake in twosample: {type(error).__name__}: {error}.{hint}")
    return ERROR


def _usage(error: Any) -> str:
    """What is wrong with the words of a command, and what was perhaps meant."""
    context, option = getattr(error, "ctx", None), getattr(error, "option_name", None)
    where = getattr(context, "command_path", "twosample")
    if option is None or context is None:
        said = error.format_message().removeprefix("Invalid value: ")  # "error:" stands before it
        return f"{_sentence(said)} Try '{where} --help'."
    options = [parameter for parameter in context.command.params if parameter.param_type_name == "option"]
    flags = [flag for parameter in options for flag in (*parameter.opts, "--help")]
    return f"there is no option {option}.{meant(option, flags)} Try '{where} --help'."


def _in_flags(message: str, samples: bool = False) -> str:
    """A message about an argument of a function, in words of the command line; `samples`: whether groups are those.

    >>> _in_flags("level=2.0 must lie between 0 and 1.")
    '--alpha 2.0 must lie between 0 and 1.'
    >>> _in_flags("kinds: neither table has a column 'z'.")
    "--kind: neither table has a column 'z'."
    >>> _in_flags("kinds['n']='number' is not known.")
    '--kind n=number is not known.'
    >>> _in_flags("The text is not in UTF-8: say encoding='latin-1'.")
    'The text is not in UTF-8: say --encoding latin-1.'
    >>> _in_flags("time= and groups= together are not supported. Use `where`, or by='g'.")
    '--time and --group together are not supported. Use --where, or --by g.'
    """
    flags = _FLAGS | ({"groups": "groups"} if samples else {})
    message = _KIND.sub(lambda found: f"--kind {found[2]}={found[4]} is", message)
    message = message.replace("kinds={...}", "--kind COLUMN=KIND")
    message = _ENCODING.sub(r"--encoding \1", message)
    message = _ARGUMENT.sub(lambda found: f"--{flags.get(found[1], found[1])}{found[2].replace('=', ' ')}", message)

    def within(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return f"--{flags.get(name, name)}{'' if found[3] is None else f' {found[3]}'}"

    return _WITHIN.sub(within, message)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


@contextmanager
def _spoken_warnings() -> Iterator[None]:
    """Warnings as lines for people. That of small samples is left out: results hold it as a note."""

    def speak(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
        del where, more
        if issubclass(category, UserWarning):
            complain(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", SmallSampleWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = speak
        yield
