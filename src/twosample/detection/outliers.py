"""Which rows of a table do not come from where a reference table comes from: any source, any kind of column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from .._numbers import counted
from ..errors import InputError, checked_names, options_by_name, whole_number
from ..kernels import Gaussian, Median
from ..sources import ColumnKind, Table, open_table
from ..sources.values import records
from ..structured.coordinates import TableRows, coordinates_against, read_rows
from .conformal import ConformalRanks, allowed
from .excess import excess_pvalue
from .oddity import odd_columns
from .results import Outlier, Outliers
from .scoring import Scoring
from .usual import reason, usual_values

SAMPLE = 5_000  # rows of the reference to learn from, unless the user says otherwise: learning takes the square of it
LEAST_ROWS = 4  # of a reference: two for units, two to rank among
_SCALING = 1000  # rows of these, at most, that say the units of columns and the bandwidth, and are not ranked

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
    among the reference rows, once it has joined them, is a conformal p-value. One more p-value says whether there are
    more outliers than chance explains.

    Parameters
    ----------
    reference
        What is usual: whatever :func:`twosample.sources.open_table` takes, such as a path, a database URL, a frame, an
        array, a summary.
    new
        The rows to judge, likewise; all of them are scored, by the workers of Spark and Dask where they are, else in
        one pass. Scores and outliers are all that is held in memory.
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
        ``rows`` (each with ``row, pvalue, columns, values``), ``pvalue`` and ``verdict`` of all rows together,
        ``scores, pvalues, flagged, to_frame(), to_dict(), report("page.html")``; print it for a summary.

    Notes
    -----
    For a row that does come from where the reference comes from, P(p-value ≤ level) ≤ level at every sample size, over
    reference and row together. A fifth of the reference rows learnt (at most 1000) says the units of columns and the
    bandwidth, and new rows are ranked among the others; with fewer than 1/level - 1 of these nothing can be called an
    outlier, and the notes say so. All this comes from the reference alone, so that the verdict on a row does not depend
    on the other rows of `new`. Values there that cannot be read as the reference says (a word among numbers)
    count as missing, and a note says how many.

    `pvalue` counts new rows among the oddest of all: the number that is odder than the k-th oddest reference row has a
    negative hypergeometric law if both tables come from one distribution, and the smallest of its tail probabilities
    over k = 1, 2, 3, 4, 6, ..., level (n + 1) is judged by its own exact law. So a few rows that are odder than all
    of the reference count, and so do many that are a little odd. A single odd row among very many new ones is listed,
    but does not make ``verdict`` 'different': as many rows of the reference would have one as odd.

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
    table = open_table(new, where=where)
    common = _shared(known, table, *chosen)
    random = door.generator(seed)
    scaling, ranked = rows_apart(len(known.frame), random)
    usual = coordinates_against(known.frame, known.frame.clear(), common, scaling)[0]
    pooled = np.concatenate(list(usual.values()), axis=1)
    ranks = ConformalRanks.fit(door.fill_bandwidth(Gaussian(), Median(), pooled[scaling], random), pooled[ranked])
    threshold = ranks.threshold(level)
    judged = Scoring(table.columns, known.frame, common, scaling, ranks, threshold).of(table)
    if judged is None:
        raise InputError(f"{table.name} has no rows{' for which `where` holds' if where else ''}.")
    usual = {name: values[ranked] for name, values in usual.items()}
    scores, flagged = judged.scores, np.flatnonzero(judged.scores < threshold)
    order = scores[flagged].argsort(kind="stable")
    oddest, flagged = judged.outliers[order], flagged[order]
    parts = coordinates_against(known.frame, oddest[:_EXPLAINED], common, scaling)[1]
    odd = odd_columns(usual, parts, ranks.kernel, level, random) if len(oddest) else []
    left_out = known.left_out(chosen[1], constant=True) if chosen[0] is None else ()
    told = *known.table.notes, *table.notes
    notes = (*_too_few(known, level, threshold), *_unread(known, table, judged.unread, common), *left_out, *told)
    numbers, size = np.asarray(table.row_numbers(), dtype=np.int64), len(ranked)
    pvalues, usually = ranks.pvalues(scores), usual_values(known.frame, common)
    rows = [
        Outlier(int(numbers[row]), float(scores[row]), float(pvalues[row]), (), values)
        for row, values in zip(flagged.tolist(), records(oddest), strict=True)
    ]
    return Outliers(
        rows=_explained(rows, odd, usually),
        pvalue=excess_pvalue(np.ceil(scores * (size + 1)).astype(np.int64), size, allowed(level, size)),
        scores=scores,
        pvalues=pvalues,
        numbers=numbers,
        threshold=threshold,
        level=level,
        columns=tuple(common),
        reference=known.table.name,
        new=table.name,
        reference_rows=known.total,
        learnt=len(known.frame),
        kernel=ranks.kernel,
        usual=usually,
        notes=notes,
        read=(*known.table.files, *table.files),
    )


def rows_apart(size: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A fifth of the reference rows, at most 1000, for units and bandwidth; all others, to rank new rows among.

    Units that came from the ranked rows themselves would fit them better than new ones: of 60 rows in 100 columns, 8.6
    % of usual rows would be called outliers at level 0.05.
    """
    order = rng.permutation(size)
    few = scaling_rows(size)
    return np.sort(order[:few]), np.sort(order[few:])


