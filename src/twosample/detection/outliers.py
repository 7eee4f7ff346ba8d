"""Which rows of a table do not come from where a reference table comes from: any source, any kind of column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..errors import InputError, checked_names, options_by_name, whole_number
from ..kernels import Gaussian, Median
from ..sources import ColumnKind
from ..sources.values import records
from ..structured.coordinates import TableRows, coordinates_against, read_rows, unread
from .conformal import ConformalRanks
from .oddity import odd_columns
from .results import Outlier, Outliers

SAMPLE = 5_000
"""Rows of the reference to learn from, unless the user says otherwise: learning takes the square of it."""

_EXPLAINED = 1000  # the oddest rows, whose columns are looked at one by one


@options_by_name
def outliers(
    reference: object,
    new: object,
    *,
    level: float = 0.01,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int | None = SAMPLE,
    rng: int = 0,
) -> Outliers:
    """Find the rows of a table that do not come from where a reference table comes from, and what is odd about them.

    A row is the more unusual the farther it lies from the mean of the reference in feature space (Section 7.5 of the
    paper), with a Gaussian kernel on all columns together: numbers and dates in units of their median distance,
    different categories one unit apart, texts by the letters that they share, missing as a value of its own. Its rank
    among the reference rows, once it has joined them, is a conformal p-value.

    Parameters
    ----------
    reference
        What is usual: whatever :func:`twosample.sources.open_table` takes, such as a path, a database URL, a frame, an
        array, a summary.
    new
        The rows to judge, likewise; all of them are read.
    level
        The share of rows like those of the reference that may be called outliers: with 10,000 usual rows and 0.01, up
        to a hundred are.
    select, exclude
        Names of the columns to look at, and to leave out; by default all that both tables have.
    kinds
        What columns mean, where the guess is wrong: ``{"zip": "categorical"}``.
    where
        Keeps the rows of both tables for which a condition in SQL holds.
    sample
        Rows of the reference to learn from, drawn at random; None for all.
    rng
        A whole number: the seed of the sample.

    Returns
    -------
    Outliers
        ``rows`` (each with ``row, pvalue, columns, values``), ``scores, pvalues, flagged, to_frame(), to_dict()``;
        print it for a summary.

    Notes
    -----
    For a row that does come from where the reference comes from, P(p-value ≤ level) ≤ level at every sample size, over
    reference and row together. Nothing can be called an outlier when fewer than 1/level - 1 reference rows were learnt;
    the notes say so. Units, categories and bandwidth come from the reference alone, so that the verdict on a row does
    not depend on the other rows of `new`. Values there that cannot be read as the reference says (a word among numbers)
    count as missing, and a note says how many.

    O(n²) kernel values for n reference rows, and O(n) for each new row. A row counts as a whole: a category that the
    reference does not have is odd by itself, but beside many columns that vary more it hardly moves the row; select the
    columns that matter. Not for series, in which a row is unusual by its neighbours. For other kernels on arrays see
    :class:`MeanEmbeddingOutlierDetector`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> left = rng.normal(size=2000)
    >>> usual = {"left": left, "right": left + rng.normal(0, 0.3, 2000)}
    >>> found = ts.outliers(usual, {"left": [0.0, 2.0, 9.0], "right": [0.1, -2.0, 0.0]})
    >>> [(one.row, one.columns) for one in found.rows]  # row 1: usual values each, but not together
    [(2, ('left',)), (1, ('left', 'right'))]
    """
    door.check_level(level)
    seed = whole_number("rng", rng, least=0)
    chosen = checked_names("select", select), checked_names("exclude", exclude)
    size = None if sample is None else whole_number("sample", sample)
    known = read_rows(reference, sample=size, seed=seed, where=where, kinds=kinds)
    judged = read_rows(new, sample=None, seed=seed, where=where, kinds=None)
    common = _shared(known, judged, *chosen)
    random = door.generator(seed)
    usual, asked = coordinates_against(known.frame, judged.frame, common)
    pooled = np.concatenate(list(usual.values()), axis=1)
    ranks = ConformalRanks.fit(door.fill_bandwidth(Gaussian(), Median(), pooled, random), pooled)
    scores, threshold = ranks.scores(np.concatenate(list(asked.values()), axis=1)), ranks.threshold(level)
    order = [int(row) for row in scores.argsort(kind="stable") if scores[row] < threshold]
    first = order[:_EXPLAINED]
    parts = {name: values[first] for name, values in asked.items()}
    odd = odd_columns(usual, parts, ranks.kernel, level, random) if first else []
    left_out = known.left_out(chosen[1], constant=True) if chosen[0] is None else ()
    notes = (*_too_few(known, level, threshold), *_unread(known, judged, common), *left_out)
    return Outliers(
        rows=_rows(judged, order, odd, scores, ranks.pvalues(scores)),
        scores=scores,
        pvalues=ranks.pvalues(scores),
        threshold=threshold,
        level=level,
        columns=tuple(common),
        reference=known.table.name,
        new=judged.table.name,
        reference_rows=known.total,
        learnt=len(known.frame),
        kernel=ranks.kernel,
        notes=notes,
    )


def _shared(
    reference: TableRows, new: TableRows, select: tuple[str, ...] | None, exclude: tuple[str, ...] | None
) -> dict[str, ColumnKind]:
    """The columns that both tables have and that can be used, as the reference means them."""
    if len(reference.frame) < 2:
        raise InputError(f"{reference.table.name} has 1 row; a reference needs at least two.")
    there = {kind.name for kind in new.kinds}
    usable = reference.usable(select, exclude, constant=True)
    missing = [name for name in usable if name not in there]
    if select is not None and missing:
        raise InputError(f"select: {new.table.name} has no column {missing[0]!r}.")
    shared = {name: kind for name, kind in usable.items() if name in there}
    if not shared:
        raise InputError(f"{reference.table.name} and {new.table.name} have no column in common that can be used.")
    return shared


def _rows(
    new: TableRows, order: list[int], odd: list[tuple[str, ...]], scores: Floats, pvalues: Floats
) -> tuple[Outlier, ...]:
    columns = odd + [()] * (len(order) - len(odd))
    found = zip(order, columns, records(new.frame[order]), strict=True) if order else ()
    return tuple(Outlier(row, float(scores[row]), float(pvalues[row]), names, values) for row, names, values in found)


def _too_few(reference: TableRows, level: float, threshold: float) -> Iterator[str]:
    """A word if no row could be called an outlier."""
    if threshold > 0:
        return
    learnt, total = len(reference.frame), reference.total
    needed = ceil(1 / level * (1 - 1e-12)) - 1
    more = f"Learn from more of its {total:,} rows (sample)" if learnt < total else "Collect more"
    yield (
        f"{learnt:,} rows of {reference.table.name} are too few to call any row an outlier at level {level:g}: "
        f"at least {needed:,} are needed. {more}, or take a larger level."
    )


def _unread(reference: TableRows, new: TableRows, kinds: Mapping[str, ColumnKind]) -> Iterator[str]:
    """Values of the new table that count as missing, in words."""
    for name, count in unread(new.frame, kinds).items():
        meant = kinds[name].base or kinds[name].kind
        yield (
            f"{count:,} value{'s' if count > 1 else ''} of column {name!r} in {new.table.name} cannot be read as "
            f"{meant}, which the column is in {reference.table.name}: taken as missing."
        )
