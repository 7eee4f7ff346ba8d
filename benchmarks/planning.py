"""``python -m benchmarks planning``: how far intervals and planned power are right; the tables of docs/planning.md."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path

import numpy as np

import twosample as ts
from benchmarks.any_size import NOTHING, PROBLEMS, Draw
from benchmarks.power.command import write_between
from tests.planning.gaussians import Problem
from twosample.planning.resampling import subsamples

INTERVALS = {
    "N(0,1), N(0,1)": Problem(30, 30),
    "N(0,1), N(0.1,1)": Problem(100, 100, 0.1),
    "N(0,1), N(0.6,1)": Problem(100, 100, 0.6),
    "N(0,1), N(2,1)": Problem(100, 100, 2.0),
    "N(0,1), N(0.6,1), other sizes": Problem(400, 100, 0.6),
    "N(0,1), N(0,1.5²)": Problem(400, 100, 0.0, 1.5),
    "ten columns, one moved by 1": Problem(100, 100, 1.0, columns=10, bandwidth=4.0),
}
RARE = [(0.02, 0.02, 10, 200), (0.02, 0.10, 10, 200), (0.10, 0.02, 10, 200), (0.02, 0.10, 8, 8), (0.02, 0.10, 40, 40)]
MARGINS = {
    "N(0,1), N(0.1,1)": Problem(100, 100, 0.1),
    "N(0,1), N(1,1)": Problem(100, 100, 1.0),
    "N(0,1), N(0,1.5²)": Problem(300, 100, 0.0, 1.5),
    "ten columns, one moved by 1": Problem(300, 300, 1.0, columns=10, bandwidth=4.0),
    "N(0,1), N(2,1)": Problem(60, 120, 2.0),
}
PLANS = [
    ("shift 0.6", Problem(40, 40, 0.6), "unbiased", "spectrum"),
    ("shift 0.6", Problem(40, 40, 0.6), "unbiased", ts.Permutation(199)),
    ("shift 0.6", Problem(40, 40, 0.6), "unbiased", "pearson"),
    ("shift 0.6", Problem(40, 40, 0.6), "biased", ts.Bootstrap(199)),
    ("shift 0.6", Problem(40, 40, 0.6), "paired", ts.Permutation(199)),
    ("shift 0.6", Problem(100, 30, 0.6), "unbiased", "gamma"),
    ("scale 2", Problem(30, 100, 0.0, 2.0), "unbiased", "spectrum"),
    ("shift 1.5", Problem(15, 15, 1.5), "unbiased", "spectrum"),
    ("shift 0.2", Problem(200, 200, 0.2), "unbiased", "spectrum"),
    ("ten columns, shift 0.8 in one", Problem(50, 50, 0.8, columns=10, bandwidth=4.0), "unbiased", "spectrum"),
    ("shift 1.2", Problem(100, 100, 1.2), "biased", "mcdiarmid"),
    ("shift 0.6", Problem(300, 300, 0.6), "linear", "normal"),
    ("shift 0.6", Problem(300, 300, 0.6), "linear", ts.Permutation(199)),
    ("shift 0.4", Problem(300, 300, 0.4), "block", "normal"),
    ("shift 0.4", Problem(300, 300, 0.4), "block", ts.Permutation(199)),
]


def coverage(runs: int) -> Iterator[str]:
    """Of :func:`twosample.interval`, in percent."""
    error = 100 * sqrt(0.0475 / runs)
    yield f"{runs} runs each (Gaussian kernel, bandwidth 1, in ten columns 4; standard error at 95 %: {error:.1f}):"
    yield ""
    yield "| problem | m, n | 90 % | 95 % | 99 % |\n|---|---|---|---|---|"
    levels = (0.9, 0.95, 0.99)
    for name, problem in INTERVALS.items():
        truth, inside = sqrt(problem.mmd2), np.zeros(3)
        for seed in range(runs):
            x, y = problem.draw(np.random.default_rng([1, seed]))
            found = [ts.interval(x, y, level, kernel=problem.kernel, rng=seed) for level in levels]
            inside += [each.low - 1e-9 <= truth <= each.high + 1e-9 for each in found]
        cells = " | ".join(f"{100 * share:.1f}" for share in inside / runs)
        yield f"| {name} | {problem.m}, {problem.n} | {cells} |"


def rare(runs: int) -> Iterator[str]:
    """How often intervals miss where few rows may not hold a rare value."""
    yield f"{runs} runs each (zeros and ones, bandwidth 1):"
    yield ""
    yield "| shares of ones | m, n | interval | effect size | equivalence at the margin, level 5 % |"
    yield "|---|---|---|---|---|"
    kernel, apart = ts.Gaussian(1.0), 1 - np.exp(-0.5)
    for p, q, m, n in RARE:
        squared = 2 * (p - q) ** 2 * apart
        spread = apart * (p * (1 - p) + q * (1 - q))
        mmd, effect, missed = sqrt(squared), sqrt(squared / 4 / (spread + squared / 4)), np.zeros(3)
        for seed in range(runs):
            rng = np.random.default_rng([2, seed])
            x, y = (rng.random(m) < p).astype(float), (rng.random(n) < q).astype(float)
            found, size = ts.interval(x, y, kernel=kernel), ts.effect_size(x, y, kernel=kernel)
            missed[0] += not found.low - 1e-9 <= mmd <= found.high + 1e-9
            missed[1] += not size.low - 1e-9 <= effect <= size.high + 1e-9
            if mmd:
                missed[2] += ts.equivalence_test(x, y, mmd, kernel=kernel).rejected
        percent = [f"{100 * share:.0f} %" for share in missed / runs]
        yield f"| {p:.2f}, {q:.2f} | {m}, {n} | {percent[0]} | {percent[1]} | {percent[2] if mmd else ''} |"


def power(runs: int) -> Iterator[str]:
    """Predicted from a large pilot, so that the pilot's own noise is small, and simulated."""
    yield f"{runs} simulated tests each (standard error at most {0.5 / sqrt(runs):.3f}):"
    yield ""
    yield "| problem | m, n | statistic, null | predicted | simulated |\n|---|---|---|---|---|"
    for name, problem, statistic, null in PLANS:
        rng = np.random.default_rng(0)
        options = {"statistic": statistic, "null": null, "kernel": problem.kernel, "rng": rng}
        size = 100_000 if problem.columns == 1 else 5_000
        planned = ts.power(*problem.draw(rng, size, size), (problem.m, problem.n), **options)
        found = np.mean([ts.mmd_test(*problem.draw(rng), **options).rejected for _ in range(runs)])
        law = null if isinstance(null, str) else null.name
        yield f"| {name} | {problem.m}, {problem.n} | {statistic}, {law} | {planned:.2f} | {found:.2f} |"


