"""Which columns are behind a difference that is seen in all of them together, and in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from .._numbers import share
from .._shown import few, quoted, shown
from ..core.types import Floats
from ..embedding.judge import JOINT
from .parts import Finding
from .ties import pair_of
from .together import Together

_MOST = 3  # findings of one sort
_PARTNERS = 4  # of a column, in words

Pairs = dict[tuple[int, int], float]


def joint_findings(
    test: Together,
    twins: Floats,
    first: int,
    level: float,
    known: Collection[str],
    tables: tuple[str, str] = ("A", "B"),
) -> tuple[Finding, ...]:
    """What makes all columns together different: rows that occur twice, columns and pairs.

    Nothing if the joint test does not reject at its part of the level. `twins` are 1 for a row that occurs more than
    once in both tables together; the `first` so many rows are of the first table. Columns that are `known` to differ by
    themselves have other ties, too, and are not named.
    """
    if test.judged.pvalue / JOINT > level:
        return ()
    names = test.columns
    repeated = () if known else _repeated(test, twins, first, level, tables)  # fewer values, or gaps, repeat rows, too
    found = [*repeated, *_tied(test, names, level, known)]
    if not found and not known:
        found = [*_suspect(test, names)]
    return tuple(found)


def _repeated(test: Together, twins: Floats, first: int, level: float, tables: tuple[str, str]) -> Iterator[Finding]:
    if "twins" not in test.names or test.adjusted[test.names.index("twins")] > level:
        return
    a, b = float(twins[:first].mean()), float(twins[first:].mean())
    if min(a, b) > 0.5:  # few columns of few values: most rows occur more than once anyway
        return
    one, two = (shown(name, 60) for name in tables)
    said = f"{_share(a)} of the rows of {one} and {_share(b)} of the rows of {two} occur more than once"
    yield Finding("repeated", None, said)


def _share(part: float) -> str:
    return "none" if part == 0 else "all" if part == 1 else share(part)


def _tied(test: Together, names: Sequence[str], level: float, known: Collection[str]) -> Iterator[Finding]:
    """Columns that go otherwise with others; the one in most of the pairs first, and then what is left without it."""
    pairs: Pairs = {
        pair_of(i, len(names)): strength
        for i, strength in _significant(test, "pairs", level)
        if not {names[part] for part in pair_of(i, len(names))} & {*known}
    }
    single = dict(_significant(test, "ties", level))
    seen: set[int] = set()
    for _ in range(_MOST):
        if not pairs:
            break
        column = max(range(len(names)), key=lambda i: (_weight(pairs, i), single.get(i, 0.0)))
        ranked = sorted((-strength, sum(pair) - column) for pair, strength in pairs.items() if column in pair)
        partners = [other for _, other in ranked]
        seen |= {column, *partners}
        yield _tie([names[column], *(names[i] for i in partners)])
        pairs = {pair: strength for pair, strength in pairs.items() if column not in pair}
    left = sorted((i for i in single if i not in seen and names[i] not in known), key=lambda i: -single[i])
    if not seen and not known:  # what others predict changes with a column that differs by itself
        yield from (_tie([names[i]]) for i in left[:_MOST])
    alone = sorted(_significant(test, "columns", level), key=lambda part: -part[1])
    for i, _ in alone[:_MOST]:
        if i not in seen and names[i] not in known:
            yield Finding("together", names[i], "its values differ, as seen with all columns together", (names[i],))


def _weight(pairs: Mapping[tuple[int, int], float], column: int) -> float:
    return sum(strength**2 for pair, strength in pairs.items() if column in pair)


def _significant(test: Together, name: str, level: float) -> list[tuple[int, float]]:
    """Items of a view that are found to differ, with their strengths."""
    view = test.view(name)
    if view is None:
        return []
    strengths = view.strengths
    return [(int(i), float(strengths[i])) for i in np.flatnonzero(test.named[name] <= level)]


def _tie(columns: Sequence[str]) -> Finding:
    first, *others = columns
    listed = few(others, _PARTNERS, quoted) or "the other columns"
    return Finding("together", first, f"its values go otherwise with those of {listed}", tuple(columns))


def _suspect(test: Together, names: Sequence[str]) -> Iterator[Finding]:
    """No column for certain: the one that stands out most."""
    adjusted = [(float(part.min()), name, int(part.argmin())) for name, part in test.named.items()]
    if not adjusted:
        return
    pvalue, view, item = min(adjusted)
    columns = [names[i] for i in pair_of(item, len(names))] if view == "pairs" else [names[item]]
    said = "not for certain, but most of the difference of all columns together seems to be here"
    also = f", and in {quoted(columns[1])}" if len(columns) > 1 else ""
    yield Finding("together", columns[0], f"{said}{also} (p = {pvalue:.2g})", tuple(columns))
