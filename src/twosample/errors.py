"""One tree of exceptions. A message names the argument, what came, and what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import signature
from math import isfinite, nan
from numbers import Real
from typing import Any, Self, TypeVar

from ._hints import did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])


class TwosampleError(Exception):
    """Everything that this package raises on purpose."""


class InputError(TwosampleError, ValueError):
    """The data cannot be tested as they are: empty, not numeric, NaN, shapes that do not fit."""


class SourceError(InputError):
    """A file, database or frame cannot be read. The message names it without credentials, and says what to do."""


class OutputError(TwosampleError, OSError):
    """A file cannot be written. The message names it and says what to do; no half of it is left behind."""


class OptionError(TwosampleError, ValueError):
    """An option has a value that does not exist or does not fit the other options."""


class UnknownOptionError(OptionError, TypeError):
    """A function has no option of that name. The message says which it may be."""


class MissingExtraError(TwosampleError, ImportError):
    """An optional library is needed; the message holds the line that installs it."""


class SmallSampleWarning(UserWarning):
    """The test ran, but at this sample size it can never reject at the level; or a pilot is too small to plan by."""


def missing_extra(need: str, extra: str) -> MissingExtraError:
    """The error for a library that is not there, with the lines that install it: by name, and in a clone.

    >>> print(missing_extra("Workbooks need fastexcel", "excel"))
    Workbooks need fastexcel: pip install "twosample[excel]", or in a clone pip install ".[excel]".
    """
    return MissingExtraError(f'{need}: pip install "twosample[{extra}]", or in a clone pip install ".[{extra}]".')


def unknown_option(name: str, value: object, choices: Iterable[str], *, objects: bool = True) -> OptionError:
    """The error for an option value that is not one of the choices; `objects` if it may also be an object."""
    known = sorted(choices)
    other = ", or pass an object of that kind" if objects else ""
    hint = did_you_mean(value, known)
    return OptionError(f"{name}={value!r} is not known. Choose one of {', '.join(map(repr, known))}{other}.{hint}")


def options_by_name(function: Function) -> Function:
    """A public function that answers an option it does not have with an UnknownOptionError."""
    code = function.__code__
    known = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        if not options.keys() <= known:
            raise unknown_name(function.__qualname__, next(name for name in options if name not in known), known)
        return function(*args, **options)

    return checked  # type: ignore[return-value]


class OptionsByName:
    """Option objects, which answer a parameter that they do not have with an UnknownOptionError."""

    def __new__(cls, *args: object, **options: object) -> Self:
        """The object, if it has all of these parameters."""
        del args
        if options:
            known = signature(cls.__init__).parameters
            odd = [name for name in options if name not in known]
            if odd and not any(part.kind is part.VAR_KEYWORD for part in known.values()):
                raise unknown_name(cls.__qualname__, odd[0], set(known))
        return super().__new__(cls)


def unknown_name(function: str, name: str, known: set[str]) -> UnknownOptionError:
    """The error for an option that a function does not have."""
    names = sorted(known - {"self", "cls"})
    hint = did_you_mean(name, names, lambda choice: f"{choice}=")
    what = function.removesuffix(".__init__")
    return UnknownOptionError(f"{what} has no option {name}=.{hint} It takes {', '.join(names) or 'none'}.")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that points at the line of the user, however deep inside this package it arises."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "twosample":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def real_number(name: str, value: object) -> float:
    """A finite real number from an option, or the error that names it."""
    if not _finite(value):
        raise OptionError(f"{name}={_shown(value)} must be a finite number.")
    return float(value)  # type: ignore[arg-type]


def positive_number(name: str, value: object) -> float:
    """A positive finite number from an option, or the error that names it."""
    if not _finite(value) or float(value) <= 0:  # type: ignore[arg-type]
        raise OptionError(f"{name}={_shown(value)} must be a number that is positive and finite.")
    return float(value)  # type: ignore[arg-type]


def whole_number(name: str, value: object, least: int = 1) -> int:
    """A whole number of at least `least` from an option, or the error that names it."""
    number = float(value) if _finite(value) else nan  # type: ignore[arg-type]
    if not (number >= least and number == int(number)):
        raise OptionError(f"{name}={_shown(value)} must be a whole number of at least {least}.")
    return int(number)


def number_between(name: str, value: object, low: float, high: float, example: float | None = None) -> float:
    """A number strictly between two others from an option, or the error that names it."""
    if not _finite(value) or not low < float(value) < high:  # type: ignore[arg-type]
        such = "" if example is None else f", such as {example:g}"
        raise OptionError(f"{name}={_shown(value)} must be a number strictly between {low:g} and {high:g}{such}.")
    return float(value)  # type: ignore[arg-type]


def check_level(level: object) -> float:
    """A level strictly between 0 and 1."""
    return number_between("level", level, 0, 1, example=0.05)


def yes_or_no(name: str, value: object) -> bool:
    """True or False from an option, or the error that names it."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):  # those of NumPy
        raise OptionError(f"{name}={_shown(value)} must be True or False.")
    return bool(value)


def checked_names(option: str, names: object) -> tuple[str, ...] | None:
    """Names of columns from an option; refuses a single text, whose letters would be taken for names."""
    if names is None:
        return None
    found: tuple[Any, ...] = (None,)
    with suppress(Exception):  # whatever it raises, it is no list
        found = tuple(names)  # type: ignore[arg-type]
    if isinstance(names, str) or not all(isinstance(name, str) for name in found):
        such = f", such as [{names!r}]" if isinstance(names, str) else ""
        raise OptionError(f"{option}={_shown(names)} must be a list of names of columns{such}.")
    return found


def checked_kinds(kinds: object) -> dict[str, Any]:
    """What columns mean, from an option."""
    if kinds is not None and not isinstance(kinds, Mapping):
        raise OptionError(f"kinds={_shown(kinds)} must be a dictionary, such as {{'zip': 'categorical'}}.")
    return dict(kinds or {})


def is_one_of(value: object, choices: tuple[float, ...]) -> bool:
    """Whether an option is one of some numbers."""
    return _finite(value) and value in choices


def _finite(value: object) -> bool:
    """Whether it is a number that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _shown(value: object) -> str:
    """The value, if it is short."""
    if isinstance(value, int) and abs(value) > 10**20:
        return "a number of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
