"""A matching as text, as plain data, as a frame, as HTML."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from .._numbers import pvalue
from .._reported import badge, box, table
from .._shown import shown
from .._version import __version__
from ..core.types import Floats
from .results import Matching, Pair

if TYPE_CHECKING:
    import polars as pl

STRANGERS = "These tables may have nothing to do with each other."
_NAME = 40
_SIDES = ("source", "target")
_HEAD = ("source", "target", "kind", "sure", "drifted", "MMD", "p", "evidence")


def summary(m: Matching) -> str:
    """Headline, pairs, columns without a partner, notes."""
    distance = f"{m.distance:.4g}" if isfinite(m.distance) else "unknown, no columns can be compared"
    lines = [headline(m), f"  {_side(m, 0)}; {_side(m, 1)}", f"  distance of the tables: {distance}"]
    if m.pairs:
        rows = [_HEAD, *(_cells(pair) for pair in m.pairs)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(_HEAD))]
        lines += ["", *("  " + "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows)]
    for side, alone in enumerate((m.unmatched_source, m.unmatched_target)):
        if alone:
            what = f"{_matched_things(m).capitalize()} of the {_SIDES[side]}"
            lines += ["", f"{what} without a partner in {shown(m.names[1 - side], _NAME)}"]
            lines += [f"  {shown(one.name, _NAME)}: {one.reason}" for one in alone]
    return "\n".join([*lines, *(f"  note  {note}" for note in m.notes)])


def headline(m: Matching) -> str:
    """The outcome in one sentence."""
    count = len(m.pairs)
    alone = len(m.unmatched_source) + len(m.unmatched_target)
    pairs = f"{count} pair{'s' if count != 1 else ''}"
    found = f"All matched: {pairs}." if m.matched else f"{pairs.capitalize()}; {alone} without a partner."
    return f"{found} {STRANGERS}" if strangers(m) else found


def strangers(m: Matching) -> bool:
    """Whether it is likelier than not that two tables have nothing to do with each other."""
    return m.related < 0.5


def as_dict(m: Matching) -> dict[str, Any]:
    """Plain values."""
    return {
        "schema": 2,
        "matched": m.matched,
        "headline": headline(m),
        "pairs": [{name: _plain(value) for name, value in asdict(pair).items()} for pair in m.pairs],
        "unmatched_source": [{k: _plain(v) for k, v in asdict(one).items()} for one in m.unmatched_source],
        "unmatched_target": [{k: _plain(v) for k, v in asdict(one).items()} for one in m.unmatched_target],
        "sources": list(m.sources),
        "targets": list(m.targets),
        "confidence": _matrix(m.confidence),
        "costs": _matrix(m.costs),
        "mmd": _matrix(m.mmd),
        "pvalues": _matrix(m.pvalues),
        "distance": _plain(m.distance),
        "related": _plain(m.related),
        "level": m.level,
        "names": list(m.names),
        "rows": list(m.rows),
        "notes": list(m.notes),
        "seed": m.seed,
        "version": __version__,
        "citation": m.citation,
    }


def as_frame(m: Matching) -> pl.DataFrame:
    """Pairs first, then those without a partner, whose other name is null."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for pair in m.pairs:
        a, b = pair.map or (None, None)
        rows.append({**asdict(pair), "map_a": a, "map_b": b})
    rows += [{"source": one.name, "pvalue": one.pvalue, "evidence": one.reason} for one in m.unmatched_source]
    rows += [{"target": one.name, "pvalue": one.pvalue, "evidence": one.reason} for one in m.unmatched_target]
    schema = {
        "source": pl.String, "target": pl.String, "kind": pl.String, "confidence": pl.Float64, "drifted": pl.Boolean,
        "mmd": pl.Float64, "pvalue": pl.Float64, "adjusted_pvalue": pl.Float64, "gap": pl.Float64, "cost": pl.Float64,
        "statistic": pl.Float64, "map_a": pl.Float64, "map_b": pl.Float64, "evidence": pl.String,
    }  # fmt: skip
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema, orient="row")


def as_html(m: Matching) -> str:
    """A table for notebooks."""
    alone = "".join(
        f"<li>{escape(shown(one.name, _NAME))}: {escape(one.reason)}</li>"
        for one in (*m.unmatched_source, *m.unmatched_target)
    )
    rest = f"<p>Without a partner</p><ul>{alone}</ul>" if alone else ""
    pairs = table([_cells(pair) for pair in m.pairs], _HEAD)
    return box(badge(headline(m), "same" if m.matched else "open"), pairs, rest)


def scores(m: Matching) -> dict[tuple[str, str, str, str], float]:
    """Pairs by confidence, best first; those that were matched before all others."""
    chosen = {(pair.source, pair.target) for pair in m.pairs}
    found = {
        (m.names[0], m.sources[i], m.names[1], m.targets[j]): 0.5 * float(m.confidence[i, j])
        for i, j in np.argwhere(m.confidence > 0)
    }
    found = {key: value + 0.5 * (key[1::2] in chosen) for key, value in found.items()}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _cells(pair: Pair) -> tuple[str, ...]:
    words = pair.evidence if pair.map is None else f"{units(pair.map, 'source', 'target')}; {pair.evidence}"
    return (
        shown(pair.source, _NAME), shown(pair.target, _NAME), pair.kind, f"{pair.confidence:.2f}", drift(pair),
        f"{pair.mmd:.3f}", pvalue(pair.pvalue), words,
    )  # fmt: skip


def drift(pair: Pair) -> str:
    """Whether the two have drifted apart, in a word."""
    return "unknown" if pair.drifted is None else "yes" if pair.drifted else "no"


def units(change: tuple[float, float], source: str, target: str) -> str:
    """The change of units in words.

    >>> units((-32.0, 1.8), "A", "B")
    'B = -32 + 1.8 · A'
    """
    return f"{target} = {change[0]:.4g} + {change[1]:.4g} · {source}"


def _matched_things(m: Matching) -> str:
    return "columns" if m.sides else "tables"


def _side(m: Matching, side: int) -> str:
    count = len((m.sources, m.targets)[side])
    return f"{shown(m.names[side], _NAME)}: {count} {_matched_things(m)}, {m.rows[side]} rows"


def _matrix(values: Floats) -> list[list[float | None]]:
    return [[float(v) if np.isfinite(v) else None for v in row] for row in values]


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    return list(value) if isinstance(value, tuple) else value
