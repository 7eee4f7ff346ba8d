"""All batches so far as a matrix, and the look that follows each of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal

import numpy as np

from .._reported import Tabled
from .._shown import few
from ..core.types import Floats
from ..summaries import ColumnSummary, TableSummary
from .columns import numbers_of
from .effects import NONE, BatchEffect, column_effect, pair_effect, shares, where
from .features import FeaturePlan
from .learning import LEAST, Dispersion, dispersion, row_test
from .results import PAIRS, TOGETHER, Look, Status, WatchedColumn
from .scan import Indices, ScanResult, scan

Role = Literal["plan", "reference", "new", "empty"]


@dataclass(frozen=True)
class BatchRecord(Tabled):
    """One batch."""

    name: str  # what it is called, when it was, and what it is exchanged with
    time: datetime | None
    stratum: str
    digest: str  # of its content
    rows: int
    role: Role  # "plan": it chose the features, and takes no part in tests; "empty": it has no rows; else it is tested
    number: int  # which batch it was, in the order in which they came


@dataclass(frozen=True)
class Settings:
    """What decides about an alarm."""

    level: float  # false alarms for each batch, at most
    margin: float  # the effect size that is no alarm yet; 0: every change is one
    seed: int  # of the relabellings


@dataclass(eq=False)
class History:
    """Batches in the order of time, with their features, and the looks."""

    plan: FeaturePlan  # what is looked at
    settings: Settings  # what decides
    batches: list[BatchRecord] = field(default_factory=list)  # the batches in the order of time
    rows: list[Floats] = field(default_factory=list)  # for each batch its (k,) features; NaN if it is not tested
    present: list[Floats] = field(default_factory=list)  # for each batch the (columns,) numbers of rows with a value
    looks: list[Look] = field(default_factory=list)  # in the order in which batches came, without their columns
    numbers: list[Floats] = field(default_factory=list)
    """For each look ``(columns + 2, 5)`` of every column, of pairs and of all together: adjusted p-value, effect, both
    ends of its interval, and last batches compared; NaN where there is none."""
    start: int = 0  # the first batch of the present reference: those before were replaced by `accept`
    accepted: list[tuple[int, str]] = field(default_factory=list)
    """For each acceptance how many batches had come, and the batch with which the reference begins."""

    def insert(self, record: BatchRecord, summary: TableSummary) -> int:
        """Put a batch where it belongs in the order of time; gives its place."""
        place = len(self.batches)
        while place and _later(self.batches[place - 1], record):
            place -= 1
        tested = record.role in ("reference", "new")
        self.batches.insert(place, record)
        self.rows.insert(place, self.plan.features(summary) if tested else np.full(self.plan.size, np.nan))
        width = len(self.plan.columns)
        self.present.insert(place, self.plan.present(summary) if tested else np.zeros(width))
        if place < self.start:
            self.start += 1
        return place

    @property
    def tested(self) -> Indices:
        """Places of the batches that take part in the tests."""
        places = [i for i, b in enumerate(self.batches) if i >= self.start and b.role in ("reference", "new")]
        return np.array(places, dtype=np.intp)

    def features(self, places: Indices) -> Floats:
        """``(len(places), k)`` features of some batches."""
        return np.array([self.rows[i] for i in places]).reshape(len(places), self.plan.size)

    def counts(self, places: Indices) -> Floats:
        """``(len(places), columns)`` rows with a value."""
        return np.array([self.present[i] for i in places]).reshape(len(places), len(self.plan.columns))

    def strata(self, places: Indices) -> Indices:
        """A number for the stratum of each batch."""
        names = [self.batches[i].stratum for i in places]
        known = {name: number for number, name in enumerate(sorted(set(names)))}
        return np.array([known[name] for name in names], dtype=np.intp)

    def dispersion(self) -> Dispersion | None:
        """Whether the batches differ by themselves, as far as the tested ones tell."""
        places = self.tested
        return dispersion(self.plan, self.features(places), self.counts(places), (self.settings.seed, 1 << 20))

    def look(self, record: BatchRecord, findings: tuple[str, ...], notes: tuple[str, ...]) -> Look:
        """What the batches so far say, now that this one has come; it is kept."""
        blank = Look(record.name, record.number, "learning", None, None)
        places = self.tested
        if record.role == "empty" or len(places) < 2:
            found = blank
        elif len(places) <= LEAST:
            found = self._learned(blank, places)
        else:
            found = self._scanned(blank, places)
        status: Status = "alarm" if findings else found.status
        found = replace(found, status=status, reasons=(*findings, *found.reasons), notes=(*notes, *found.notes))
        self.looks.append(replace(found, columns=()))
        self.numbers.append(self._as_numbers(found.columns))
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """What the numbers of a look belong to."""
        return (*(column.name for column in self.plan.columns), PAIRS, TOGETHER)

    def _as_numbers(self, columns: tuple[WatchedColumn, ...]) -> Floats:
        given = {column.name: column for column in columns}
        result = np.full((len(self.names), 5), np.nan)
        for row, name in zip(result, self.names, strict=True):
            if name in given:
                column = given[name]
                parts = column.adjusted_pvalue, column.effect, column.effect_low, column.effect_high, column.batches
                row[:] = [np.nan if part is None else part for part in parts]
        return result

    def columns(self, look: int) -> tuple[WatchedColumn, ...]:
        """The columns of a look, by its place in the list."""
        result = []
        for name, row in zip(self.names, self.numbers[look].tolist(), strict=True):
            value, low, high = (None if np.isnan(part) else float(part) for part in row[1:4])
            if not np.isnan(row[0]):
                result.append(WatchedColumn(name, row[0], value, low, high, int(row[4])))
        return tuple(result)

    def _learned(self, look: Look, places: Indices) -> Look:
        """While there are few batches: rows as units, unless batches are seen to differ by themselves."""
        seed = (self.settings.seed, look.number)
        level, rows, present = self.settings.level, self.features(places), self.counts(places)
        pvalue, adjusted, effects = row_test(self.plan, rows, present, level=level, seed=seed)
        named = zip(self.plan.columns, adjusted, effects, strict=True)
        columns = tuple(_watched(column.name, float(p), effect, 1) for column, p, effect in named)
        spread = dispersion(self.plan, rows[:-1], present[:-1], (*seed, 1))
        found = replace(look, units="rows", pvalue=pvalue, columns=columns)
        if spread is not None and spread.found:
            said = f"batches differ by themselves (in {spread.column} {spread.ratio:.3g} times as much as random rows)"
            return replace(found, notes=(f"{said}: a p-value over rows means nothing here",))
        note = "few batches: the p-value is over rows, and assumes that batches do not differ by themselves"
        found = replace(found, notes=(note,))
        if spread is None or pvalue > level or not self._matters(columns):
            return found
        since = look.batch
        return replace(found, status="alarm", reasons=_reasons(columns, level, 1, since), since=since,
                       since_earliest=since, since_latest=since)  # fmt: skip

    def _scanned(self, look: Look, places: Indices) -> Look:
        """The exact scan."""
        level, rows, strata = self.settings.level, self.features(places), self.strata(places)
        seed = (self.settings.seed, look.number)
        found = scan(rows, strata, [view for _, view in self.plan.views], level=level, seed=seed)
        columns = self._columns(found, rows, strata)
        result = replace(look, status="quiet", units="batches", pvalue=found.pvalue, columns=columns)
        if found.pvalue > level:
            return result
        if not self._matters(columns):
            note = f"a change, and no alarm: no effect is surely above the margin, {self.settings.margin:g}"
            return replace(result, notes=(note,))
        since, latest, earliest = (
            self.batches[places[-length]].name for length in (found.length, found.shortest, found.longest)
        )
        return replace(result, status="alarm", reasons=_reasons(columns, level, found.length, since), since=since,
                       since_earliest=earliest, since_latest=latest)  # fmt: skip

    def _columns(self, found: ScanResult, rows: Floats, strata: Indices) -> tuple[WatchedColumn, ...]:
        """Every column, pairs and all together, each with the window in which it differs most."""
        owners = np.array([column for column, _ in self.plan.views])
        result = []
        for number in [*range(len(self.plan.columns)), -1, -2]:
            mine = np.flatnonzero(owners == number)
            if not len(mine):
                continue
            best = mine[found.view_surprises[mine].argmax()]
            pvalue, last = float(found.view_pvalues[mine].min()), int(found.view_windows[best])
            if number >= 0:
                column = self.plan.columns[number]
                effect = column_effect(column, rows[:, self.plan.part(number)], strata, last)
                result.append(_watched(column.name, pvalue, effect, last))
            elif number == -1:
                result.append(_watched(PAIRS, pvalue, pair_effect(self.plan, rows, strata, last)[0], last))
            else:
                result.append(_watched(TOGETHER, pvalue, None, last))
        return tuple(result)

    def _matters(self, columns: tuple[WatchedColumn, ...]) -> bool:
        margin = self.settings.margin
        return margin == 0 or any((column.effect_low or 0.0) > margin for column in columns)

    def shares(self, column: int, last: int) -> list[tuple[str, float, float]]:
        """The cells of a column with their shares before and in the last tested batches."""
        places = self.tested
        features = self.features(places)[:, self.plan.part(column)]
        return shares(self.plan.columns[column], features, self.strata(places), last)

    def explained(self) -> tuple[WatchedColumn, ...]:
        """The columns of the last look, those that differ most first, with where they do."""
        if not self.looks:
            return ()
        places = self.tested
        if self.accepted and self.accepted[-1][0] >= self.looks[-1].number:
            places = places[:0]  # what was compared then is no longer the reference
        rows, strata = self.features(places), self.strata(places)
        numbers = {column.name: number for number, column in enumerate(self.plan.columns)}
        result = []
        for column in self.columns(len(self.looks) - 1):
            number = numbers.get(column.name)
            said: tuple[str, ...] = ()
            if number is not None and 0 < column.batches < len(places):
                said = where(self.shares(number, column.batches))
            elif column.name == PAIRS and 0 < column.batches < len(places):
                i, j = self.plan.pairs[pair_effect(self.plan, rows, strata, column.batches)[1]]
                said = (f"most: {self.plan.columns[i].name} with {self.plan.columns[j].name}",)
            result.append(replace(column, where=said))
        return tuple(sorted(result, key=_rank))


def _rank(column: WatchedColumn) -> tuple[bool, float, float, float]:
    """What differs most comes first, and last all columns together, which do not say what it is."""
    return column.name == TOGETHER, column.adjusted_pvalue, -(column.effect_low or 0.0), -(column.effect or 0.0)


def _later(batch: BatchRecord, than: BatchRecord) -> bool:
    return batch.time is not None and than.time is not None and batch.time > than.time


def _watched(name: str, pvalue: float, effect: BatchEffect | None, batches: int) -> WatchedColumn:
    if effect is None or effect is NONE:
        return WatchedColumn(name, pvalue, None, None, None, batches)
    return WatchedColumn(name, pvalue, effect.value, effect.low, effect.high, batches)


def _reasons(columns: tuple[WatchedColumn, ...], level: float, length: int, since: str) -> tuple[str, ...]:
    """What changed, in a sentence."""
    changed = [column.name for column in columns if column.adjusted_pvalue <= level and column.name != TOGETHER]
    most = min(columns, key=_rank).name
    what = few(changed, 5) or f"{TOGETHER}, most {most},"
    batches = "the last batch differs" if length == 1 else f"the last {length} batches differ"
    return (f"{what} changed: {batches} from those before, since {since}",)


def findings(plan: FeaturePlan, known: TableSummary, batch: TableSummary) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is wrong with the columns of a batch, and what is new in them, in words."""
    if not batch.rows:
        return ("the batch has no rows",), ()
    here = {column.info.name: column for column in batch.columns}
    lost = [column.name for column in plan.columns if column.name not in here]
    other = [
        column.name
        for column in plan.columns
        if column.form == "numeric" and column.name in here and _no_numbers(here[column.name], batch.rows)
    ]
    added = sorted(set(here) - {column.info.name for column in known.columns})
    before = {column.info.name: column.infinite for column in known.columns}
    numbers = [here[column.name] for column in plan.columns if column.form == "numeric" and column.name in here]
    infinite = [column for column in numbers if column.infinite]
    endless = [column.info.name for column in infinite if column.infinite + column.missing >= batch.rows]
    wrong = [f"column {name} is not there" for name in lost] + [f"column {name} holds no numbers" for name in other]
    wrong += [f"column {name} holds infinite values only" for name in endless]
    new = [f"column {name} is new: it is not watched" for name in added]
    new += [
        f"column {column.info.name}: {column.infinite:,} of {batch.rows:,} rows are infinite, "
        "and none were in the batches that chose the features"
        for column in infinite
        if column.info.name not in endless and not before.get(column.info.name)
    ]
    return tuple(wrong), tuple(new)


def _no_numbers(column: ColumnSummary, rows: int) -> bool:
    bins = numbers_of(column)
    return column.info.family not in ("empty",) and column.missing < rows and (bins is None or bins.rows == 0)


def digest(batch: TableSummary) -> str:
    """What tells whether two batches have the same rows, whatever they are called."""
    total = sha256(f"{batch.rows}".encode())
    for column in batch.columns:
        counts = sorted(column.counts.values.items()) if column.counts is not None and column.counts.values else []
        facts = (column.info, column.missing, column.infinite, column.low, column.high, column.totals, counts)
        total.update(repr(facts).encode("utf-8", errors="surrogatepass"))
        total.update(column.distinct.hashes.tobytes())
        if column.bins is not None:
            total.update(np.asarray(column.bins.counts, dtype=np.int64).tobytes())
    return total.hexdigest()[:32]
