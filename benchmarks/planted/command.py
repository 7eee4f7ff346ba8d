"""``python -m benchmarks planted``: how often planted bugs are seen, and unchanged tables left alone."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from benchmarks.planted.answers import TOOLS, Answer
from benchmarks.planted.bugs import ASIDE, BUGS, Bug
from benchmarks.planted.drawn import drawn_bugs
from benchmarks.planted.other_tables import OTHER
from benchmarks.planted.tables import ASIDE as ASIDE_TABLES
from benchmarks.planted.tables import TABLES
from benchmarks.power.command import write_between
from experiments.data import directory

UNCHANGED = "unchanged halves"
_ASIDE = {bug.family for bug in ASIDE}
PEERS = ("evidently", "alibi-detect")
WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True)
class Outcome:
    """What one tool said about one pair of tables. `right`: the first column that it names; `named`: any of them."""

    tool: str
    family: str
    table: str
    what: str
    rows: int
    flagged: bool
    noticed: bool
    right: bool | None
    named: bool | None
    columns: tuple[str, ...]

    @classmethod
    def of(cls, tool: str, bug: Bug, rows: int, answer: Answer) -> Outcome:
        first = answer.columns[:1]
        right = bool({*first} & {*bug.columns}) if bug.columns else None
        named = bool({*answer.columns} & {*bug.columns}) if bug.columns else None
        says = (answer.flagged, answer.noticed, right, named)
        return cls(tool, bug.family, bug.table, bug.what, rows, *says, answer.columns[:5])


def halves(bug: Bug, rows: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two random parts of the table without a row in common, the second one spoilt; at most half of the table each."""
    table = {**TABLES, **ASIDE_TABLES, **OTHER}[bug.table]()
    rng = np.random.default_rng([seed, zlib.crc32(f"{bug.table} {bug.what}".encode()), rows])
    order = rng.permutation(len(table))
    size = min(rows, len(table) // 2)
    a, b, spare = (table[order[part]] for part in (slice(0, size), slice(size, 2 * size), slice(2 * size, 10 * size)))
    return a, bug.change(b, spare, rng)


def unchanged(draws: int, tables: Iterable[str] = (*TABLES, *ASIDE_TABLES)) -> list[Bug]:
    """Pairs in which nothing went wrong."""
    return [Bug(UNCHANGED, table, f"draw {i}", lambda b, spare, rng: b) for table in tables for i in range(draws)]


class Worker:
    """A peer in its own interpreter, which is told about pairs of files."""

    def __init__(self, peer: str, stack: ExitStack) -> None:
        name = f"TWOSAMPLE_{peer.upper().replace('-', '_')}_PYTHON"
        command = [os.environ.get(name, sys.executable), str(WORKER), peer]
        self.process = stack.enter_context(
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        )
        stack.callback(self.process.stdin.close)  # type: ignore[union-attr]
        self.ready = "ready" in self.heard()
        if not self.ready:
            print(f"{peer} is not here: set {name} to an interpreter that has it.", flush=True)

    def heard(self) -> dict[str, Any]:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        return dict(json.loads(line)) if line else {}

    def __call__(self, a: Path, b: Path) -> Iterator[tuple[str, Answer]]:
        self.process.stdin.write(json.dumps([str(a), str(b)]) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        heard = self.heard()
        if "failed" in heard:
            print(f"no answer: {heard.pop('failed')}", file=sys.stderr, flush=True)
        for tool, (flagged, columns) in heard.items():
            yield tool, Answer(flagged, flagged, tuple(columns))


def measured(bugs: Sequence[Bug], sizes: Sequence[int], seed: int, tools: Iterable[str], peers: bool) -> list[Outcome]:
    """All tools on all pairs, each written to two files that all tools read."""
    found: list[Outcome] = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        a, b = Path(folder) / "a.parquet", Path(folder) / "b.parquet"
        workers = [worker for peer in PEERS if peers and (worker := Worker(peer, stack)).ready]
        for rows in sizes:
            for bug in bugs:
                for frame, path in zip(halves(bug, rows, seed), (a, b), strict=True):
                    frame.write_parquet(path)
                answers = [(tool, TOOLS[tool](a, b)) for tool in tools]
                answers += [answer for worker in workers for answer in worker(a, b)]
                found.extend(Outcome.of(tool, bug, rows, answer) for tool, answer in answers)
                mine = found[-len(answers)]
                print(
                    f"{rows:6} {bug.family:22} {bug.table:12} {bug.what:44} "
                    f"{'flagged' if mine.flagged else 'noticed' if mine.noticed else '-':8} {', '.join(mine.columns)}",
                    file=sys.stderr,
                    flush=True,
                )
    return found


def percent(outcomes: Sequence[Outcome], value: Callable[[Outcome], bool | None]) -> str:
    known = [said for outcome in outcomes if (said := value(outcome)) is not None]
    return f"{100 * np.mean(known):.0f}" if known else "–"


def counted(found: Sequence[Outcome]) -> str:
    """How many pairs there are, in words."""
    mine = [outcome for outcome in found if outcome.tool == found[0].tool]
    said = []
    for rows in dict.fromkeys(outcome.rows for outcome in mine):
        here = [outcome.family for outcome in mine if outcome.rows == rows]
        quiet, aside = here.count(UNCHANGED), sum(family in _ASIDE for family in here)
        bugs = len(here) - quiet - aside
        said.append(f"{rows:,} rows: {bugs} bugs, {aside} kept aside, {quiet} unchanged pairs")
    return "; ".join(said)


def by_tool(found: Sequence[Outcome]) -> Iterator[str]:
    """A line for each tool and number of rows."""
    head = ["flagged", "noticed", "first column right", "right column named", "false alarms", "noticed wrongly"]
    yield f"| tool | rows | {' | '.join(f'{name} %' for name in head)} |\n|---|---|{'---|' * len(head)}"
    for tool in dict.fromkeys(outcome.tool for outcome in found):
        for rows in dict.fromkeys(outcome.rows for outcome in found):
            here = [outcome for outcome in found if outcome.tool == tool and outcome.rows == rows]
            for name, aside in ((tool, False), (f"{tool}, kept aside", True)):
                planted = [o for o in here if o.family != UNCHANGED and (o.family in _ASIDE) == aside]
                quiet = [o for o in here if o.family == UNCHANGED and (o.table in ASIDE_TABLES) == aside]
                cells = [
                    percent(planted, lambda o: o.flagged), percent(planted, lambda o: o.noticed),
                    percent(planted, lambda o: o.right), percent(planted, lambda o: o.named),
                    percent(quiet, lambda o: o.flagged), percent(quiet, lambda o: o.noticed),
                ]  # fmt: skip
                if planted or quiet:
                    yield f"| {name} | {rows:,} | {' | '.join(cells)} |"


def by_family(found: Sequence[Outcome]) -> Iterator[str]:
    """How many of its bugs each tool flags, by family, at the number of rows nearest to 5,000."""
    sizes = sorted({outcome.rows for outcome in found}, key=lambda rows: abs(rows - 5000))
    tools = list(dict.fromkeys(outcome.tool for outcome in found if outcome.rows == sizes[0]))
    yield f"| family, {sizes[0]:,} rows: flagged (noticed) | {' | '.join(tools)} |\n|---|{'---|' * len(tools)}"
    for family in dict.fromkeys(outcome.family for outcome in found):
        cells = []
        for tool in tools:
            here = [o for o in found if (o.tool, o.family, o.rows) == (tool, family, sizes[0])]
            flagged, noticed = sum(o.flagged for o in here), sum(o.noticed for o in here)
            cells.append(f"{flagged} of {len(here)}" + (f" ({noticed})" if noticed != flagged else ""))
        yield f"| {family} | {' | '.join(cells)} |"


def by_table(found: Sequence[Outcome]) -> Iterator[str]:
    """How many unchanged pairs each table has, and how many of them are called different, by the number of rows."""
    sizes = [*dict.fromkeys(outcome.rows for outcome in found)]
    yield f"| called different | {' | '.join(f'{rows:,} rows' for rows in sizes)} |\n|---|{'---|' * len(sizes)}"
    for table in (*dict.fromkeys(outcome.table for outcome in found), None):
        here = [[o for o in found if o.rows == rows and table in (o.table, None)] for rows in sizes]
        cells = [f"{sum(o.flagged for o in part)} of {len(part)}" for part in here]
        yield f"| {'all' if table is None else table} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, measure, print; the tables are Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks planted", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 5000, 20_000], help="of either table, at most")
    parser.add_argument("--seed", type=int, default=2026, help="of the draws (2026)")
    parser.add_argument("--draws", type=int, default=10, help="unchanged pairs of each table (10)")
    parser.add_argument(
        "--drawn",
        type=int,
        metavar="N",
        help="N bugs of each family, drawn at random in other tables, and not the list",
    )
    parser.add_argument("--families", nargs="+", metavar="NAME", help="only these")
    parser.add_argument(
        "--peers", action="store_true", help=f"also {' and '.join(PEERS)}, in interpreters of their own"
    )
    parser.add_argument("--tools", nargs="+", metavar="NAME", choices=[*TOOLS], default=[*TOOLS])
    parser.add_argument(
        "--read", type=Path, nargs="+", metavar="FILE", help="take the outcomes from there instead of measuring"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes there too")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables into this page, between its marks")
    options = parser.parse_args(arguments)
    if options.read:
        stored = [json.loads(path.read_text()) for path in options.read]
        facts = stored[0]["facts"]
        every = [Outcome(**outcome) for part in stored for outcome in part["outcomes"]]
        found = [*{(o.tool, o.rows, o.family, o.table, o.what): o for o in every}.values()]  # the last one counts
    elif directory() is None:
        parser.error("no data: set TWOSAMPLE_DATA to their directory")
    else:
        bugs = [*BUGS, *ASIDE, *unchanged(options.draws)]
        if options.drawn is not None:
            bugs = [*drawn_bugs(options.drawn, options.seed), *unchanged(options.draws, OTHER)]
        chosen = [bug for bug in bugs if options.families is None or bug.family in options.families]
        facts = {"seed": options.seed}
        found = measured(chosen, options.rows, options.seed, options.tools, options.peers)
    if options.json:
        options.json.write_text(json.dumps({"facts": facts, "outcomes": [vars(outcome) for outcome in found]}) + "\n")
    if all(outcome.family == UNCHANGED for outcome in found):
        table = "\n".join(by_table(found))
        print(f"\n{table}")
        if options.page:
            write_between(options.page, "<!-- halves -->", table)
        return
    for mark, lines in (("tools", by_tool(found)), ("families", by_family(found))):
        table = "\n".join(lines)
        if mark == "tools":
            table = f"{counted(found)}; seed {facts['seed']}.\n\n{table}"
        print(f"\n{table}")
        if options.page:
            which = "planted" if options.drawn is None else "drawn"
            write_between(options.page, f"<!-- {which}: {mark} -->", table)


if __name__ == "__main__":
    main()
