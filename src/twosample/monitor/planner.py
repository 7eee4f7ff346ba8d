"""How long a change stays unseen: the reference is resampled with the change planted, and looked at batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._reported import Tabled
from ..core.types import Floats
from ..errors import InputError, OptionError, real_number
from .columns import ColumnPlan, bounded
from .features import FeaturePlan
from .history import BatchRecord, History
from .learning import LEAST
from .scan import Indices

Progress = Callable[[int, int, str], None]

MISSING = "missing"  # the level that stands for rows without a value, in columns of any form


@dataclass(frozen=True)
class PlantedChange:
    """What is planted."""

    column: int  # the number of the column in the plan
    shift: float  # by how much its numbers grow, in its units; or by how much the share of a level does
    level: str | None = None  # a category, or "missing"; None for a shift of numbers


@dataclass(frozen=True)
class Delay(Tabled):
    """How many batches with a shift come before the alarm.

    Parameters
    ----------
    column
        The column.
    shift
        In its units, or as a share of rows.
    delays
        For each run the number of the batch, from 1, that raised the alarm; None if none of them did.
    most
        Batches of a run.
    level
        The category, or "missing", whose share grows; None for a shift of numbers.
    """

    column: str
    shift: float
    delays: tuple[int | None, ...]
    most: int
    level: str | None = None

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
    history: History, change: PlantedChange, *, runs: int, most: int, seed: int, progress: Progress | None = None
) -> Delay:
    """Delays of a change of one column, in so many runs of `most` batches at most.

    In each run the batches of the present reference come in random order, and then batches that are drawn from them
    with replacement, in the order of their strata, with the change planted.
    """
    places = history.tested
    if len(places) <= LEAST:
        raise InputError(f"The watch is still learning: it has {len(places)} batches, and needs {LEAST + 1}.")
    delays = []
    for run in range(runs):
        if progress is not None:
            progress(run, runs, f"run {run + 1} of {runs}")
        delays.append(_one_run(history, places, change, most, np.random.default_rng([seed, run])))
    name = history.plan.columns[change.column].name
    return Delay(name, change.shift, tuple(delays), most, change.level)


def change_of(plan: FeaturePlan, column: str, shift: str | float, level: str | None) -> PlantedChange:
    """The change that a user asks for: a shift of numbers (12, "0.3sd") or of the share of a level (0.05, "5%")."""
    number = _watched(plan, column)
    part = plan.columns[number]
    text = str(shift).strip()
    unit = next((unit for unit in ("sd", "%") if text.endswith(unit)), "")
    try:
        size = real_number("shift", float(text.removesuffix(unit)))
    except ValueError:
        raise OptionError(
            f"shift={shift!r} must be a number, one with sd at its end ('0.3sd'), or for a share one with % ('5%')."
        ) from None
    if level is not None:
        return _share_change(part, number, size / 100 if unit == "%" else size, unit, level)
    if part.form != "numeric":
        raise OptionError(
            f"shift: column {column!r} holds no numbers, which could be shifted. Name the category whose share grows, "
            f"or '{MISSING}': level=..., on the command line {column}:CATEGORY=5%."
        )
    if unit == "%":
        raise OptionError(f"shift={shift!r}: a share of what? Name it: level='{MISSING}', or a category.")
    if unit == "sd" and not part.deviation > 0:
        raise OptionError(
            f"shift={shift!r}: column {column!r} is constant in the reference; give the shift in its units."
        )
    return PlantedChange(number, size * part.deviation if unit == "sd" else size)


def _share_change(part: ColumnPlan, number: int, size: float, unit: str, level: str) -> PlantedChange:
    if unit == "sd" or not -1 <= size <= 1 or size == 0:
        raise OptionError(f"shift: the share of {level!r} grows or shrinks by a part of the rows: 0.05, or '5%'.")
    if part.form != "categorical" and level != MISSING:
        raise OptionError(
            f"level={level!r}: column {part.name!r} has no categories. Its missing rows: level='{MISSING}'."
        )
    return PlantedChange(number, size, level)


def _watched(plan: FeaturePlan, column: str) -> int:
    """The number of a column that is looked at."""
    names = [part.name for part in plan.columns]
    if column in names:
        return names.index(column)
    raise OptionError(f"shift: no column {column!r} is watched. Watched are {', '.join(map(repr, names[:20]))}.")


def _one_run(
    history: History, places: Indices, change: PlantedChange, most: int, rng: np.random.Generator
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
        trial.rows.append(planted(history.plan, rows[drawn], change))
        trial.present.append(present[drawn])
        if trial.look(record, (), ()).alarm:
            return step + 1
    return None


def _record(place: int, stratum: str, role: str) -> BatchRecord:
    return BatchRecord(f"{place + 1}", None, stratum, "", 1, "new" if role == "new" else "reference", place + 1)


def planted(plan: FeaturePlan, row: Floats, change: PlantedChange) -> Floats:
    """The features of a batch with the change: what a share gains, all other rows lose in proportion."""
    if change.level is None:
        return shifted(plan, row, change.column, change.shift)
    part, spec = plan.part(change.column), plan.columns[change.column]
    result = row.copy()
    own = result[part]  # a view
    if change.level == MISSING:
        own[spec.missing_at] = np.clip(own[spec.missing_at] + change.shift, 0.0, 1.0)
        return result
    shares = own[1 : 1 + len(spec.levels)]
    at = spec.levels.index(change.level) if change.level in spec.levels else None
    before = 0.0 if at is None else float(shares[at])
    after = float(np.clip(before + change.shift, 0.0, 1.0))
    shares *= (1 - after) / (1 - before) if before < 1 else 0.0
    if at is not None:
        shares[at] = after
    if spec.known:
        own[-1] = own[-1] * (1 - after) / (1 - before) if before < 1 else 0.0
        own[-1] += 0.0 if change.level in spec.known else after
    return result


def shifted(plan: FeaturePlan, row: Floats, column: int, shift: float) -> Floats:
    """The features of a batch if all numbers of a column were larger by `shift`.

    Shares below edges are read off the batch's distribution function between its edges, scores follow from the means of
    cells, and products of scores change as if the columns of a pair were independent.
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
