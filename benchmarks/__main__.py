"""``python -m benchmarks [NAME ...] [--json FILE]``: run all benchmarks or those named, print one table."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import twosample
from benchmarks import (
    adaptive,
    cli,
    engines,
    every_row,
    fourier,
    growth,
    imports,
    independence,
    large,
    lowrank,
    matching,
    matching_quality,
    memory,
    peers,
    planning,
    planted,
    power,
    rivals,
    small,
    stream,
    tiled,
    watch_cost,
)
from benchmarks.neighbours import CALM, Neighbours
from benchmarks.table import HEAD, Row
from twosample.core.threads import available_cores

BENCHMARKS: dict[str, Callable[[], Iterator[Row]]] = {
    "imports": imports.rows,
    "cli": cli.rows,
    "small": small.rows,
    "tiled": tiled.rows,
    "memory": memory.rows,
    "growth": growth.rows,
    "fourier": fourier.rows,
    "lowrank": lowrank.rows,
    "rivals": rivals.rows,
    "stream": stream.rows,
    "independence": independence.rows,
    "large": large.rows,
    "engines": engines.rows,
    "every_row": every_row.rows,
    "matching": matching.rows,
    "watch": watch_cost.rows,
    "adaptive": adaptive.rows,
    "peers": peers.rows,
}


def main() -> None:
    """The exit code is 0 whether or not targets are met; a benchmark that fails to run ends with its traceback."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"{', '.join(BENCHMARKS)}; all if none; or: power, planning, planted, matching_quality",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there too")
    if sys.argv[1:2] == ["power"]:  # shares, not times; with options of its own
        return power.main(sys.argv[2:])
    if sys.argv[1:2] == ["planning"]:
        return planning.main(sys.argv[2:])
    if sys.argv[1:2] == ["planted"]:
        return planted.main(sys.argv[2:])
    if sys.argv[1:2] == ["matching_quality"]:  # F1, not times
        return matching_quality.main(sys.argv[2:])
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    print(f"{machine()}\nRatios are our time over the other's: lower is better.\n\n{HEAD}", flush=True)
    results: list[dict[str, Any]] = []
    neighbours = Neighbours()
    try:
        for name in options.names or BENCHMARKS:
            for row in BENCHMARKS[name]():
                others = neighbours.share()
                print(row.line(name, others), flush=True)
                results.append(row.to_dict(name, others))
        if any(row["verdict"] == "MISSED" and (row["others"] or 0) > CALM for row in results):
            print("\nRun again what was MISSED while others used the machine.")
    finally:
        if options.json:
            options.json.write_text(json.dumps({"machine": machine(), "rows": results}, indent=2) + "\n")


def machine() -> str:
    return (
        f"twosample {twosample.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, {platform.system()} {platform.machine()}, {available_cores()} cores"
    )


if __name__ == "__main__":
    main()
