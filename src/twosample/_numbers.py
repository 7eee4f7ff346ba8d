"""Numbers as people read them, on pages and in terminals.

Pages are typeset: narrow no-break spaces keep a number and its unit on one line, and small numbers have powers of ten.
Plain text has neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil, floor, isfinite, log10

SPACE = "\u202f"
_LEAST = 1e-99  # p-values below are no more than that: they rest on tails that nobody has seen
_DAY = 86_400.0
_UNITS = (1.0, 60.0, 3600.0, _DAY)
_DATES = -6.1e10, 2.2e11  # seconds since 1970 in years that Python knows
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


def shares(a: float, b: float) -> tuple[str, str]:
    """Two shares in words, with as many digits as it takes to tell them apart.

    >>> shares(0.25, 0.5), shares(0.9952, 1.0), shares(0.161, 0.163), shares(0.0, 0.02)
    (('25 %', '50 %'), ('99.5 %', 'all'), ('16.1 %', '16.3 %'), ('none', '2.0 %'))
    """
    first, second = (_known(part) or share(part) for part in (a, b))
    if first.startswith("100"):
        first = f"{100 * a:.1f} %" if a < 0.9995 else "nearly all"
    if second.startswith("100"):
        second = f"{100 * b:.1f} %" if b < 0.9995 else "nearly all"
    if a == b or first != second:
        return first, second
    texts = ((f"{100 * a:.{digits}f} %", f"{100 * b:.{digits}f} %") for digits in range(1, 13))
    return next((pair for pair in texts if pair[0] != pair[1]), (first, second))


def _known(value: float) -> str:
    return "none" if value == 0 else "all" if value == 1 else ""


def pvalue(value: float, floor: float = 0.0, digits: int = 3) -> str:
    """A p-value for plain text; no value at the floor, the smallest that its test could give: that is only a bound.

    Examples
    --------
    >>> pvalue(0.04216), pvalue(3.24e-7), pvalue(1e-300), pvalue(0.001, floor=0.001)
    ('0.0422', '3.24e-07', '< 1e-99', '≤ 0.001')
    """
    if value < _LEAST:
        return "< 1e-99"
    return f"{'≤ ' if value <= floor * (1 + 1e-9) else ''}{value:.{digits}g}"


def page_pvalue(value: float, floor: float = 0.0) -> str:
    """A p-value for a page: three decimals, or a power of ten when it is small; bounds as in :func:`pvalue`.

    >>> page_pvalue(0.04216), page_pvalue(3.24e-7), page_pvalue(0.001, floor=0.001)
    ('0.042', '3.2×10⁻⁷', '≤\u202f0.001')
    """
    if not isfinite(value):
        return "–"
    if value < _LEAST:
        return f"<{SPACE}10⁻⁹⁹"
    if value >= 0.9995:
        return "1"
    text = f"{value:.3f}" if value >= 0.0995e-2 else power(value, digits=1)
    return f"≤{SPACE}{text}" if value <= floor * (1 + 1e-9) else text


def is_p(text: str) -> str:
    """A p-value as text in a sentence.

    >>> is_p(pvalue(0.04)), is_p(pvalue(1e-200))
    ('p = 0.04', 'p < 1e-99')
    """
    return f"p {text}" if text[:1] in "<≤" else f"p = {text}"


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


_SPANS = ((86_400 * 10**6, "d"), (3600 * 10**6, "h"), (60 * 10**6, "min"))
_SHORT = ((1e3, "ms"), (1e6, "µs"), (1e9, "ns"))
_ROUND_SPANS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)


def duration(seconds: float, unit: float = 0.0) -> str:
    """How long something lasts, to a multiple of `unit` seconds if there is one, and to microseconds.

    >>> duration(7500.0), duration(-93784.5), duration(93784.5, 3600.0), duration(0.0123), duration(0.9999999)
    ('2 h 5 min', '-1 d 2 h 3 min 4.5 s', '1 d 2 h', '12.3 ms', '1 s')
    """
    if not isfinite(seconds):
        return str(seconds)
    size = abs(seconds)
    size = round(size / unit) * unit if unit else size
    sign = "-" if seconds < 0 and size else ""
    size = float(f"{size:.6g}") if size < 1 else size  # 0.9999999 s is 1 s, not 1000 ms
    short = next(((factor, name) for factor, name in _SHORT if size * factor >= 1), _SHORT[-1])
    if 0 < size < 1:
        return f"{sign}{size * short[0]:.6g} {short[1]}"
    rest, parts = round(size * 10**6), []
    for whole, name in _SPANS:
        number, rest = divmod(rest, whole)
        parts += [f"{number:,} {name}"] if number else []
    if rest or not parts:
        parts.append(f"{rest / 1e6:.6f}".rstrip("0").rstrip(".") + " s")
    return sign + " ".join(parts)


def round_durations(low: float, high: float, most: int) -> list[float]:
    """At most so many round durations between two ends, or one more.

    >>> [duration(at) for at in round_durations(0.0, 9000.0, 5)], round_durations(0.0, 1.1, 3)
    (['0 s', '30 min', '1 h', '1 h 30 min', '2 h', '2 h 30 min'], [0.0, 0.5, 1.0])
    """
    rough = (high - low) / most
    unit = _DAY if rough > _DAY else 1.0
    decade = 10.0 ** floor(log10(rough / unit))
    steps = (*_ROUND_SPANS, *(factor * decade * unit for factor in (2, 5, 10)))
    step = next(step for step in steps if step >= rough * (1 - 1e-9)) if rough > 1 else decade
    if rough <= 1:
        step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= rough * (1 - 1e-9))
    return [place * step for place in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


@dataclass(frozen=True)
class Measure:
    """How the numbers of a column are written: whole numbers as such, seconds as dates, the rest to the digits needed.

    Examples
    --------
    >>> Measure(50.0).text(12.3456), Measure(50.0, step=1.0).text(12.0), Measure(3e7, dates=True).text(1.37e9)
    ('12.3', '12', '2013-05-31')
    >>> Measure(50.0, step=1.0).up(12.3), Measure(50.0).down(12.3456)
    (13.0, 12.3)
    >>> [Measure(wide, dates=True).text(1.37e9 + 12.3456) for wide in (1e5, 500, 5)]
    ['2013-05-31 11:33', '2013-05-31 11:33:32', '2013-05-31 11:33:32.345']
    >>> [Measure(wide, spans=True).text(7512.3456) for wide in (5e6, 5e4, 50)]
    ['2 h', '2 h 5 min', '2 h 5 min 12.3 s']
    """

    wide: float  # the width of what is shown: numbers have as many digits as tell places in it apart
    step: float = 0.0  # every number is a multiple of this; 0 if there is no such step
    dates: bool = False  # whether numbers are seconds: since 1970, or since midnight if all of them are within a day
    spans: bool = False  # whether numbers are seconds that something lasts

    @property
    def unit(self) -> float:
        """The distance of neighbouring numbers as they are written; 0 if they are written in full."""
        if not 0 < self.wide < 1e300:
            return self.step
        if self.spans:
            fine = self.wide / 100
            known = [unit for unit in _UNITS if unit <= fine]
            return max(self.step, known[-1] if known else 10.0 ** floor(log10(fine)))
        if self.dates:
            fine = 1e-3 if self.wide >= 0.01 else 1e-6
            return max(self.step, max((unit for unit in _UNITS if unit <= self.wide / 10), default=fine))
        if self.step:
            return self.step * 10.0 ** max(0, floor(log10(self.wide / self.step)) - 4)
        return float(10.0 ** (floor(log10(self.wide)) - 2))

    def up(self, value: float) -> float:
        """The next number that is written in full."""
        return self._multiple(ceil, value, -1e-9)

    def down(self, value: float) -> float:
        """The last number that is written in full."""
        return self._multiple(floor, value, 1e-9)

    def _multiple(self, rounded: Callable[[float], int], value: float, slack: float) -> float:
        unit = self.unit
        if not unit or not isfinite(value) or abs(value / unit) > 1e15:
            return value
        places = rounded(value / unit + slack)
        return places * unit if unit >= 1 else round(places * unit, -floor(log10(unit)))

    def text(self, value: float, between: bool = False) -> str:
        """A number; `between`: one that need not be a multiple of the step, such as a mean, with one more digit."""
        if self.spans:
            return duration(value, self.unit)
        if self.dates and _DATES[0] < value < _DATES[1]:
            return self._date(value)
        if self.step and not between:
            return f"{value:.0f}" if value == floor(value) and abs(value) < 1e15 else f"{value:.6g}"
        wide = self.wide if 0 < self.wide < 1e300 else abs(value) or 1.0
        digits = max(0, 2 - floor(log10(wide)) + between)
        return f"{value:.{digits}f}" if digits <= 6 and abs(value) < 1e12 else f"{value:.6g}"

    def _date(self, value: float) -> str:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
        if self.unit >= _DAY:
            return moment.strftime("%Y-%m-%d")
        clock = abs(value) <= _DAY and self.wide <= _DAY
        near = self.wide < 600 and (clock or self.wide > 0)
        fine = "milliseconds" if 0 < self.wide < 10 else "seconds" if near else "minutes"
        fine = "microseconds" if 0 < self.wide < 0.01 else fine
        return moment.time().isoformat(fine) if clock else moment.replace(tzinfo=None).isoformat(" ", fine)


def days(value: float) -> str:
    """A number of days, in the unit that people would take.

    >>> days(3.25), days(0.5), days(0.01), days(1 / 86_400)
    ('3.25 days', '12 hours', '14.4 minutes', '1 second')
    """
    for unit, name in ((1.0, "day"), (24.0, "hour"), (1440.0, "minute")):
        if value * unit >= 1:
            return f"{value * unit:.3g} {name}{'' if f'{value * unit:.3g}' == '1' else 's'}"
    seconds = f"{value * _DAY:.3g}"
    return f"{seconds} second{'' if seconds == '1' else 's'}"
