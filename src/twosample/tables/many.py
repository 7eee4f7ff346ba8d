"""Several tables: every two of them compared, which differ from the others, and which are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from os import PathLike
from typing import TYPE_CHECKING

from .. import _door as door
from .._shown import shown
from ..core.types import Floats
from ..embedding.judge import JOINT
from ..errors import InputError, OptionError, checked_names, options_by_name, whole_number
from ..sources import Table, open_table
from ..sources.summarize import RowChoice
from ..sources.values import column_of, strings
from ..summaries import TableSummary
from .compare import SAMPLE, compare
from .contract import Contract
from .many_results import ManyComparison, TablePair
from .options import MARGIN, Conditions
from .parts import Finding, Verdict
from .results import Comparison
from .side_by_side import all_at_once
from .verdicts import overall

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int, str], None]

MOST = 40
"""Tables that are compared, at most: 780 pairs."""

HELD = 500_000
"""Rows of each table that are held in memory, at most; of larger ones a summary is."""

_LEAST_JOINT = 0.0001 / JOINT  # the smallest p-value of the joint test over its part of the level
_NAMES = 3


@options_by_name
def compare_many(  # noqa: PLR0913 - the options of compare
    tables: object,
    *,
    groups: str | None = None,
    level: float = 0.05,
    margin: float | Mapping[str, float] = MARGIN,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int | None = SAMPLE,
    schema: str = "fail",
    columns_may_be_lost: Iterable[str] = (),
    contract: Contract | str | PathLike[str] | None = None,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    design_weights: str | None = None,
    group: str | None = None,
    time: str | None = None,
    rng: int = 0,
    progress: Progress | None = None,
) -> ManyComparison:
    r"""Compare several tables, every two of them: which differ, by how much, and which are alike.

    Every pair is compared by :func:`compare` at level `level` over the number of pairs (Bonferroni): the chance of
    calling any two tables different that are not is at most `level`, and intervals of all effects hold at once. The
    distance of two tables is the largest effect of a column or of all columns together; average linkage of these makes
    the dendrogram.

    Parameters
    ----------
    tables
        A list of tables, or a mapping from names to tables, each as for :func:`compare`; at most 40. In a list, a file
        that comes again is numbered, "jan.csv #2", and frames are "table 1", "table 2". With `groups`, one table.
    groups
        The column whose values are the samples of one table, such as "region". A missing value is one of them.
    level
        Largest probability of calling any two tables different that are not.
    margin, select, exclude, kinds, where, sample, schema, columns_may_be_lost, by, weights, design_weights, time
        As for :func:`compare`.
    group
        The column of groups of rows that depend on each other (patients, sessions): `groups` of :func:`compare`.
    contract
        Rules that all tables but the first must keep, as for :func:`compare`. Not with `groups`.
    rng
        A whole number: the seed of every comparison.
    progress
        Called with (pairs done, pairs in all, what is next).

    Returns
    -------
    ManyComparison
        ``verdict, headline, pairs, alike, apart, matrix("effect"), tree, m[a, b], report(path), to_frame()``.

    Notes
    -----
    One pass over each table, and another one over those of more than 500,000 rows, which become summaries
    (:func:`summarize`); then G (G-1) / 2 comparisons of some tenths of a second to a few seconds. With more than 12
    pairs the joint test of a pair draws up to 9999 relabellings, so that it can reject by itself among up to 160 pairs.
    Not for tables in an order (months): compare neighbours, or see :class:`Monitor`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(1)
    >>> table = {"region": np.repeat(["north", "south", "east"], 300), "v": rng.normal(size=900)}
    >>> ts.compare_many(table, groups="region").verdict
    'no difference found'
    """
    level, seed = door.check_level(level), whole_number("rng", rng, least=0)
    if groups is not None and not isinstance(groups, str):
        raise OptionError(f"groups={groups!r} must be the name of a column.")
    if contract is not None and groups is not None:
        raise OptionError(
            "contract= and groups= together: the groups are of one table. Check that by compare(a, table)."
        )
    given = Conditions.of(by, called="group", weights=weights, groups=group, design_weights=design_weights, time=time)
    size = SAMPLE if sample is None else whole_number("sample", sample, least=10)
    named, findings, notes, read = _held(tables, groups, where, seed, size)
    select = checked_names("select", select)
    options = {
        "margin": margin, "select": select, "kinds": kinds, "sample": sample, "schema": schema, "by": given,
        "columns_may_be_lost": columns_may_be_lost,
    }  # fmt: skip
    left_out = [*([] if exclude is None else exclude), *([] if groups is None else [groups])]
    count = comb(len(named), 2)
    found: dict[tuple[str, str], Comparison] = {}
    for done, (a, b) in enumerate(combinations(named, 2)):
        if progress is not None:
            progress(done, count, f"comparing {shown(a, 40)} and {shown(b, 40)}")
        both = (open_table(named[name], name=name) for name in (a, b))  # so that errors and notes name them
        rules = contract if a == next(iter(named)) else None
        c = compare(*both, level=level / count, exclude=left_out, contract=rules, rng=seed, **options)  # type: ignore[arg-type]
        found[a, b] = replace(c, a=replace(c.a, name=a), b=replace(c.b, name=b))
    if progress is not None:
        progress(count, count, "done")
    pairs = tuple(_pair(names, c, count) for names, c in found.items())
    alike, apart = _groups(tuple(named), pairs)
    frames = {name: part.sample.frame if isinstance(part, TableSummary) else part for name, part in named.items()}
    together, said = all_at_once(frames, given, kinds, select, left_out, level, seed)
    verdict = overall([pair.verdict for pair in pairs])
    draft = ManyComparison(
        verdict=verdict,
        headline=_headline(verdict, pairs, apart, alike),
        names=tuple(named),
        rows=tuple(part.rows if isinstance(part, TableSummary) else len(part) for part in named.values()),
        pairs=pairs,
        alike=alike,
        apart=apart,
        tree=(),
        order=tuple(range(len(named))),
        level=level,
        margin=margin,
        seed=seed,
        findings=findings,
        notes=(*notes, *_notes(level, count), *said),
        comparisons=found,
        together=together,
        read=read,
    )
    tree, order = clustered(draft.matrix())
    return replace(draft, tree=tree, order=order)


Held = tuple[Mapping[str, "pl.DataFrame | TableSummary"], tuple[Finding, ...], tuple[str, ...], tuple[str, ...]]
"""The tables in memory by name, what is worth knowing, how they were read, and from which files."""


def _held(tables: object, groups: str | None, where: str | None, seed: int, sample: int) -> Held:
    if groups is not None:
        return _split(open_table(tables, where=where), groups, seed)
    if isinstance(tables, Mapping):
        sources = {shown(str(name), 80): open_table(table, where=where) for name, table in tables.items()}
    elif isinstance(tables, Sequence) and not isinstance(tables, str | bytes):
        opened = [open_table(table, where=where) for table in tables]
        sources = dict(zip(_own_names(opened), opened, strict=True))
    else:
        raise InputError(
            f"tables is a {type(tables).__name__}; give a list of tables, a mapping from names to tables, or one table "
            "with groups='column'."
        )
    _check_count(len(sources), "tables holds")
    held: dict[str, pl.DataFrame | TableSummary] = {}
    full: list[str] = []
    for name, table in sources.items():
        rows = table.sample(HELD + 1, seed)
        if len(rows) > HELD:
            full.append(name)
        held[name] = table.summary(RowChoice(sample, seed, None, sums=False)) if len(rows) > HELD else rows
    notes = (f"More than {HELD:,} rows: of {', '.join(full[:5])} a summary of all rows was compared.",) if full else ()
    read = tuple(path for table in sources.values() for path in table.files)
    return held, (), notes, read


def _own_names(tables: Sequence[Table]) -> list[str]:
    """A name for each: those of files that are given again are numbered, and frames of one type by their place."""
    given = [table.name for table in tables]
    names: list[str] = []
    for place, table in enumerate(tables, 1):
        name, again = table.name, 1
        if given.count(name) > 1 and not table.files:
            name = f"table {place}"
        while name in names or (again > 1 and name in given):
            again += 1
            name = f"{table.name} #{again}"
        names.append(name)
    return names


def _split(table: Table, groups: str, seed: int) -> Held:
    """The parts of one table."""
    names = [info.name for info in table.columns]
    if groups not in names:
        raise InputError(f"groups: {table.name} has no column {groups!r}. It has {', '.join(map(repr, names[:20]))}.")
    rows = table.sample(4 * HELD, seed)
    labels = strings(column_of(rows, groups)).fill_null("(missing)")
    parts = {str(label): rows.filter(labels == label) for label in labels.unique(maintain_order=True).sort()}
    small = [name for name, part in parts.items() if len(part) < 2]
    findings = tuple(Finding("left out", groups, f"{shown(name, 80)}: one row only") for name in small)
    kept = {shown(name, 80): part for name, part in parts.items() if name not in small}
    _check_count(len(kept), f"groups: column {groups!r} makes")
    notes = (f"A uniform random sample of {4 * HELD:,} rows was compared.",) if len(rows) == 4 * HELD else ()
    return kept, findings, notes, table.files


def _check_count(count: int, what: str) -> None:
    if count < 2:
        raise InputError(f"{what} {count} table(s) of two rows or more; give at least two.")
    if count > MOST:
        raise InputError(f"{what} {count} tables; at most {MOST} are compared. Leave some out with `where`.")


def _pair(names: tuple[str, str], c: Comparison, count: int) -> TablePair:
    effects = [(column.effect, column.effect_low, column.effect_high) for column in c.columns]
    effects += [
        (one.effect, one.effect_low, one.effect_high) for one in (column.missing for column in c.columns) if one
    ]
    if c.joint_effect is not None:
        effects.append((c.joint_effect.value, c.joint_effect.low, c.joint_effect.high))
    value, low, high = max(effects)
    most = tuple(column.name for column in c.columns if column.verdict == "different")
    return TablePair(*names, c.verdict, c.headline, min(1.0, count * c.pvalue), value, low, high, most)


def _groups(names: tuple[str, ...], pairs: Sequence[TablePair]) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Tables that chains of pairs connect, the largest group first; and those that differ from more than half."""
    group = {name: name for name in names}
    for pair in pairs:
        if pair.verdict != "different":
            old, new = group[pair.b], group[pair.a]
            group = {name: new if own == old else own for name, own in group.items()}
    alike = sorted(
        (tuple(name for name in names if group[name] == own) for own in dict.fromkeys(group.values())),
        key=lambda part: -len(part),
    )
    different = {
        name: sum(pair.verdict == "different" and name in (pair.a, pair.b) for pair in pairs) for name in names
    }
    return tuple(alike), tuple(name for name in names if different[name] > (len(names) - 1) / 2)


