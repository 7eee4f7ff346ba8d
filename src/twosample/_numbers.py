"""Numbers as people read them, on pages and in terminals.

Pages are typeset: narrow no-break spaces keep a number and its unit on one line, and small numbers have powers of ten.
Plain text has neither.
"""

from __future__ import annotations

from math import isfinite, log10

SPACE = "\u202f"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(value: int) -> str:
    """A whole number with thousands apart: 12,345."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is one.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def percent(share: float) -> str:
    """A share in per cent with one decimal; below that, as less than 0.1."""
    if not isfinite(share):
        return "–"
    if 0 < share < 0.0005:
        return f"<{SPACE}0.1{SPACE}%"
    if 0.9995 < share < 1:
        return f">{SPACE}99.9{SPACE}%"
    return f"{100 * share:.1f}{SPACE}%".replace(".0", "", 1) if share in (0, 1) else f"{100 * share:.1f}{SPACE}%"


def share(value: float) -> str:
    """A share in per cent for plain text: about two significant digits.

    >>> share(0.123), share(0.0123), share(0.00123)
    ('12 %', '1.2 %', '0.12 %')
    """
    percents = 100 * value
    if percents >= 10:
        return f"{percents:.0f} %"
    return f"{percents:.1f} %" if percents >= 1 or value == 0 else f"{percents:.2g} %"


def points(difference: float) -> str:
    """A difference of shares in percentage points, signed."""
    if not isfinite(difference):
        return "–"
    value = round(100 * difference, 1)
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{abs(value):.1f}"


def pvalue(value: float) -> str:
    """A p-value for plain text, with three significant digits.

    >>> pvalue(0.04216), pvalue(3.24e-7)
    ('0.0422', '3.24e-07')
    """
    return f"{value:.3g}"


def page_pvalue(value: float) -> str:
    """A p-value for a page: three decimals, or a power of ten when it is small; beyond 1e-99 no more than that.

    >>> page_pvalue(0.04216), page_pvalue(3.24e-7)
    ('0.042', '3.2×10⁻⁷')
    """
    if not isfinite(value):
        return "–"
    if value < 1e-99:
        return "<10⁻⁹⁹"
    if value >= 0.9995:
        return "1"
    return f"{value:.3f}" if value >= 0.0995e-2 else power(value, digits=1)


def effect(value: float) -> str:
    """An effect size with three decimals."""
    return f"{value:.3f}" if isfinite(value) else "–"


def interval(low: float, high: float) -> str:
    """An interval of effect sizes."""
    return f"{effect(low)} to {effect(high)}"


def power(value: float, digits: int = 3) -> str:
    """A number times a power of ten: 3.2×10⁻⁷."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def value(number: float, digits: int = 4) -> str:
    """Any number, with a few significant digits."""
    if not isfinite(number):
        return str(number)
    if number == 0 or -4 <= log10(abs(number)) < 7:
        text = f"{number:,.{digits}g}" if abs(number) < 10**digits else f"{number:,.0f}"
        return text.replace("-", "−")
    return power(number, digits - 1).replace("-", "−", 1)
