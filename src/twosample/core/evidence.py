"""What a null may look at to turn a statistic into a p-value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .centred import Centred
from .laws import Law, ReplicateLaw
from .observed import Limit, Observed, Resampler
from .quadratic import QuadraticForm
from .types import Floats


@dataclass(frozen=True, eq=False)
class Evidence(Observed):
    """A quadratic statistic of which everything that a null may ask for was computed beforehand.

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
    form, root, centred
        Its form, whether it is the root of it, and the centred Gram matrix on demand.
    least
        The smallest p-value that all relabellings together can give at these sample sizes.
    kernel, bounds, term_count, spread
        No longer asked for.
    """

    values: Floats
    tolerance: float
    exhaustive: bool
    m: int
    n: int
    kernel: str = ""
    bounds: tuple[float, float] | None = None
    term_count: int = 0
    form: QuadraticForm | None = None
    root: bool = False
    centred: Callable[[], Centred] | None = None
    spread: float | None = None
    least: float = 1e-300

    @property
    def value(self) -> float:
        return float(self.values[0])

    def resampled(self, null: Resampler) -> Law:
        return ReplicateLaw(self.values, self.tolerance, self.exhaustive, null.floor(self))

    def limit(self, null: str) -> Limit:
        if self.form is None or self.centred is None:
            raise self.refused(null)
        return self.form.limit(self.centred(), self.value ** (2 if self.root else 1), self.tolerance, self.root)
