"""What `confidence` is worth, as the share of true pairs; and whether tables of a heap find their partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

import twosample as ts
from benchmarks.matching_quality.pairs import TablePair

BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
STRANGERS = 3  # tables of other families that each table is matched with


def subject(pair: TablePair) -> str:
    """What a table is about: halves are of a table that has a family of its own."""
    return pair.name.partition(",")[0] if pair.family.startswith("halves") else pair.family


def unrelated(pairs: Sequence[TablePair]) -> list[TablePair]:
    """Every first table with second tables of other subjects, which have no partner for any of its columns."""
    rng = np.random.default_rng(0)
    result = []
    for pair in pairs:
        others = [other for other in pairs if subject(other) != subject(pair)]
        for k in rng.choice(len(others), min(STRANGERS, len(others)), replace=False):
            result.append(replace(pair, b=others[k].b, truth=frozenset(), name=f"{pair.name} / {others[k].name}"))
    return result


def calibration(pairs: Sequence[TablePair], use_names: bool) -> None:
    """Print how many of the pairs of each confidence are true, related and unrelated tables counting the same."""
    strange = unrelated(pairs)
    said, right, weight, likely = [], [], [], []
    for group in (pairs, strange):
        found = [ts.match(pair.a, pair.b, use_names=use_names) for pair in group]
        likely.append([m.related for m in found])
        for m, pair in zip(found, group, strict=True):
            said += [p.confidence for p in m.pairs]
            right += [(p.source, p.target) in pair.truth for p in m.pairs]
            weight += [1 / len(group)] * len(m.pairs)
    print(f"{len(pairs)} pairs of tables that belong together, {len(strange)} that do not\n")
    print("| confidence | pairs | mean confidence | true |\n|---|---|---|---|")
    for low, high in pairwise(BINS):
        at = (np.array(said) >= low) & (np.array(said) < high + (high == 1.0))
        if at.any():
            mean, share = (np.average(np.array(values)[at], weights=np.array(weight)[at]) for values in (said, right))
            print(f"| {low:.2f} to {high:.2f} | {np.count_nonzero(at)} | {mean:.2f} | {share:.2f} |")
    for words, values in zip(("belong together", "do not"), likely, strict=True):
        print(f"\nOf the tables that {words}, {np.mean(np.array(values) >= 0.5):.0%} are said to be related.", end="")
    print(flush=True)


def heap(pairs: Sequence[TablePair]) -> None:
    """Print how many tables find their partners when first and second tables of all subjects are thrown together."""
    whole = [pair for pair in pairs if not pair.name.endswith(", part") and not pair.family.startswith("halves")]
    first = {pair.name if pair.family == "magellan" else pair.family: pair for pair in reversed(whole)}
    for words, chosen in (("one pair of each subject", list(first.values())), ("all pairs", whole)):
        a, b = ({f"{side}{k}": getattr(pair, side) for k, pair in enumerate(chosen)} for side in "ab")
        for use_names in (False, True):
            m = ts.match_databases(a, b, use_names=use_names)  # the names of tables say nothing
            found = [(chosen[int(p.source[1:])], chosen[int(p.target[1:])]) for p in m.pairs]
            exact, kin = sum(x is y for x, y in found), sum(subject(x) == subject(y) for x, y in found)
            names = ", names of columns count" if use_names else ""
            counts = f"{exact} found their partner, {kin - exact} another table of the subject"
            none = f"{len(found) - kin} a stranger, {len(chosen) - len(found)} none"
            print(f"- {words}{names}: of {len(chosen)} tables {counts}, {none}", flush=True)
