"""Match the columns of two tables: the one path from two sources to pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from .. import _door as door
from ..core.threads import single_threaded_blas
from ..core.types import Floats
from ..errors import InputError, checked_kinds, options_by_name, whole_number, yes_or_no
from .columns import Side, chosen_columns, open_side, read
from .costs import Costs, Measured, all_costs
from .dependence import rank_correlations, rows_used
from .distance import semi_metric
from .evidence import SOME_SHARED, Likeness, best_pairs, confidence
from .judging import Judge, in_order
from .names import name_similarity
from .rescale import Rescaled, assign_by_dependence, rescaled
from .results import Matching

Progress = Callable[[int, int, str], None]
SAMPLE = 10_000
MOST_PAIRS = 10_000_000
_NAME_TERM = 10.0  # what names with nothing in common cost where units are free
_STEPS = 4


@options_by_name
def match(  # noqa: PLR0913 - two tables, what to look at, how to judge
    a: object,
    b: object,
    *,
    rescale: bool = False,
    use_names: bool = False,
    force: bool = False,
    level: float | None = None,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int = SAMPLE,
    rng: int = 0,
    progress: Progress | None = None,
) -> Matching:
    r"""Find out which column of one table is which column of another, by what is in them, also if it has drifted.

    Section 8.4 of the paper, 'Attribute Matching', with evidence in the place of equality. The squared effect sizes

    .. math:: C_{ij} = \frac{\mathrm{MMD}^2(A_i, B_j) / 4}{\text{spread} + \mathrm{MMD}^2(A_i, B_j) / 4}

    say how far column i of A is from column j of B. The evidence for a pair, in log odds, grows with its lead over the
    nearest rival, with the share of values that both columns have, and with how alike they depend on the other columns;
    it falls where C is unusually large beside the other pairs. The pairs are those of the largest sum of evidence, and
    what has none for it stays alone. Column names play no part unless asked for.

    Partners need not have one distribution: whether they have is tested, and said as `drifted`.

    Parameters
    ----------
    a, b
        Whatever :func:`twosample.sources.open_table` takes: paths, database URLs, frames, arrays, dictionaries of
        columns; or lists of columns.
    rescale
        Match columns up to a change of units, target = a + b · source with b > 0, and report it. Columns that agree as
        they are need no map. Uses rank correlations between the columns of each table to tell look-alikes apart.
    use_names
        Let names count, the more of them are alike in the two tables. They also pair columns that are empty or cannot
        be compared.
    force
        Give every column the best partner there is while there are any, however unlike.
    level
        Part pairs whose columns have different distributions, by tests at this level, adjusted by Holm: with
        probability 1 - level no true partners are parted, if partners have one distribution. None parts none.
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
        ``m.pairs, m.unmatched_source, m.unmatched_target, m.confidence, m.costs, m.pvalues, m.distance``; print it for
        a summary.

    Notes
    -----
    Numbers, dates and times have the mean of Gaussian(σ), Gaussian(4σ) and Gaussian(σ/32) for a kernel, with σ the
    median distance of the column rounded to a power of two: the wide one sees long tails, the narrow one values that
    repeat. The kernel of a pair is the mean of those of its two columns, the same both ways (the paper takes that of
    the source), so that ``m.distance``, the paper's semi-metric between tables, is symmetric. Categories have
    the kernel that tells equal from different; text (and text with categories) that of three-letter pieces; both
    in units of :math:`\|\mu(A_i)\|^2 + \|\mu(B_j)\|^2`. Costs use the values that are there; p-values of numbers the
    Gaussian kernel at the median distance of the pool and the spectrum law. Numbers are not compared with dates, nor
    with text that does not spell numbers, amounts of money, percentages or yes and no.

    Every column is read once; embeddings are short vectors at each bandwidth that occurs, and a pair costs a short
    inner product: O(rows) for each column, and for 500 × 500 columns some seconds. Only chosen pairs and the best
    candidates of unmatched columns are tested. Not for finding out whether matched columns are the same: that is
    :func:`compare`. Columns with one distribution (two dice) cannot be told apart by this, unless they depend on
    others in different ways.

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
    rescale, use_names, force = (
        yes_or_no(name, value) for name, value in (("rescale", rescale), ("use_names", use_names), ("force", force))
    )
    tables = [open_side(source, name, where) for source, name in ((a, "a"), (b, "b"))]
    wanted = chosen_columns(tables, select, exclude, said)
    if len(wanted[0]) * len(wanted[1]) > MOST_PAIRS:
        raise InputError(
            f"a has {len(wanted[0])} and b {len(wanted[1])} columns: more than {MOST_PAIRS:,} pairs. Choose some with "
            "select=[...]."
        )
    tell("sampling")
    sides = [
        read(table, name, columns, options.sample, options.seed, said)
        for table, name, columns in zip(tables, ("a", "b"), wanted, strict=True)
    ]
    with single_threaded_blas():  # vectors and small matrices: waking other threads costs more than it saves
        tell("comparing columns")
        problem = _Problem.of(sides[0].by_name(), sides[1].by_name(), use_names)
        tell("matching")
        found = problem.rescaled() if rescale else None
        evidence, pairs = problem.solved(found, force, options.seed)
        tell("testing pairs")
        costs = problem.shown(found)
        judge = Judge(problem.left, problem.right, problem.a, problem.b, costs, confidence(evidence), found)
        told = (note for table in tables for note in table.notes)
        notes = (*_sampled(*sides), *(_MAP_NOTE if rescale else ()), *told)
        result = judge.matching(pairs, options.level, semi_metric(problem.usable(costs.mmd)), notes, options.seed)
    tell("done")
    return replace(in_order(result, *(side.names for side in sides)), read=(*tables[0].files, *tables[1].files))


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
    """Two tables, and all that is known of pairs of their columns."""

    left: Side
    right: Side
    a: Measured
    b: Measured
    likeness: Likeness

    @classmethod
    def of(cls, left: Side, right: Side, use_names: bool) -> _Problem:
        a, b = Measured.of(left), Measured.of(right)
        kinds = [np.array([column.coarse_kind for column in side.columns]) for side in (left, right)]
        likeness = Likeness(
            all_costs(left, right, a, b),
            kinds[0][:, None] == kinds[1],
            name_similarity(left.names, right.names) if use_names else None,
            (rank_correlations(left), rank_correlations(right)),
            (len(rows_used(left)), len(rows_used(right))),
        )
        return cls(left, right, a, b, likeness)

    def rescaled(self) -> Rescaled | None:
        """Columns of numbers up to affine maps, if there are any on both sides."""
        if not len(self.a.index) or not len(self.b.index):
            return None
        return rescaled(self.likeness.costs, self.a, self.b, self.left, self.right)

    def solved(self, found: Rescaled | None, force: bool, seed: int) -> tuple[Floats, list[tuple[int, int]]]:
        """The evidence for all pairs, and the best pairs."""
        if found is None:
            evidence = self.likeness.evidence()
            return evidence, best_pairs(evidence, force)
        costs = self.shown(found)
        costs.common[np.ix_(self.a.index, self.b.index)] = SOME_SHARED
        free = replace(self.likeness, costs=costs, same_kind=np.ones_like(self.likeness.same_kind))
        evidence = free.evidence()
        numbers = self._by_dependence(found, evidence, seed)
        rest = evidence.copy()
        rest[self.a.index[:, None], self.b.index] = -np.inf
        for i, j in numbers:
            rest[i], rest[:, j] = -np.inf, -np.inf
        pairs = sorted(numbers + best_pairs(rest, force))
        return evidence, [(i, j) for i, j in pairs if force or evidence[i, j] > 0]

    def _by_dependence(self, found: Rescaled, evidence: Floats, seed: int) -> list[tuple[int, int]]:
        """Columns of numbers paired by shape and dependence."""
        at = np.ix_(self.a.index, self.b.index)
        if self.likeness.names is not None:
            found = replace(found, terms=found.terms + _NAME_TERM * (1 - self.likeness.names[at]))
        RA, RB = (R[np.ix_(part.index, part.index)] for R, part in
                  zip(self.likeness.correlations, (self.a, self.b), strict=True))  # fmt: skip
        rows = int(2 / (1 / self.likeness.rows[0] + 1 / self.likeness.rows[1]))
        pairs = assign_by_dependence(found, RA, RB, rows, seed)
        return [(int(self.a.index[i]), int(self.b.index[j])) for i, j in pairs]

    def shown(self, found: Rescaled | None) -> Costs:
        """The costs for the result: of pairs that need a map, after the map."""
        costs = self.likeness.costs
        total, mmd, common = costs.total.copy(), costs.mmd.copy(), costs.common.copy()
        if found is not None:
            at = np.ix_(self.a.index, self.b.index)
            use = found.mapped & found.allowed
            total[at] = np.where(use, found.shape, total[at])
            mmd[at] = np.where(use, found.mmd, mmd[at])
        return replace(costs, total=total, mmd=mmd, common=common)

    def usable(self, mmd: Floats) -> Floats:
        """Without the columns that say nothing: constants apart, those that hold no or only one value."""
        rows, columns = ([c.family != "none" for c in side.columns] for side in (self.left, self.right))
        return np.asarray(mmd[np.ix_(rows, columns)])


def _sampled(left: Side, right: Side) -> tuple[str, ...]:
    return tuple(
        f"{side.name}: a random sample of {side.rows:,} rows was looked at." for side in (left, right) if side.sampled
    )