def few_values(runs: int) -> Iterator[str]:
    """Zeros and ones: rows named by a pilot of 10,000 rows with just these shares, and the power that they have."""
    yield f"{runs} simulated tests each (standard error at most {0.5 / sqrt(runs):.3f}), bandwidth 1:"
    yield ""
    yield "| shares of ones | rows named for a power of 0.80 | their power |\n|---|---|---|"
    kernel = ts.Gaussian(1.0)
    for p, q in ((0.02, 0.10), (0.30, 0.50), (0.01, 0.03)):
        x, y = ((np.arange(10_000) < 10_000 * share).astype(float) for share in (p, q))
        rows, rejected = ts.sample_size(x, y, 0.8, kernel=kernel, rng=0), 0
        for seed in range(runs):
            rng = np.random.default_rng([3, seed])
            x, y = ((rng.random(rows) < share).astype(float) for share in (p, q))
            rejected += ts.mmd_test(x, y, kernel=kernel, rng=seed).rejected
        yield f"| {p:.2f}, {q:.2f} | {rows} | {rejected / runs:.2f} |"


def equivalence(runs: int) -> Iterator[str]:
    """How often samples are called alike whose MMD is the margin."""
    yield f"{runs} runs each, MMD at the margin, level 5 % (standard error {100 * sqrt(0.0475 / runs):.1f}):"
    yield ""
    yield "| problem | m, n | called alike |\n|---|---|---|"
    for name, problem in MARGINS.items():
        alike = 0
        for seed in range(runs):
            x, y = problem.draw(np.random.default_rng([4, seed]))
            alike += ts.equivalence_test(x, y, sqrt(problem.mmd2), kernel=problem.kernel, rng=seed).rejected
        yield f"| {name} | {problem.m}, {problem.n} | {100 * alike / runs:.1f} % |"