def clustered(distances: Floats) -> tuple[tuple[tuple[int, int, float, int], ...], tuple[int, ...]]:
    """Average linkage of a matrix of distances: the steps, and the order of the leaves."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    flat = squareform(distances, checks=False)
    steps = optimal_leaf_ordering(linkage(flat, "average"), flat)
    tree = tuple((int(a), int(b), float(height), int(size)) for a, b, height, size in steps)
    return tree, tuple(leaves_list(steps).tolist())


def _headline(
    verdict: Verdict, pairs: Sequence[TablePair], apart: tuple[str, ...], alike: tuple[tuple[str, ...], ...]
) -> str:
    count = len({pair.a for pair in pairs} | {pair.b for pair in pairs})
    if verdict != "different":
        words = {
            "same": f"Same within the margin: all {count} tables",
            "small difference": f"Small differences, below the margin, among {count} tables",
            "no difference found": f"No difference found among {count} tables; an effect of "
            f"{max(pair.effect_high for pair in pairs):.2g} could hide",
        }
        return f"{words[verdict]}."
    if len(alike) == count:
        column = _most(pairs)
        every = "both tables differ" if count == 2 else f"all {count} tables differ from each other"
        return f"Different: {every}{'' if column is None else f'; most: {shown(column, 40)}'}."
    found = sum(pair.verdict == "different" for pair in pairs)
    text = f"Different: {found} of {len(pairs)} pair{'s' if len(pairs) != 1 else ''}"
    if len(alike) == 1:
        return f"{text}; no table is apart from all others."
    if 0 < len(apart) < count:
        names = ", ".join(shown(name, 40) for name in apart[:_NAMES])
        more = f" and {len(apart) - _NAMES} more" if len(apart) > _NAMES else ""
        return f"{text}; {names}{more} {'differs' if len(apart) == 1 else 'differ'} from most others."
    return f"{text}; {len(alike)} groups of tables that are not different among themselves."


def _most(pairs: Sequence[TablePair]) -> str | None:
    """The column that differs most in most pairs; of equally many, in the pair that is furthest apart."""
    ranked = sorted(pairs, key=lambda pair: -pair.effect)
    first = Counter(pair.most[0] for pair in ranked if pair.most).most_common(1)
    return first[0][0] if first else None


def _notes(level: float, count: int) -> tuple[str, ...]:
    share = level / count
    notes = [
        f"{count} pair{'s' if count > 1 else ''} of tables, each compared at level {share:.2g} (Bonferroni): all "
        f"verdicts and intervals together hold at level {level:g}.",
        "The distance of two tables is the largest effect of a column or of all columns together; clusters by average "
        "linkage.",
    ]
    if share < _LEAST_JOINT:
        notes.append(
            f"So many pairs: the joint test of a pair, whose adjusted p-values end at {_LEAST_JOINT:g}, cannot call it "
            "different by itself; columns can."
        )
    return tuple(notes)
