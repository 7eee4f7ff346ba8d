"""``twosample watch``: batches over time. One command for each thing that is done with a state file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, OptionError, OutputError
from . import options, terminal
from .exits import DIFFERENT, ERROR, SAME, UNDECIDED
from .outputs import Output, Outputs, page, to_json

if TYPE_CHECKING:
    from ..monitor import Look, Monitor

State = Annotated[str, typer.Argument(metavar="STATE.tsw", help="The file that holds the watch.")]
Batches = Annotated[list[str], typer.Argument(metavar="SOURCE", help="Files, patterns, summaries, or one table.")]
Prometheus = Annotated[
    str | None, typer.Option("--prometheus", metavar="FILE", help="Write metrics for the textfile collector.")
]

_SHIFT = re.compile(r"^(?P<what>.+)=(?P<size>[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?(?:sd|%)?)$")


def make_app() -> typer.Typer:
    """The commands of ``twosample watch``."""
    app = typer.Typer(
        rich_markup_mode=None,
        help="Watch batches over time, with a bound on false alarms. Exit codes: 0 quiet, 1 alarm, 3 still learning, "
        "2 error.",
    )
    for function in (start, add, show, accept, plan, split):
        app.command(function.__name__)(function)
    return app


def start(  # noqa: PLR0913, PLR0917 - the flags of the command line
    state: State,
    sources: Batches,
    batch: Annotated[
        str, typer.Option("--batch", metavar="WHAT", help="file, hour, day, week, month, or a column.")
    ] = "file",
    strata: Annotated[
        str | None,
        typer.Option("--strata", metavar="WHAT", help="weekday, weekend, hour, month, quarter, or a column."),
    ] = None,
    time: Annotated[str | None, typer.Option("--time", metavar="COLUMN", help="The column of times.")] = None,
    false_alarms: Annotated[
        str, typer.Option("--false-alarms", metavar="SHARE", help="At most so many in each batch: 1/1000.")
    ] = "1/1000",
    margin: Annotated[
        float, typer.Option("--margin", metavar="EFFECT", help="Effect size that is no alarm yet; 0: any is.")
    ] = 0.05,
    select: options.Select = None,
    exclude: options.Exclude = None,
    kind: options.Kind = None,
    where: options.Where = None,
    encoding: options.Encoding = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Learn from past batches in which all was well. Exit codes: 0 ready, 3 too few batches yet, 2 error."""
    del debug
    if not state.endswith(".tsw"):
        raise OptionError(f"A watch is kept in a file that ends in .tsw: call it {state}.tsw, not {state}.")
    if Path(state).exists():
        raise OutputError(f"{state} is there already: add to it, or choose another name.")
    outputs: Outputs[Monitor] = Outputs([Output("STATE", state, lambda m: m.to_bytes())], inputs=sources)
    with terminal.working("learning", quiet=quiet):
        from ..monitor import Monitor

        monitor = Monitor(
            _opened(sources, encoding, batch),
            batches=batch,
            strata=strata,
            time=time,
            false_alarms=_share(false_alarms),
            margin=margin,
            select=options.split(select),
            exclude=options.split(exclude),
            kinds=options.pairs("--kind", kind),
            where=where,
            rng=seed,
        )
    outputs.deliver(monitor, _screen, quiet=quiet)
    return UNDECIDED if monitor.learning else SAME


