"""Weights at the door: one for every row, finite, not negative, not all 0; or refused by name."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError, OptionError
from .request import Request
from .samples import Pool


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of the pooled rows, up to a factor."""

    values: Floats  # (N,) positive weights
    m: int  # rows of x
    kept: NDArray[np.bool_]  # which of the rows that came have a weight

    @property
    def effective(self) -> tuple[float, float]:
        """Kish's effective sample sizes, (Σw)² / Σw²: how many rows of equal weight are worth as much."""
        return effective_size(self.values[: self.m]), effective_size(self.values[self.m :])

    @property
    def equal(self) -> bool:
        """Whether all rows of a sample weigh the same, so that nothing is weighted."""
        return not any(np.ptp(part) for part in (self.values[: self.m], self.values[self.m :]))

    @property
    def by_sample(self) -> Weights:
        """With a mean of 1 in each sample: for what does not relabel."""
        parts = self.values[: self.m], self.values[self.m :]
        return replace(self, values=np.concatenate([part / part.mean() for part in parts]))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of weights that move with their rows."""
        parts = self.values[: self.m], self.values[self.m :]
        return scale_notes(*parts, "weights_x and weights_y: those of x", "null=ts.WildBootstrap(memory=0)")


def scale_notes(a: Floats, b: Floats, subject: str, design: str) -> tuple[str, ...]:
    """What to say if mean weights differ by more than chance (5 standard errors of the logarithm of their ratio)."""
    error = sum(float(part.var()) / float(part.mean()) ** 2 / len(part) for part in (a, b)) ** 0.5
    ratio = float(a.mean() / b.mean())
    if abs(np.log(ratio)) <= 5 * error:
        return ()
    return (
        f"{subject} are {ratio:.3g} times the others on average. A weight moves with its row as it stands, so both "
        f"need one scale: divide by the mean of each if scales mean nothing, or take {design} for weights of a design.",
    )


def effective_size(w: Floats) -> float:
    """Kish's effective sample size, (Σw)² / Σw²."""
    return float(w.sum() ** 2 / (w @ w))


def checked_weights(value: object, name: str, rows: int) -> Floats:
    """``(rows,)`` weights of one sample from an option; None is 1 for every row."""
    if value is None:
        return np.ones(rows)
    if np.ma.isMaskedArray(value):
        value = value.astype(np.float64).filled(np.nan)  # type: ignore[attr-defined]
    try:
        array = np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
        if array.dtype.kind not in "fiub" and not (array.dtype.kind == "O" and array.ndim == 1):
            raise TypeError
        weights = array.astype(np.float64)
    except Exception:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        raise InputError(f"{name} must hold one number for every row; it holds something else.") from None
    if weights.shape != (rows,):
        raise InputError(f"{name} has shape {weights.shape}, and the sample has {rows} rows. Give one weight for each.")
    for bad, what in ((np.isnan(weights), "missing"), (np.isinf(weights), "infinite"), (weights < 0, "negative")):
        if bad.any():
            raise InputError(
                f"{name} has {int(bad.sum())} {what} weight(s), the first in row {int(np.flatnonzero(bad)[0])}. "
                "Weights are finite and not negative; 0 leaves a row out."
            )
    if not weights.any():
        raise InputError(f"{name} is 0 for every row: nothing is left to compare.")
    if np.count_nonzero(weights) < 2:
        raise InputError(f"{name} is 0 for all rows but one; a sample needs at least 2.")
    return weights


def weighted(request: Request, weights_x: object, weights_y: object) -> tuple[Request, Weights]:
    """The request without the rows of weight 0, and the weights of the others, the largest of all being 1.

    Nothing here looks at which sample a weight comes from: it may move with its row.
    """
    pool = request.pool
    parts = (checked_weights(weights_x, "weights_x", pool.m), checked_weights(weights_y, "weights_y", pool.n))
    values = np.concatenate(parts)
    keep, m = values > 0, int(np.count_nonzero(parts[0]))
    if not keep.all():
        request = replace(request, pool=Pool(pool.z[keep], m, int(keep.sum()) - m))
    return request, Weights(values[keep] / values.max(), m, keep)


def check_weightable(statistic: str) -> None:
    """Refuse weights where there is no weighted estimate."""
    if statistic not in ("biased", "unbiased"):
        raise OptionError(
            f"weights_x and weights_y go with statistic='unbiased' or 'biased'; statistic={statistic!r} was asked for."
        )
