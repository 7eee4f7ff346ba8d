"""What a look at a batch says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .._reported import Tabled, plain

Status = Literal["quiet", "alarm", "learning"]
Units = Literal["batches", "rows"]

PAIRS = "pairs of columns"
TOGETHER = "all columns together"


@dataclass(frozen=True)
class WatchedColumn(Tabled):
    """One column at one look.

    Parameters
    ----------
    name
        The column; pairs of columns, and all together, are in the list too.
    adjusted_pvalue
        Its p-value, adjusted for all columns and windows; 1 while learning what to compare with.
    effect, effect_low, effect_high
        The effect size r of the last batches against those before, as in :func:`twosample.effect_size`, and its 90 %
        interval; None for all columns together.
    batches
        How many last batches are compared: those that differ most in this column.
    where
        Where they differ, in words; only of the last look.
    """

    name: str
    adjusted_pvalue: float
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    batches: int
    where: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return plain(self)


@dataclass(frozen=True)
class Look(Tabled):
    """What was said when a batch came.

    Parameters
    ----------
    batch
        The name of the batch.
    number
        Which batch it was, in the order in which they came.
    status
        "quiet", "alarm", or "learning" while there are too few batches.
    units
        What the p-value permutes: "batches", or "rows" while there are few batches (that assumes that batches do not
        differ by themselves); None if there was no test.
    pvalue
        Exact if batches of one stratum are exchangeable (or rows, see `units`); None if there was no test.
    since, since_earliest, since_latest
        The batch with which the change most likely began, and the range of those that explain it about as well; None
        if there is no alarm.
    reasons
        Why it is an alarm, in words.
    notes
        What else should be known.
    columns
        The columns.
    """

    batch: str
    number: int
    status: Status
    units: Units | None
    pvalue: float | None
    since: str | None = None
    since_earliest: str | None = None
    since_latest: str | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    columns: tuple[WatchedColumn, ...] = field(default=(), repr=False)

    @property
    def alarm(self) -> bool:
        """Whether it is one."""
        return self.status == "alarm"

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return plain(self)
