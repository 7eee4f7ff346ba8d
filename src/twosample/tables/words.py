"""A comparison as text, as plain values and as a frame."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from math import isfinite
from typing import TYPE_CHECKING, Any

from .._numbers import duration, is_p, pvalue, shares
from .._reported import plain
from .._shown import shown
from .known import floors, joint_floor, seconds
from .parts import ColumnComparison

if TYPE_CHECKING:
    import polars as pl

    from .results import Comparison

_SHOWN = 30  # columns and findings of a summary


def summary(c: Comparison) -> str:
    """The comparison as text, fit for a terminal."""
    lines = [
        c.headline,
        f"  a: {c.a.name}: {c.a.rows:,} rows, {c.a.columns} columns",
        f"  b: {c.b.name}: {c.b.rows:,} rows, {c.b.columns} columns",
    ]
    if c.joint is not None:
        effect = "" if c.joint_effect is None else f", effect {_interval(c.joint_effect)} (margin {c.joint_margin:.2g})"
        p = is_p(pvalue(c.joint.pvalue, joint_floor(c)))
        lines.append(f"  all columns together: {c.joint_verdict}, {p}{effect}")
    rows: list[tuple[str, ...]] = [
        ("column", "kind", "verdict", "p", "adjusted p", f"effect (margin {c.margin:g})", "where")
    ]
    rows += [_row(column, c) for column in c.columns[:_SHOWN]]
    for column in c.columns[:_SHOWN]:
        if column.missing is not None and (column.missing.verdict != "same" or column.missing.pvalue <= c.level):
            part = column.missing
            found = (f"{column.name} (missing)", "", part.verdict, pvalue(part.pvalue), pvalue(part.adjusted_pvalue))
            first, second = shares(part.share_a, part.share_b)
            rows.append((*found, _effect(part), f"in {first} of A and in {second} of B"))
    widths = [min(40, max(len(row[i]) for row in rows)) for i in range(6)]
    lines += [
        "",
        *(
            (
                "  "
                + "  ".join(f"{_cut(cell, 60 if w else 120):<{w}}" for cell, w in zip(row, [*widths, 0], strict=True))
            ).rstrip()
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


def _row(column: ColumnComparison, c: Comparison) -> tuple[str, ...]:
    where = next((place.text for place in column.where if place.what != "missing"), "")
    both = zip((column.pvalue, column.adjusted_pvalue), floors(column, c), strict=True)
    pvalues = (pvalue(value, least, digits=2) for value, least in both)
    return (column.name, column.kind, column.verdict, *pvalues, _effect(column), where)


def _effect(part: Any) -> str:
    return f"{part.effect:.2g} ({part.effect_low:.2g} to {part.effect_high:.2g})"


def _interval(effect: Any) -> str:
    return f"{effect.value:.2g} ({effect.low:.2g} to {effect.high:.2g})"


def _cut(text: str, most: int = 60) -> str:
    return shown(text if len(text) <= most else text[: most - 1] + "…")


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
        **plain(c, "verdict", "headline", "pvalue", "level", "margin", "a", "b"),
        "joint": joint,
        "table_schema": plain(c.schema),
        "violations": [plain(violation) for violation in c.violations],
        "columns": [{**plain(column), "rejected": column.rejected} for column in c.columns],
        "findings": [plain(finding) for finding in c.findings],
        "rows": [plain(row) for row in c.speaking[:20]],
        "seed": c.seed,
        "versions": dict(c.versions),
        **plain(c, "notes", "citation"),
    })  # fmt: skip
    return result


def _finite(value: Any) -> Any:
    """Without infinite numbers, tuples as lists, dates as ISO text, durations in words."""
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, datetime | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration(value.total_seconds())
    return value if not isinstance(value, float) or isfinite(value) else None


def as_frame(c: Comparison) -> pl.DataFrame:
    """One row for each column."""
    import polars as pl

    rows = [
        {
            "column": part.name,
            **{name: getattr(part, name) for name in _OF_COLUMN},
            "missing_pvalue": None if part.missing is None else part.missing.pvalue,
            "missing_adjusted_pvalue": None if part.missing is None else part.missing.adjusted_pvalue,
            "where": "; ".join(place.text for place in part.where),
            "wasserstein": part.wasserstein,
            **{f"{name}_{side}": value for name, *both in known(part) for side, value in zip("ab", both, strict=True)},
        }
        for part in c.columns
    ]
    found = pl.DataFrame(rows, infer_schema_length=None)
    numbers = [name for name in found.columns if name.removesuffix("_a").removesuffix("_b") in _KNOWN]
    return found.with_columns(pl.col(numbers).cast(pl.Float64))


_OF_COLUMN = (
    "kind", "verdict", "statistic", "pvalue", "adjusted_pvalue", "fdr_pvalue", "effect", "effect_low", "effect_high",
    "rows_a", "rows_b", "missing_a", "missing_b",
)  # fmt: skip
_KNOWN = ("mean", "sd", "median", "q01", "q05", "q25", "q75", "q95", "q99", "min", "max", "distinct")


def known(part: ColumnComparison) -> list[tuple[str, float | None, float | None]]:
    """The numbers that people know, of both tables; dates in seconds since 1970, times since midnight."""
    sides = []
    for facts in (part.a, part.b):
        own = [facts.quantiles.get(int(name[1:]) / 100) if name[0] == "q" else getattr(facts, name) for name in _KNOWN]
        sides.append([None if value is None else seconds(value) for value in own])
    return [(name, one, two) for name, one, two in zip(_KNOWN, *sides, strict=True)]
