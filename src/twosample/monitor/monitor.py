"""A watch over batches: each new one is compared with all before, and an alarm means what it says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from .._files import read_whole, write_whole
from ..errors import InputError, OptionError, number_between, options_by_name, whole_number
from ..sources import open_table
from ..sources.summarize import summarize
from ..summaries import TableSummary
from . import files
from .batches import FILE, BatchRule, Part, StrataRule, time_in
from .features import plan_features, spanning
from .history import BatchRecord, History, Role, Settings, digest, findings
from .learning import DOUBT, neighbours
from .planner import Delay, Progress, change_of, planned_delay
from .results import Look
from .standing import Standing, apart, largest_gap

_EVERY = 10  # of how many batches of the reference one chooses the features


class DuplicateBatchError(InputError):
    """The batch is there already; ``again=True`` takes it once more."""


class Monitor(Standing):
    r"""Compare every new batch of rows with all before it, with a bound on false alarms.

    The unit is the batch: a day, a file, a partition. Its rows become a summary, the summary a few numbers for each
    column. After each batch the last 1, 2, 3, 5, 8, ..., 55 batches are compared with all before them, and the largest
    difference is tested by permuting the order of the batches, within strata. The p-value is exact at every batch if
    batches of one stratum are exchangeable; rows inside a batch may depend on each other as they like.

    Parameters
    ----------
    reference
        Past batches in which all was well: a list of sources (anything that :func:`twosample.compare` takes), a pattern
        of files, or one table that `batches` splits. About a tenth of them choose the features and take no part in
        tests.
    batches
        What a batch is: "file" (every source is one), a column whose values tell, or "hour", "day", "week", "month" of
        the column of times.
    strata
        Batches are exchanged within strata only: a column with one value in each batch, "weekday", "weekend", "hour",
        "month" or "quarter" of the time of a batch, a function of it, or None.
    false_alarms
        How many there may be for each batch, at most: 1/1000 is one in a thousand batches.
    margin
        The effect size that is no alarm yet: the lower end of the 90 % interval of a column must be above it. 0 turns
        that off.
    time
        The column of times; None: the only one, or the dates in the names of batches.
    select, exclude
        Columns to watch, or not to. Dates, identifiers and clocks are left out unless selected.
    kinds
        What columns mean, where the guess is wrong: ``{"zip": "categorical"}``.
    where
        A condition in SQL for the rows.
    rng
        A whole number: the seed of the relabellings. The same batches give the same bytes.

    Attributes
    ----------
    looks
        What was said after each batch since the reference.

    Notes
    -----
    Each look has level α = `false_alarms`, so the expected number of false alarms is at most α for each batch, and the
    mean time to the first at least 1/(2α) batches. Time for a batch: one pass over its rows, and then milliseconds to a
    second, whatever came before.

    When not to use it: for a stream with seasons or a trend that strata do not catch, neighbouring batches are alike
    and a change of season is a change; :attr:`notes` says whether the reference looks like that. For single rows, use
    :class:`twosample.LinearTimeMMD`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> def day(shift=0.0):
    ...     return {"price": rng.normal(rng.normal(0, 0.1) + shift, 1, 200), "items": rng.poisson(3, 200)}
    >>> m = ts.Monitor([day() for _ in range(40)])
    >>> m.update(day()).status
    'quiet'
    >>> while not m.alarm:
    ...     look = m.update(day(shift=0.8))
    >>> m.columns[0].name, m.since
    ('price', 'batch 42')
    """

    @options_by_name
    def __init__(  # noqa: PLR0913 - the options of a watch
        self,
        reference: object,
        *,
        batches: str = FILE,
        strata: StrataRule = None,
        false_alarms: float = 1 / 1000,
        margin: float = 0.05,
        time: str | None = None,
        select: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        kinds: Mapping[str, str] | None = None,
        where: str | None = None,
        rng: int = 0,
    ) -> None:
        level = number_between("false_alarms", false_alarms, 0, 0.5, 0.001)
        settings = Settings(level, _margin(margin), whole_number("rng", rng, least=0))
        self._rule = BatchRule(batches, time, strata, where)
        parts = list(self._rule.parts(reference))
        if not parts:
            raise InputError("reference: there is no batch. Give a list of sources, or a table and what a batch is.")
        chosen = set(range(min(_EVERY // 2, len(parts) - 1), len(parts), _EVERY))
        self._like: TableSummary | None = None
        self._like = spanning([self._read(parts[place]) for place in sorted(chosen)])
        summaries = {place: self._read(parts[place]) for place in sorted(chosen)}
        usable = [summaries[place] for place in sorted(chosen) if summaries[place].rows]
        if not usable:
            raise InputError(f"reference: {parts[min(chosen)].name} has no rows, and the features come from it.")
        left = {*(exclude or ()), *(self._rule.own_columns() & {c.info.name for c in usable[0].columns})}
        plan = plan_features(usable, select, sorted(left - {*(select or ())}), kinds)
        self._history = History(plan, settings)
        for place, part in enumerate(parts):
            role: Role = "plan" if place in chosen else "reference"
            self._insert(part, summaries[place] if place in chosen else self._read(part), role, again=False)
        self._notes = self._doubts()

    def _read(self, part: Part) -> TableSummary:
        """The summary of a batch, in the bins of those that the features come from."""
        if isinstance(part.source, TableSummary):
            return part.source
        inner = self._rule.where if self._rule.by == FILE else None
        table = open_table(part.source, where=inner, name=part.name or None)
        known = None if self._like is None else [column.info.name for column in self._like.columns]
        same = known == [info.name for info in table.columns]
        return summarize(table, like=self._like if same else None, rng=self._like.seed if self._like else 0)

    def _insert(self, part: Part, summary: TableSummary, role: Role, again: bool) -> tuple[BatchRecord, int]:
        history = self._history
        number = len(history.batches) + 1
        name, mark = part.name or f"batch {number}", digest(summary)
        for batch in history.batches if not again else ():
            if batch.digest == mark and summary.rows:
                same = "" if batch.name == name else f", as {batch.name}"
                raise DuplicateBatchError(f"{name} is there already{same}: the same rows. again=True adds it again.")
            if part.name and batch.name == name:
                raise DuplicateBatchError(f"There is a batch {name} with other rows. again=True adds this one too.")
        moment = self._rule.moment(summary, part)
        stratum = self._rule.stratum(summary, moment) if summary.rows else ""
        role = role if summary.rows else "empty"
        record = BatchRecord(name, moment, stratum, mark, summary.rows, role, number)
        return record, history.insert(record, summary)

    @options_by_name
    def update(self, batch: object, *, name: str | None = None, again: bool = False) -> Look:
        """Take in a new batch, or several that the rule of the monitor finds in it, and look.

        Parameters
        ----------
        batch
            A source as for the reference.
        name
            What to call it; None: as its file or its period, or by its number.
        again
            Whether a batch that is there already, by its rows or its name, is taken once more.

        Returns
        -------
        Look
            What the first of them that raised an alarm says, or the last if none did. :attr:`looks` has all of them.
        """
        parts = list(self._rule.parts(batch))
        if name is not None:
            if len(parts) != 1:
                raise OptionError(f"name={name!r}: there are {len(parts)} batches, which have names of their own.")
            parts = [Part(name, parts[0].source, time_in(name) or parts[0].time)]
        if not parts:
            raise InputError("batch: there are no rows, and so no batch.")
        looks = [self._look(part, again) for part in parts]
        return next((look for look in looks if look.alarm), looks[-1])

    def update_new(self, batches: object) -> tuple[str, ...]:
        """Take in those batches that are not there yet; says of each of the others why it was refused.

        Parameters
        ----------
        batches
            Sources as for the reference.
        """
        refused = []
        for part in self._rule.parts(batches):
            try:
                self._look(part, again=False)
            except DuplicateBatchError as error:
                refused.append(str(error))
        return tuple(refused)

    def _look(self, part: Part, again: bool) -> Look:
        assert self._like is not None
        history = self._history
        gap = largest_gap(history.batches)
        summary = self._read(part)
        record, place = self._insert(part, summary, "new", again)
        wrong, notes = findings(history.plan, self._like, summary)
        if place < len(history.batches) - 1:
            notes = (*notes, f"late: it belongs before {history.batches[place + 1].name}")
        elif place and gap is not None and apart(history.batches[place - 1], record) > 1.5 * gap:
            notes = (*notes, f"batches seem to be missing between {history.batches[place - 1].name} and {record.name}")
        return history.look(record, wrong, notes)

    @options_by_name
    def accept(self, since: str | None = None) -> None:
        """Make the batches from a change on the new reference: the change is known, and fine.

        Parameters
        ----------
        since
            The first batch of the new reference; None: that with which the change began.
        """
        since = since or self.since
        if since is None:
            raise OptionError("There is no alarm to accept. To begin with a certain batch, name it: since=NAME.")
        places = [place for place, batch in enumerate(self._history.batches) if batch.name == since]
        if not places:
            raise OptionError(f"since={since!r}: there is no batch of that name.")
        self._history.start = places[-1]
        self._history.accepted.append((len(self._history.batches), since))

    @options_by_name
    def delay(
        self,
        column: str,
        shift: str | float,
        *,
        level: str | None = None,
        runs: int = 40,
        most: int = 60,
        rng: int = 0,
        progress: Progress | None = None,
    ) -> Delay:
        """How long a change would stay unseen, by resampling the batches of the reference with the change planted.

        Parameters
        ----------
        column
            A column that is watched.
        shift
            By how much its numbers grow: ``"0.3sd"`` in standard deviations of its rows, or a number in its units. With
            `level` by how much that share grows: 0.05 or ``"5%"``; all other rows lose it in proportion.
        level
            A category, which may be a new one, or ``"missing"``; None: the numbers are shifted.
        runs, most
            How often, and for how many batches at most.
        rng
            A whole number: the seed.
        progress
            Called with steps done, steps in all, and what is next.

        Returns
        -------
        Delay
            ``median``, ``within(0.9)``, ``delays``.
        """
        runs, most = whole_number("runs", runs), whole_number("most", most)
        seed = whole_number("rng", rng, least=0)
        change = change_of(self._history.plan, column, shift, level)
        return planned_delay(self._history, change, runs=runs, most=most, seed=seed, progress=progress)

    def _doubts(self) -> tuple[str, ...]:
        """What speaks against the assumption, and what is left out."""
        history = self._history
        places = history.tested
        notes = [f"column {name} is not watched: {why}" for name, why in history.plan.left_out if why != "excluded"]
        notes += [
            f"column {name}: {why}; only its missing share is watched" for name, why in history.plan.hardly_watched
        ]
        rows, strata = history.features(places), history.strata(places)
        pvalue = neighbours(history.plan, rows, strata, (history.settings.seed, 2))
        if pvalue is not None and pvalue <= DOUBT:
            notes.append(
                f"neighbouring batches of the reference are alike (p = {pvalue:.3g}): seasons, trends or weekdays. "
                "These are changes too: the promise on false alarms does not hold for them. Strata may help."
            )
        return tuple(notes)

    def to_bytes(self) -> bytes:
        """The state as bytes, the same for the same batches, whether they came in one call or in many."""
        assert self._like is not None
        return files.encode(self._history, self._rule, self._like, self._notes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, whole or not at all.

        Parameters
        ----------
        path
            Where to; such files end with ``.tsw``.
        """
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], strata: StrataRule = None) -> Monitor:
        """Read a file that :meth:`save` wrote.

        Parameters
        ----------
        path
            The file.
        strata
            The function of the time that gives the stratum, if it was one: functions are not saved.
        """
        return cls.from_bytes(read_whole(path), os.fspath(path), strata)

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "These bytes", strata: StrataRule = None) -> Monitor:
        """The monitor that :meth:`to_bytes` was called on.

        Parameters
        ----------
        content
            What it returned.
        name
            What to call them in errors.
        strata
            As for :meth:`load`.
        """
        monitor = cls.__new__(cls)
        history, rule, like, notes = files.decode(content, name)
        if strata is not None:
            rule = BatchRule(rule.by, rule.time, strata, rule.where)
        monitor._history, monitor._rule, monitor._like, monitor._notes = history, rule, like, notes
        return monitor


def _margin(value: object) -> float:
    return 0.0 if value == 0 else number_between("margin", value, 0, 1, 0.05)
