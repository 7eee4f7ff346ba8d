"""Match the columns of two tables: the one path from two sources to pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _door as door
from ..core.threads import single_threaded_blas
from ..errors import InputError, checked_kinds, options_by_name, whole_number, yes_or_no
from .assignment import assign, semi_metric
from .columns import Side, chosen_columns, open_side, read
from .costs import Costs, Measured, all_costs
from .judging import Judge
from .rescale import Rescaled, assign_by_dependence, rank_correlations, rescaled
from .results import Matching
from .words import name_similarity

Progress = Callable[[int, int, str], None]
SAMPLE = 10_000
NAME_WEIGHT = 0.5
"""What two columns with nothing in common in their names pay, if names count."""
MOST_PAIRS = 10_000_000
_LEVEL = 0.05  # for prices, where no column may stay unmatched
_STEPS = 4


@options_by_name
def match(  # noqa: PLR0913 - two tables, what to look at, how to judge
    a: object,
    b: object,
    *,
    level: float | None = 0.05,
    rescale: bool = False,
    use_names: bool = False,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int = SAMPLE,
    rng: int = 0,
    progress: Progress | None = None,
) -> Matching:
    r"""Find out which column of one table is which column of another, by the distributions of their values.

    Section 8.4 of the paper, 'Attribute Matching': with mean embeddings :math:`\mu` in the kernel of the attribute,

    .. math:: C_{ij} = \|\mu(A_i) - \mu(B_j)\|^2

    is what it costs to match column i of A to column j of B, and the pairs are those of least total cost (the linear
    assignment problem). Column names play no part unless asked for.

    A column stays alone if no test lets it have the distribution of its partner: pairs that differ beyond doubt are
    ruled out first, and of the pairs found those whose p-value, adjusted by Holm for all of them, is at most the level.
    So with probability 1 - level no true partners are parted, if partners have one distribution. In tables from
    different sources they rarely have: then ``level=None`` gives every column the best partner there is.

    Parameters
    ----------
    a, b
        Whatever :func:`twosample.sources.open_table` takes: paths, database URLs, frames, arrays, dictionaries of
        columns; or lists of columns.
    level
        The chance of parting any true partners; None: every column gets a partner while there are any.
    rescale
        Match columns up to a change of units, target = a + b · source with b > 0, and report it. Columns that agree as
        they are need no map. Uses rank correlations between the columns of each table to tell look-alikes apart.
    use_names
        Let names count: a pair pays up to 0.5 more if the names of its columns have nothing in common.
    select, exclude
        Names of the columns to look at, and to leave out, in either table.
    kinds
        What some columns are, in either table: ``{"zip": "categorical"}``; all others are inferred.
    where
        A condition in SQL that rows of both tables must meet.
    sample
        Rows of each table that are looked at: a random sample if there are more.
    rng
        Seed of the sample.
    progress
        Called with (steps done, steps in all, what comes next).

    Returns
    -------
    Matching
        ``m.pairs, m.unmatched_source, m.unmatched_target, m.costs, m.pvalues, m.distance``; print it for a summary.

    Notes
    -----
    Numbers, dates and times have the mean of Gaussian(σ), Gaussian(4σ) and Gaussian(σ/32) for a kernel, with σ the
    median distance of the column rounded to a power of two: the wide one sees long tails, the narrow one values that
    repeat. The kernel of a pair is the mean of those of its two columns, the same both ways (the paper takes that of
    the source), so that ``m.distance``, the paper's semi-metric between tables, is symmetric. Categories have
    the kernel that tells equal from different; text (and text with categories) that of three-letter pieces; both
    in units of :math:`\|\mu(A_i)\|^2 + \|\mu(B_j)\|^2`. Costs use the values that are there; p-values of numbers the
    Gaussian kernel at the median distance of the pool and the spectrum law. Numbers are not compared with dates, nor
    with text that does not spell numbers.

    Every column is read once; embeddings are short vectors at each bandwidth that occurs, and a pair costs a short
    inner product: O(rows) for each column, and for 500 × 500 columns some seconds. Only chosen pairs and the best
    candidates of unmatched columns are tested. Not for finding out whether matched columns are the same: that is
    :func:`compare`. Columns with one distribution (two dice) cannot be told apart by this.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> inches, kilos = rng.normal(68, 3, 1000), rng.normal(75, 12, 1000)
    >>> a = {"height": inches[:500], "weight": kilos[:500]}
    >>> b = {"W": kilos[500:], "H": 2.54 * inches[500:]}
    >>> m = ts.match(a, b, rescale=True)
    >>> [(pair.source, pair.target, pair.map is None) for pair in m.pairs]
    [('height', 'H', False), ('weight', 'W', True)]
    >>> 2.3 < m["height"].map[1] < 2.8
    True
    """
    options = _checked(level, sample, rng)
    tell = _Teller(progress)
    said = checked_kinds(kinds)
    rescale, use_names = yes_or_no("rescale", rescale), yes_or_no("use_names", use_names)
    tables = [open_side(source, name, where) for source, name in ((a, "a"), (b, "b"))]
    wanted = chosen_columns(tables, select, exclude, said)
    if len(wanted[0]) * len(wanted[1]) > MOST_PAIRS:
        raise InputError(
            f"a has {len(wanted[0])} and b {len(wanted[1])} columns: more than {MOST_PAIRS:,} pairs. Choose some with "
            "select=[...]."
        )
    tell("sampling")
    left, right = (
        read(table, name, columns, options.sample, options.seed, said)
        for table, name, columns in zip(tables, ("a", "b"), wanted, strict=True)
    )
    with single_threaded_blas():  # vectors and small matrices: waking other threads costs more than it saves
        tell("comparing columns")
        problem = _Problem.of(left, right, options.level or _LEVEL, use_names)
        tell("matching")
        free = options.level is None
        found = problem.rescaled() if rescale else None
        pairs = problem.pairs(free) if found is None else problem.rescaled_pairs(found, free, options.seed)
        tell("testing pairs")
        costs = problem.shown(found)
        judge = Judge(left, right, problem.a, problem.b, costs, found)
        told = (note for table in tables for note in table.notes)
        notes = (*_sampled(left, right), *(_MAP_NOTE if rescale else ()), *told)
        result = judge.matching(pairs, options.level, semi_metric(problem.usable(costs.mmd)), notes, options.seed)
    tell("done")
    return replace(result, read=(*tables[0].files, *tables[1].files))


_MAP_NOTE = ("Maps are fitted to the data that test them: p-values of pairs with a map are a little too large.",)


@dataclass(frozen=True)
class _Options:
    level: float | None
    sample: int
    seed: int


def _checked(level: float | None, sample: int, rng: int) -> _Options:
    return _Options(
        None if level is None else door.check_level(level),
        whole_number("sample", sample, least=2),
        whole_number("rng", rng, least=0),
    )


class _Teller:
    """Says how far it is."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.done = 0

    def __call__(self, what: str) -> None:
        if self.progress is not None:
            self.progress(self.done, _STEPS, what)
        self.done += 1