def scaling_rows(size: int) -> int:
    """How many of so many reference rows say the units."""
    return min(_SCALING, max(2, size // 5))


def _shared(
    reference: TableRows, new: Table, select: tuple[str, ...] | None, exclude: tuple[str, ...] | None
) -> dict[str, ColumnKind]:
    """The columns that both tables have and that can be used, as the reference means them."""
    size = len(reference.frame)
    if size < LEAST_ROWS:
        raise InputError(f"{reference.table.name} has {counted(size, 'row')}; a reference needs at least {LEAST_ROWS}.")
    there = {info.name for info in new.columns}
    usable = reference.usable(select, exclude, constant=True)
    missing = [name for name in usable if name not in there]
    if select is not None and missing:
        raise InputError(f"select: {new.name} has no column {missing[0]!r}.")
    shared = {name: kind for name, kind in usable.items() if name in there}
    if not shared:
        raise InputError(f"{reference.table.name} and {new.name} have no column in common that can be used.")
    return shared


def _explained(
    found: Sequence[Outlier], odd: Sequence[tuple[tuple[str, ...], bool]], usual: Mapping[str, str]
) -> tuple[Outlier, ...]:
    """Outliers with the columns that make them odd; none beyond those that were looked at."""
    known = [
        replace(one, columns=names, together=together, why=reason(names, together, one.values, usual))
        for one, (names, together) in zip(found, odd, strict=False)
    ]
    return (*known, *found[len(known) :])


def _too_few(reference: TableRows, level: float, threshold: float) -> Iterator[str]:
    """A word if no row could be called an outlier."""
    if threshold > 0:
        return
    learnt, total = len(reference.frame), reference.total
    ranked = ceil(1 / level * (1 - 1e-12)) - 1
    needed = next(size for size in range(ranked + 2, 2 * ranked + 4) if size - scaling_rows(size) >= ranked)
    more = f"Learn from more of its {total:,} rows (sample)" if learnt < total else "Collect more"
    yield (
        f"{learnt:,} rows of {reference.table.name} are too few to call any row an outlier at level {level:g}: "
        f"at least {needed:,} are needed. {more}, or take a larger level."
    )


def _unread(
    reference: TableRows, new: Table, lost: Mapping[str, int], kinds: Mapping[str, ColumnKind]
) -> Iterator[str]:
    """Values of the new table that count as missing, in words."""
    for name, count in lost.items():
        meant = kinds[name].base or kinds[name].kind
        yield (
            f"{count:,} value{'s' if count > 1 else ''} of column {name!r} in {new.name} cannot be read as "
            f"{meant}, which the column is in {reference.table.name}: taken as missing."
        )
