"""What can go wrong with a table: functions that spoil rows. None of them knows which table it will be used on.

Each takes what it needs to know and returns a change: (rows, spare rows of the same table, generator) to rows. `share`
is the share of the rows that are hit, chosen at random.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import polars as pl

Change = Callable[[pl.DataFrame, pl.DataFrame, np.random.Generator], pl.DataFrame]


def _hit(rows: pl.DataFrame, share: float, rng: np.random.Generator) -> pl.Series:
    """Whether a row is hit: exactly so many of them."""
    return pl.Series(rng.permutation(len(rows)) < round(share * len(rows)))


def _put(rows: pl.DataFrame, name: str, hit: pl.Series | pl.Expr, value: pl.Expr | pl.Series) -> pl.DataFrame:
    return rows.with_columns(pl.when(hit).then(value).otherwise(pl.col(name)).alias(name))


def replaced(
    name: str, value: Callable[[pl.Expr], pl.Expr], share: float = 1.0, where: pl.Expr | None = None
) -> Change:
    """Values of some rows are computed from what they were."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        hit = pl.lit(_hit(rows, share, rng))
        kind = rows.schema[name]
        column = pl.col(name).cast(pl.Float64) if kind.is_numeric() else pl.col(name)
        rows = rows.with_columns(column.alias(name))
        return _put(rows, name, hit if where is None else hit & where, value(pl.col(name)))

    return change


def times(name: str, factor: float, share: float = 1.0) -> Change:
    """Another unit."""
    return replaced(name, lambda x: x * factor, share)


def sentinel(name: str, value: float | str, share: float) -> Change:
    """A value that means that there is none."""
    return replaced(name, lambda x: pl.lit(value), share)


def cut(name: str, low: float = 0.0, high: float = 1.0) -> Change:
    """Values beyond a quantile become the quantile."""
    return replaced(name, lambda x: x.clip(x.quantile(low), x.quantile(high)))


def rounded(name: str, step: float) -> Change:
    return replaced(name, lambda x: (x / step).round() * step)


def moved(name: str, deviations: float, where: pl.Expr | None = None) -> Change:
    """A shift, in standard deviations; of a column of whole numbers by whole numbers."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        whole = rows.schema[name].is_integer()
        step = deviations * float(rows[name].std())  # type: ignore[arg-type]
        return replaced(name, lambda x: x + (round(step) if whole else step), 1.0, where)(rows, spare, rng)

    return change


def stretched(name: str, factor: float) -> Change:
    """A wider or narrower spread about the same mean."""
    return replaced(name, lambda x: x.mean() + factor * (x - x.mean()))


def relabelled(name: str, value: str, to: str, share: float = 1.0) -> Change:
    """A category gets another name, in a share of its rows."""
    return replaced(name, lambda x: pl.lit(to), share, pl.col(name) == value)


def category(name: str, to: str, share: float) -> Change:
    """A category that there was not, in a share of all rows."""
    return replaced(name, lambda x: pl.lit(to), share)


def exchanged(name: str, one: str, two: str) -> Change:
    return replaced(name, lambda x: x.replace([one, two], [two, one]))


def lost_values(name: str, share: float, above: float | None = None) -> Change:
    """Missing at random; or only among the values above a quantile."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        hit = pl.lit(_hit(rows, share, rng))
        if above is not None:
            hit = hit & (pl.col(name) > pl.col(name).quantile(above))
        return _put(rows, name, hit, pl.lit(None))

    return change


def repeated(share: float, copies: int = 1) -> Change:
    """A share of the rows is replaced by copies of others, each of them so many times."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        count = round(share * len(rows))
        chosen = np.repeat(rng.permutation(len(rows) - count), copies)[:count]
        kept = np.concatenate([np.arange(len(rows) - count), chosen])
        return rows[rng.permutation(kept)]

    return change


def block_again(share: float) -> Change:
    """The last rows are those that came before them, once more and in the same order."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        count = round(share * len(rows))
        return rows.head(len(rows) - count).vstack(rows.slice(len(rows) - 2 * count, count))

    return change


