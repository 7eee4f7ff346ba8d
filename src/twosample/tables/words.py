"""A comparison as text, as plain values, as a frame and as a little HTML."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

from .._shown import shown
from .parts import ColumnComparison

if TYPE_CHECKING:
    import polars as pl

    from .results import Comparison

_SHOWN = 30
"""Columns and findings of a summary."""


def summary(c: Comparison) -> str:
    """The comparison as text, fit for a terminal."""
    lines = [
        c.headline,
        f"  a: {c.a.name}: {c.a.rows:,} rows, {c.a.columns} columns",
        f"  b: {c.b.name}: {c.b.rows:,} rows, {c.b.columns} columns",
    ]
    if c.joint is not None:
        effect = "" if c.joint_effect is None else f", effect {_interval(c.joint_effect)} (margin {c.joint_margin:.2g})"
        lines.append(f"  all columns together: {c.joint_verdict}, p = {c.joint.pvalue:.3g}{effect}")
    rows: list[tuple[str, ...]] = [
        ("column", "kind", "verdict", "p", "adjusted p", f"effect (margin {c.margin:g})", "where")
    ]
    rows += [_row(column) for column in c.columns[:_SHOWN]]
    for column in c.columns[:_SHOWN]:
        if column.missing is not None and (column.missing.verdict != "same" or column.missing.pvalue <= c.level):
            part = column.missing
            found = (f"{column.name} (missing)", "", part.verdict, f"{part.pvalue:.2g}", f"{part.adjusted_pvalue:.2g}")
            rows.append((*found, _effect(part), f"{part.share_a:.2%} against {part.share_b:.2%}"))
    widths = [min(40, max(len(row[i]) for row in rows)) for i in range(6)]
    lines += [
        "",
        *(
            ("  " + "  ".join(f"{_cut(cell):<{w}}" for cell, w in zip(row, [*widths, 0], strict=True))).rstrip()
            for row in rows
        ),
    ]
    if len(c.columns) > _SHOWN:
        lines.append(f"  ... and {len(c.columns) - _SHOWN} more columns")
    if c.findings:
        lines += ["", "Findings"]
        lines += [
            f"  {f.what}: {f.column + ': ' if f.column is not None else ''}{f.detail}" for f in c.findings[:_SHOWN]
        ]
        if len(c.findings) > _SHOWN:
            lines.append(f"  ... and {len(c.findings) - _SHOWN} more")
    return "\n".join(shown(line) for line in lines)


def _row(column: ColumnComparison) -> tuple[str, ...]:
    where = column.where[0].text if column.where else ""
    found = (column.name, column.kind, column.values_verdict, f"{column.pvalue:.2g}", f"{column.adjusted_pvalue:.2g}")
    return (*found, _effect(column), where)


def _effect(part: Any) -> str:
    return f"{part.effect:.2g} ({part.effect_low:.2g} to {part.effect_high:.2g})"


def _interval(effect: Any) -> str:
    return f"{effect.value:.2g} ({effect.low:.2g} to {effect.high:.2g})"


def _cut(text: str) -> str:
    return shown(text if len(text) <= 60 else text[:59] + "…")


def as_dict(c: Comparison) -> dict[str, Any]:
    """Plain values that JSON can hold."""
    effect = c.joint_effect
    joint = None if c.joint is None else {
        **c.joint.to_dict(),
        "verdict": c.joint_verdict,
        "margin": c.joint_margin,
        "effect": None if effect is None else {"value": effect.value, "low": effect.low, "high": effect.high},
    }  # fmt: skip
    result: dict[str, Any] = _finite({
        "schema": 2,
        "verdict": c.verdict,
        "headline": c.headline,
        "level": c.level,
        "margin": c.margin,
        "a": asdict(c.a),
        "b": asdict(c.b),
        "joint": joint,
        "table_schema": asdict(c.schema),
        "violations": [asdict(violation) for violation in c.violations],
        "columns": [{**asdict(column), "rejected": column.rejected} for column in c.columns],
        "findings": [asdict(finding) for finding in c.findings],
        "rows": [asdict(row) for row in c.speaking[:20]],
        "seed": c.seed,
        "versions": dict(c.versions),
        "notes": list(c.notes),
        "citation": c.citation,
    })  # fmt: skip
    return result


def _finite(value: Any) -> Any:
    """Without infinite numbers, tuples as lists."""
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value if not isinstance(value, float) or isfinite(value) else None


def as_frame(c: Comparison) -> pl.DataFrame:
    """One row for each column."""
    import polars as pl

    rows = [
        {
            "column": part.name,
            "kind": part.kind,
            "verdict": part.verdict,
            "statistic": part.statistic,
            "pvalue": part.pvalue,
            "adjusted_pvalue": part.adjusted_pvalue,
            "fdr_pvalue": part.fdr_pvalue,
            "effect": part.effect,
            "effect_low": part.effect_low,
            "effect_high": part.effect_high,
            "rows_a": part.rows_a,
            "rows_b": part.rows_b,
            "missing_a": part.missing_a,
            "missing_b": part.missing_b,
            "missing_pvalue": None if part.missing is None else part.missing.pvalue,
            "missing_adjusted_pvalue": None if part.missing is None else part.missing.adjusted_pvalue,
            "where": "; ".join(place.text for place in part.where),
        }
        for part in c.columns
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def as_html(c: Comparison) -> str:
    """A little table for a notebook."""
    head = ("column", "kind", "verdict", "p", "adjusted p", "effect", "where")
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cut(cell))}</td>' for cell in _row(part))}</tr>" for part in c.columns[:_SHOWN]
    )
    findings = "".join(
        f"<li>{escape(_cut(f.what + ': ' + (f.column or 'all')))}: {escape(shown(f.detail))}</li>"
        for f in c.findings[:_SHOWN]
    )
    columns = "".join(f"<th>{cell}</th>" for cell in head)
    return f"<div><b>{escape(shown(c.headline))}</b><table><tr>{columns}</tr>{body}</table><ul>{findings}</ul></div>"
