"""Tables in partitions that an engine holds: a summary of all rows is made there, and answers every question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ..errors import InputError, TwosampleError, warn
from ..summaries import BinGrid, CodedColumn, GroupSums, TableSummary
from .local import LocalRows
from .moments import GroupTally
from .partial import Task, Work, part_of, united
from .remote import RemoteRows, held_rows
from .summarize import ENOUGH, ROWS, RowChoice, check_order
from .summarized import SummaryRows
from .survey import CategoryCounts, Plan, Scan, Survey
from .workers import Workers

if TYPE_CHECKING:
    import polars as pl

_ABSENT = "No module named"


@dataclass(eq=False)
class PartitionedRows(RemoteRows):
    """Rows behind a frame of Dask or Spark."""

    workers: Workers | None = None
    """Run what is asked where the rows are. If they lack this package, the engine's own queries have to do."""
    _known: dict[tuple[int, int], TableSummary] = field(default_factory=dict, init=False)

    @property
    def is_slow(self) -> bool:
        """Not where workers read them."""
        return self.workers is None and super().is_slow

    def survey(self, size: int, seed: int, plan: Plan, every: bool = False) -> Survey:
        """One pass where the rows are; what comes back is a summary of all rows."""
        held = self._held(size, seed)
        if held is None:
            return super().survey(size, seed, plan, every)
        if held.whole:
            return LocalRows(held.sample.frame, self.guard).survey(size, seed, plan)
        note = f"Which rows of {self.guard.name} the joint test took depends on the seed and on its partitions"
        note += f"; no more than {held.sample.size:,} are held in memory." if size > held.sample.size else "."
        return replace(self._answers(held).survey(size, seed, plan), summarized=False, note=note)

    def summary(self, choice: RowChoice, like: TableSummary | None) -> TableSummary:
        """One pass, for whoever wants to keep it; the first rows say which features are added up.

        Of a small table its sample says so: if that is the table, no other pass is needed.
        """
        if choice.first is not None:
            said = f"first_row={choice.first}: the rows of {self.guard.name} are numbered by its partitions."
            raise InputError(f"{said} Leave it out.")
        check_order(self.guard.name, self.columns(), like)
        small = like is None and choice.sums and self.workers is not None and self.workers.is_small
        known = self._held(choice.size, choice.seed) if small else None
        features = choice.features(like, partial(self._some_rows, known))
        if known is not None and known.whole:
            return replace(known, sums=_sums(known.sample.frame, features)).binned()
        held = self._run(Work(self.columns(), choice.size, choice.seed, features=features))
        if held is None:
            return super().summary(choice, like)
        return held.binned() if like is None else held.like(like)

    def _some_rows(self, known: TableSummary | None) -> pl.DataFrame:
        """Those that a summary has kept, or the first ones."""
        return self._pulled(self.frame.head(ENOUGH)) if known is None else known.sample.frame

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int], profiled: bool) -> Scan:
        """From the summary of all rows; to count values of other types than text takes another pass over them."""
        held = next(iter(self._known.values()), None) or self._held(ROWS, 0)
        if held is None:
            return super().scan(grids, counted, profiled)
        known = [column.info.name for column in held.columns if column.counts is not None]
        found = self._answers(held).scan(grids, {name: counted[name] for name in counted if name in known}, profiled)
        more = self._counted({name: counted[name] for name in counted if name not in known})
        return replace(found, counts={**found.counts, **more})

    def _counted(self, most: Mapping[str, int]) -> Mapping[str, CategoryCounts]:
        """How often values of some columns occur, as text."""
        columns = tuple(info for info in self.columns() if info.name in most)
        found = self._run(Work(columns, ROWS, 0, tuple(most))) if most else None
        return {} if found is None else self._answers(found).scan({}, most, False).counts

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """The rows with the smallest keys; all of them if there are no more."""
        held = self._held(size, seed)
        return super().sample(size, seed) if held is None else self._answers(held).sample(size, seed)

    def _answers(self, held: TableSummary) -> SummaryRows:
        return SummaryRows(held, self.guard.name)

    def _held(self, size: int, seed: int) -> TableSummary | None:
        """A summary with a sample of that size, as far as memory allows; None if the workers cannot make one."""
        size = min(size, held_rows(len(self.columns())))
        for (known, drawn), summary in self._known.items():
            if summary.whole or (known >= size and drawn == seed):
                return summary
        found = self._run(Work(self.columns(), size, seed))
        if found is not None:
            self._known[size, seed], self._rows = found, found.rows
        return found

    def _run(self, work: Work) -> TableSummary | None:
        parts = self._parts(work)
        if parts is None:
            return None
        return united(parts) or part_of([self._empty()], work)

    def gathered(self, task: Task) -> list[bytes]:
        """The answers of all partitions, some of them merged."""
        parts = self._parts(task)
        return super().gathered(task) if parts is None else parts

    def _parts(self, task: Task) -> list[bytes] | None:
        """None if the workers cannot run it."""
        workers = self.workers
        if workers is None:
            return None
        try:
            return self.guard.against_all().run(lambda: workers.parts(task))
        except TwosampleError as error:
            if _ABSENT not in str(error):
                raise
            warn(
                f"{error} The workers of {self.engine} need what this machine has: install twosample there. Until then "
                "its own queries are used, and a sample of large tables."
            )
            self.workers = None
            return None


def _sums(rows: pl.DataFrame, features: tuple[CodedColumn, ...]) -> GroupSums | None:
    """Sums of features over the rows of a table that is one part."""
    if not features:
        return None
    tally = GroupTally(features)
    tally.add(rows)
    return tally.result()
