"""Numbers that are written for people: ``$14.00``, ``7,20 €``, ``1,250``, ``12 %``, and yes and no."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_MOST = 0.95  # of the values that are there must be written like this
_MARK = r"(?i)[$€£¥₹]|\b(?:usd|eur|gbp|jpy|chf|cad|aud|inr|cny|sek|nok|dkk)\b"
_POINT = r"^[+-]?(?:[0-9]+|[0-9]{1,3}(?:[,' \u00a0][0-9]{3})+)?(?:\.[0-9]+)?$"  # 1,234.50
_COMMA = r"^[+-]?(?:[0-9]+|[0-9]{1,3}(?:[.' \u00a0][0-9]{3})+)(?:,[0-9]+)?$"  # 1.234,50
_CODE = r"^[+-]?0[0-9]"  # 00123 is a code, no number
_YES, _NO = ("yes", "y", "true", "t"), ("no", "n", "false", "f")


def written_numbers(text: pl.Series) -> pl.Series | None:
    """The numbers that a column of text spells in such a way, null where it does not; None if it is no such column.

    Percentages are shares: 12 % is 0.12.
    """
    import polars as pl

    text = text.alias("v").str.strip_chars()  # a name of our own: polars takes some for patterns
    percent = text.str.ends_with("%")
    bare = text.str.replace_all(_MARK, "").str.strip_suffix("%").str.strip_chars().str.replace(r"^([+-])\s+", "$1")
    bare = bare.set((bare == "") | bare.str.contains(_CODE), None)
    point, comma = (bare.str.contains(form) for form in (_POINT, _COMMA))
    european = int(comma.sum()) > int(point.sum())
    good = comma if european else point
    if not text.count() or int(good.sum()) < _MOST * text.count():
        return None
    digits = bare.set(~good, None).str.replace_all(r"[' \u00a0.]" if european else r"[' \u00a0,]", "")
    values = digits.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return values.zip_with(~percent.fill_null(False), values / 100)


def written_truths(text: pl.Series) -> pl.Series | None:
    """1 for yes and 0 for no if there is nothing else, null where there is nothing; None if it is no such column.

    A single letter is enough only where its opposite occurs, too: F may be a code.
    """
    import polars as pl

    small = text.alias("v").str.strip_chars().str.to_lowercase()
    found = set(small.drop_nulls().unique().to_list())
    if not found or not found <= {*_YES, *_NO}:
        return None
    if all(len(word) == 1 for word in found) and (found <= {*_YES} or found <= {*_NO}):
        return None
    return small.is_in(list(_YES)).cast(pl.Float64)
