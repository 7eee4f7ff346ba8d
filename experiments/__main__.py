"""Re-run figures and tables of the paper.

usage: python -m experiments [NAME ...] [--repetitions N] [--seed S] [--jobs J] [--quick] [--out DIR] [--store DIR]
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from experiments.data import MissingDataError
from experiments.runner import Options

NAMES = ["figure1", "figure2", "figure3", "figure4", "table1", "figure5", "table2", "table3"]


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description="Re-run the paper.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(NAMES)}")
    parser.add_argument("--repetitions", type=int, help="instead of the paper's own number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="a few repetitions of everything, in two minutes")
    parser.add_argument("--out", type=Path, help="where the pages go (default: docs/paper, or build/paper if quick)")
    parser.add_argument("--store", type=Path, default=Options.store, help="where finished repetitions are kept")
    given = parser.parse_args(arguments)
    names = NAMES if not given.names or given.names == ["all"] else given.names
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    out = given.out or (Path("build/paper") if given.quick else Options.out)
    options = Options(given.repetitions, given.seed, given.jobs, given.quick, out, given.store)
    for name in names:
        start = time.monotonic()
        try:
            import_module(f"experiments.{name}").run(options)
        except MissingDataError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print(f"\n{name}: interrupted; what is finished is kept, the same command goes on.", file=sys.stderr)
            return 130
        print(f"{name}: {time.monotonic() - start:.0f} s, {out / name}.md")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as by Ctrl-C, workers included
    sys.exit(main())
