"""A comparison of two tables on one screen of a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from .._numbers import counted, is_p, shares
from .._shown import shown
from ..tables.known import floors, joint_floor, known_numbers
from .screen import bound, grid, judged, listing, more, name
from .terminal import console

if TYPE_CHECKING:
    from rich.table import Table

    from ..tables import ColumnComparison, Comparison, ManyComparison, MissingComparison, TableFacts
    from ..tables.parts import Finding, Place, Verdict

_MOST_COLUMNS = 15
_MOST_FINDINGS = 8


def screen(result: Comparison | ManyComparison) -> Iterator[Any]:
    """Headline, tables, joint test, columns by rank, findings; of several tables the matrix of effects."""
    from ..tables import ManyComparison

    yield from _several(result) if isinstance(result, ManyComparison) else _two(result)


def _several(result: ManyComparison) -> Iterator[Any]:
    from ..tables.many_words import at_once, differing, matrix_lines

    yield judged(result.verdict, result.headline)
    for line in (*matrix_lines(result), *at_once(result)):
        yield Text(shown(line))
    different = differing(result)
    if different:
        yield Text()
        yield Text("  columns that differ most")
        yield grid(different[:_MOST_COLUMNS])
        yield from more(len(different), _MOST_COLUMNS, "pair", "; --report has all")
    if 1 < len(result.alike) < len(result.names):
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
        yield from more(len(result.columns), _MOST_COLUMNS, "column", "; --report and --json have all")
    if result.findings:
        yield Text()
        yield grid((found.what, _found(found)) for found in result.findings[:_MOST_FINDINGS])
        yield from more(len(result.findings), _MOST_FINDINGS, "finding")


def _table(facts: TableFacts) -> str:
    sampled = f" ({facts.sampled:,} of them in the joint test)" if 0 < facts.sampled < facts.rows else ""
    return f"{facts.name}: {counted(facts.rows, 'row')}{sampled}, {counted(facts.columns, 'column')}"


def _joint(result: Comparison) -> str:
    if result.joint is None:
        return "not tested"
    effect, p = result.joint_effect, is_p(bound(result.joint.pvalue, joint_floor(result)))
    size = "" if effect is None else f", effect {effect.value:.3f} ({effect.low:.3f} to {effect.high:.3f})"
    return f"{result.joint_verdict}: {p}{size}, margin {result.joint_margin:.3g}"


def _columns(result: Comparison, width: int) -> Table:
    """The columns by rank; a narrow terminal shows fewer things of each, but always where they differ most."""
    level = round(100 * (1 - 2 * result.level))
    heads = [("  column", False, 0), ("kind", False, 120), ("effect", True, 0), (f"{level} % interval", False, 100),
             ("adj. p" if width < 100 else "adjusted p", True, 0), ("verdict", False, 0), ("median A", True, 140),
             ("median B", True, 140), ("where most: A, B", False, 70)]  # fmt: skip
    fits = [width >= needs for _, _, needs in heads]
    lines = [line for column in result.columns[:_MOST_COLUMNS] for line in _lines(column, result, width)]
    rows = [[cell for cell, fit in zip(line, fits, strict=True) if fit] for line in lines]
    return listing([(head, number) for head, number, needs in heads if width >= needs], rows, folded=True)


def _found(finding: Finding) -> str:
    return finding.detail if finding.column is None else f"{finding.column}: {finding.detail}"


def _lines(column: ColumnComparison, result: Comparison, width: int) -> Iterator[list[Text]]:
    """The values, and the missing share if it differs; not the values if it is the only thing that differs."""
    missing = column.missing if column.missing is not None and column.missing.verdict == "different" else None
    floor = floors(column, result)[1]
    if missing is None or column.values_verdict in ("different", "small difference"):
        places = [place for place in column.where if missing is None or place.what != "missing"]
        most = _place(places[0]) if places and column.verdict in ("different", "small difference") else ""
        known = {what: (a, b) for what, a, b in known_numbers(column)}
        middle = known.get("median", ("", ""))
        yield _line(column.name, column.kind, column, column.verdict, most, floor, middle, width)
    if missing is not None:
        most = ", ".join(shares(missing.share_a, missing.share_b))
        yield _line(f"{column.name}, missing", column.kind, missing, missing.verdict, most, 0.0, ("", ""), width)


def _place(place: Place) -> str:
    """Where, and the shares of both tables."""
    return f"{place.what}: {', '.join(shares(place.share_a, place.share_b))}" if place.what else place.text


def _line(
    label: str,
    kind: str,
    measured: ColumnComparison | MissingComparison,
    verdict: Verdict,
    most: str,
    floor: float,
    middle: tuple[str, ...],
    width: int,
) -> list[Text]:
    short = {"small difference": "small", "no difference found": "not found"}.get(verdict, verdict)
    return [
        name(label),
        Text(kind),
        Text(f"{measured.effect:.3f}"),
        Text(f"{measured.effect_low:.3f} to {measured.effect_high:.3f}"),
        Text(bound(measured.adjusted_pvalue, floor, digits=3 if width >= 100 else 2).replace(" ", "")),
        judged(verdict, verdict if width >= 100 else short),
        Text(middle[0]),
        Text(middle[1]),
        Text(shown(most, 120), style="dim"),
    ]
