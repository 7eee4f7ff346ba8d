"""Bugs that are drawn at random: family by family, of any table, column and strength. Nobody chose them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from benchmarks.planted import changes as c
from benchmarks.planted.bugs import Bug
from benchmarks.planted.changes import Change
from benchmarks.planted.other_tables import OTHER, TIED

_FEW = 30  # different values up to which a column is one of categories


class Draw:
    """A table, and what may be drawn from it."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self.name, self.rng, self.table = name, rng, OTHER[name]()
        self.schema = self.table.schema
        small = {part: self.table[part].n_unique() <= _FEW for part in self.table.columns}
        self.numbers = [part for part, kind in self.schema.items() if kind.is_numeric() and not small[part]]
        self.words = [part for part, kind in self.schema.items() if kind == pl.String]
        self.levels = [part for part in self.words if self.table[part].n_unique() <= 60]
        self.texts = [part for part in self.words if part not in self.levels]
        self.dates = [part for part, kind in self.schema.items() if kind.is_temporal()]

    def one(self, names: list[str] | tuple[str, ...]) -> str:
        if not names:
            raise LookupError
        return str(names[int(self.rng.integers(len(names)))])

    def pick(self, *values: float) -> float:
        return values[int(self.rng.integers(len(values)))]

    def share(self, low: float, high: float) -> float:
        """Log-uniform, to two digits."""
        return float(f"{np.exp(self.rng.uniform(np.log(low), np.log(high))):.2g}")

    def some(self, low: float, high: float) -> float:
        """Of all rows in every third bug, and else of a share."""
        return 1.0 if self.rng.random() < 1 / 3 else self.share(low, high)

    def level(self, name: str, low: float, high: float, count: int = 1) -> list[str]:
        """Categories that hold such a share of the rows."""
        rows = self.table[name].drop_nulls().value_counts(name="rows")
        size = len(self.table)
        found = sorted(str(value) for value, part in rows.iter_rows() if low <= part / size <= high)
        if len(found) < count:
            raise LookupError
        return [found[i] for i in self.rng.permutation(len(found))[:count].tolist()]


Drawn = tuple[str, Change, tuple[str, ...]]


def _units(d: Draw) -> Drawn:
    name, factor, share = d.one(d.numbers), d.pick(0.3048, 1.609, 2.54, 10, 100, 1000), d.some(0.005, 0.1)
    return f"{share:g} of {name} times {factor:g}", c.times(name, factor, share), (name,)


def _sentinels(d: Draw) -> Drawn:
    name, value, share = d.one(d.numbers), d.pick(-1, 0, -999, 9999, 99999), d.share(0.004, 0.05)
    return f"{share:g} of {name} is {value:g}", c.sentinel(name, value, share), (name,)


def _cut_offs(d: Draw) -> Drawn:
    name, part = d.one(d.numbers), d.share(0.01, 0.1)
    low, high = (part, 1.0) if d.rng.random() < 0.3 else (0.0, 1 - part)
    return f"{name} cut at {low:g} and {high:g}", c.cut(name, low, high), (name,)


def _rounding(d: Draw) -> Drawn:
    name = d.one(d.numbers)
    values = d.table[name].drop_nulls().cast(pl.Float64)
    wide = float(values.quantile(0.9) - values.quantile(0.1)) / d.pick(20, 50, 100)  # type: ignore[operator]
    step = 10.0 ** np.floor(np.log10(max(wide, 1e-9))) * d.pick(1, 2, 5)
    if d.schema[name].is_integer():
        step = max(step, 2.0)
    return f"{name} in steps of {step:g}", c.rounded(name, step), (name,)


def _shift(d: Draw) -> Drawn:
    name, by = d.one(d.numbers), d.share(0.07, 0.4) * d.pick(-1, 1)
    return f"{name} by {by:g} sd", c.moved(name, by), (name,)


def _scale(d: Draw) -> Drawn:
    name, factor = d.one(d.numbers), 1 + d.share(0.1, 0.5)
    factor = factor if d.rng.random() < 0.5 else round(1 / factor, 2)
    return f"{name} times {factor:g} about its mean", c.stretched(name, factor), (name,)


