"""``python -m benchmarks power``: how often each test rejects at level 0.05, on the same draws for all tests."""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import twosample as ts
from benchmarks.power import dependence, scales
from benchmarks.power.peers import KERNEL_PEERS, PEERS, Draw, pvalue
from benchmarks.power.synthetic import SYNTHETIC, Problem
from experiments.data import directory

LEVEL = 0.05
OURS: dict[str, Callable[[np.ndarray, np.ndarray, int, int], float]] = {
    "adaptive": lambda x, y, n, seed: ts.two_sample_test(x, y, n=n, rng=seed).pvalue,
}
"""The tests of this package: (x, y, relabellings, seed) to a p-value."""


@dataclass(frozen=True)
class Row:
    """The share of rejections of each test on one problem."""

    problem: str
    size: str
    power: dict[str, float]

    def line(self, tests: Sequence[str]) -> str:
        """As a line of a Markdown table."""
        return f"| {self.problem} | {self.size} | " + " | ".join(f"{self.power[test]:.2f}" for test in tests) + " |"


def problems(sets: Sequence[str]) -> dict[str, Problem]:
    """The problems of the sets asked for; real ones only where the data are."""
    chosen: dict[str, Problem] = {}
    if "public" in sets:
        chosen |= SYNTHETIC
    if directory() is None:
        print("No real data: set TWOSAMPLE_DATA to their directory.")
        return chosen
    from benchmarks.power import real

    real_sets = {"public": real.PUBLIC_REAL, "development": real.DEVELOPMENT, "held-out": real.HELD_OUT}
    for name in sets:
        chosen |= real_sets[name]
    return chosen


def measure(name: str, problem: Problem, tests: Sequence[str], repetitions: int, resamples: int, seed: int) -> Row:
    """The power of the tests on one problem; repetition i sees the same samples whatever else is asked for."""
    rejections = dict.fromkeys(tests, 0)
    for i in range(repetitions):
        x, y = problem(np.random.default_rng([seed, zlib.crc32(name.encode()), i]))
        draw = Draw.of(x, y, resamples, np.random.default_rng([seed, i]))
        for test in tests:
            p = OURS[test](x, y, resamples, i) if test in OURS else pvalue(PEERS[test](draw))
            rejections[test] += p <= LEVEL + 1e-9
    size = f"{len(x)}+{len(y)}, {x.shape[1]}"
    return Row(name, size, {test: count / repetitions for test, count in rejections.items()})


def summary(rows: Sequence[Row], tests: Sequence[str]) -> Iterator[str]:
    """Means, and the largest shortfall of each test of ours against the best peer and the best kernel peer."""
    means = {test: float(np.mean([row.power[test] for row in rows])) for test in tests}
    yield "| **mean** | | " + " | ".join(f"**{means[test]:.3f}**" for test in tests) + " |"
    for ours in (test for test in tests if test in OURS):
        for title, peers in (("kernel peer", KERNEL_PEERS), ("peer", tuple(PEERS))):
            shown = [test for test in peers if test in tests]
            if shown:
                short = {row.problem: row.power[ours] - max(row.power[test] for test in shown) for row in rows}
                worst = sorted(short, key=lambda problem: short[problem])[:4]
                yield f"\n{ours} against the best {title}: " + ", ".join(f"{name} {short[name]:+.2f}" for name in worst)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, measure, print; the table is Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks power", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100, help="pairs of samples per problem (100)")
    parser.add_argument("--resamples", type=int, default=199, help="relabellings of each pair (199)")
    parser.add_argument("--seed", type=int, default=2026, help="of the draws (2026)")
    parser.add_argument(
        "--set",
        dest="sets",
        nargs="+",
        default=["public"],
        choices=["public", "development", "held-out", "dependence", "scales"],
    )
    parser.add_argument("--problems", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--tests", nargs="+", metavar="NAME", choices=[*OURS, *PEERS], default=[*OURS, *PEERS])
    parser.add_argument("--read", type=Path, metavar="FILE", help="take the shares from there instead of measuring")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables into this page, between its marks")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the shares there too")
    options = parser.parse_args(arguments)
    if options.sets in (["dependence"], ["scales"]):
        _alone(options)
        return
    tests = options.tests
    if options.read:
        facts = json.loads(options.read.read_text())
        rows = [Row(name, row["size"], row["power"]) for name, row in facts["problems"].items()]
    else:
        facts = {"repetitions": options.repetitions, "resamples": options.resamples, "seed": options.seed}
        rows = _measured(parser, options)
    if options.json:
        shares = {row.problem: {"size": row.size, "power": row.power} for row in rows}
        options.json.write_text(json.dumps({**facts, "problems": shares}, indent=2) + "\n")
    for name in options.sets:
        inside = [row for row in rows if row.problem in problems([name])]
        table = "\n".join([head(facts, tests), *(row.line(tests) for row in inside), *summary(inside, tests)])
        print(f"\n{name}\n\n{table}")
        if options.page:
            write_between(options.page, f"<!-- power: {name} -->", table)


def _alone(options: argparse.Namespace) -> None:
    """The tables of other questions, with tests of their own."""
    if options.sets == ["scales"]:
        found = scales.table(options.repetitions, options.seed)
    else:
        found = dependence.table(options.repetitions, options.resamples, options.seed)
    print(found)
    if options.page:
        write_between(options.page, f"<!-- power: {options.sets[0]} -->", found)


def head(facts: dict[str, Any], tests: Sequence[str]) -> str:
    """What was measured, and the head of the table."""
    error = 0.5 / np.sqrt(facts["repetitions"])
    return (
        f"Share of rejections at {LEVEL}: {facts['repetitions']} repetitions (standard error at most {error:.3f}), "
        f"{facts['resamples']} relabellings, seed {facts['seed']}.\n\n"
        f"| problem | m+n, d | {' | '.join(tests)} |\n|---|---|{'---|' * len(tests)}"
    )


def write_between(page: Path, mark: str, text: str) -> None:
    """Put a text between two marks of a page."""
    before, _, after = page.read_text(encoding="utf-8").split(mark)
    page.write_text(f"{before}{mark}\n{text}\n{mark}{after}", encoding="utf-8")


def _measured(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[Row]:
    chosen = problems(options.sets)
    unknown = [name for name in options.problems or () if name not in chosen]
    if unknown:
        parser.error(f"no problem called {', '.join(unknown)} in {', '.join(options.sets)}: {', '.join(chosen)}")
    rows = []
    for name in options.problems or chosen:
        rows.append(measure(name, chosen[name], options.tests, options.repetitions, options.resamples, options.seed))
        print(rows[-1].line(options.tests), flush=True)
    return rows
