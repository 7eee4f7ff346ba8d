"""How identifiers are written: their values say nothing, since every row has another one, but their form does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._shown import shown
from .spelling import Spelling
from .views import View, usable

if TYPE_CHECKING:
    import polars as pl

_SURE = 1e-3  # the chance of any false word about one column: what happens to identifiers happens to many of them

_LOOKED_AT = "letters", "length", "value"


def forms(texts: pl.Series) -> pl.Series:
    """What texts are made of: capitals as A, small letters as a, digits as 9, whatever their number; x for a mixture.

    >>> import polars as pl
    >>> forms(pl.Series(["AB-0012", "ab 7", "3f9a1c-x"])).to_list()
    ['A-9', 'a 9', 'x-a']
    """
    bare = texts.str.replace_all(r"\p{Nd}+", "9").str.replace_all(r"\p{Lu}+", "A").str.replace_all(r"[\p{L}--A]+", "a")
    return bare.str.replace_all(r"A?a", "a").str.replace_all("[9Aa]{3,}", "x")


def how_written(x: pl.Series, y: pl.Series, tables: tuple[str, str], most: float) -> tuple[str, str]:
    """In what identifiers of two tables differ, in words: a change of form in most of them, and the strongest view.

    Either is empty where there is nothing to say. The form has changed if a share of `most` of them has another.
    """
    one, two = (forms(part) for part in (x, y))
    form = Spelling.of(one, two)
    views: list[View] = [
        View("value", f"of the form '{word}'", round(float(a)), round(float(b)), form.m, form.n)
        for word, a, b in zip(form.words, form.x, form.y, strict=True)
    ]
    if any(abs(view.shares[0] - view.shares[1]) >= most and view.pvalue <= _SURE for view in views):
        was, now = (shown(_example(*pair), 40) for pair in ((x, one), (y, two)))
        return f"was written as in '{was}', is written as in '{now}'", ""
    views += [view for view in Spelling.of(x, y).views(single=False) if view.family in _LOOKED_AT]
    kept = usable(views, _SURE)
    found = [view for view in kept if view.pvalue * len(kept) <= _SURE]
    best = max(found, key=lambda view: (round(view.effect, 2), view.family == "letters"), default=None)
    return "", "" if best is None else best.told(tables).text


def _example(texts: pl.Series, forms: pl.Series) -> str:
    """A text of the most frequent form."""
    return str(texts.filter(forms == forms.mode().sort()[0])[0])