@dataclass(frozen=True, eq=False)
class _Problem:
    """Two tables and all costs between them."""

    left: Side
    right: Side
    a: Measured
    b: Measured
    costs: Costs
    level: float
    surcharge: np.ndarray[tuple[int, int], np.dtype[np.float64]]

    @classmethod
    def of(cls, left: Side, right: Side, level: float, use_names: bool) -> _Problem:
        a, b = Measured.of(left), Measured.of(right)
        surcharge = np.zeros((len(left.columns), len(right.columns)))
        if use_names:
            surcharge = NAME_WEIGHT * (1 - name_similarity(left.names, right.names))
        return cls(left, right, a, b, all_costs(left, right, a, b, level), level, surcharge)

    def pairs(self, free: bool) -> list[tuple[int, int]]:
        """The assignment of least cost; free of prices or not."""
        costs = self.costs
        return assign(costs.total + self.surcharge, None if free else costs.allowed)

    def rescaled(self) -> Rescaled | None:
        """Columns of numbers up to affine maps, if there are any on both sides."""
        if not len(self.a.index) or not len(self.b.index):
            return None
        return rescaled(self.costs, self.a, self.b, self.left, self.right, self.level)

    def rescaled_pairs(self, found: Rescaled, free: bool, seed: int) -> list[tuple[int, int]]:
        """Columns of numbers by shape and dependence, the others as always."""
        at = np.ix_(self.a.index, self.b.index)
        comparable = np.isfinite(self.costs.plain[at])
        found = replace(
            found,
            terms=found.terms + 20 * self.surcharge[at],
            allowed=comparable if free else found.allowed,
        )
        RA, RB = rank_correlations(self.left, self.a), rank_correlations(self.right, self.b)
        rows = int(2 / (1 / self.left.rows + 1 / self.right.rows))
        numbers = assign_by_dependence(found, RA, RB, rows, seed)
        pairs = [(int(self.a.index[i]), int(self.b.index[j])) for i, j in numbers]
        rest = self.costs.total + self.surcharge
        rest[self.a.index[:, None], self.b.index] = np.inf
        rest[[i for i, _ in pairs]] = np.inf
        rest[:, [j for _, j in pairs]] = np.inf
        return sorted(pairs + assign(rest, None if free else self.costs.allowed))

    def shown(self, found: Rescaled | None) -> Costs:
        """The costs for the result: of pairs that need a map, after the map; with the surcharge for names."""
        total, mmd = self.costs.total.copy(), self.costs.mmd.copy()
        if found is not None:
            at = np.ix_(self.a.index, self.b.index)
            use = found.mapped & np.isfinite(self.costs.plain[at])
            total[at] = np.where(use, found.plain, total[at])
            mmd[at] = np.where(use, found.mmd, mmd[at])
        return replace(self.costs, total=total + self.surcharge, mmd=mmd)

    def usable(self, mmd: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Without the columns that say nothing: constants apart, those that hold no or only one value."""
        rows, columns = ([c.family != "none" for c in side.columns] for side in (self.left, self.right))
        return np.asarray(mmd[np.ix_(rows, columns)])


def _sampled(left: Side, right: Side) -> tuple[str, ...]:
    return tuple(
        f"{side.name}: a random sample of {side.rows} rows was looked at." for side in (left, right) if side.sampled
    )
