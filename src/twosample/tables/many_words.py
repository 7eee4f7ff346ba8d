"""Several tables compared, as text, as plain values and as a frame."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .._numbers import is_p, pvalue
from .._reported import plain
from .._shown import few, shown

if TYPE_CHECKING:
    import polars as pl

    from .many_results import ManyComparison

_SHOWN = 30
_WIDE = 20
_COLUMNS = 3
_CELL = 7
SIGNS = {"different": "≠", "small difference": "≈", "no difference found": "?", "same": "="}


def summary(m: ManyComparison) -> str:
    """Headline, and the matrix of effects in the order of the dendrogram."""
    lines = [m.headline, *matrix_lines(m), *at_once(m)]
    different = differing(m)
    if different:
        lines += ["", "Columns that differ most", *(f"  {pair}: {columns}" for pair, columns in different[:_SHOWN])]
    if 1 < len(m.alike) < len(m.names):
        lines += ["", "Not different among themselves"]
        lines += [f"  {', '.join(group)}" for group in m.alike[:_SHOWN]]
    if m.findings:
        lines += ["", "Findings", *(f"  {f.what}: {f.column}: {f.detail}" for f in m.findings[:_SHOWN])]
    return "\n".join(shown(line) for line in lines)


def at_once(m: ManyComparison) -> list[str]:
    """The one p-value of all tables, in a line; none where there is no such test."""
    if m.together is None:
        return []
    said = "not all alike" if m.together.rejected else "no difference found"
    return ["", f"  All tables at once: {is_p(pvalue(m.together.pvalue))}, {said}"]


def matrix_lines(m: ManyComparison) -> list[str]:
    """The effects of all pairs with the signs of their verdicts; letters above them where names are long."""
    order = m.order[:_SHOWN]
    names = [shown(m.names[i], _WIDE) for i in order]
    heads = names
    if max(map(len, names)) > _CELL:
        heads = [_letter(i) for i in order]  # as the tables were given
        names = [f"{head} {name}" for head, name in zip(heads, names, strict=True)]
    wide = max(map(len, names))
    cells = {(pair.a, pair.b): f"{SIGNS[pair.verdict]} {pair.effect:.3f}" for pair in m.pairs}
    lines = ["", "  " + " " * wide + "".join(f"  {head:>{_CELL}}" for head in heads)]
    for row, i in enumerate(order):
        texts = []
        for j in order:
            a, b = m.names[i], m.names[j]
            texts.append("" if i == j else cells.get((a, b)) or cells[b, a])
        lines.append(f"  {names[row]:<{wide}}" + "".join(f"  {text:>{_CELL}}" for text in texts))
    lines.append("  effect; ≠ different, ≈ small difference, ? no difference found, = same")
    return lines


def differing(m: ManyComparison) -> list[tuple[str, str]]:
    """The pairs that differ, the largest effect first, and the columns that differ most in each."""
    found = []
    for pair in sorted(m.pairs, key=lambda pair: -pair.effect):
        if pair.verdict == "different":
            columns = few(pair.most, _COLUMNS, lambda name: shown(name, 40))
            found.append((f"{shown(pair.a, 40)}, {shown(pair.b, 40)}", columns or pair.headline))
    return found


def _letter(place: int) -> str:
    """A, B, ..., Z, AA, AB, ...: a place among the tables as they were given."""
    return (chr(64 + place // 26) if place >= 26 else "") + chr(65 + place % 26)


def as_dict(m: ManyComparison) -> dict[str, Any]:
    """Plain values that JSON can hold."""
    return {
        "schema": 1,
        **plain(m, "verdict", "headline", "level"),
        "margin": dict(m.margin) if not isinstance(m.margin, int | float) else m.margin,
        "tables": [{"name": name, "rows": rows} for name, rows in zip(m.names, m.rows, strict=True)],
        "together": None if m.together is None else m.together.to_dict(),
        **plain(m, "pairs", "alike", "apart", "tree", "order", "findings", "seed", "notes", "citation"),
    }


def as_frame(m: ManyComparison) -> pl.DataFrame:
    """One row for each pair."""
    import polars as pl

    return pl.DataFrame([{**asdict(pair), "most": ", ".join(pair.most)} for pair in m.pairs], infer_schema_length=None)
