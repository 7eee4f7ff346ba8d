"""How long a shift stays unseen: the reference is resampled with the shift planted, and looked at batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..core.types import Floats
from ..errors import InputError, OptionError, real_number
from .columns import ColumnPlan, bounded
from .features import FeaturePlan
from .history import BatchRecord, History
from .learning import LEAST
from .scan import Indices

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Delay:
    """How many batches with a shift come before the alarm.

    Parameters
    ----------
    column
        The column.
    shift
        In its units.
    delays
        For each run the number of the batch, from 1, that raised the alarm; None if none of them did.
    most
        Batches of a run.
    """

    column: str
    shift: float
    delays: tuple[int | None, ...]
    most: int

    @cached_property
    def median(self) -> float:
        """The median; infinite if half of the runs end without an alarm."""
        return float(np.median([np.inf if delay is None else delay for delay in self.delays]))

    def within(self, share: float) -> int | None:
        """The number of batches within which this share of the runs raises the alarm; None if fewer do.

        Parameters
        ----------
        share
            Between 0 and 1.
        """
        ordered = sorted(delay for delay in self.delays if delay is not None)
        needed = int(np.ceil(share * len(self.delays)))
        return ordered[needed - 1] if 0 < needed <= len(ordered) else None

    def __str__(self) -> str:
        within, found = self.within(0.9), sum(delay is not None for delay in self.delays)
        if within is not None:
            batches = "batch" if within == 1 else "batches"
            return f"found within {within} {batches} with 90 %, half of the time within {self.median:g}"
        return f"found within {self.most} batches in {found} of {len(self.delays)} runs"


def planned_delay(
    history: History, column: str, shift: float, *, runs: int, most: int, seed: int, progress: Progress | None = None
) -> Delay:
    """Delays of a shift of one column of numbers.

    In each run the batches of the reference come in random order, and then batches that are drawn from them with
    replacement, in the order of their strata, with the shift planted.

    Parameters
    ----------
    history
        The batches so far; those of the present reference are used.
    column, shift
        What is shifted, and by how much in its units.
    runs, most
        How often, and for how many batches at most.
    seed
        Of the resampling.
    progress
        Called with steps done, steps in all, and what is next.
    """
    number = _numeric(history.plan, column)
    places = history.tested
    if len(places) <= LEAST:
        raise InputError(f"The watch is still learning: it has {len(places)} batches, and needs {LEAST + 1}.")
    delays = []
    for run in range(runs):
        if progress is not None:
            progress(run, runs, f"run {run + 1} of {runs}")
        delays.append(_one_run(history, places, number, shift, most, np.random.default_rng([seed, run])))
    return Delay(column, shift, tuple(delays), most)


def in_units(plan: FeaturePlan, column: str, shift: str | float) -> float:
    """A shift in the units of a column, from a number or from a text such as 0.3sd."""
    text = str(shift).strip()
    try:
        size = real_number("shift", float(text.removesuffix("sd")))
    except ValueError:
        raise OptionError(f"shift={shift!r} must be a number, or one with sd at its end: '0.3sd'.") from None
    if not text.endswith("sd"):
        return size
    deviation = plan.columns[_numeric(plan, column)].deviation
    if not deviation > 0:
        raise OptionError(
            f"shift={shift!r}: column {column!r} is constant in the reference; give the shift in its units."
        )
    return size * deviation


def _numeric(plan: FeaturePlan, column: str) -> int:
    """The number of a column that can be shifted."""
    for number, part in enumerate(plan.columns):
        if part.name == column:
            if part.form != "numeric":
                raise OptionError(f"shift: column {column!r} holds no numbers, which could be shifted.")
            return number
    known = ", ".join(repr(part.name) for part in plan.columns[:20])
    raise OptionError(f"shift: no column {column!r} is watched. Watched are {known}.")


def _one_run(
    history: History, places: Indices, column: int, shift: float, most: int, rng: np.random.Generator
) -> int | None:
    rows, present, strata = history.features(places), history.counts(places), history.strata(places)
    order = np.arange(len(rows))
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        order[members] = rng.permutation(members)
    trial = History(history.plan, replace(history.settings, seed=int(rng.integers(1 << 31))))
    for place, batch in enumerate(order):
        trial.batches.append(_record(place, f"{strata[place]}", "reference"))
        trial.rows.append(rows[batch])
        trial.present.append(present[batch])
    for step in range(most):
        stratum = strata[step % len(strata)]
        drawn = rng.choice(np.flatnonzero(strata == stratum))
        record = _record(len(trial.batches), f"{stratum}", "new")
        trial.batches.append(record)
        trial.rows.append(shifted(history.plan, rows[drawn], column, shift))
        trial.present.append(present[drawn])
        if trial.look(record, (), ()).alarm:
            return step + 1
    return None


def _record(place: int, stratum: str, role: str) -> BatchRecord:
    return BatchRecord(f"{place + 1}", None, stratum, "", 1, "new" if role == "new" else "reference", place + 1)


def shifted(plan: FeaturePlan, row: Floats, column: int, shift: float) -> Floats:
    """The features of a batch if all numbers of a column were larger by `shift`.

    Shares below edges are read off the batch's distribution function between its edges, scores follow from the means of
    cells, and products of scores change as if the columns of a pair were independent.

    Parameters
    ----------
    plan, row
        The features of a batch.
    column, shift
        What is shifted, and by how much.
    """
    part, spec = plan.part(column), plan.columns[column]
    result, old = row.copy(), row[part]
    if not np.isfinite(old).all():
        return result
    result[part] = _shifted_column(spec, old, shift)
    for at, pair in enumerate(plan.pairs, plan.starts[-1]):
        if column in pair:
            other = pair[0] if pair[1] == column else pair[1]
            result[at] += (result[part][0] - old[0]) * row[plan.starts[other]]
    return result


def _shifted_column(spec: ColumnPlan, old: Floats, shift: float) -> Floats:
    from scipy.interpolate import PchipInterpolator

    new, edges = old.copy(), np.asarray(spec.edges)
    reach = max(4 * spec.deviation, float(np.ptp(edges)), spec.scale)
    grid = np.array([edges[0] - reach, *edges, edges[-1] + reach])
    below = np.maximum.accumulate([0.0, *old[3:], 1.0])
    new[3:] = PchipInterpolator(grid, below)(np.clip(edges - shift, grid[0], grid[-1]))
    shares = np.diff(old[3:], prepend=0.0, append=1.0)
    places = np.asarray(spec.places)
    before, after = (bounded((places + by - spec.centre) / spec.scale) for by in (0.0, shift))
    new[0] = old[0] + shares @ (after - before)
    new[1] = old[1] + shares @ (after**2 - before**2)
    return new
