"""``python -m benchmarks matching_quality``: mean F1 over families of table pairs, every way on the same pairs."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.matching_quality.calibration import calibration, heap
from benchmarks.matching_quality.pairs import ASIDE, TablePair, all_pairs
from benchmarks.matching_quality.ways import CONTENT, NAMES, Pairs, Way
from experiments.data import directory

WORKER = Path(__file__).with_name("valentine_worker.py")
VALENTINE = {"content": ("Jaccard", "DistributionBased"), "names": ("Coma", "SimilarityFlooding")}


def main(arguments: Sequence[str]) -> None:
    """Print one table for content, one with names, one with half of the names hidden."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks matching_quality", description=__doc__)
    parser.add_argument("--families", nargs="*", help="only these; all if none")
    parser.add_argument("--aside", action="store_true", help="the families that no choice looked at, too")
    parser.add_argument("--ours", action="store_true", help="match alone, without the others")
    parser.add_argument("--calibration", action="store_true", help="what confidence is worth, and tables of a heap")
    parser.add_argument("--pairs", action="store_true", help="every pair of tables")
    options = parser.parse_args(arguments)
    data = directory()
    if data is None:
        raise SystemExit("No data: set TWOSAMPLE_DATA to their directory.")
    pairs = [
        pair
        for pair in all_pairs(data)
        if (options.aside or pair.family not in ASIDE) and (not options.families or pair.family in options.families)
    ]
    if options.calibration:
        for use_names in (False, True):
            print(f"\n## confidence {'with names' if use_names else 'by content'}\n")
            calibration(pairs, use_names)
        print("\n## all tables together\n")
        heap(pairs)
        return
    hidden = [pair.half_hidden() for pair in pairs]
    for title, ways, peers, given in (
        ("by content", CONTENT, "content", pairs),
        ("with names", NAMES, "names", pairs),
        ("half of the names hidden", NAMES, "names", hidden),
    ):
        print(f"\n## {title}: F1 of {len(given)} pairs of tables\n", flush=True)
        _table(given, _answers(given, ways, peers, options.ours), options.pairs)


def _answers(
    pairs: Sequence[TablePair], ways: Mapping[str, Way], peers: str, ours: bool
) -> Iterator[tuple[str, list[Pairs]]]:
    for name, way in ways.items():
        if not ours or name == "match":
            yield name, [way(pair.a, pair.b) for pair in pairs]
    for name in () if ours else VALENTINE[peers]:
        found = _valentine(pairs, name)
        if found is None:
            print(f"valentine is not installed where TWOSAMPLE_PEERS_PYTHON says: no {name}.")
        else:
            yield f"valentine: {name}", found


def _valentine(pairs: Sequence[TablePair], method: str) -> list[Pairs] | None:
    """What a method of valentine finds, in an interpreter of its own; None where there is none."""
    with TemporaryDirectory() as folder:
        for number, pair in enumerate(pairs):
            place = Path(folder) / str(number)
            place.mkdir()
            pair.a.write_parquet(place / "a.parquet")
            pair.b.write_parquet(place / "b.parquet")
        interpreter = os.environ.get("TWOSAMPLE_PEERS_PYTHON", sys.executable)
        done = subprocess.run(
            [interpreter, str(WORKER), folder, method], stdout=subprocess.PIPE, text=True, check=False
        )
    lines = done.stdout.splitlines()
    if not lines:
        return None
    return [{(one, two) for one, two in json.loads(line)[1]} for line in lines[1:]]


def f1(found: Pairs, truth: frozenset[tuple[str, str]]) -> float:
    """2 · right / (found + true)."""
    return 2 * len(found & truth) / max(len(found) + len(truth), 1)


def _table(pairs: Sequence[TablePair], answers: Iterator[tuple[str, list[Pairs]]], every: bool) -> None:
    families = list(dict.fromkeys(pair.family for pair in pairs))
    print("| way | mean | " + " | ".join(f"{name}{' *' if name in ASIDE else ''}" for name in families) + " |")
    print("|---" * (len(families) + 2) + "|")
    for name, found in answers:
        scores = [f1(one, pair.truth) for one, pair in zip(found, pairs, strict=True)]
        means = [np.mean([s for s, pair in zip(scores, pairs, strict=True) if pair.family == f]) for f in families]
        kept = [m for m, family in zip(means, families, strict=True) if family in ASIDE]
        mean = f"{np.mean(means):.3f}" + (f" ({np.mean(kept):.3f})" if kept and len(kept) < len(means) else "")
        print(f"| {name} | {mean} | " + " | ".join(f"{m:.3f}" for m in means) + " |", flush=True)
        for score, pair in zip(scores, pairs, strict=True) if every else ():
            print(f"    {score:.3f}  {pair.family}: {pair.name}")
    if any(family in ASIDE for family in families):
        print("\n\\* kept aside: no choice looked at them; in parentheses the mean over these.")