def _new_category(d: Draw) -> Drawn:
    name, share = d.one(d.words), d.share(0.004, 0.05)
    word = ("other", "???", "N/A", "ZZ", "tbd")[int(d.rng.integers(5))]
    return f"{name} '{word}' in {share:g}", c.category(name, word, share), (name,)


def _vanished(d: Draw) -> Drawn:
    name = d.one(d.words)
    one, two = d.level(name, 0.008, 0.3, 2)
    if d.rng.random() < 0.5:
        return f"{name} has no '{one}'", c.selected(pl.col(name) != one, 0.0), (name,)
    return f"{name}: '{one}' is '{two}'", c.relabelled(name, one, two), (name,)


def _case(d: Draw) -> Drawn:
    name, share, upper = d.one(d.words), d.some(0.01, 0.2), d.rng.random() < 0.5
    return (
        f"{share:g} of {name} in {'capitals' if upper else 'small letters'}",
        c.replaced(name, lambda x: x.str.to_uppercase() if upper else x.str.to_lowercase(), share),
        (name,),
    )


def _swapped(d: Draw) -> Drawn:
    name = d.one(d.words)
    one, two = d.level(name, 0.02, 0.6, 2)
    return f"{name}: '{one}' and '{two}'", c.exchanged(name, one, two), (name,)


def _missing(d: Draw) -> Drawn:
    name, share = d.one(d.table.columns), d.share(0.005, 0.1)
    return f"{share:g} of {name}", c.lost_values(name, share), (name,)


def _missing_not_at_random(d: Draw) -> Drawn:
    name, share, above = d.one([*d.numbers, *d.dates]), d.share(0.1, 0.7), d.pick(0.8, 0.9, 0.95)
    return f"{share:g} of {name} above {above:g}", c.lost_values(name, share, above), (name,)


def _duplicated(d: Draw) -> Drawn:
    share, copies = d.share(0.01, 0.3), int(d.pick(1, 1, 5, 50))
    return f"{share:g}, {copies} times", c.repeated(share, copies), ()


def _broken(d: Draw) -> Drawn:
    name, share = d.one(TIED.get(d.name, ())), d.some(0.3, 0.9)
    return f"{share:g} of {name} shuffled", c.shuffled([name], share), (name,)


def _crossed(d: Draw) -> Drawn:
    kind = d.one(["numbers", "words", "dates"])
    names = getattr(d, kind)
    if len(names) < 2:
        raise LookupError
    one, two = (names[i] for i in d.rng.permutation(len(names))[:2].tolist())
    share = d.some(0.02, 0.3)
    return f"{one} and {two} in {share:g}", c.crossed(one, two, share), (one, two)


def _clocks(d: Draw) -> Drawn:
    name, hours, share = d.one(d.dates), d.pick(-1, 1, 2, 5, 12, -8), d.some(0.1, 0.7)
    return f"{name} by {hours:g} hours in {share:g}", c.later(name, hours, share), (name,)


def _years(d: Draw) -> Drawn:
    name, years, share = d.one(d.dates), int(d.pick(-1, 1, -10, 100)), d.share(0.005, 0.3)
    return f"{share:g} of {name} by {years} years", c.other_year(name, years, share), (name,)


def _truncated(d: Draw) -> Drawn:
    name, share = d.one(d.words), d.some(0.03, 0.3)
    letters = int(d.table[name].drop_nulls().str.len_chars().quantile(d.pick(0.2, 0.5, 0.8)) or 3)
    return f"{share:g} of {name} to {letters} letters", c.shortened(name, letters, share), (name,)


def _damage(d: Draw) -> Drawn:
    beyond = [name for name in d.words if (d.table[name].str.contains(r"[^\x00-\x7F]").mean() or 0) > 0.004]
    name, which = d.one(beyond), int(d.rng.integers(3))
    changes: tuple[tuple[str, Change], ...] = (
        ("latin-1", c.damaged(name)),
        ("question marks", c.question_marks(name)),
        ("latin-1, half", c.damaged(name, 0.5)),
    )
    return f"{name}: {changes[which][0]}", changes[which][1], (name,)


