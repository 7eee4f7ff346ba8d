"""What a user may have meant by a word that is not known here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_SAME = (
    ("level", "alpha", "significance", "significance_level", "conf_level", "confidence", "confidence_level"),
    ("rng", "seed", "random_state", "generator"),
    ("bandwidth", "sigma", "scale", "length_scale", "lengthscale"),
    ("n", "b", "resamples", "permutations", "n_permutations", "num_permutations", "n_perms", "n_resamples", "n_boot"),
    ("null", "permutations", "n_permutations", "num_permutations", "n_perms", "n_resamples", "n_boot"),
    ("gaussian", "rbf", "squared-exponential", "squared_exponential", "exponentiated-quadratic"),
    ("laplace", "laplacian", "exponential"),
    ("rational-quadratic", "rq", "rational_quadratic"),
    ("numeric", "number", "float", "double", "real", "continuous"),
    ("integer", "int", "count"),
    ("boolean", "bool", "logical"),
    ("categorical", "category", "factor", "nominal", "enum"),
    ("datetime", "date", "time", "timestamp"),
    ("duration", "timedelta", "interval"),
    ("text", "string", "str", "varchar"),
    ("identifier", "id", "key", "uuid"),
)
"""Words for the same thing in other libraries, or in the other of our two worlds: functions and the command line."""


def did_you_mean(word: object, choices: Iterable[str], shown: Callable[[str], str] = repr) -> str:
    """A question with a space before it, or nothing if no choice is near; `shown` writes a choice.

    Examples
    --------
    >>> did_you_mean("rbf", ["linear", "gaussian"]), did_you_mean("gausian", ["linear", "gaussian"])
    (" Did you mean 'gaussian'?", " Did you mean 'gaussian'?")
    >>> did_you_mean("matern", ["matern-1/2", "matern-3/2", "linear"])
    " Did you mean 'matern-1/2' or 'matern-3/2'?"
    >>> did_you_mean("tree", ["linear", "gaussian"])
    ''
    """
    near = _near(word.lower(), sorted(choices)) if isinstance(word, str) and len(word) < 100 else []
    return f" Did you mean {' or '.join(map(shown, near))}?" if near else ""


def _near(word: str, choices: list[str]) -> list[str]:
    """Words for the same thing; or else those that begin so; or else those that are spelt alike."""
    from difflib import get_close_matches

    same = [choice for group in _SAME if word in group for choice in choices if choice in group]
    begun = [choice for choice in choices if choice.startswith(word)] if len(word) > 2 else []
    return (same or begun)[:3] or get_close_matches(word, choices, 2, 0.7)
