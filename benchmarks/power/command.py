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
from benchmarks.power.peers import KERNEL_PEERS, PEERS, UNIT_FREE, Draw, pvalue
from benchmarks.power.synthetic import PAIRS, SYNTHETIC, Problem
from experiments.data import directory

LEVEL = 0.05
OURS: dict[str, Callable[[np.ndarray, np.ndarray, int, int], float]] = {
    "adaptive": lambda x, y, n, seed: ts.two_sample_test(x, y, n=n, rng=seed).pvalue,
}
"""The tests of this package: (x, y, relabellings, seed) to a p-value."""


@dataclass(frozen=True)
class Row:
    """What each test said on the same draws of one problem."""

    problem: str
    size: str
    rejected: dict[str, str]
    """For each test a digit for each repetition, 1 if it rejected: what paired standard errors are made of."""

    @property
    def repetitions(self) -> int:
        return len(next(iter(self.rejected.values())))

    def share(self, test: str) -> float:
        """The power of a test."""
        return self.rejected[test].count("1") / self.repetitions

    def best(self, tests: Sequence[str]) -> str:
        """The test of the largest power."""
        return max(tests, key=self.share)

    def gap(self, test: str, other: str) -> tuple[float, float]:
        """The power of a test less that of another, and the standard error of that, paired by draws."""
        differences = _digits(self.rejected[test]) - _digits(self.rejected[other])
        return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(self.repetitions))

    def line(self, tests: Sequence[str]) -> str:
        """As a line of a Markdown table; at its end the gap of each test of ours to the best peer."""
        cells = [self.problem, self.size, *(f"{self.share(test):.2f}" for test in tests)]
        peers = [test for test in tests if test in PEERS]
        if peers:
            cells += [_said(*self.gap(test, self.best(peers))) for test in tests if test in OURS]
        return "| " + " | ".join(cells) + " |"


def _digits(rejected: str) -> np.ndarray:
    return np.array([int(digit) for digit in rejected], dtype=float)


def _said(value: float, error: float) -> str:
    return f"{value:+.2f} ± {error:.2f}"


def problems(sets: Sequence[str]) -> dict[str, Problem]:
    """The problems of the sets asked for; real ones only where the data are."""
    chosen: dict[str, Problem] = {}
    if "public" in sets:
        chosen |= SYNTHETIC
    if "pairs" in sets:
        chosen |= PAIRS
    if directory() is None:
        print("No real data: set TWOSAMPLE_DATA to their directory.")
        return chosen
    from benchmarks.power import real

    real_sets = {"public": real.PUBLIC_REAL, "development": real.DEVELOPMENT, "held-out": real.HELD_OUT}
    for name in sets:
        chosen |= real_sets.get(name, {})
    return chosen


def measure(name: str, problem: Problem, tests: Sequence[str], repetitions: range, resamples: int, seed: int) -> Row:
    """What the tests say on one problem; repetition i sees the same samples whatever else is asked for."""
    rejected = dict.fromkeys(tests, "")
    for i in repetitions:
        x, y = problem(np.random.default_rng([seed, zlib.crc32(name.encode()), i]))
        draw = Draw.of(x, y, resamples, np.random.default_rng([seed, i]))
        for test in tests:
            p = OURS[test](x, y, resamples, i) if test in OURS else pvalue(PEERS[test](draw))
            rejected[test] += "1" if p <= LEVEL + 1e-9 else "0"
    return Row(name, f"{len(x)}+{len(y)}, {x.shape[1]}", rejected)


_BEST = {"peer": tuple(PEERS), "kernel peer": KERNEL_PEERS, "peer that is free of units": UNIT_FREE}