def _stale(d: Draw) -> Drawn:
    if d.rng.random() < 0.4:
        share = d.share(0.05, 0.4)
        return f"the last {share:g} again", c.block_again(share), ()
    names = [d.table.columns[i] for i in d.rng.permutation(d.table.width)[: int(d.pick(1, 2, 4))].tolist()]
    share = d.share(0.01, 0.15)
    return f"{', '.join(names)} stuck for {share:g}", c.stuck(names, share), tuple(names)


def _selection(d: Draw) -> Drawn:
    kept = d.share(0.2, 0.7)
    if d.numbers and d.rng.random() < 0.5:
        name, at = d.one(d.numbers), d.pick(0.7, 0.8, 0.9)
        edge = float(d.table[name].quantile(at))  # type: ignore[arg-type]
        return f"{kept:g} of {name} above {edge:g} kept", c.selected(pl.col(name) <= edge, kept), (name,)
    name = d.one(d.words)
    level = d.level(name, 0.03, 0.4)[0]
    return f"{kept:g} of {name} '{level}' kept", c.selected(pl.col(name) != level, kept), (name,)


def _schema(d: Draw) -> Drawn:
    name = d.one(d.table.columns)
    which = int(d.rng.integers(4))
    if which == 0:
        return f"{name} lost", c.without(name), (name,)
    if which == 1:
        return f"{name} called {name.upper()}_", c.renamed(name, f"{name.upper()}_"), (name, f"{name.upper()}_")
    name = d.one([*d.numbers, *d.dates])
    if which == 2:
        return f"{name} as text", c.as_text(name), (name,)
    return (
        f"{name} in words",
        lambda rows, spare, rng: rows.with_columns(pl.format("no. {}", name).alias(name)),
        (name,),
    )


def _labels(d: Draw) -> Drawn:
    name = d.one([part for part in TIED.get(d.name, ()) if part in d.levels])
    share = d.share(0.05, 0.4)
    if d.rng.random() < 0.5:
        return f"{share:g} of {name}", c.noisy_labels(name, share), (name,)
    levels = sorted(d.table[name].drop_nulls().unique().to_list())

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        drawn = pl.Series([levels[i] for i in rng.integers(len(levels), size=len(rows)).tolist()])
        return c.replaced(name, lambda x: pl.lit(drawn), share)(rows, spare, rng)

    return f"{share:g} of {name}, any label", change, (name,)


def _subgroup(d: Draw) -> Drawn:
    group, name, by = d.one(d.levels), d.one(d.numbers), d.share(0.2, 1.0) * d.pick(-1, 1)
    level = d.level(group, 0.05, 0.6)[0]
    return f"{name} of {group} '{level}' by {by:g} sd", c.moved(name, by, pl.col(group) == level), (name,)


FAMILIES: dict[str, Callable[[Draw], Drawn]] = {
    "units": _units, "sentinels": _sentinels, "cut-offs": _cut_offs, "rounding": _rounding, "shift": _shift,
    "scale": _scale, "new category": _new_category, "vanished category": _vanished, "case of categories": _case,
    "swapped categories": _swapped, "missing at random": _missing, "missing not at random": _missing_not_at_random,
    "duplicated rows": _duplicated, "broken dependence": _broken, "swapped columns": _crossed,
    "shifted clocks": _clocks, "dates of another year": _years, "truncated text": _truncated,
    "encoding damage": _damage, "stale data": _stale, "selection": _selection, "schema": _schema,
    "label noise": _labels, "drift of a subgroup": _subgroup,
}  # fmt: skip
"""How a bug of each family is drawn."""


def drawn_bugs(each: int, seed: int) -> Iterator[Bug]:
    """So many bugs of each family; a change that changes nothing in the whole table is drawn again."""
    for family, draw in FAMILIES.items():
        rng = np.random.default_rng([seed, zlib.crc32(family.encode())])
        known: set[tuple[str, str]] = set()
        while len(known) < each:
            name = [*OTHER][int(rng.integers(len(OTHER)))]
            part = Draw(name, rng)
            try:
                what, change, columns = draw(part)
            except LookupError:
                continue
            some = part.table[:3000]
            if (name, what) in known or change(some, part.table[3000:9000], np.random.default_rng(0)).equals(some):
                continue
            known.add((name, what))
            yield Bug(family, name, what, change, columns)
