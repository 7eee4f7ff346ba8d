"""How things stand with a watch: what its properties say, from the batches and looks so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .._reported import Reported
from .._shown import shown
from ..errors import InputError
from .batches import BatchRule
from .history import BatchRecord, History
from .learning import LEAST
from .results import Look, WatchedColumn

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Standing(Reported):
    """What a watch says of itself."""

    _history: History
    _rule: BatchRule
    _notes: tuple[str, ...]

    @property
    def batches(self) -> tuple[BatchRecord, ...]:
        """All batches in the order of time: name, time, stratum, rows, role."""
        return tuple(self._history.batches)

    @property
    def watched(self) -> tuple[str, ...]:
        """The names of the columns that are watched."""
        return tuple(column.name for column in self._history.plan.columns)

    @property
    def false_alarms(self) -> float:
        """How many there may be for each batch, at most."""
        return self._history.settings.level

    @property
    def margin(self) -> float:
        """The effect size that is no alarm yet."""
        return self._history.settings.margin

    @property
    def looks(self) -> tuple[Look, ...]:
        """What was said after each batch since the reference, without the columns."""
        return tuple(self._history.looks)

    @property
    def alarm(self) -> bool:
        """Whether the last look is an alarm that has not been accepted."""
        looks, accepted = self._history.looks, self._history.accepted
        settled = accepted[-1][0] if accepted else 0
        return bool(looks) and looks[-1].alarm and looks[-1].number > settled

    drift_detected = alarm
    """As `river` calls it."""

    @property
    def learning(self) -> bool:
        """Whether there are still too few batches to permute them."""
        return len(self._history.tested) <= LEAST

    @property
    def pvalue(self) -> float | None:
        """Of the last look; None if there was no test."""
        return self._history.looks[-1].pvalue if self._history.looks else None

    @property
    def columns(self) -> tuple[WatchedColumn, ...]:
        """The columns at the last look, those that differ most first, with where they do."""
        return self._history.explained()

    @property
    def since(self) -> str | None:
        """The batch with which the change began, as the first of the alarms that stand said; None without an alarm."""
        if not self.alarm:
            return None
        first = self._history.looks[-1]
        settled = self._history.accepted[-1][0] if self._history.accepted else 0
        for look in reversed(self._history.looks):
            if not look.alarm or look.number <= settled:
                break
            first = look
        return first.since or first.batch

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reference says: whether batches follow their neighbours, and what is not, or hardly, watched."""
        return self._notes

    @property
    def guarantee(self) -> str:
        """What is promised, and on which condition."""
        from .words import guarantee

        return guarantee(self._history.settings.level, self._rule.strata)

    def summary(self) -> str:
        """The state as text for a terminal."""
        from .words import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """The state and all looks as plain values that JSON can hold, with ``"schema": 1``."""
        from .words import as_dict

        return as_dict(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the p-value after each batch with the level and the alarms; returns the matplotlib axes.

        Small p-values are above. The shade begins with the batch since which the alarm says that things are different;
        a hollow diamond is an alarm that needed no test, such as a column that is gone.

        Examples
        --------
        >>> import numpy as np, twosample as ts
        >>> rng = np.random.default_rng(0)
        >>> m = ts.Monitor([{"price": rng.normal(0, 1, 50)} for _ in range(30)])
        >>> while not m.alarm:
        ...     look = m.update({"price": rng.normal(9, 1, 50)})
        >>> m.plot().get_title(loc="left")
        'Alarm at batch 33'
        """
        from .._row_figures import DrawnLooks, draw_looks

        looks, since = self.looks, self.since
        if not looks:
            raise InputError("There is nothing to draw yet: no batch has come since the reference. Call update first.")
        names = [look.batch for look in looks]
        drawn = DrawnLooks(
            names=names,
            pvalues=np.array([np.nan if look.pvalue is None else look.pvalue for look in looks]),
            alarms=np.array([look.alarm for look in looks]),
            level=self.false_alarms,
            change=None if since is None else names.index(since) if since in names else 0,
            accepted=[sum(look.number <= count for look in looks) for count, _ in self._history.accepted],
        )
        state = "Alarm" if self.alarm else "Learning" if self.learning else "Quiet"
        return draw_looks(drawn, f"{state} at {shown(names[-1], 60)}", ax)

    @property
    def read(self) -> tuple[str, ...]:
        """Files that no page may replace: none, rows are not read again."""
        return ()

    def __repr__(self) -> str:
        batches, looks = len(self._history.batches), len(self._history.looks)
        state = "alarm" if self.alarm else "learning" if self.learning else "quiet"
        return f"Monitor({batches} batches, {looks} looks, {state})"


def apart(one: BatchRecord, two: BatchRecord) -> float:
    """Seconds from one batch to the next; 0 if nothing says when they were."""
    return (two.time - one.time).total_seconds() if one.time is not None and two.time is not None else 0.0


def largest_gap(batches: Sequence[BatchRecord]) -> float | None:
    """The longest time between batches of the reference; None if nothing says when they were."""
    times = [batch.time for batch in batches if batch.role in ("plan", "reference") and batch.time is not None]
    gaps = [(two - one).total_seconds() for one, two in pairwise(times)]
    return max(gaps) if len(gaps) > 1 else None
