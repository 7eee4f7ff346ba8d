"""What a null may look at to turn a statistic into a p-value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .centred import Centred
from .quadratic import QuadraticForm
from .types import Floats


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that was computed about a statistic before its null looks at it.

    Parameters
    ----------
    values
        ``(R,)`` statistics, the observed one first; one value when the null does not resample.
    tolerance
        Absolute rounding error of the values.
    exhaustive
        Whether the values stand for every labelling there is.
    m, n
        Sample sizes.
    kernel
        The kernel as text, for messages.
    bounds
        The range of the kernel, or None.
    term_count
        How many independent terms the statistic averages over, at least; Hoeffding's exponent counts them.
    form, root, centred, spread
        Of a quadratic statistic: its form, whether it is the root of it, the centred Gram matrix on demand, and
        E[k(z,z) - k(z,z')].
    error
        Of an average of terms: its standard error, if there are two terms or more.
    notes
        What the engine has to say.
    rows_at_hand
        Whether null='permutation' can be asked for instead: a stream has no rows to permute.
    least
        The smallest p-value that all relabellings together can give at these sample sizes.
    """

    values: Floats
    tolerance: float
    exhaustive: bool
    m: int
    n: int
    kernel: str
    bounds: tuple[float, float] | None
    term_count: int
    form: QuadraticForm | None = None
    root: bool = False
    centred: Callable[[], Centred] | None = None
    spread: float = 0.0
    error: float | None = None
    notes: tuple[str, ...] = ()
    rows_at_hand: bool = True
    least: float = 1e-300
