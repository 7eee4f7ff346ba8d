"""Match the columns of two tables: the one path from two sources to pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from .. import _door as door
from ..core.blas import single_threaded_blas
from ..errors import InputError, checked_kinds, options_by_name, whole_number, yes_or_no
from .columns import TableSample
from .evidence import ColumnPairs, best_pairs
from .joint import settled
from .judging import PairTests, in_order
from .reading import chosen_columns, open_side, read
from .rescale import Rescaled
from .results import Matching

SAMPLE = 10_000
MOST_PAIRS = 10_000_000
_STEPS = 4
_MAP_NOTE = "Maps are fitted to the data that test them: p-values of pairs with a map are a little too large."
Progress = Callable[[int, int, str], None]
Tell = Callable[[str], None]


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
    Gaussian kernel at the median distance of the pool, those of texts what :func:`compare` looks at, all of them the
    limit law of the spectrum. Numbers are not compared with dates, nor
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
    rescale, use_names, force = (
        yes_or_no(name, value) for name, value in (("rescale", rescale), ("use_names", use_names), ("force", force))
    )
    level, seed = None if level is None else door.check_level(level), whole_number("rng", rng, least=0)
    options, rows = Options(rescale, use_names, force, level, seed), whole_number("sample", sample, least=2)
    tell, said = Teller(progress, _STEPS), checked_kinds(kinds)
    tables = [open_side(source, name, where) for source, name in ((a, "a"), (b, "b"))]
    wanted = chosen_columns(tables, select, exclude, said)
    check_pairs(len(wanted[0]), len(wanted[1]), "Choose some with select=[...].")
    tell("sampling")
    left, right = (
        read(table, name, columns, rows, seed, said)
        for table, name, columns in zip(tables, ("a", "b"), wanted, strict=True)
    )
    result = matched(left, right, options, tell)
    tell("done")
    told = (note for table in tables for note in table.notes)
    return replace(result, notes=(*result.notes, *told), read=(*tables[0].files, *tables[1].files))


class Teller:
    """Says how far it is, in so many steps."""

    def __init__(self, progress: Progress | None, steps: int) -> None:
        self.progress, self.steps = progress, steps
        self.done = 0

    def __call__(self, what: str) -> None:
        if self.progress is not None:
            self.progress(self.done, self.steps, what)
        self.done += 1


def check_pairs(sources: int, targets: int, advice: str) -> None:
    """Refuse more pairs of columns than can be looked at."""
    if sources * targets > MOST_PAIRS:
        raise InputError(f"a has {sources} and b {targets} columns: more than {MOST_PAIRS:,} pairs. {advice}")


@dataclass(frozen=True)
class Options:
    """How columns are paired."""

    rescale: bool = False  # as match has them
    use_names: bool = False
    force: bool = False
    level: float | None = None
    seed: int = 0  # its `rng`


def matched(left: TableSample, right: TableSample, options: Options, tell: Tell) -> Matching:
    """The columns of two samples paired; does not depend on the order of the columns."""
    with single_threaded_blas():  # vectors and small matrices: waking other threads costs more than it saves
        tell("comparing columns")
        pair = ColumnPairs.of(left.by_name(), right.by_name(), options.use_names)
        tell("matching")
        rescaled = Rescaled.of(pair) if options.rescale else None
        if rescaled is None:
            evidence = settled(pair, pair.with_sole(pair.evidence()))
            pairs = best_pairs(evidence, options.force)
        else:
            evidence = rescaled.evidence()
            pairs = rescaled.best_pairs(evidence, options.force, options.seed)
        tell("testing pairs")
        tests = PairTests.of(pair, rescaled, evidence, options.level)
        notes = [
            f"{one.name}: a random sample of {one.rows:,} rows was looked at." for one in (left, right) if one.sampled
        ]
        result = tests.matching(pairs, (*notes, *((_MAP_NOTE,) if options.rescale else ())), options.seed)
    return in_order(result, left.names, right.names)
