"""One tree of exceptions. A message names the argument, what came, and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class TwosampleError(Exception):
    """Everything that this package raises on purpose."""


class InputError(TwosampleError, ValueError):
    """The data cannot be tested as they are: empty, not numeric, NaN, shapes that do not fit."""


class OptionError(TwosampleError, ValueError):
    """An option has a value that does not exist or does not fit the other options."""


class MissingExtraError(TwosampleError, ImportError):
    """An optional library is needed; the message holds the line that installs it."""


class SmallSampleWarning(UserWarning):
    """The test ran, but at this sample size it can never reject at the level that was asked for."""


def unknown_option(name: str, value: object, choices: Iterable[str]) -> OptionError:
    """The error for an option value that is not one of the choices."""
    known = ", ".join(repr(choice) for choice in sorted(choices))
    return OptionError(f"{name}={value!r} is not known. Choose one of {known}, or pass an object of that kind.")