def summary(rows: Sequence[Row], tests: Sequence[str]) -> Iterator[str]:
    """Means, and the largest shortfalls of each test of ours against the best peer, also of a kind."""
    means = {test: float(np.mean([row.share(test) for row in rows])) for test in tests}
    yield "| **mean** | | " + " | ".join(f"**{means[test]:.3f}**" for test in tests) + " |"
    for ours in (test for test in tests if test in OURS):
        for title, peers in _BEST.items():
            shown = [test for test in peers if test in tests]
            if shown:
                short = sorted((*row.gap(ours, row.best(shown)), row.problem, row.best(shown)) for row in rows)
                worst = (f"{name} {_said(gap, error)} ({peer})" for gap, error, name, peer in short[:6])
                yield f"\n{ours} against the best {title}: " + ", ".join(worst)
        rivals = sorted((test for test in tests if test in PEERS), key=lambda test: -means[test])[:3]
        gaps = [(test, [row.gap(ours, test) for row in rows]) for test in rivals]
        over = ", ".join(f"{_mean_said(found)} over {test}" for test, found in gaps)
        error = np.sqrt(sum(p * (1 - p) / row.repetitions for row in rows for p in [row.share(ours)])) / len(rows)
        yield f"\nmean of {ours}: {means[ours]:.3f} ± {error:.3f}" + (f"; {over}" if over else "")


def _mean_said(gaps: Sequence[tuple[float, float]]) -> str:
    """The mean of gaps on problems whose draws are independent."""
    values, errors = np.array(gaps).T
    return f"{values.mean():+.3f} ± {np.sqrt((errors**2).sum()) / len(errors):.3f}"


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
        choices=["public", "pairs", "development", "held-out", "dependence", "scales"],
    )
    parser.add_argument("--problems", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--tests", nargs="+", metavar="NAME", choices=[*OURS, *PEERS], default=[*OURS, *PEERS])
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables into this page, between its marks")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="keep what tests said there, after every problem; what it has is not measured again",
    )
    options = parser.parse_args(arguments)
    if options.sets in (["dependence"], ["scales"]):
        _alone(options)
        return
    tests, rows = options.tests, _measured(parser, options)
    for name in options.sets:
        inside = [row for row in rows if row.problem in problems([name])]
        table = "\n".join([head(inside, options), *(row.line(tests) for row in inside), *summary(inside, tests)])
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


def head(rows: Sequence[Row], options: argparse.Namespace) -> str:
    """What was measured, and the head of the table."""
    counts = sorted({row.repetitions for row in rows})
    tests = options.tests
    ours = [test for test in tests if test in OURS] if any(test in PEERS for test in tests) else []
    titles = ["problem", "m+n, d", *tests, *(f"{test} − best peer" for test in ours)]
    repetitions = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    return (
        f"Share of rejections at {LEVEL}: {repetitions} repetitions "
        f"(standard error at most {0.5 / np.sqrt(counts[0]):.3f}; of gaps, after ±, paired by draws), "
        f"{options.resamples} relabellings, seed {options.seed}.\n\n"
        f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"
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
    drawn = {"resamples": options.resamples, "seed": options.seed}
    kept = json.loads(options.json.read_text()) if options.json and options.json.exists() else {**drawn, "problems": {}}
    if drawn != {name: kept[name] for name in drawn}:
        parser.error(f"{options.json} was measured with another seed or number of relabellings: give another file.")
    rows = []
    for name in options.problems or chosen:
        row = _completed(kept["problems"], name, chosen[name], options)
        rows.append(row)
        print(row.line(options.tests), flush=True)
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1) + "\n")
    return rows


def _completed(kept: dict[str, Any], name: str, problem: Problem, options: argparse.Namespace) -> Row:
    """What is kept of a problem, with the tests added that have too few repetitions."""
    known = kept.setdefault(name, {"size": "", "rejected": {}})
    rejected = known["rejected"]
    lacking = [test for test in options.tests if len(rejected.get(test, "")) < options.repetitions]
    if lacking:
        done = min(len(rejected.get(test, "")) for test in lacking)
        row = measure(name, problem, lacking, range(done, options.repetitions), options.resamples, options.seed)
        known["size"] = row.size
        rejected |= {test: rejected.get(test, "")[:done] + row.rejected[test] for test in lacking}
    both = min(len(rejected[test]) for test in options.tests)
    return Row(name, known["size"], {test: rejected[test][:both] for test in options.tests})
