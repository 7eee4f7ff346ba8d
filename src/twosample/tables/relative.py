"""Which of two tables is closer to a third: all columns together, and each by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _door as door
from .._numbers import counted, is_p, pvalue
from .._reported import Printed, Tabled, plain
from .._shown import shown
from ..core.adjust import holm
from ..core.blas import single_threaded_blas
from ..errors import InputError, checked_kinds, checked_names, options_by_name, whole_number
from ..homogeneity import RelativeResult, relative_test
from ..sources import open_table
from ..sources.values import columns_of, stacked
from .joint import shared_rows
from .side_by_side import SideBySide

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 5_000
"""Rows of each table, unless the user says otherwise."""

LEAST = 3


@dataclass(frozen=True)
class RelativeColumn(Tabled):
    """One column of two tables beside that of a reference.

    Parameters
    ----------
    name
        The column.
    mmd2_a, mmd2_b
        Unbiased estimates of MMD² between either table and the reference.
    pvalue, adjusted_pvalue
        Of the relative test, and Holm's over all columns.
    closer
        "a" or "b", if the adjusted p-value shows it at the level; else None.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> real, a, b = ({"v": rng.normal(shift, size=300)} for shift in (0, 0.1, 1))
    >>> ts.compare_relative(a, b, real).columns[0].closer
    'a'
    """

    name: str
    mmd2_a: float
    mmd2_b: float
    pvalue: float
    adjusted_pvalue: float
    closer: str | None


@dataclass(frozen=True, eq=False)
class RelativeComparison(Printed):
    """Which of two tables is closer to a reference. Made by :func:`compare_relative`.

    Parameters
    ----------
    a, b, reference
        What the tables are called.
    rows, looked_at
        Rows of the three tables, and how many of them were tested.
    test
        The test of all columns together.
    columns
        Every column, the smallest p-value first.
    notes
        What was left out.
    read
        The real paths of the files that were read.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> real, a, b = ({"v": rng.normal(shift, size=300)} for shift in (0, 0.1, 1))
    >>> ts.compare_relative(a, b, real).closer
    'a'
    """

    a: str
    b: str
    reference: str
    rows: tuple[int, int, int]
    looked_at: tuple[int, int, int]
    test: RelativeResult = field(repr=False)
    columns: tuple[RelativeColumn, ...] = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)

    @property
    def pvalue(self) -> float:
        """Of all columns together."""
        return self.test.pvalue

    @property
    def closer(self) -> str | None:
        """Which is closer, "a" or "b", if that is shown at the level; else None."""
        return None if self.test.closer is None else {"x": "a", "y": "b"}[self.test.closer]

    @property
    def headline(self) -> str:
        """In one sentence."""
        a, b, reference = "A", "B", "the reference"
        if len({self.a, self.b, self.reference}) == 3:
            a, b, reference = (shown(name, 60) for name in (self.a, self.b, self.reference))
        if self.closer is None:
            return f"No difference found: neither of {a} and {b} is shown to be closer to {reference}."
        near, far = (a, b) if self.closer == "a" else (b, a)
        return f"{near} is closer to {reference} than {far}."

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Labels and texts: the tables, both distances, the test."""
        parts = zip(("A", "B", "reference"), (self.a, self.b, self.reference), self.rows, self.looked_at, strict=True)
        lines = [
            (
                label,
                f"{shown(name, 80)}: {counted(rows, 'row')}" + (f", {some:,} of them tested" if some < rows else ""),
            )
            for label, name, rows, some in parts
        ]
        for i, (label, square) in enumerate((("A", self.test.mmd2_x), ("B", self.test.mmd2_y))):
            deviation = sqrt(max(self.test.covariance[i][i], 0.0))
            lines.append((f"{label} to reference", f"MMD² = {square:.3g} ± {deviation:.2g}"))
        many = counted(len(self.columns), "column")
        return [*lines, ("p-value", f"{pvalue(self.pvalue)} ({many} together, level {self.test.level:g})")]

    def summary(self) -> str:
        """The comparison as text for a terminal."""
        lines = [self.headline, "", *(f"{label:<14} {text}" for label, text in self.facts), ""]
        for one in self.columns[:30]:
            said = "" if one.closer is None else f", {one.closer.upper()} is closer"
            squares = f"MMD² = {one.mmd2_a:.3g} and {one.mmd2_b:.3g}"
            lines.append(f"{shown(one.name, 30):<30} {squares}, adjusted {is_p(pvalue(one.adjusted_pvalue))}{said}")
        return "\n".join([*lines, *(f"note: {note}" for note in (*self.notes, *self.test.notes))])

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values that JSON can hold, with ``"schema": 1``."""
        names = zip(("a", "b", "reference"), (self.a, self.b, self.reference), self.rows, self.looked_at, strict=True)
        return {
            "schema": 1,
            **plain(self, "closer", "headline"),
            **{key: {"name": name, "rows": rows, "looked_at": some} for key, name, rows, some in names},
            "test": self.test.to_dict(),
            **plain(self, "columns", "notes"),
        }


@options_by_name
def compare_relative(  # noqa: PLR0913 - three tables, what to look at, how to judge
    a: object,
    b: object,
    reference: object,
    *,
    level: float = 0.05,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int | None = SAMPLE,
    rng: int = 0,
) -> RelativeComparison:
    """Say which of two tables is closer to a reference: two generators of data, two simulators, two years.

    Not whether either is right, and not whether they differ: with enough rows no simulator is right, and this asks
    which is less wrong. :func:`relative_test` on mixed columns: numbers and dates are measured in units of their median
    distance, different categories are one unit apart, texts are compared by the letters that they share, and missing is
    a value of its own. A Gaussian kernel at the median distance sees all columns together; then each is tested alone.

    Parameters
    ----------
    a, b, reference
        Whatever :func:`compare` takes: paths, database URLs, frames, dictionaries of columns. Columns that all three
        have are compared; the notes name the others.
    level
        The level of the test of all columns together, and of all columns by themselves (Holm).
    select, exclude, kinds, where
        As for :func:`compare`.
    sample
        Rows of each table, drawn at random; None for all.
    rng
        A whole number: the seed of the samples.

    Returns
    -------
    RelativeComparison
        ``closer, headline, pvalue, test, columns, to_dict()``.

    Notes
    -----
    O(N² d) time for the N rows that are looked at and d coordinates. The law is for tables of which at least one
    differs from the reference; where all three are alike it is conservative, and a note says so. Arrays and other
    kernels: :func:`relative_test`, where numbers keep their units. Not for rows that depend on each other.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> def shop(mean, share):
    ...     return {"price": rng.normal(mean, size=400), "kind": np.where(rng.random(400) < share, "A", "B")}
    >>> c = ts.compare_relative(shop(0.1, 0.5), shop(1.0, 0.5), shop(0.0, 0.5))
    >>> c.closer, c.columns[0].name
    ('a', 'price')
    """
    level, seed = door.check_level(level), whole_number("rng", rng, least=0)
    size = None if sample is None else whole_number("sample", sample, least=LEAST)
    chosen, left_out = checked_names("select", select), checked_names("exclude", exclude) or ()
    checked_kinds(kinds)
    tables = {"a": open_table(a, where=where), "b": open_table(b, where=where)}
    tables["reference"] = open_table(reference, where=where)
    random, frames = np.random.default_rng([seed, 2016]), {}
    for option, table in tables.items():
        frames[option] = table.collect() if size is None else table.sample(size, int(random.integers(1 << 31)))
        if len(frames[option]) < LEAST:
            raise InputError(
                f"{option}: {table.name} has {counted(len(frames[option]), 'row')}; at least {LEAST} are needed."
            )
    side = SideBySide.of(frames, kinds, chosen, left_out)
    known = [_known(option, frames[option], frames["reference"]) for option in ("a", "b")]
    with single_threaded_blas():
        test = relative_test(*side.rows, level=level, rng=seed)
        each = [relative_test(*parts, level=level, rng=seed) for parts in side.columns.values()]
    columns = [
        RelativeColumn(
            name, r.mmd2_x, r.mmd2_y, r.pvalue, float(p), ("a" if r.statistic < 0 else "b") if p <= level else None
        )
        for name, r, p in zip(side.columns, each, holm([r.pvalue for r in each]), strict=True)
    ]
    said = dict.fromkeys(note for table in tables.values() for note in table.notes)
    rows = tuple(table.row_count() for table in tables.values())
    return RelativeComparison(
        a=tables["a"].name,
        b=tables["b"].name,
        reference=tables["reference"].name,
        rows=rows,  # type: ignore[arg-type]
        looked_at=tuple(map(len, frames.values())),  # type: ignore[arg-type]
        test=test,
        columns=tuple(sorted(columns, key=lambda column: column.pvalue)),
        notes=(*(note for notes in known for note in notes), *side.notes, *said),
        read=tuple(path for table in tables.values() for path in table.files),
    )


def _known(option: str, rows: pl.DataFrame, reference: pl.DataFrame) -> tuple[str, ...]:
    """A word about a table that holds rows of the reference: it is no independent sample."""
    names = [name for name in rows.columns if name in reference.columns]
    pooled = stacked([columns_of(frame, names) for frame in (rows, reference)]) if names else None
    shared = None if pooled is None else shared_rows(pooled, len(rows))
    if shared is None:
        return ()
    return (
        f"{shared[0]:.0%} of the rows of {option.upper()} are in the reference too, value for value, more than chance "
        "explains. A table that repeats the reference is no independent sample, and looks closer than it is.",
    )
