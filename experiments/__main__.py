"""Re-run figures and tables of the paper.

usage: python -m experiments [NAME ...] [--variants] [--repetitions N] [--finished] [--seed S] [--jobs J] [--quick]
                             [--out DIR] [--store DIR]

Pages go to docs/paper only when nothing was left out: fewer repetitions than the experiment has, --quick and --finished
write to build/paper unless --out says otherwise.
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

from experiments.data import ROOT, MissingDataError
from experiments.runner import Options

NAMES = ["figure1", "figure2", "figure3", "figure4", "table1", "figure5", "table2", "table3"]
VARIANTS = ["figure4", "table1", "table2", "table3"]
"""Those that have studies of what explains a difference, each on a page of its own."""


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description="Re-run the paper.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(NAMES)}")
    parser.add_argument("--variants", action="store_true", help="the studies beside these: what other rules give")
    parser.add_argument("--repetitions", type=int, help="instead of the full number; if fewer, to build/paper")
    parser.add_argument("--finished", action="store_true", help="write pages from what is finished, and run nothing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="a few repetitions of everything, in two minutes")
    parser.add_argument("--out", type=Path, help="where the pages go (default: docs/paper, or build/paper)")
    parser.add_argument("--store", type=Path, default=Options.store, help="where finished repetitions are kept")
    given = parser.parse_args(arguments)
    known = VARIANTS if given.variants else NAMES
    names = known if not given.names or given.names == ["all"] else given.names
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}")
    for name in names:
        start = time.monotonic()
        try:
            experiment = import_module(f"experiments.{name}{'_variants' if given.variants else ''}")
            out = given.out or _place(given, getattr(experiment, "REPETITIONS", 1))
            experiment.run(
                Options(given.repetitions, given.seed, given.jobs, given.quick, out, given.store, given.finished)
            )
        except MissingDataError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print(f"\n{name}: interrupted; what is finished is kept, the same command goes on.", file=sys.stderr)
            return 130
        print(f"{name}: {time.monotonic() - start:.0f} s, {out}/{name}{'-variants' if given.variants else ''}.md")
    return 0


def _place(given: argparse.Namespace, full: int) -> Path:
    """Where pages go that nobody named a place for: only complete ones stand beside the paper's."""
    part = given.quick or given.finished or (given.repetitions is not None and given.repetitions < full)
    return ROOT / "build" / "paper" if part else Options.out


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as by Ctrl-C, workers included
    sys.exit(main())