def add(  # noqa: PLR0913, PLR0917 - the flags of the command line
    state: State,
    sources: Batches,
    again: Annotated[bool, typer.Option("--again", help="Take batches that are there already once more.")] = False,
    encoding: options.Encoding = None,
    report: options.Report = None,
    json: options.Json = None,
    prometheus: Prometheus = None,
    junit: options.Junit = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Compare new batches with all before them. Exit codes: 0 quiet, 1 alarm, 3 still learning, 2 error."""
    del debug
    outputs = _outputs(state, sources, report, json, prometheus, junit)
    from ..monitor import Monitor
    from ..monitor.files import alone

    with alone(state):
        monitor = Monitor.load(state)
        before = len(monitor.looks)
        with terminal.working("adding", quiet=quiet):
            opened = _opened(sources, encoding, monitor._rule.by)
            if again:
                monitor.update(opened, again=True)
            else:
                for refused in monitor.update_new(opened):
                    terminal.complain(f"refused: {refused.replace('again=True', '--again')}")
        looks = monitor.looks[before:]
        if looks:
            monitor.save(state)
    outputs.deliver(monitor, _screen, quiet=quiet)
    if not looks:
        return ERROR
    return _code(monitor, looks)


def _opened(sources: Sequence[str], encoding: str | None, batches: str) -> Sequence[object]:
    """Sources as they are, or as tables if text in them has an encoding by name: of each file if that is a batch."""
    from ..monitor.batches import matching

    if encoding is None:
        return sources
    return [options.opened(path, encoding) for source in sources for path in matching(source, batches == "file")]


def show(
    state: State,
    report: options.Report = None,
    json: options.Json = None,
    prometheus: Prometheus = None,
    junit: options.Junit = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Show how things stand, without changing anything. Exit codes as those of `add`."""
    del debug
    outputs = _outputs(state, [], report, json, prometheus, junit)
    monitor = _loaded(state)
    outputs.deliver(monitor, _screen, quiet=quiet)
    return _code(monitor, ())


def accept(
    state: State,
    since: Annotated[
        str | None, typer.Option("--since", metavar="BATCH", help="Its first batch; default: that of the change.")
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Accept a change: batches from there on are the new reference. Exit codes: 0 accepted, 2 error."""
    del debug
    from ..monitor import Monitor
    from ..monitor.files import alone

    with alone(state):
        monitor = Monitor.load(state)
        if since is None and monitor.since is None:
            raise OptionError("There is no alarm to accept. To begin with a certain batch, name it: --since BATCH.")
        monitor.accept(since=since)
        monitor.save(state)
    if not quiet:
        terminal.write(terminal.rendered(*_screen(monitor)))
    return SAME


def plan(
    state: State,
    shift: Annotated[
        list[str],
        typer.Option("--shift", metavar="WHAT=SIZE", help="price=0.3sd, price=12, city:Rome=5%, price:missing=2%."),
    ],
    runs: Annotated[int, typer.Option("--runs", help="How often to resample.")] = 40,
    most: Annotated[int, typer.Option("--most", help="Batches to look at, at most.")] = 60,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Say how long a change would stay unseen, by resampling the reference. Exit codes: 0 said, 2 error."""
    del debug
    monitor = _loaded(state)
    for text in shift:
        found = _SHIFT.match(text)
        if found is None:
            raise OptionError(
                f"--shift {text} must look like price=0.3sd, price=12 in the units of the column, or city:Rome=5% for "
                "a share."
            )
        column, level = _column_and_level(found["what"], monitor.watched)
        with terminal.working("resampling", quiet=quiet) as progress:
            delay = monitor.delay(column, found["size"], level=level, runs=runs, most=most, rng=seed, progress=progress)
        terminal.write(f"{text}: {delay}")
    return SAME


def split(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A table.")],
    by: Annotated[str, typer.Option("--by", metavar="COLUMN", help="The column of times, or of names of batches.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the batches.")],
    every: Annotated[
        str | None, typer.Option("--every", metavar="PERIOD", help="hour, day, week or month; default: each value.")
    ] = None,
    where: options.Where = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Split a table into one Parquet file for each batch. Exit codes: 0 written, 2 error."""
    del debug
    from .._files import whole_file
    from ..monitor.batches import PERIODS, BatchRule
    from ..sources import open_table

    if every is not None and every not in PERIODS:
        raise OptionError(f"--every {every} must be one of {', '.join(PERIODS)}.")
    folder = Path(output)
    parts = {f"{_plain(part.name)}.parquet": part for part in BatchRule(every or by, by, None, where).parts(source)}
    there = [name for name in parts if (folder / name).exists()]
    if there:
        raise OutputError(f"{folder / there[0]} is there already: choose another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        with whole_file(folder / name) as file:
            open_table(part.source).collect().write_parquet(file)
    if not quiet:
        terminal.write(f"{len(parts):,} {'batch' if len(parts) == 1 else 'batches'} in {folder}")
    return SAME


def _column_and_level(text: str, watched: Sequence[str]) -> tuple[str, str | None]:
    """Of price, or of city:Rome; a colon may be part of the name of a column.

    >>> _column_and_level("city:Rome", ["city"]), _column_and_level("a:b", ["a:b"])
    (('city', 'Rome'), ('a:b', None))
    """
    if text in watched:
        return text, None
    known = [name for name in watched if text.startswith(f"{name}:")]
    if not known:
        return text, None
    column = max(known, key=len)
    return column, text[len(column) + 1 :]


def _plain(name: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^\w.-]+", "_", name) or "_"


def _share(text: str) -> float:
    """A share as a number or a fraction.

    >>> _share("1/1000"), _share("0.01")
    (0.001, 0.01)
    """
    above, mark, below = text.partition("/")
    try:
        return float(above) / float(below) if mark else float(above)
    except (ValueError, ZeroDivisionError):
        raise OptionError(f"--false-alarms {text} must be a share such as 1/1000.") from None


def _loaded(state: str) -> Monitor:
    from ..monitor import Monitor

    return Monitor.load(state)


def _code(monitor: Monitor, looks: tuple[Look, ...]) -> int:
    if monitor.alarm or any(look.alarm for look in looks):
        return DIFFERENT
    return UNDECIDED if monitor.learning else SAME


def _screen(monitor: Monitor) -> Iterator[object]:
    from .watched import screen

    return screen(monitor)


def _outputs(
    state: str, sources: list[str], report: str | None, json: str | None, prometheus: str | None, junit: str | None
) -> Outputs[Monitor]:
    if not Path(state).is_file():
        raise InputError(f"{state} cannot be read: there is no such file. Begin with `twosample watch start`.")
    name = Path(state).stem
    return Outputs(
        [
            Output("--report", report, page),
            Output("--json", json, to_json),
            Output("--prometheus", prometheus, lambda monitor: _metrics(monitor, name)),
            Output("--junit", junit, lambda monitor: _junit(monitor, name)),
        ],
        inputs=(*sources, state),
    )


def _metrics(monitor: Monitor, name: str) -> str:
    from ..report.watching import prometheus

    return prometheus(monitor, name)


def _junit(monitor: Monitor, name: str) -> str:
    from ..report.watching import watch_junit

    return watch_junit(monitor, name)