def stuck(names: list[str], share: float) -> Change:
    """From some row on, columns keep the value that they had there."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        first = len(rows) - round(share * len(rows))
        late = pl.int_range(pl.len()) >= first
        return rows.with_columns(
            pl.when(late).then(pl.col(name).slice(first, 1).first()).otherwise(pl.col(name)).alias(name)
            for name in names
        )

    return change


def shuffled(names: list[str], share: float = 1.0) -> Change:
    """Columns keep their values and lose the rows that they belong to."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        hit = np.flatnonzero(_hit(rows, share, rng).to_numpy())
        order = np.arange(len(rows))
        order[hit] = rng.permutation(hit)
        return rows.with_columns(rows[name][order] for name in names)

    return change


def crossed(one: str, two: str, share: float = 1.0) -> Change:
    """Two columns change places in a share of the rows."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        hit = pl.lit(_hit(rows, share, rng))
        first, second = pl.col(one), pl.col(two)
        return rows.with_columns(
            pl.when(hit).then(second).otherwise(first).alias(one), pl.when(hit).then(first).otherwise(second).alias(two)
        )

    return change


def later(name: str, hours: float, share: float = 1.0) -> Change:
    return replaced(name, lambda x: x + timedelta(hours=hours), share)


def other_year(name: str, years: int, share: float) -> Change:
    return replaced(name, lambda x: x.dt.offset_by(f"{years}y"), share)


def shortened(name: str, letters: int, share: float = 1.0) -> Change:
    return replaced(name, lambda x: x.str.slice(0, letters), share)


def damaged(name: str, share: float = 1.0) -> Change:
    """UTF-8 that was read as if it were latin-1."""

    def wrong(text: str) -> str:
        return text.encode("utf-8").decode("latin-1")

    return replaced(name, lambda x: x.map_elements(wrong, return_dtype=pl.String), share)


def question_marks(name: str) -> Change:
    """Letters beyond ASCII became question marks."""
    return replaced(name, lambda x: x.str.replace_all(r"[^\x00-\x7F]", "?"))


def selected(keep: pl.Expr, otherwise: float) -> Change:
    """Rows for which the condition does not hold come in only with this probability; others fill their places."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        pool = rows.vstack(spare)
        lucky = pl.lit(pl.Series(rng.random(len(pool)) < otherwise))
        return pool.filter(keep.fill_null(value=True) | lucky).head(len(rows))

    return change


def without(name: str) -> Change:
    return lambda rows, spare, rng: rows.drop(name)


def renamed(name: str, to: str) -> Change:
    return lambda rows, spare, rng: rows.rename({name: to})


def as_text(name: str) -> Change:
    return lambda rows, spare, rng: rows.with_columns(pl.col(name).cast(pl.String))


def noisy_labels(name: str, share: float) -> Change:
    """Some rows get the label of another row: shares stay what they are."""
    return shuffled([name], share)


def negated(name: str, share: float) -> Change:
    """Another sign."""
    return replaced(name, lambda x: -x, share)


def filled(name: str) -> Change:
    """Gaps are filled with the mean."""
    return replaced(name, lambda x: x.mean(), 1.0, pl.col(name).is_null())


def wrapped(name: str, size: int) -> Change:
    """Numbers that are too large for their type begin again."""
    return replaced(name, lambda x: x % size)


def noisy(name: str, deviations: float, share: float = 1.0) -> Change:
    """A sensor that became less precise."""

    def change(rows: pl.DataFrame, spare: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        noise = pl.Series(deviations * float(rows[name].std()) * rng.normal(size=len(rows)))  # type: ignore[arg-type]
        return replaced(name, lambda x: x + noise, share)(rows, spare, rng)

    return change


def padded(name: str, share: float) -> Change:
    """Blanks after a text."""
    return replaced(name, lambda x: x + " ", share)


def first_date(name: str, share: float) -> Change:
    """The first day of 1970 instead of a date."""
    return replaced(name, lambda x: pl.lit(datetime(1970, 1, 1)), share)


def days_and_months(name: str) -> Change:
    """Day and month change places where both can be either."""

    def swapped(moment: datetime) -> datetime:
        return moment.replace(month=moment.day, day=moment.month) if moment.day <= 12 else moment

    return replaced(name, lambda x: x.map_elements(swapped, return_dtype=pl.Datetime("us")))


def misspelled(name: str, share: float) -> Change:
    """Two neighbouring letters change places."""
    return replaced(name, lambda x: x.str.replace(r"^(.)(.)(.)", "$1$3$2"), share)