PILOTS, TIMES = (120,), (0.5, 1, 2)


def adaptive(runs: int) -> Iterator[str]:
    """Power that pilots name for the adaptive test, and that of new samples."""
    pilots = max(2, runs // 10)
    yield (
        f"{pilots} pilots of each size, real power from {runs} tests (standard error at most {0.5 / sqrt(runs):.2f}); "
        "what pilots name is their mean, after ± the root of the mean squared error:"
    )
    yield ""
    yield "| problem | pilot | real at half, named | at the pilot's size | at twice |\n|---|---|---|---|---|"
    found: list[tuple[float, float, float]] = []
    for name, draw in PROBLEMS.items():
        real = {rows: _power(name, draw, rows, runs) for rows in sorted({round(p * t) for p in PILOTS for t in TIMES})}
        for rows in PILOTS:
            named, truth = _named(name, draw, rows, pilots), np.array([real[round(rows * t)] for t in TIMES])
            found += [(t, *each) for t, each in zip(TIMES, _errors(named, truth), strict=True)]
            yield f"| {name} | {rows} | {_cells(named, truth)} |"
    for name, draw in NOTHING.items():
        for rows in PILOTS:
            named = _named(name, draw, rows, pilots)
            yield f"| {name} | {rows} | {_cells(named, np.full(3, 0.05))} |"
    table = np.array(found)
    means = [table[table[:, 0] == t, 1:] for t in TIMES]
    said = (f"{part[:, 0].mean():+.2f} ± {sqrt((part[:, 1] ** 2).mean()):.2f}" for part in means)
    yield "| **named less real** | | " + " | ".join(f"**{each}**" for each in said) + " |"


def _power(name: str, draw: Draw, rows: int, runs: int) -> float:
    seed = zlib.crc32(name.encode())
    pairs = (draw(np.random.default_rng([seed, rows, i]), rows, rows) for i in range(runs))
    return float(np.mean([ts.two_sample_test(x, y, n=199, rng=i).rejected for i, (x, y) in enumerate(pairs)]))


def _named(name: str, draw: Draw, rows: int, pilots: int) -> np.ndarray:
    """``(pilots, 3)`` the power that each pilot names at half of its size, at its size, and at twice that."""
    found = []
    for i in range(pilots):
        x, y = draw(np.random.default_rng([zlib.crc32(name.encode()), rows, i, 99]), rows, rows)
        sizes = [tuple(max(2, round(size * t)) for size in (len(x), len(y))) for t in TIMES]
        pilot = subsamples(x, y, 0.05, np.random.default_rng(i))  # as ts.power does, one curve for all sizes
        curve = pilot.curve()
        found.append([pilot.power(*size) if pilot.allows(*size) else curve.power(*size) for size in sizes])
    return np.array(found)


def _errors(named: np.ndarray, real: np.ndarray) -> list[tuple[float, float]]:
    """For each size the mean error and the root of the mean squared one."""
    errors = named - real
    return [(float(each.mean()), sqrt(float((each**2).mean()))) for each in errors.T]


def _cells(named: np.ndarray, real: np.ndarray) -> str:
    parts = zip(real, named.mean(axis=0), _errors(named, real), strict=True)
    return " | ".join(f"{truth:.2f}, {mean:.2f} ± {error:.2f}" for truth, mean, (_, error) in parts)


PARTS: dict[str, tuple[Callable[[int], Iterator[str]], int]] = {
    "coverage": (coverage, 600),
    "rare": (rare, 300),
    "equivalence": (equivalence, 500),
    "power": (power, 1000),
    "few_values": (few_values, 500),
    "adaptive": (adaptive, 100),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print; the tables are Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks planning", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none")
    parser.add_argument("--runs", type=int, help="of each problem: 600, 300, 500, 1000, 500 and 100 if not given")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the tables into this page, between its marks")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        part, runs = PARTS[name]
        lines = []
        for line in part(options.runs or runs):
            print(line, flush=True)
            lines.append(line)
        if options.page:
            write_between(options.page, f"<!-- planning: {name} -->", "\n".join(lines))
