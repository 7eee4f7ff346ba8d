"""Options that several commands share, and what their texts mean."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from .._hints import did_you_mean
from ..errors import OptionError


def split(values: Sequence[str] | None) -> list[str] | None:
    """Names from an option that is repeated, separated by commas, or both; a name with a comma in double quotes.

    >>> split(["a,b", '"c,d"'])
    ['a', 'b', 'c,d']
    """
    if not values:
        return None
    return [name for value in values for name in next(csv.reader([value], skipinitialspace=True)) if name]


def pairs(option: str, values: Sequence[str] | None, like: str = "categorical") -> dict[str, str] | None:
    """``column=kind`` texts as a dictionary; `like`: a value to show where one is wrong.

    >>> pairs("--kind", ["zip=categorical,a=b=text"])
    {'zip': 'categorical', 'a=b': 'text'}
    """
    found = {}
    for text in split(values) or []:
        name, mark, value = text.rpartition("=")
        if not mark or not name or not value:
            raise OptionError(f"{option} {text} must look like column={like}.")
        found[name] = value
    return found or None


def margins(values: Sequence[str] | None) -> dict[str, float] | None:
    """Margins of all columns, of single ones and of kinds.

    >>> margins(["0.1,price=0.02"]), margins(["text=0.2"])
    ({'*': 0.1, 'price': 0.02}, {'text': 0.2})
    """
    found = {}
    for text in split(values) or []:
        name, mark, value = text.rpartition("=")
        with suppress(ValueError):
            found[name if mark else "*"] = float(value)
        if not 0 <= found.get(name if mark else "*", -1.0) < 1:
            raise OptionError(f"--margin {text} must be a number from 0 to below 1, alone or as in column=0.02.")
    return found or None


def opened(source: str, encoding: str | None) -> object:
    """A source as it is, or its table if text in it has an encoding by name."""
    if encoding is None:
        return source
    from ..sources import open_table

    return open_table(source, encoding=encoding)


def meant(option: str, known: Sequence[str]) -> str:
    """The question which option was meant, or nothing.

    >>> meant("--random-state", ["--seed", "--alpha"])
    ' Did you mean --seed?'
    """
    word, *words = (flag.lstrip("-").replace("-", "_") for flag in (option, *known))
    return did_you_mean(word, sorted({*words}), lambda flag: f"--{flag.replace('_', '-')}")


def sample_or_all(context: typer.Context, sample: int | None, everything: bool) -> tuple[int | None, bool]:
    """``--sample`` and ``--all``, of which only one may be; the command line wins over a file of options."""
    if not everything or sample is None:
        return sample, everything
    typed = [_typed(context, name) for name in ("sample", "everything")]
    if typed[0] == typed[1]:
        raise OptionError("--sample and --all exclude each other.")
    return (sample, False) if typed[0] else (None, True)


def _typed(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _configured(context: typer.Context, path: str | None) -> str | None:
    """Values of a TOML file become the defaults of the options of this command."""
    if path is None or context.resilient_parsing:
        return path
    options = {
        parameter.name: parameter
        for parameter in context.command.params
        if parameter.param_type_name == "option" and parameter.name not in ("config", "help", "debug")
    }
    values: dict[str, Any] = {}
    hints = get_type_hints(context.command.callback)
    for key, value in _toml(path).items():
        name = next((name for name, option in options.items() if f"--{key.replace('_', '-')}" in option.opts), None)
        if name is None:
            known = ", ".join(sorted(opt[2:] for option in options.values() for opt in option.opts if opt[:2] == "--"))
            hint = did_you_mean(key, known.split(", "))
            raise OptionError(f"--config {path}: there is no option {key!r}.{hint} Options are {known}.")
        values[name] = _value(f"--config {path}: {key}", value, hints[name])
    context.default_map = values
    return path


def _toml(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"--config {path} cannot be read: {error.strerror}. Check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise OptionError(f"--config {path} is not TOML: {error}.") from None


def _value(where: str, value: Any, hint: Any) -> Any:
    """A value as the command line would give it; `hint` is the type of the option, perhaps with None."""
    form = next(part for part in (*get_args(hint), hint) if part is not type(None))
    repeated = get_origin(form) is list
    if where.endswith(": margin"):
        value = _margin_texts(value)
    if isinstance(value, Mapping) and repeated:
        value = [f"{name}={kind}" if isinstance(kind, str) else kind for name, kind in value.items()]
    if isinstance(value, list) > repeated or isinstance(value, Mapping):
        raise OptionError(f"{where} must be a single value, as on the command line.")
    words, types = _FORMS[str if repeated else form]
    for part in value if isinstance(value, list) else [value]:
        if not isinstance(part, types) or isinstance(part, bool) > (bool in types):
            texts = " or a list of texts" if repeated else ""
            raise OptionError(f"{where} must be {words}{texts}, not {part!r}.")
    if not repeated:
        return value
    return [quoted(part) for part in value] if isinstance(value, list) else [value]


def _margin_texts(value: Any) -> Any:
    """Numbers as text, as the command line has them."""
    if isinstance(value, Mapping):
        return {name: _margin_texts(part) for name, part in value.items()}
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


_FORMS: dict[type, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    str: ("a text", (str,)),
}


def quoted(name: str) -> str:
    """A name that :func:`split` gives back as it is: an item of a list is one name, with commas or not."""
    return '"' + name.replace('"', '""') + '"'


TableA = Annotated[str, typer.Argument(metavar="A", help="A file, a pattern of files, or database://...::table.")]
Alpha = Annotated[float, typer.Option("--alpha", metavar="LEVEL", help="Chance of a false alarm that is accepted.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed; the same seed gives the same answer.")]
Where = Annotated[
    str | None, typer.Option("--where", metavar="SQL", help='Only rows for which this holds, such as "price > 10".')
]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", metavar="COLUMNS", help="Only these columns; separated by commas, or repeat the option."),
]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", metavar="COLUMNS", help="Without these columns.")]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="What a column means: numeric, integer, boolean, datetime, duration, categorical, text or identifier.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Of text files that are not in UTF-8: latin-1, cp1252, utf-16."),
]
Schema = Annotated[
    str,
    typer.Option(
        "--schema", metavar="fail|warn|ignore", help="What columns mean that are lost, or hold another kind of value."
    ),
]
MayBeLost = Annotated[
    list[str] | None,
    typer.Option("--columns-may-be-lost", metavar="COLUMNS", help="Columns that may be missing from B."),
]
Contract = Annotated[
    str | None,
    typer.Option("--contract", metavar="FILE.toml", help="Rules that B must keep, from `twosample learn`."),
]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write the result as JSON; - is standard output.")
]
Markdown = Annotated[
    str | None, typer.Option("--markdown", metavar="FILE", help="Write a summary; - is standard output.")
]
Junit = Annotated[
    str | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML, for continuous integration.")
]
Plot = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Draw it; the extension says the format: svg, png or pdf.")
]
Everything = Annotated[bool, typer.Option("--all", help="All rows, however long it takes.")]
Report = Annotated[str | None, typer.Option("--report", metavar="FILE", help="Write an HTML page.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors; see the exit code.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Config = Annotated[
    str | None,
    typer.Option(
        "--config", metavar="FILE", callback=_configured, is_eager=True, help="Options from a TOML file: alpha = 0.01."
    ),
]
