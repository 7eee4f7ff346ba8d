"""A comparison of two tables on one screen of a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from .._numbers import counted, share
from .._shown import shown
from .screen import NAME, grid, judged, listing, name, pvalue
from .terminal import console

if TYPE_CHECKING:
    from rich.table import Table

    from ..tables import ColumnComparison, Comparison, ManyComparison, MissingComparison, TableFacts
    from ..tables.parts import Finding, Verdict

_MOST_COLUMNS = 15
_MOST_FINDINGS = 8


def screen(result: Comparison | ManyComparison) -> Iterator[Any]:
    """Headline, tables, joint test, columns by rank, findings; of several tables the matrix of effects."""
    from ..tables import ManyComparison

    yield from _several(result) if isinstance(result, ManyComparison) else _two(result)


def _several(result: ManyComparison) -> Iterator[Any]:
    from ..tables.many_words import matrix_lines

    yield judged(result.verdict, result.headline)
    for line in matrix_lines(result):
        yield Text(shown(line))
    if len(result.alike) > 1:
        yield Text()
        yield grid((f"group {i}", ", ".join(group)) for i, group in enumerate(result.alike[:_MOST_COLUMNS], 1))
    if result.findings:
        yield grid((found.what, _found(found)) for found in result.findings[:_MOST_FINDINGS])


def _two(result: Comparison) -> Iterator[Any]:
    yield judged(result.verdict, result.headline)
    yield Text()
    yield grid([("A", _table(result.a)), ("B", _table(result.b)), ("all columns", _joint(result))])
    if result.columns:
        yield Text()
        yield _columns(result, console().width)
        hidden = len(result.columns) - _MOST_COLUMNS
        if hidden > 0:
            yield Text(f"  and {counted(hidden, 'more column')}; --report and --json have all", style="dim")
    if result.findings:
        yield Text()
        yield grid((found.what, _found(found)) for found in result.findings[:_MOST_FINDINGS])
        hidden = len(result.findings) - _MOST_FINDINGS
        if hidden > 0:
            yield Text(f"  and {counted(hidden, 'more finding')}", style="dim")


def _table(facts: TableFacts) -> str:
    sampled = f" ({facts.sampled:,} of them in the joint test)" if 0 < facts.sampled < facts.rows else ""
    return f"{facts.name}: {counted(facts.rows, 'row')}{sampled}, {counted(facts.columns, 'column')}"


def _joint(result: Comparison) -> str:
    if result.joint is None:
        return "not tested"
    effect = result.joint_effect
    size = "" if effect is None else f", effect {effect.value:.3f} ({effect.low:.3f} to {effect.high:.3f})"
    return f"{result.joint_verdict}: p = {pvalue(result.joint.pvalue)}{size}, margin {result.joint_margin:.3g}"


def _columns(result: Comparison, width: int) -> Table:
    """The columns by rank; a narrow terminal shows fewer things of each."""
    level = round(100 * (1 - 2 * result.level))
    heads = [("  column", False, 0), ("kind", False, 90), ("effect", True, 0), (f"{level} % interval", False, 75),
             ("adjusted p", True, 0), ("verdict", False, 0), ("most", False, 120)]  # fmt: skip
    fits = [width >= needs for _, _, needs in heads]
    lines = [line for column in result.columns[:_MOST_COLUMNS] for line in _lines(column, result.level)]
    rows = [[cell for cell, fit in zip(line, fits, strict=True) if fit] for line in lines]
    return listing([(head, number) for head, number, needs in heads if width >= needs], rows)


def _found(finding: Finding) -> str:
    return finding.detail if finding.column is None else f"{finding.column}: {finding.detail}"


def _lines(column: ColumnComparison, level: float) -> Iterator[list[Text]]:
    """The values, and the missing share if it differs; not the values if it is the only thing that differs."""
    missing = column.missing if column.missing is not None and column.missing.verdict == "different" else None
    if missing is None or column.adjusted_pvalue <= level:
        most = column.where[0].text if column.where and column.verdict in ("different", "small difference") else ""
        yield _line(column.name, column.kind, column, column.values_verdict, most)
    if missing is not None:
        most = f"{share(missing.share_a)} against {share(missing.share_b)}"
        yield _line(f"{column.name}, missing", column.kind, missing, missing.verdict, most)


def _line(
    label: str, kind: str, measured: ColumnComparison | MissingComparison, verdict: Verdict, most: str
) -> list[Text]:
    return [
        name(label),
        Text(kind),
        Text(f"{measured.effect:.3f}"),
        Text(f"{measured.effect_low:.3f} to {measured.effect_high:.3f}"),
        pvalue(measured.adjusted_pvalue),
        judged(verdict, verdict),
        Text(shown(most, NAME), style="dim"),
    ]
